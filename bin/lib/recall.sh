# shellcheck shell=sh
# recall.sh - gathering what may fit, cheaply, for jq to choose from. Needs writer.sh, constraints.sh and a
# directory $tmp. WANT_ID, WANT_TASK, WANT_TAG, WANT_TYPE and ARCHIVED say what is wanted.

# The names of fields: a word that is part of one would be found in every line.
RECALL_KEYS='v id rev ts status premise decision reason rejected option check evidence task_id target based_on
constraint_ref tags task_only step key supersedes by session commit claim verified_at type action intent summary
error instead branch log_path checksum'

# recall_is_id WORD - has it the form of an id?
recall_is_id() {
	case $1 in
	op-*) case ${1#op-} in '' | *[!0-9]*) return 1 ;; esac ;;
	[dfsc]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*) case ${1#?-} in *[!0-9a-f]*) return 1 ;; esac ;;
	*) return 1 ;;
	esac
}

# recall_gather WORD… - files of $tmp: what may fit, of each kind that may be wanted
recall_gather() {
	local state word left
	state=$MEMRC_ROOT/state
	# Words, task and tag as they stand in a line of JSON.
	left=$#
	while [ "$left" -gt 0 ]; do
		recall_escape "$1"
		set -- "$@" "$ESCAPED"
		shift
		left=$((left - 1))
	done
	if [ -n "$WANT_TAG" ]; then
		recall_escape "$WANT_TAG"
		set -- "$@" "\"$ESCAPED\""
	fi
	for word in decisions facts trails operations constraints data; do
		printf '' >"$tmp/$word"
	done
	! recall_wants d decision || recall_records decisions "$@" >"$tmp/decisions"
	! recall_wants f fact || recall_records facts "$@" >"$tmp/facts"
	! recall_wants s failure step note || recall_trails "$@" >"$tmp/trails"
	! recall_wants op op || recall_operations "$@" >"$tmp/operations"
	# Constraints are always before the agent's eyes: they are shown where they are asked for.
	[ -z "$WANT_ID$WANT_TYPE$*" ] || [ -n "$WANT_TASK$WANT_TAG" ] || ! recall_wants c constraint ||
		constraints_each "$tmp" recall_constraint >"$tmp/constraints" || exit
}

recall_constraint() {
	[ "$2" = problem ] || printf '%s\t%s\t%s\t%s\n' "$@"
}

# recall_wants LETTER TYPE… - can a record with such an id and of one of the types be wanted?
recall_wants() {
	case $WANT_ID in '' | "$1"-*) ;; *) return 1 ;; esac
	shift
	case " $* " in *" ${WANT_TYPE:-$1} "*) ;; *) return 1 ;; esac
}

# recall_files NAME - RECORDS is state/NAME.jsonl, or /dev/null if there is none, and ARCHIVE its archive, if it is wanted
recall_files() {
	local file
	RECORDS=$MEMRC_ROOT/state/$1.jsonl ARCHIVE=''
	[ -z "$ARCHIVED" ] || ARCHIVE=$MEMRC_ROOT/state/$1.archive.jsonl
	for file in "$RECORDS" ${ARCHIVE:+"$ARCHIVE"}; do
		[ ! -e "$file" ] || { [ -f "$file" ] && [ -r "$file" ]; } || die 74 "$file: can't be read: check its permissions"
	done
	[ -f "$RECORDS" ] || RECORDS=/dev/null
	[ -f "$ARCHIVE" ] || ARCHIVE=''
}

# recall_records NAME PATTERN… - of the archive of state/NAME.jsonl what may fit, then its lines: the newer ones last
recall_records() {
	recall_files "$1"
	shift
	# Opened before the archive is read, as in recall_operations: what is archived meanwhile is seen twice, never not at all.
	{
		[ -z "$ARCHIVE" ] || recall_archived "$ARCHIVE" "$@"
		awk 1 <&3
	} 3<"$RECORDS"
}

# recall_archived FILE PATTERN… - of FILE the lines that may fit, with all other lines of the same records
recall_archived() {
	local file
	file=$1
	shift
	recall_sieve ${WANT_ID:+"\"$WANT_ID"} ${WANT_TASK:+"\"$WANT_TASK\""} "$@" <"$file" |
		awk 'match($0, /"id": *"[^"]*"/) { id = substr($0, RSTART, RLENGTH); sub(/.*: *"/, "\"", id); if (!seen[id]++) print id }' >"$tmp/ids"
	[ ! -s "$tmp/ids" ] || recall_grep -f "$tmp/ids" "$file"
}

# recall_trails PATTERN… - `task <tab> line` of the trails
recall_trails() {
	local file tasks
	tasks=$MEMRC_ROOT/state/tasks
	for file in "$tasks/archive/"*.jsonl "$tasks/"*.jsonl; do
		case $file in "$tasks"/archive/*) [ -n "$ARCHIVED" ] || continue ;; esac
		case $file in */"${WANT_TASK:-${file##*/}}" | */"$WANT_TASK.jsonl") ;; *) continue ;; esac
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done | awk '{ file = $0; task = file; sub(/.*\//, "", task); sub(/\.jsonl$/, "", task)
		while ((getline line < file) > 0) print task "\t" line
		close(file) }' | if [ $# -eq 0 ] && [ -z "$WANT_ID" ]; then cat; else recall_sieve ${WANT_ID:+"\"$WANT_ID"} "$@"; fi
}

# recall_operations PATTERN… - the lines of the index that may fit, each once
recall_operations() {
	recall_files index
	{
		[ -z "$ARCHIVE" ] || cat -- "$ARCHIVE"
		cat <&3
	} 3<"$RECORDS" | recall_sieve ${WANT_ID:+"\"$WANT_ID\""} ${WANT_TASK:+"\"$WANT_TASK\""} "$@" | awk '!seen[$0]++'
}

# recall_sieve PATTERN… - of stdin the last 2,000 lines in which all patterns occur, in any case
recall_sieve() {
	local pattern low
	if [ $# -eq 0 ]; then
		tail -n 2000
		return
	fi
	pattern=$1
	shift
	low=$pattern
	case $low in *[A-Z]*) low=$(printf '%s' "$low" | tr '[:upper:]' '[:lower:]') ;; esac
	case $RECALL_KEYS in
	*"$low"*) recall_grep -E "$low"'[a-z_]*([^a-z_"]|"[^:])' ;;
	*) recall_grep -F "$pattern" ;;
	esac | recall_sieve "$@"
}

# recall_grep -F|-E PATTERN - lines of stdin with it, in any case. Other letters than ASCII may be written as
# \u…, and cost grep much: of such a text only they are looked for, which lets more lines through.
# recall_grep -f FILE… - lines of the last file with one of the texts of the first
recall_grep() {
	local binary text
	# Where grep knows -a, a NUL byte doesn't make it end in silence.
	binary=-a
	printf 'a\n' | grep -aq a 2>/dev/null || binary=-i
	text=$2
	case $1$text in
	-f*) grep $binary -F -f "$2" -- "$3" || : ;;
	-F*[!\ -~]*)
		text=${text#"${text%%[!\ -~]*}"}
		grep $binary -F -e "${text%%[\ -~]*}" -e '\u' || :
		;;
	*) grep $binary -i "$1" -e "$text" || : ;;
	esac
}

# recall_escape TEXT - ESCAPED: as it stands in JSON
recall_escape() {
	ESCAPED=$1
	case $1 in
	*[\\\"]* | *[!\ -~]*)
		ESCAPED=$(run_jq -nr --arg text "$1" '$text | tojson | .[1:-1]') || die 65 "$1: can't be looked for: it isn't UTF-8"
		;;
	esac
}
