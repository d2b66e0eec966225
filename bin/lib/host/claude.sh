# shellcheck shell=sh
# claude.sh - Claude Code, the host: what its environment says, where its transcripts and settings lie.
HOST_SESSION=${CLAUDE_CODE_SESSION_ID:-}
HOST_PROJECT=${CLAUDE_PROJECT_DIR:-}
HOST_GIVEN=''    # its names for what it says are the ones memrc knows
HOST_LIMIT=10000 # UTF-16 units of a hook's output; of a longer one the first 2,000 characters are shown
HOST_PREVIEW=2000
HOST_TRANSCRIPTS=${CLAUDE_CONFIG_DIR:-${HOME:-/}/.claude}/projects

# host_plain EVENT - is what a hook prints there taken as it is?
host_plain() {
	case $1 in
	session-start | prompt | pre-compact) ;;
	*) return 1 ;;
	esac
}

# host_name EVENT - HOST_NAME: what the host calls it
host_name() {
	case $1 in
	session-start) HOST_NAME=SessionStart ;;
	prompt) HOST_NAME=UserPromptSubmit ;;
	pre-tool) HOST_NAME=PreToolUse ;;
	post-tool) HOST_NAME=PostToolUse ;;
	pre-compact) HOST_NAME=PreCompact ;;
	session-end) HOST_NAME=SessionEnd ;;
	subagent-start) HOST_NAME=SubagentStart ;;
	subagent-stop) HOST_NAME=SubagentStop ;;
	*) return 1 ;;
	esac
}

# host_shell SESSION - the commands that the agent runs know their session
host_shell() {
	local line
	[ -n "${CLAUDE_ENV_FILE:-}" ] || return 0
	if [ -f "$CLAUDE_ENV_FILE" ]; then
		while IFS= read -r line; do
			[ "$line" != "export MEMRC_SESSION=$1" ] || return 0
		done <"$CLAUDE_ENV_FILE"
	fi
	printf 'export MEMRC_SESSION=%s\n' "$1" >>"$CLAUDE_ENV_FILE"
}

# host_transcripts PROJECT - HOST_DIR: where the transcripts of its sessions lie. It has the project's path for a name, with
# a dash for each UTF-16 unit that is no ASCII letter or digit; of more than 200 the first 200, a dash and a hash.
host_transcripts() {
	local dir name
	name=$(MEMRC_TEXT=$1 awk 'BEGIN {
		name = ENVIRON["MEMRC_TEXT"]
		gsub(/[\200-\277]/, "", name)
		gsub(/[\360-\367]/, "--", name)
		gsub(/[^A-Za-z0-9]/, "-", name)
		print name
	}')
	HOST_DIR=$HOST_TRANSCRIPTS/$name
	[ ${#name} -gt 200 ] || return 0
	HOST_DIR=$HOST_TRANSCRIPTS/$(printf '%.200s' "$name")
	# Which hash it is, its transcripts tell.
	for dir in "$HOST_DIR"-*; do
		! grep -qsF "\"cwd\":\"$1\"" "$dir"/*.jsonl || HOST_DIR=$dir
	done
}

# host_settings PROJECT - the files that may name the hooks
host_settings() {
	printf '%s\n' "${CLAUDE_CONFIG_DIR:-${HOME:-/}/.claude}/settings.json" "$1/.claude/settings.json" "$1/.claude/settings.local.json"
}
