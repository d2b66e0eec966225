# shellcheck shell=sh
# any.sh - a home-made agent: it gives Claude Code's field names, and reads plain text.
HOST_SESSION=${MEMRC_SESSION:-}
HOST_PROJECT=''
HOST_GIVEN='' # its names for what it says are the ones memrc knows
HOST_LIMIT=''
HOST_PREVIEW=''

host_plain() { :; }

host_name() {
	case $1 in
	session-start | prompt | pre-tool | post-tool | pre-compact | session-end | subagent-start | subagent-stop) HOST_NAME=$1 ;;
	*) return 1 ;;
	esac
}

host_shell() { :; }
host_transcripts() { HOST_DIR=''; }
host_settings() { :; }
