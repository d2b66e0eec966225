# shellcheck shell=sh
# operation.sh - the index of operations and the evidence behind it. Needs record.sh.

# operation_write FILE TEXT - under the lock: adds RECORD_LINE, whose id is op-? yet, to the index, and its
# evidence to logs/: the content of FILE, or TEXT, if either is given. RECORD_KNOWN: its id. The evidence
# comes first: a number that a kill left without a line in the index is not used again.
operation_write() {
	local index log code
	log=''
	index=$MEMRC_ROOT/state/index.jsonl
	commit_target "$index"
	record_look "$index"
	[ "$RECORD_KNOWN" = new ] || return 0
	operation_number
	record_replace 'op-?' "$RECORD_KNOWN"
	if [ -n "$1$2" ]; then
		log=logs/$RECORD_KNOWN.json
		RECORD_LINE=${RECORD_LINE%%'"logs/op-?.json"'*}"\"$log\""${RECORD_LINE#*'"logs/op-?.json"'}
		log=$MEMRC_ROOT/$log
		commit_open "$log"
		if [ -n "$1" ]; then set -- --rawfile text "$1"; else set -- --arg text "$2"; fi
		printf '%s\n' "$RECORD_LINE" | run_jq "$@" '. + {text: $text}' 2>/dev/null >"$COMMIT_TMP" || commit_fail "$log"
		commit_close "$log"
	fi
	# In a subshell, so that what fails here doesn't leave its evidence behind.
	(append "$index" "$RECORD_LINE" "$RECORD_END") || {
		code=$?
		[ -z "$log" ] || rm -f -- "$log"
		exit "$code"
	}
}

# operation_number - RECORD_KNOWN: op- and 1 + the highest number in the ends of index (RECORD_HIGHEST) and
# archive, and in logs
operation_number() {
	local file line number highest
	highest=$RECORD_HIGHEST
	file=$MEMRC_ROOT/state/index.archive.jsonl
	if [ -s "$file" ]; then
		file=$(tail -n 20 -- "$file") || die 74 "$file: can't be read: check its permissions"
		while IFS= read -r line; do
			case $line in
			*'"id"'*'"op-'[0-9]*)
				number=${line#*'"id"'*'"op-'}
				_operation_higher "${number%%[!0-9]*}"
				;;
			esac
		done <<-END || die 74 "${TMPDIR:-/tmp}: full, or not there: make room, or set TMPDIR"
			$file
		END
	fi
	# Names of equal length sort by number: the last of the longest is the highest.
	for file in [0-9][0-9][0-9][0-9][0-9][0-9][0-9] [0-9][0-9][0-9][0-9][0-9][0-9] [0-9][0-9][0-9][0-9][0-9] \
		[0-9][0-9][0-9][0-9] [0-9][0-9][0-9]; do
		# shellcheck disable=SC2086 # a pattern
		set -- "$MEMRC_ROOT"/logs/op-$file.json
		[ -e "$1" ] || continue
		shift $(($# - 1))
		number=${1##*/op-}
		_operation_higher "${number%.json}"
		break
	done
	[ "$highest" -lt 999999999 ] || die 65 "$MEMRC_ROOT/state: there is an operation op-$highest, and no number left: correct it: memrc edit index.jsonl"
	RECORD_KNOWN=$((highest + 1))
	case $RECORD_KNOWN in ? | ??) RECORD_KNOWN=$(printf '%03d' "$RECORD_KNOWN") ;; esac
	RECORD_KNOWN=op-$RECORD_KNOWN
}

# _operation_higher DIGITS - raises `highest`; leading zeros would make it octal, and more than 9 digits are no number of ours
_operation_higher() {
	local digits
	[ ${#1} -le 9 ] || return 0
	digits=${1#"${1%%[!0]*}"}
	[ "${digits:-0}" -le "$highest" ] || highest=${digits:-0}
}
