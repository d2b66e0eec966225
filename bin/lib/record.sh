# shellcheck shell=sh
# shellcheck source-path=SCRIPTDIR/..
# record.sh - what the writers that add one record to a file have in common. Sources what it needs.
. "${0%/*}/lib/writer.sh"

# what every record takes
RECORD_OPTIONS='target=target based-on=based_on constraint=constraint_ref tag=tags step=step key=key task=task_id'

# record_given FIELD FIELD TEXT … - is there a text for the first, among the pairs?
record_given() {
	local field
	field=$1
	shift
	while [ $# -gt 0 ]; do
		[ "$1" != "$field" ] || [ -z "$2" ] || return 0
		shift 2
	done
	return 1
}

# record_write SHAPE LETTER FILE FIELD TEXT … - adds the record to FILE, or to the trail of the task in
# hand where FILE is empty, and prints its id. A retry adds nothing and prints the id it wrote before.
record_write() {
	local shape letter file left key named id line
	shape=$1 letter=$2 file=$3
	shift 3
	writer_begin
	[ -z "$file" ] || file=$MEMRC_ROOT/state/$file
	key='' named=''
	left=$#
	while [ "$left" -gt 0 ]; do
		case $1 in
		key) record_key "$2" && key=$2 ;;
		task_id) task_named "$2" && named=$NAME ;;
		esac
		set -- "$@" "$1" "$2"
		shift 2
		left=$((left - 2))
	done
	# A trail, which has no such field, is named after its task.
	[ -z "$named" ] || set -- "$@" task_id "$named"
	git_head
	if [ -z "$file" ]; then
		set -- branch "$MEMRC_BRANCH" "$@"
	else
		[ -n "$named" ] || task_current "$LANE"
		[ -n "$named" ] || [ "$TASK" = unnamed ] || set -- task_id "$TASK" "$@"
		[ "$shape" != fact ] || set -- verified_at "${MEMRC_COMMIT:-no commit}" "$@"
		set -- rev 1 status ACTIVE "$@"
	fi
	id=$(record_id "$letter") || exit $?
	line=$(run_jq -nc --arg now "${MEMRC_NOW:-}" "include \"record\"; include \"$shape\"; "'
		$ARGS.positional | record('"$shape"'_shape; $now)' --args -- \
		v 1 id "$id" session "$MEMRC_SESSION" commit "$MEMRC_COMMIT" "$@") || die 74 "jq failed: nothing was written"

	lock_take
	if [ -z "$file" ]; then
		[ -n "$named" ] || task_current "$LANE"
		file=$MEMRC_ROOT/state/tasks/${named:-$TASK}.jsonl
		set -- "$MEMRC_ROOT"/state/tasks/*.jsonl
	else
		set -- "$file"
	fi
	commit_target "$file"
	record_known "$file" "$line" "$key"
	if [ -n "$RECORD_KNOWN" ]; then
		record_near "$RECORD_KNOWN" "$@" || :
	else
		until record_near "$id" "$@"; do
			key=$(record_id "$letter") || exit $?
			line=${line%%"\"id\":\"$id\""*}"\"id\":\"$key\""${line#*"\"id\":\"$id\""}
			id=$key
		done
		append "$file" "$line"
	fi
	printf '%s\n' "$RECORD_SHORT"
}

# record_id LETTER - prints a new id
record_id() {
	local hex
	hex=$(od -An -N5 -tx1 /dev/urandom) || die 74 '/dev/urandom: cannot be read'
	# shellcheck disable=SC2086 # od puts blanks between the bytes
	set -- "$1-" $hex
	printf '%s' "$@"
}

# record_key KEY - dies unless it can be looked for as it stands in the file
record_key() {
	case $1 in
	'' | *["$TAB$NL "]* | *[\"\\]*) die 65 "--key $1: must be printable ASCII without blanks, quotes and backslashes" ;;
	esac
}

# record_known FILE LINE KEY - RECORD_KNOWN: the id of the record that LINE repeats, or empty: one with
# the same key, or else the newest of the same session if it says the same
record_known() {
	local line
	RECORD_KNOWN=''
	[ -s "$1" ] || return 0
	if [ -n "$3" ]; then
		line=$(grep -F -e "\"key\":\"$3\"" -e "\"key\": \"$3\"" -- "$1") || line=''
		if [ -n "$line" ]; then
			line=${line%%"$NL"*}
			line=${line#*'"id"'*'"'}
			RECORD_KNOWN=${line%%'"'*}
			return 0
		fi
	fi
	# A retry comes soon: what lies further back than this is none.
	RECORD_KNOWN=$(tail -c 262144 -- "$1" | MEMRC_LINE=$2 awk -f "$MEMRC_HOME/bin/lib/awk/newest.awk") ||
		die 74 "$1: can't be read: check its permissions"
}

# record_near ID FILE… - RECORD_SHORT: the shortest prefix of ID, of at least four digits, that no other id
# in the files has; fails if ID itself is taken
record_near() {
	local id near taken
	id=$1
	RECORD_SHORT=${id%??????}
	shift
	[ -e "$1" ] || return 0
	near=$(grep -hF -e "\"$RECORD_SHORT" -- "$@") || return 0
	taken=0
	case $near in *'"id":"'"$id"'"'* | *'"id": "'"$id"'"'*) taken=1 ;; esac
	while :; do
		case $near in
		*"\"$id\""*) near=${near%%"\"$id\""*}${near#*"\"$id\""} ;;
		*"\"$RECORD_SHORT"*)
			RECORD_SHORT=${id%"${id#"$RECORD_SHORT"?}"}
			;;
		*) return "$taken" ;;
		esac
	done
}
