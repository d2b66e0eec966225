# shellcheck shell=sh
# hook-rare.sh - the events that don't come with every call: a session's start and end, compactions, subagents.
# Needs hook.sh.
. "$MEMRC_HOME/bin/lib/flight-rare.sh"

hook_rare() {
	case $EVENT in
	session-start) hook_start ;;
	subagent-start) hook_subagent ;;
	pre-compact) hook_compact ;;
	session-end) hook_stop end ;;
	post-tool) hook_nudge ;;
	esac
}

# hook_nudge - a tool call after many without a record: the agent is told
hook_nudge() {
	local text
	hook_flight "$HOOK_TOOL"
	. "$MEMRC_HOME/bin/lib/lane.sh"
	lane_option "$HOST" "$MEMRC_SESSION"
	text="memrc: $FLIGHT_CALLS tool calls since anything was recorded. What is finished, decided or failed is lost with the next compaction unless it is written down: memrc progress$LANE_OPTION --done … --next … | memrc decide$LANE_OPTION … --because … | memrc fail$LANE_OPTION … --because …"
	hook_say "$text"
	flight_rotate flight
}

# hook_told FIELD… - what the host says of the event as TOLD_<field>, each in one line; where that can't be read, nothing
hook_told() {
	local field filter out
	filter=''
	for field in "$@"; do
		case $field in
		session) filter="$filter.session_id, " ;;
		tokens) filter="$filter.context_tokens, " ;;
		*) filter="$filter.$field, " ;;
		esac
		eval "TOLD_$field=''"
	done
	out=$(hook_jq "[${filter}(now * 1000 | floor)][] | . // \"\" | tostring | split(\"\\n\") | join(\" \")") && [ -n "$out" ] || {
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

# hook_rc ARG… - rc, for the root and project found here
hook_rc() {
	exec "$MEMRC_HOME/init.d/rc" "$@" --session "$MEMRC_SESSION" --host "$HOST" </dev/null
}

# hook_message RUNLEVEL - message: what rc says. Where it says nothing, on a full disk for one, that is told, and the hook ends.
hook_message() {
	local code
	code=0
	message=$(hook_rc start --soft --runlevel "$1") || code=$?
	[ "$code" -eq 0 ] || warn "init.d/rc ended with $code: memrc rc --runlevel $1 shows why"
	[ -z "$message" ] || return 0
	[ "$code" -ne 6 ] && [ -n "$HOOK_KNOWN" ] || exit 0
	hook_say "[CONFLICT] the memory in $MEMRC_ROOT could not be shown (init.d/rc ended with $code; memrc doctor says why): read its state/constraints.md before you change anything, and tell the user"
	exit 74
}

# hook_start - the restore message, at most once for each content
hook_start() {
	local message sum
	hook_told session source tokens model
	hook_session "${TOLD_session:-$HOST_SESSION}"
	[ -z "$MEMRC_SESSION" ] || host_shell "$MEMRC_SESSION" || :
	case $TOLD_source in
	startup | resume | clear | compact) MEMRC_RUNLEVEL=$TOLD_source ;;
	fork) MEMRC_RUNLEVEL=resume ;;
	*) MEMRC_RUNLEVEL=manual ;;
	esac
	hook_message "$MEMRC_RUNLEVEL"
	sum=''
	if [ -n "$HOOK_KNOWN" ]; then
		# Why it is printed, and what the session itself has seen since, makes no new content: what was given at a
		# compaction need not come again at a resume. By awk: a shell takes the square of the length for it.
		sum=$(printf '%s\n' "$message" | awk -v level=" · $MEMRC_RUNLEVEL" '
			NR == 1 && (at = index($0, level)) { $0 = substr($0, 1, at - 1) substr($0, at + length(level)) }
			NR == 2 { next }
			/^\[/ { seen = index($0, "[BEFORE THE COMPACTION]") == 1 }
			!seen' | cksum) || sum=''
		case $sum in *' 0') sum='' ;; esac
		sum=${sum%% *}
		# Only a resume goes on with what the model had before.
		if [ "$MEMRC_RUNLEVEL" = resume ]; then
			flight_given "$MEMRC_SESSION" "${sum:-none}"
			[ -z "$FLIGHT_GIVEN" ] || message="memory unchanged since $FLIGHT_GIVEN"
		fi
	fi
	hook_say "$message"
	[ -n "$HOOK_KNOWN" ] || exit 0
	hook_event "$message" "$sum"
	hook_seal "$message"
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

# hook_seal MESSAGE - what others changed while no session ran has been announced: it is the memory now. Where a constraint
# vanished it isn't: that is in force until somebody retires it, so the copies that still have it stay.
hook_seal() {
	[ "$MEMRC_RUNLEVEL" = startup ] || return 0
	case $1 in
	*"$NL"'[CHANGED]'*) ;;
	*) [ ! -d "$MEMRC_ROOT/state/.seal" ] || return 0 ;;
	esac
	(
		LOCK_WAIT=0.3
		. "$MEMRC_HOME/bin/lib/seal.sh"
		. "$MEMRC_HOME/bin/lib/lock.sh"
		. "$MEMRC_HOME/bin/lib/constraints.sh"
		lock_take
		temp_dir
		set -- decisions.jsonl facts.jsonl
		constraints_gone "$tmp" || set -- identity.md constraints.md "$@"
		seal_files "$@"
	) || warn 'not sealed: what others changed is announced again'
}

# hook_subagent - what binds a subagent; that it was started, if that can be noted
hook_subagent() {
	HOOK_INPUT=${HOOK_INPUT:-$(cat)}
	hook_told session
	hook_session "${TOLD_session:-$HOST_SESSION}"
	hook_message subagent
	hook_say "$message"
	[ -z "$HOOK_KNOWN" ] || hook_flight "$HOOK_AGENT + $HOOK_BASE\"subagent-start\", kind: .agent_type} | tojson"
}

# hook_compact - what the summary must keep, then the books are closed
hook_compact() {
	hook_told session trigger
	hook_session "${TOLD_session:-$HOST_SESSION}"
	# After a compaction by hand the client shows the model what was printed here: the lists would be there twice.
	{ [ "$TOLD_trigger" = manual ] || hook_rc start --soft --runlevel compact; } |
		awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" \
			-f "$MEMRC_HOME/bin/lib/awk/summary.awk" || warn 'nothing was said to the summariser'
	hook_stop pre-compact
}

# hook_stop WHAT - the books are closed
hook_stop() {
	[ "$1" != end ] || {
		hook_told session reason
		hook_session "${TOLD_session:-$HOST_SESSION}"
	}
	export MEMRC_EVENT="$1" MEMRC_TRIGGER="${TOLD_trigger:-}" MEMRC_REASON="${TOLD_reason:-}"
	(hook_rc stop) || warn "init.d/rc stop ended with $?"
	[ "$1" != end ] || flight_count_end "$HOST_SESSION"
	flight_rotate flight
	flight_rotate events
}
