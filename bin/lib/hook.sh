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
	trap 'exit 0' HUP INT TERM
	HOST=${1:-} EVENT=${2:-} HOOK_LOG='' HOOK_INPUT=''
	case $HOST in *[!a-z]* | '') die 2 "$HOST: no such host: see memrc hook --help" ;; esac
	[ -f "$MEMRC_HOME/bin/lib/host/$HOST.sh" ] || die 2 "$HOST: no such host: see memrc hook --help"
	. "$MEMRC_HOME/bin/lib/host/$HOST.sh"
	host_name "$EVENT" || die 2 "$EVENT: no such event: see memrc hook --help"
	[ -z "$HOST_PROJECT" ] || cd -- "$HOST_PROJECT" 2>/dev/null || :
	jq_find
	HOOK_ROOT=${MEMRC_ROOT:-}
	root_find || hook_elsewhere || hook_ignored
	HOOK_KNOWN=''
	! trust_root || HOOK_KNOWN=yes
	hook_log
	case $EVENT in
	session-start) hook_start ;;
	subagent-start) hook_subagent ;;
	*)
		# Nobody here has said yes to this memory: nothing is written to it.
		[ -n "$HOOK_KNOWN" ] || hook_ignored
		case $EVENT in
		prompt | post-tool) hook_note ;;
		subagent-stop) hook_flight 'flight_base($host; "subagent-stop"; $at) | flight_line(1200)' ;;
		pre-compact) hook_compact ;;
		session-end) hook_stop end ;;
		*) hook_ignored ;;
		esac
		;;
	esac
}

# hook_end - what went wrong stands in the log, with the time; the host is never told
hook_end() {
	local code
	code=$?
	trap - EXIT
	[ "$code" -eq 0 ] || [ -z "$HOOK_LOG" ] || printf '%s: %s %s ended with %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$HOST" "$EVENT" "$code" >&2 || :
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
	if [ -z "$HOOK_KNOWN" ] || [ -L "$dir" ] || [ -L "$dir/hook.log" ] || ! { true >>"$dir/hook.log"; } 2>/dev/null; then
		dir=${XDG_STATE_HOME:-${HOME:-/}/.local/state}/memrc
		mkdir -p -- "$dir" 2>/dev/null && { true >>"$dir/hook.log"; } 2>/dev/null || dir=''
	fi
	[ -n "$dir" ] || {
		exec 2>/dev/null
		return 0
	}
	HOOK_LOG=$dir/hook.log
	exec 2>>"$HOOK_LOG"
}

# hook_elsewhere - the host said where it is in its JSON only
hook_elsewhere() {
	local cwd
	[ -z "${MEMRC_ROOT:-}" ] && [ -n "$MEMRC_JQ" ] || return 1
	HOOK_INPUT=$(cat)
	cwd=$(printf '%s\n' "$HOOK_INPUT" | run_jq -r '.cwd | strings' 2>/dev/null) && [ -n "$cwd" ] && cd -- "$cwd" 2>/dev/null && root_find
}

# hook_jq PROGRAM OPTION… - jq over what the host said, as the fields memrc knows
hook_jq() {
	local program
	program='include "'$HOST'"; include "flight"; given | '$1
	shift
	set -- "$@" -r -L "$MEMRC_HOME/bin/lib/schema" -L "$MEMRC_HOME/bin/lib/host" --arg host "$HOST" --arg at "${MEMRC_NOW:-}" "$program"
	[ -n "$MEMRC_JQ" ] || die 69 "no jq: JSON can't be read: install jq, or run make restore in $MEMRC_HOME"
	if [ -n "$HOOK_INPUT" ]; then
		printf '%s\n' "$HOOK_INPUT" | "$MEMRC_JQ" "$@"
	else
		exec "$MEMRC_JQ" "$@" # in a command substitution
	fi
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

# hook_flight PROGRAM [MORE] - the line that PROGRAM makes goes into the flight recorder, and MEMRC_SESSION is known.
# HOOK_MORE: what MORE prints
hook_flight() {
	local out line id
	out=$(hook_jq "(.session | split(\"\\n\") | join(\" \")) as \$session | ($1), \$session${2:+, $2}" --arg name "$HOST_NAME" --arg calls "${FLIGHT_CALLS:-}") ||
		die 74 'jq failed: what the host said can not be read'
	[ -n "$out" ] || die 65 'the host said nothing'
	line=${out%%"$NL"*}
	out=${out#"$line$NL"}
	id=${out%%"$NL"*}
	HOOK_MORE=${out#"$id"}
	HOOK_MORE=${HOOK_MORE#"$NL"}
	hook_session "$id"
	FLIGHT=$line
	case $line in
	!*) flight_full "$line" ;;
	*) ! flight_secret "$line" || flight_full "$line" ;;
	esac
	[ "$MEMRC_SESSION" = "$id" ] ||
		FLIGHT=$(printf '%s\n' "$FLIGHT" | run_jq -c --arg session "$MEMRC_SESSION" '.session = $session') || die 74 'jq failed: the event is lost'
	flight_add flight "$FLIGHT"
}

# hook_note - a prompt or a tool call
hook_note() {
	FLIGHT_CALLS=''
	if [ "$EVENT" = prompt ]; then
		hook_flight 'flight_prompt($host; $at)'
		return
	fi
	flight_count "$HOST_SESSION"
	[ -n "$FLIGHT_CALLS" ] || {
		hook_flight 'flight_tool($host; $at)'
		return
	}
	hook_flight 'flight_tool($host; $at)' 'envelope($name; "memrc: \($calls) tool calls since anything was recorded. What is finished, decided or failed is lost with the next compaction unless it is written down: memrc progress --done … --next … | memrc decide … --because … | memrc fail … --because …")'
	printf '%s\n' "$HOOK_MORE"
	flight_rotate flight
}

# hook_told FIELD… - what the host says of the event as TOLD_<field>, each in one line; where that can't be read, nothing
hook_told() {
	local field filter out
	filter=''
	for field in "$@"; do
		filter="$filter.$field, "
		eval "TOLD_$field=''"
	done
	out=$(hook_jq "[${filter}(now * 1000 | floor)][] | . // \"\" | tostring | split(\"\\n\") | join(\" \")") || {
		warn 'what the host said can not be read: the message is the one for a call by hand'
		TOLD_session=$HOST_SESSION
		TOLD_ms=''
		return 0
	}
	for field in "$@" ms; do
		eval "TOLD_$field=\${out%%\"\$NL\"*}"
		out=${out#*"$NL"}
	done
}

# hook_rc ARG… - rc, as for a call in this directory: in a linked worktree the root alone would not say which
hook_rc() {
	[ -n "$HOOK_ROOT" ] || unset MEMRC_ROOT MEMRC_PROJECT
	exec "$MEMRC_HOME/init.d/rc" "$@" --session "$MEMRC_SESSION" --host "$HOST" </dev/null
}

# hook_start - the restore message, at most once for each content
hook_start() {
	local message sum
	hook_told session source tokens model
	hook_session "$TOLD_session"
	[ -z "$MEMRC_SESSION" ] || host_shell "$MEMRC_SESSION" || :
	case $TOLD_source in
	startup | resume | clear | compact) MEMRC_RUNLEVEL=$TOLD_source ;;
	fork) MEMRC_RUNLEVEL=resume ;;
	*) MEMRC_RUNLEVEL=manual ;;
	esac
	message=$(hook_rc start --soft --runlevel "$MEMRC_RUNLEVEL") || warn "init.d/rc ended with $?: memrc rc --runlevel $MEMRC_RUNLEVEL shows why"
	[ -n "$message" ] || exit 0
	sum=''
	if [ -n "$HOOK_KNOWN" ]; then
		sum=$(printf '%s\n' "$message" | cksum)
		sum=${sum%% *}
		flight_given "$MEMRC_SESSION" "$sum"
		[ -z "$FLIGHT_GIVEN" ] || [ "$MEMRC_RUNLEVEL" = compact ] || message="memory unchanged since $FLIGHT_GIVEN"
	fi
	hook_say "$message"
	[ -n "$HOOK_KNOWN" ] || exit 0
	hook_event "$message" "$sum"
	hook_seal "$message"
	flight_rotate flight
	flight_rotate events
}

# hook_say TEXT - in the host's envelope
hook_say() {
	if host_plain "$EVENT"; then
		printf '%s\n' "$1"
	else
		printf '%s\n' "$1" | run_jq -Rrs -L "$MEMRC_HOME/bin/lib/host" --arg name "$HOST_NAME" \
			'include "'"$HOST"'"; rtrimstr("\n") as $text | envelope($name; $text)'
	fi
}

# hook_event MESSAGE SUM - the start as a line of the events, and how often a record is asked for
hook_event() {
	local line
	. "$MEMRC_HOME/bin/lib/config.sh"
	config_load
	flight_count_from "$HOST_SESSION" "$CFG_nudge_every"
	cd -P -- "$MEMRC_PROJECT" && git_head || MEMRC_COMMIT=''
	line=$(printf '%s\n' "$1" | run_jq -Rsc --arg at "${MEMRC_NOW:-}" --arg session "$MEMRC_SESSION" --arg host "$HOST" --arg runlevel "$MEMRC_RUNLEVEL" \
		--arg tokens "$TOLD_tokens" --arg model "$TOLD_model" --arg since "$TOLD_ms" --arg sum "$2" --arg commit "$MEMRC_COMMIT" \
		--arg agent "${AI_AGENT:-}" --arg chars "$CFG_max_chars" '
		rtrimstr("\n") as $text | [$since, $tokens | [tonumber?] | .[0]] as $told
		| {v: 1, ts: (if $at == "" then now | floor | todate else $at end), session: $session, host: $host, event: "start", runlevel: $runlevel,
			tokens: $told[1], units: ($text | length + ([explode[] | select(. > 65535)] | length)),
			ms: (if $told[0] == null then null else now * 1000 - $told[0] | floor end),
			failed: [$text | split("\n")[] | select(startswith("[FAILED PART] ")) | .[14:] | split(":")[0]],
			checksum: $sum, commit: $commit, version: $agent[0:80], model: $model[0:80], settings: {max_chars: ($chars | tonumber)}}') ||
		die 74 'jq failed: the start is not in logs/events.jsonl'
	flight_add events "$line"
}

# hook_seal MESSAGE - what others changed while no session ran has been announced: it is the memory now
hook_seal() {
	[ "$MEMRC_RUNLEVEL" = startup ] || return 0
	case $1 in
	*"$NL[CHANGED]"*) ;;
	*) [ ! -d "$MEMRC_ROOT/state/.seal" ] || return 0 ;;
	esac
	(
		LOCK_WAIT=0.3
		. "$MEMRC_HOME/bin/lib/seal.sh"
		. "$MEMRC_HOME/bin/lib/lock.sh"
		lock_take
		seal_all
	) || warn 'not sealed: what others changed is announced again'
}

# hook_subagent - what binds a subagent; that it was started
hook_subagent() {
	local message
	if [ -n "$HOOK_KNOWN" ]; then
		hook_flight 'flight_base($host; "subagent-start"; $at) + {kind} | flight_line(1200)'
	else
		hook_told session
		hook_session "$TOLD_session"
	fi
	message=$(hook_rc start --soft --runlevel subagent) || warn "init.d/rc ended with $?: memrc rc --runlevel subagent shows why"
	[ -z "$message" ] || hook_say "$message"
}

# hook_compact - what the summary must keep, then the books are closed
hook_compact() {
	hook_told session trigger
	hook_session "$TOLD_session"
	hook_rc start --soft --runlevel compact | awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" \
		-f "$MEMRC_HOME/bin/lib/awk/summary.awk" || warn 'nothing was said to the summariser'
	hook_stop pre-compact
}

# hook_stop WHAT - the books are closed
hook_stop() {
	[ "$1" != end ] || {
		hook_told session reason
		hook_session "$TOLD_session"
	}
	export MEMRC_EVENT="$1" MEMRC_TRIGGER="${TOLD_trigger:-}" MEMRC_REASON="${TOLD_reason:-}"
	(hook_rc stop) || warn "init.d/rc stop ended with $?"
	[ "$1" != end ] || flight_count_end "$HOST_SESSION"
	flight_rotate flight
	flight_rotate events
}
