# shellcheck shell=sh
# lane.sh - which progress file a session reads and writes: one function for reader and writer.
# Needs base.sh, hash.sh and root.sh.

# lane_name ID - NAME: a session or task id as a file name; what isn't plain is hashed
lane_name() {
	NAME=$1
	case $1 in
	.* | *[!A-Za-z0-9._-]* | '') ;;
	*) [ ${#1} -gt 80 ] || return 0 ;;
	esac
	NAME=$(printf '%s' "$1" | hash_files -) || return 69
	NAME=h-${NAME%"${NAME#????????????????}"}
}

# lane_path SESSION - LANE: the session's own lane if there is one, else a worktree's, else progress.json
lane_path() {
	LANE=$MEMRC_ROOT/state/progress.json
	[ -z "$ROOT_LANE" ] || LANE=$MEMRC_ROOT/state/lanes/$ROOT_LANE.json
	[ -n "$1" ] || return 0
	lane_name "$1" || return
	# Whatever lies there: what isn't a file is said to be none, and no other session's progress taken for it.
	[ ! -e "$MEMRC_ROOT/state/lanes/$NAME.json" ] || LANE=$MEMRC_ROOT/state/lanes/$NAME.json
}

# lane_option HOST SESSION - LANE_OPTION: what a writer must be given to write as this session: ` --session ID` where
# there are lanes, or may be any time because the host doesn't tell its shell which session it is
lane_option() {
	LANE_OPTION=''
	[ -n "$2" ] || return 0
	[ "$1" != any ] && [ ! -d "$MEMRC_ROOT/state/lanes" ] || LANE_OPTION=" --session $2"
}
