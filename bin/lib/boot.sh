# shellcheck shell=sh
# boot.sh - what every part is told, worked out once: by rc for all parts, by part.sh for one run by hand.
# Needs base.sh and MEMRC_HOME.
. "$MEMRC_HOME/bin/lib/root.sh"
. "$MEMRC_HOME/bin/lib/config.sh"
. "$MEMRC_HOME/bin/lib/hash.sh"
. "$MEMRC_HOME/bin/lib/lane.sh"
. "$MEMRC_HOME/bin/lib/trust.sh"

# boot_env - the environment of a part, or the program ends: 6 where there is no root. Ends in the project's directory.
boot_env() {
	root_need
	config_load
	jq_find
	: "${MEMRC_RUNLEVEL:=manual}" "${MEMRC_SESSION:=}"
	lane_path "$MEMRC_SESSION" || LANE=$MEMRC_ROOT/state/progress.json
	MEMRC_SESSION=${MEMRC_SESSION:+$NAME}
	MEMRC_PROGRESS=$LANE
	MEMRC_TRUST=''
	! trust_root || MEMRC_TRUST=known
	cd -P -- "$MEMRC_PROJECT" 2>/dev/null || die 74 "$MEMRC_PROJECT: can't be entered: check its permissions"
	git_head
	export MEMRC_ROOT MEMRC_PROJECT MEMRC_TRUST MEMRC_RUNLEVEL MEMRC_SESSION MEMRC_PROGRESS MEMRC_BRANCH MEMRC_COMMIT \
		CFG_recent_operations CFG_replay_decisions CFG_max_checks CFG_faults
	unset MEMRC_CHECKS MEMRC_TASK MEMRC_NEXT
}
