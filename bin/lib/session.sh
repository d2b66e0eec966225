# shellcheck shell=sh
# session.sh - which session this is, and what every writer begins with. Needs base.sh, root.sh, trust.sh, lane.sh.

# writer_begin - root, jq, the session that writes and its progress file (LANE); ends in the project's directory
writer_begin() {
	root_need
	trust_told
	jq_need
	session_find
	lane_path "$MEMRC_SESSION"
	# The commit that a record notes is that of the project, wherever this was called from.
	cd -P -- "$MEMRC_PROJECT" 2>/dev/null || die 74 "$MEMRC_PROJECT: can't be entered: check its permissions"
}

# writer_lock - the lock, and LANE as it is now: while this waited, the session may have got a lane of its own
writer_lock() {
	lock_take
	lane_path "$MEMRC_SESSION"
}

# session_which - MEMRC_SESSION: given, or the host's own variable, or the only open one, or none
session_which() {
	OPEN=''
	: "${MEMRC_SESSION:=${CLAUDE_CODE_SESSION_ID:-${QWEN_CODE_SESSION_ID:-${GEMINI_SESSION_ID:-}}}}"
	[ -n "$MEMRC_SESSION" ] || session_open
	export MEMRC_SESSION
}

# session_find - session_which, as a plain name
session_find() {
	session_which
	[ -n "$MEMRC_SESSION" ] || return 0
	lane_name "$MEMRC_SESSION" || die 69 "no sha256sum, shasum or openssl: give --session a plain name"
	MEMRC_SESSION=$NAME
}

# session_open - OPEN: the sessions that logs/events.jsonl knows of in the last 24 hours, and no end of; MEMRC_SESSION,
# where that is one
session_open() {
	[ -f "$MEMRC_ROOT/logs/events.jsonl" ] || return 0
	OPEN=$(tail -c 65536 -- "$MEMRC_ROOT/logs/events.jsonl" 2>/dev/null |
		awk -v now="${MEMRC_NOW:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}" -f "$MEMRC_HOME/bin/lib/awk/open.awk") || OPEN=''
	case $OPEN in *' '*) ;; *) MEMRC_SESSION=$OPEN ;; esac
}

# session_known - no session, where none is open, is one too; but of several it could be any
session_known() {
	[ -n "$MEMRC_SESSION" ] || [ -z "$OPEN" ]
}

# session_need - dies where the task in hand could be another session's
session_need() {
	session_known || die 65 "which session's task this is can't be told: open are $OPEN: give --session ID"
}

# session_events - EVENTS: the last of what logs/events.jsonl says of starts and ends
session_events() {
	EVENTS=''
	[ ! -f "$MEMRC_ROOT/logs/events.jsonl" ] || EVENTS=$(tail -c 65536 -- "$MEMRC_ROOT/logs/events.jsonl") ||
		die 74 "$MEMRC_ROOT/logs/events.jsonl: can't be read: check its permissions"
}

# task_named ID - NAME: a task as its files are called
task_named() {
	lane_name "$1" || die 69 "no sha256sum, shasum or openssl: give the task a plain name"
}

# task_current FILE - TASK: the task id of a progress file, by its text: read under the lock, without a process
task_current() {
	local line
	TASK=unnamed
	[ -f "$1" ] || return 0
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		*'"task_id"'*:*'"'*) ;;
		*) continue ;;
		esac
		line=${line#*'"task_id"'}
		line=${line#*:}
		line=${line#*'"'}
		line=${line%%'"'*}
		case $line in
		'' | *[!A-Za-z0-9._-]*) ;;
		*) [ ${#line} -gt 80 ] || TASK=$line ;;
		esac
		return 0
	done <"$1"
}
