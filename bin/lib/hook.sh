# shellcheck shell=sh
# hook.sh - what a host calls: its JSON on stdin, its envelope on stdout, exit 0 whatever happens. Needs base.sh and
# MEMRC_HOME. A call for every tool must cost little: here start no more than jq and what an event cannot do without.
. "$MEMRC_HOME/bin/lib/root.sh"
. "$MEMRC_HOME/bin/lib/trust.sh"
. "$MEMRC_HOME/bin/lib/redact.sh"
. "$MEMRC_HOME/bin/lib/flight.sh"

# hook HOST EVENT - the whole of it
hook() {
	trap hook_end EXIT
	trap 'exit 0' HUP INT TERM PIPE
	HOST=${1:-} EVENT=${2:-} HOOK_LOG='' HOOK_INPUT=''
	case $HOST in *[!a-z]* | '') die 2 "$HOST: no such host: see memrc hook --help" ;; esac
	[ -f "$MEMRC_HOME/bin/lib/host/$HOST.sh" ] || die 2 "$HOST: no such host: see memrc hook --help"
	# shellcheck source=/dev/null
	. "$MEMRC_HOME/bin/lib/host/$HOST.sh"
	host_name "$EVENT" || die 2 "$EVENT: no such event: see memrc hook --help"
	[ -z "$HOST_PROJECT" ] || cd -- "$HOST_PROJECT" >/dev/null 2>&1 || :
	jq_find
	root_find || hook_elsewhere || hook_ignored
	HOOK_KNOWN=''
	! trust_root || HOOK_KNOWN=yes
	hook_log
	case $EVENT in
	session-start | subagent-start) ;;
	# Nobody here has said yes to this memory: nothing is written to it.
	*) [ -n "$HOOK_KNOWN" ] || hook_ignored ;;
	esac
	case $EVENT in
	prompt | post-tool) hook_note ;;
	subagent-stop) hook_flight "$HOOK_AGENT + $HOOK_BASE\"subagent-stop\"} | tojson" ;;
	pre-tool) hook_ignored ;;
	*)
		. "$MEMRC_HOME/bin/lib/hook-rare.sh"
		hook_rare
		;;
	esac
}

# hook_end - what went wrong stands in the log, with the time; the host is never told
hook_end() {
	HOOK_CODE=$? # `local` would be a success
	trap - EXIT
	[ "$HOOK_CODE" -eq 0 ] || [ -z "$HOOK_LOG" ] || printf '%s: %s %s ended with %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$HOST" "$EVENT" "$HOOK_CODE" >&2 || :
	# One that fails with every call must not fill the disk.
	[ "$HOOK_CODE" -eq 0 ] || [ -z "$HOOK_LOG" ] || [ "$(wc -c <"$HOOK_LOG")" -lt 262144 ] || ! flight_plain "$HOOK_LOG.1" || mv -f -- "$HOOK_LOG" "$HOOK_LOG.1" || :
	exit 0
}

# hook_ignored - nothing to do here; the host gets rid of what it writes
hook_ignored() {
	cat >/dev/null || :
	exit 0
}

# hook_log - what is said on stderr goes to the root's logs/hook.log, or to this user's where that can't be
hook_log() {
	local dir
	dir=$MEMRC_ROOT/logs
	if [ -z "$HOOK_KNOWN" ] || [ -L "$dir" ] || ! hook_log_may "$dir"; then
		dir=${XDG_STATE_HOME:-${HOME:-/}/.local/state}/memrc
		[ -d "$dir" ] || mkdir -p -- "$dir" 2>/dev/null
		[ -d "$dir" ] && hook_log_may "$dir" || dir=''
	fi
	[ -n "$dir" ] || {
		exec 2>/dev/null
		return 0
	}
	HOOK_LOG=$dir/hook.log
	exec 2>>"$HOOK_LOG"
}

hook_log_may() {
	flight_plain "$1/hook.log" && { true >>"$1/hook.log"; } 2>/dev/null
}

# hook_elsewhere - the host said where it is in its JSON only
hook_elsewhere() {
	local cwd
	[ -z "${MEMRC_ROOT:-}" ] && [ -n "$MEMRC_JQ" ] || return 1
	HOOK_INPUT=$(cat)
	cwd=$(hook_jq '.cwd | strings') && [ -n "$cwd" ] && cd -- "$cwd" >/dev/null 2>&1 && root_find
}

# What the host said, if it is one object. A text that the host has cut in the middle of a character holds half a
# surrogate pair, which no jq takes: U+FFFD stands for it then.
HOOK_JSON='first((fromjson? // (split("\\\\") | map(split("\\ud") | join("\\ufffd") | split("\\uD") | join("\\ufffd")) | join("\\\\") | fromjson?)) | objects) | '

# hook_jq PROGRAM OPTION… - jq over what the host said, in Claude Code's names; nothing where that is no JSON object. In
# a command substitution only.
hook_jq() {
	local program
	program=$HOOK_JSON$HOST_GIVEN$1
	shift
	[ -n "$MEMRC_JQ" ] || no_jq
	set -- -Rrs -L "$MEMRC_HOME/bin/lib/schema" -L "$MEMRC_HOME/bin/lib/host" --arg host "$HOST" --arg at "${MEMRC_NOW:-}" "$@" "$program"
	[ -z "$HOOK_INPUT" ] || {
		"$MEMRC_JQ" "$@" <<-END
			$HOOK_INPUT
		END
		return
	}
	exec "$MEMRC_JQ" "$@"
}

# hook_session ID - MEMRC_SESSION: the session as files are named after it, empty for none
hook_session() {
	MEMRC_SESSION=$1
	case $1 in
	'') return 0 ;;
	.* | *[!A-Za-z0-9._-]*) ;;
	*) [ ${#1} -gt 80 ] || return 0 ;;
	esac
	. "$MEMRC_HOME/bin/lib/hash.sh"
	. "$MEMRC_HOME/bin/lib/lane.sh"
	lane_name "$1" || die 69 "no sha256sum, shasum or openssl: the session has no plain name"
	MEMRC_SESSION=$NAME
}

# The programs that run for every call: the usual case alone, flat, without functions and regular expressions, which cost
# jq 1.6 5 ms. Of what is unusual (something failed, a long text or line) they say all behind a `!`, and flight-full.jq
# makes of that what is kept. Nothing is cut here that is kept: half a secret has no shape to be known by.
HOOK_BASE='{v: 1, ts: (if $at == "" then now | floor | todate else $at end), session: (.session_id // "" | tostring), host: $host, event: '
HOOK_AGENT='(if .agent_id then {agent: .agent_id} else {} end)'
HOOK_HUGE='if type == "string" and length > 120000 then .[0:60000] + "\n" + .[-60000:] else . end'
HOOK_PROMPT="$HOOK_BASE"'"prompt", text: (.prompt | '$HOOK_HUGE')} | tojson | if utf8bytelength > 3000 then "!" + . else . end'
# An HTTP status of 200 is no failure either.
HOOK_TOOL='((.tool_response | strings // .stdout? // .output? // .content? | strings) // "") as $out
	| ([.error, .hook_event_name == "PostToolUseFailure", (.tool_response | .error?, .is_error?, .isError?, .exit_code?, .exitCode?, .code?, .returncode?, .interrupted?)] | map(select(. != null and . != false and . != 0 and . != 200))) as $codes
	| [$out[-300:] | split("\n")[] | select(. != "")] as $lines
	| (.tool_input.command? // null) as $command
	| ($codes == [] and ($out | startswith("E") or contains("PRIVATE KEY") or ($command != null and length > 300 and ($lines | length < 2)) | not)) as $usual
	| '$HOOK_AGENT' + '$HOOK_BASE'"tool", tool: .tool_name}
		+ (if $command != null then {command: ($command | '$HOOK_HUGE'), last: $lines[-1]}
			else {target: (.tool_input | .file_path? // .notebook_path? // .path? // .pattern? // .url? // null)} end)
		+ (if $usual then {}
			else {codes: $codes, output: ([.error, (.tool_response | strings // (.stderr?, .stdout?, .output?, .error?, .content?))] | map(strings) | join("\n") | '$HOOK_HUGE')} end)
	| tojson | if ($usual | not) or utf8bytelength > 1200 then "!" + . else . end'

# hook_flight PROGRAM - the line that PROGRAM makes goes into the flight recorder, and MEMRC_SESSION is known
hook_flight() {
	local out line id usual
	# The session first: a shell that looks for the end of a long text takes the square of its length.
	out=$(hook_jq "(.session_id // \"\" | tostring | split(\"\\n\") | join(\" \")), ($1)") ||
		die 74 'jq failed: what the host said can not be read'
	[ -n "$out" ] || die 65 'what the host said is no JSON object'
	id=${out%%"$NL"*}
	line=${out#*"$NL"}
	hook_session "$id"
	FLIGHT=$line
	case $line in
	!*) usual='' ;;
	*) usual=yes && ! flight_secret "$line" || usual='' ;;
	esac
	if [ -z "$usual" ]; then
		. "$MEMRC_HOME/bin/lib/flight-rare.sh"
		# shellcheck disable=SC2031 # not this one
		flight_full "$line"
	fi
	[ "$MEMRC_SESSION" = "$id" ] ||
		FLIGHT=$(printf '%s\n' "$FLIGHT" | run_jq -c --arg session "$MEMRC_SESSION" '.session = $session') || die 74 'jq failed: the event is lost'
	flight_add flight "$FLIGHT"
}

# hook_note - a prompt or a tool call
hook_note() {
	FLIGHT_CALLS=''
	if [ "$EVENT" = prompt ]; then
		hook_flight "$HOOK_PROMPT"
		return
	fi
	flight_count "$HOST_SESSION"
	[ -n "$FLIGHT_CALLS" ] || {
		hook_flight "$HOOK_TOOL"
		return
	}
	. "$MEMRC_HOME/bin/lib/hook-rare.sh"
	hook_rare
}
