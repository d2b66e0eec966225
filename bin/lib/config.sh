# shellcheck shell=sh
# config.sh - <root>/state/config: `key = value` lines, data only. Needs base.sh and root.sh.

# config_load - CFG_<key> for each number a program may ask for: the file's where it is in range, else
# the default, and the key is one of CFG_faults; `project` is heard where the root is not a project's own .memrc
config_load() {
	local key value line text IFS
	CFG_max_chars=8000 CFG_recent_operations=20 CFG_replay_decisions=3
	CFG_archive_keep=100 CFG_nudge_every=25 CFG_max_checks=1000 CFG_faults=''
	[ -f "$MEMRC_ROOT/state/config" ] || return 0
	# no here-document: a shell may keep one in a temporary directory, and that may be full
	text=$(_config_text)
	IFS=$NL
	set -f
	for line in $text; do
		line=${line#"${line%%[!"$TAB" ]*}"}
		key="${line%%["$TAB" =]*}"
		value=${line#"$key"}
		value=${value#"${value%%[!"$TAB" ]*}"}
		value=${value#=}
		value=${value#"${value%%[!"$TAB" ]*}"}
		value=${value%"${value##*[!"$TAB" ]}"}
		case $key in
		max_chars) _config_number "$value" 1000 100000 && CFG_max_chars=$value ;;
		recent_operations) _config_number "$value" 0 100 && CFG_recent_operations=$value ;;
		replay_decisions) _config_number "$value" 0 50 && CFG_replay_decisions=$value ;;
		archive_keep) _config_number "$value" 1 100000 && CFG_archive_keep=$value ;;
		nudge_every) _config_number "$value" 1 100000 && CFG_nudge_every=$value ;;
		max_checks) _config_number "$value" 0 100000 && CFG_max_checks=$value ;;
		project) _config_project "$value" ;;
		esac
	done
	set +f
	return 0
}

# _config_text - the file's first 8 KiB: a config is small, and whatever else lies there must not cost time
_config_text() {
	dd if="$MEMRC_ROOT/state/config" bs=8192 count=1 2>/dev/null | tr -d '\000\r'
}

# _config_number VALUE MIN MAX - is it a plain number in range? Else $key is a fault
_config_number() {
	case $1 in
	'' | *[!0-9]* | ???????* | 0?*) ;;
	*) [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ] || return 0 ;;
	esac
	CFG_faults="$CFG_faults $key"
	return 1
}

# _config_project DIR - the code a root outside a project speaks of
_config_project() {
	case $MEMRC_ROOT in */.memrc) return 0 ;; esac
	case $1 in /*) [ ! -d "$1" ] || MEMRC_PROJECT=$1 ;; esac
}
