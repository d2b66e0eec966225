# shellcheck shell=sh
# flight-rare.sh - what the flight recorder needs now and then: unusual lines, rotation, what was given before.
# Needs flight.sh.

# flight_full JSON - FLIGHT: a line that is not the usual one as it is kept, or one in which a secret may stand. Secrets go
# from the whole texts, before anything is cut. By here-documents: where printf is a program, a long text is too long for it.
flight_full() {
	local line
	line=${1#!}
	# A long line costs awk less than the shell.
	if [ ${#line} -gt 20000 ] || flight_secret "$line"; then
		line=$(
			{
				cat
				printf '\036\n'
				run_jq -r 'include "flight-full"; texts' <<-END | redact_stream
					$line
				END
			} <<-END | run_jq -Rsc 'include "flight-full"; redacted'
				$line
			END
		) || die 74 'the event could not be searched for secrets: it is lost'
	else
		line=$(
			run_jq -c 'include "flight-full"; fitted' <<-END
				$line
			END
		) || die 74 'jq failed: the event is lost'
	fi
	FLIGHT=$line
}

# flight_rotate NAME - a file of more than 5 MB makes room: what it holds is NAME.jsonl.1. Without the lock at once: later,
# and that is no fault to be told.
flight_rotate() {
	_flight_full "$MEMRC_ROOT/logs/$1.jsonl" || return 0
	(
		LOCK_WAIT=0.3
		. "$MEMRC_HOME/bin/lib/seal.sh"
		. "$MEMRC_HOME/bin/lib/lock.sh"
		lock_take
		# Somebody else may have been faster.
		! _flight_full "$MEMRC_ROOT/logs/$1.jsonl" || mv -f -- "$MEMRC_ROOT/logs/$1.jsonl" "$MEMRC_ROOT/logs/$1.jsonl.1"
	) 2>/dev/null || :
}

_flight_full() {
	local size
	[ -f "$1" ] && [ ! -L "${1%/*}" ] && flight_plain "$1" && flight_plain "$1.1" && size=$(wc -c <"$1") && [ "$size" -gt 5242880 ]
}

# flight_count_from SESSION EVERY - counting begins anew
flight_count_from() {
	local counter
	_flight_calls "$1" || return 0
	{ printf '%s\n' "$2" >"$counter"; } 2>/dev/null || :
}

# flight_count_end SESSION - and ends
flight_count_end() {
	local counter
	_flight_calls "$1" || return 0
	[ ! -f "$counter" ] || rm -f -- "$counter"
}

# flight_given SESSION SUM - FLIGHT_GIVEN: the runlevel at which this very message was given to the session, and no
# compaction has come since; else empty
flight_given() {
	FLIGHT_GIVEN=''
	[ -n "$1" ] && [ -f "$MEMRC_ROOT/logs/events.jsonl" ] || return 0
	# A shell would read the lines byte by byte.
	FLIGHT_GIVEN=$(tail -c 65536 -- "$MEMRC_ROOT/logs/events.jsonl" 2>/dev/null |
		awk -v session="\"session\":\"$1\"" -v sum="\"checksum\":\"$2\"" '
			!index($0, session) || !index($0, "\"event\":\"start\"") { next }
			index($0, "\"event\":\"start\",\"runlevel\":\"compact\"") { given = "" }
			index($0, sum) {
				given = $0
				sub(/.*"runlevel":"/, "", given)
				sub(/".*/, "", given)
			}
			END { printf "%s", given }') || FLIGHT_GIVEN=''
}
