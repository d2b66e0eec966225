# shellcheck shell=sh
# shellcheck source-path=SCRIPTDIR/..
# record.sh - what the writers that add one record to a file have in common. Sources what it needs.
. "${0%/*}/lib/writer.sh"

# what every record takes
RECORD_OPTIONS='target=target based-on+based_on constraint+constraint_ref tag+tags step=step key=key task=task_id'

# record_given FIELD FIELD TEXT … - is there a text for the first, among the pairs? GIVEN is the last such
record_given() {
	local field
	field=$1
	GIVEN=''
	shift
	while [ $# -gt 0 ]; do
		[ "$1" != "$field" ] || GIVEN=$2
		shift 2
	done
	[ -n "$GIVEN" ]
}

# record_line SHAPE FIELD TEXT … - RECORD_LINE: the record, of session, commit and task in hand; RECORD_KEY,
# RECORD_TASK and RECORD_CHECK: what was given for them; RECORD_LINES: the record and what checks_run takes of its check
record_line() {
	local shape left filter
	shape=$1
	shift
	writer_begin
	git_head
	RECORD_KEY='' RECORD_TASK='' RECORD_CHECK=''
	left=$#
	while [ "$left" -gt 0 ]; do
		case $1 in
		key) record_key "$2" && RECORD_KEY=$2 ;;
		check) check_need --check "$2" && RECORD_CHECK=$2 ;;
		task_id) task_named "$2" && RECORD_TASK=$NAME ;;
		esac
		set -- "$@" "$1" "$2"
		shift 2
		left=$((left - 2))
	done
	TASK=$RECORD_TASK
	[ -n "$TASK" ] || record_task
	[ "$TASK" = unnamed ] || set -- "$@" task_id "$TASK"
	filter=''
	[ -z "$RECORD_CHECK" ] || filter=".check |= check_needed(\"${0##*/}: --check\") | tojson, ([.] | check_lines(null))"
	# What the shape doesn't have is left out: a trail, for one, is named after its task.
	RECORD_LINES=$(exec "$MEMRC_JQ" -L "$MEMRC_HOME/bin/lib/schema" -nr --arg now "${MEMRC_NOW:-}" "include \"record\"; include \"$shape\"; ${filter:+include \"checked\"; include \"checks\"; }
		\$ARGS.positional | record(${shape}_shape; \$now) | ${filter:-tojson}" --args -- v 1 rev 1 status ACTIVE \
		session "$MEMRC_SESSION" commit "$MEMRC_COMMIT" branch "$MEMRC_BRANCH" verified_at "${MEMRC_COMMIT:-no commit}" \
		"$@") || jq_refused $?
	RECORD_LINE=${RECORD_LINES%%"$NL"*}
}

# record_task - TASK: the task in hand; unnamed where it has ended, or is maybe another session's, so that whoever comes
# next is shown what is recorded
record_task() {
	TASK=unnamed
	session_known || return 0
	task_current "$LANE"
	[ ! -e "$MEMRC_ROOT/state/tasks/archive/$TASK.progress.json" ] ||
		! grep -qE '"status" *: *"(done|dropped)"' -- "$LANE" || TASK=unnamed
}

# record_write SHAPE LETTER FILE FIELD TEXT … - adds the record to FILE, or to the trail of the task in
# hand where FILE is empty, and prints its id. A retry adds nothing and prints the id it wrote before.
record_write() {
	local shape letter file id
	shape=$1 letter=$2 file=$3
	shift 3
	record_id "$letter"
	id=$RECORD_ID
	record_line "$shape" id "$id" "$@"
	writer_lock
	set --
	if [ -n "$file" ]; then
		file=$MEMRC_ROOT/state/$file
	else
		# Another writer may just have switched.
		[ -n "$RECORD_TASK" ] || record_task
		file=$MEMRC_ROOT/state/tasks/$TASK.jsonl
		set -- "$MEMRC_ROOT"/state/tasks/*.jsonl
	fi
	commit_target "$file"
	record_look "$file" "$@"
	while [ "$RECORD_KNOWN" = taken ]; do
		record_id "$letter"
		record_replace "$id" "$RECORD_ID"
		id=$RECORD_ID
		record_look "$file" "$@"
	done
	[ "$RECORD_KNOWN" != new ] || append "$file" "$RECORD_LINE" "$RECORD_END"
	printf '%s\n' "$RECORD_SHORT"
	record_checked "$RECORD_SHORT" "$RECORD_CHECK" "$RECORD_LINES"
}

# record_checked ID CHECK LINES - a check that doesn't hold from the start is a slip, or proves the contrary: that is
# said at once. LINES: the record and what checks_run takes of its check. What would run a program, or read the whole
# tree, waits for memrc verify.
record_checked() {
	local found
	case $2 in '' | cmd:* | tree-nogrep:*) return 0 ;; esac
	found=$(
		exec 2>/dev/null
		. "$MEMRC_HOME/bin/lib/checks.sh"
		temp_dir
		CHECKS_TODO=${3#*"$NL"}
		printf '%s\n' "$CHECKS_TODO" >"$tmp/checks.todo" && checks_run "$tmp" && cat "$tmp/checks"
	) || return 0
	found=${found#*"$TAB"}
	case $found in CONFLICT*) warn "$1: CONFLICT $2: ${found#*"$TAB"}: recorded, but the check doesn't hold now: mend the code, or say it anew: memrc supersede $1" ;; esac
}

# record_replace OLD NEW - the id in RECORD_LINE
record_replace() {
	RECORD_LINE=${RECORD_LINE%%"\"id\":\"$1\""*}"\"id\":\"$2\""${RECORD_LINE#*"\"id\":\"$1\""}
}

# record_id LETTER - RECORD_ID: a new id
record_id() {
	local hex
	# Linux hands out random digits without a process: those of a version 4 UUID before its version.
	if { IFS= read -r hex <"${MEMRC_UUID:-/proc/sys/kernel/random/uuid}"; } 2>/dev/null; then
		case $hex in
		????????-????-4*)
			RECORD_ID=$1-${hex%%-*}
			hex=${hex#*-}
			RECORD_ID=$RECORD_ID${hex%"${hex#??}"}
			return
			;;
		esac
	fi
	hex=$(od -An -N5 -tx1 /dev/urandom) || die 74 "/dev/urandom: can't be read"
	RECORD_ID=$1-
	# od puts blanks between the bytes
	for hex in $hex; do RECORD_ID=$RECORD_ID$hex; done
}

# record_key KEY - dies unless it can be looked for as it stands in the file
record_key() {
	case $1 in
	'' | *["$TAB$NL "]* | *[\"\\]*) die 65 "--key $1: must be printable ASCII without blanks, quotes and backslashes" ;;
	esac
}

# record_look FILE OTHER… - what RECORD_LINE meets in FILE, under the lock. RECORD_KNOWN: `new`, `taken` if its
# id is, or the id of the record it repeats: one with RECORD_KEY, or else the newest of the same session if it
# says the same. RECORD_SHORT: its shortest prefix, of at least four digits, that no other id has here and in
# the OTHER files. RECORD_END: how FILE ends, for append; RECORD_HIGHEST: the highest number of an operation.
record_look() {
	local file archive bytes id line
	file=$1 archive=${1%.jsonl}.archive.jsonl bytes=0
	shift
	[ -e "${1:-}" ] || shift $#
	[ -e "$file" ] || [ $# -gt 0 ] || file=/dev/null
	# A retry comes soon: what lies further back than this is none.
	RECORD_END=$({
		[ ! -e "$file" ] || tail -c 262144 -- "$file" || exit
		printf .
	} | MEMRC_LINE=$RECORD_LINE MEMRC_KEY=$RECORD_KEY awk -f "$MEMRC_HOME/bin/lib/awk/look.awk" - "$@") ||
		die 74 "$file: can't be read: check its permissions"
	set -f
	# shellcheck disable=SC2086 # five words
	set -- $RECORD_END
	set +f
	RECORD_END=$1 bytes=$2 RECORD_HIGHEST=$3 RECORD_SHORT=$4 RECORD_KNOWN=$5
	[ -n "$RECORD_KEY" ] && [ -f "$archive" ] || archive=''
	[ "$bytes" -ge 262144 ] || [ -n "$archive" ] || return 0
	# The file is longer, or has an archive: keys and ids count wherever they stand.
	if [ -n "$RECORD_KEY" ]; then
		line=$(grep -hF -e "\"key\":\"$RECORD_KEY\"" -e "\"key\": \"$RECORD_KEY\"" -- "$file" ${archive:+"$archive"} 2>/dev/null) || [ -n "$line" ] || line=''
		if [ -n "$line" ]; then
			line=${line%%"$NL"*}
			line=${line#*'"id"'*'"'}
			RECORD_KNOWN=${line%%'"'*}
		fi
	fi
	case $RECORD_KNOWN in
	new | taken)
		id=${RECORD_LINE#*'"id":"'}
		id=${id%%'"'*}
		;;
	*) id=$RECORD_KNOWN ;;
	esac
	record_near "$id" "$file" "$@" || [ "$RECORD_KNOWN" != new ] || RECORD_KNOWN=taken
}

# record_near ID FILE… - RECORD_SHORT, by grep; fails if ID itself is taken
record_near() {
	local id near taken
	id=$1
	RECORD_SHORT=${id%"${id#??????}"}
	shift
	near=$(grep -hF -e "\"$RECORD_SHORT" -- "$@") || return 0
	taken=0
	case $near in *'"id":"'"$id"'"'* | *'"id": "'"$id"'"'*) taken=1 ;; esac
	while :; do
		case $near in
		*"\"$id\""*) near=${near%%"\"$id\""*}${near#*"\"$id\""} ;;
		*"\"$RECORD_SHORT"*) RECORD_SHORT=${id%"${id#"$RECORD_SHORT"?}"} ;;
		*) return "$taken" ;;
		esac
	done
}
