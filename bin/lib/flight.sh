# shellcheck shell=sh
# flight.sh - logs/flight.jsonl and logs/events.jsonl: telemetry, one write to the end a line, without lock and fsync.
# Needs base.sh, redact.sh and MEMRC_ROOT.

# flight_plain FILE - may it be written: is it a file, or nothing yet? Who opens a FIFO waits for ever, a link leads elsewhere.
flight_plain() {
	[ ! -L "$1" ] && { [ -f "$1" ] || [ ! -e "$1" ]; }
}

# flight_add NAME LINE - LINE goes to the end of logs/NAME.jsonl, if it is whole and nothing but a file lies there
flight_add() {
	local file
	file=$MEMRC_ROOT/logs/$1.jsonl
	[ ! -L "$MEMRC_ROOT/logs" ] && flight_plain "$file" || die 74 "$file: is a symbolic link or no file: put the file itself there"
	[ -d "$MEMRC_ROOT/logs" ] || mkdir -p -- "$MEMRC_ROOT/logs" || die 74 "$MEMRC_ROOT/logs: can't be made: check the permissions above it"
	case $2 in *"$NL"*) die 65 "logs/$1.jsonl: more than one line: not written" ;; '{'*'}') ;; *) die 65 "logs/$1.jsonl: no record came out: not written" ;; esac
	[ ${#2} -le 4000 ] || die 65 "logs/$1.jsonl: a record of ${#2} bytes: not written"
	# rc lets a part write 64 KiB at most: this file may be longer.
	# shellcheck disable=SC3045 # in every shell of tests/matrix
	ulimit -S -f unlimited 2>/dev/null || :
	{ printf '%s\n' "$2" >>"$file"; } 2>/dev/null || die 74 "$file: can't be written: check permissions and space"
}

# flight_secret TEXT - redact_may, where tests that passed are none
flight_secret() {
	local text
	text=$1
	while :; do
		case $text in
		*passed*) text=${text%%passed*}${text#*passed} ;;
		*) break ;;
		esac
	done
	redact_may "$text"
}

# flight_count SESSION - one tool call more. FLIGHT_CALLS: how many it were since anything was recorded, if that is too
# many, else empty. Counted in dots behind the limit: adding one costs a file system less than to write a file anew.
flight_count() {
	local counter calls every record
	_flight_calls "$1" || return 0
	FLIGHT_CALLS='' calls='' every=''
	if [ -f "$counter" ]; then
		{ read -r every && read -r calls || :; } <"$counter"
		case $every in *[!0-9]* | 0* | ???????*) every='' ;; esac
		for record in "$MEMRC_ROOT"/state/*.json* "$MEMRC_ROOT"/state/tasks/*.jsonl "$MEMRC_ROOT"/state/lanes/*.json; do
			[ ! "$record" -nt "$counter" ] || calls=anew
		done
	fi
	case $calls in
	*[!.]*) calls='' ;;
	*) [ -z "$every" ] || { [ "$((${#calls} + 1))" -lt "$every" ] && { printf . >>"$counter"; } 2>/dev/null && return; } ;;
	esac
	: "${every:=25}"
	[ "$((${#calls} + 1))" -lt "$every" ] || FLIGHT_CALLS=$every
	{ printf '%s\n' "$every" && { [ -n "$FLIGHT_CALLS" ] || printf '%s' "$calls."; }; } 2>/dev/null >"$counter" || FLIGHT_CALLS=''
}

# _flight_calls SESSION - counter: where the calls of a session are counted
_flight_calls() {
	case ${1:-any} in
	*[!A-Za-z0-9._-]*) counter=$MEMRC_ROOT/logs/.calls.any ;;
	*) counter=$MEMRC_ROOT/logs/.calls.${1:-any} ;;
	esac
	[ ! -L "$MEMRC_ROOT/logs" ] && flight_plain "$counter" && [ -d "$MEMRC_ROOT/logs" ]
}
