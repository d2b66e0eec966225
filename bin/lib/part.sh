# shellcheck shell=sh
# part.sh - what a part of init.d begins with. Under rc everything stands in the environment already.
# A fork of rc has read this, and says which part it is; a part that was started anew doesn't inherit that.
[ -n "${PARTS_NAME:-}" ] && [ -n "${PARTS_STARTED+set}" ] || . "$MEMRC_HOME/bin/lib/base.sh"
if [ -z "${MEMRC_RUN:-}" ]; then
	. "$MEMRC_HOME/bin/lib/boot.sh"
	boot_env
fi
STATE=$MEMRC_ROOT/state
DIR=${MEMRC_RUN:-}
# A memory that came with a repository and that nobody here has confirmed: only parts that are written for it speak.
[ -n "$MEMRC_TRUST" ] || [ -n "${PART_UNTRUSTED:-}" ] || exit 0

# part_reads FILE - ends the part if the file is absent, which is no fault; fails if it can't be read
part_reads() {
	[ -e "$1" ] || [ -L "$1" ] || exit 0
	[ -f "$1" ] && [ -r "$1" ] || die 74 "$1: can't be read: give it back its permissions"
}

# part_jq ARG… - ends the part with jq, the schemas on its path. A program ends with `degraded(n; what)`.
part_jq() {
	[ -n "$MEMRC_JQ" ] || no_jq
	set -- "$MEMRC_JQ" -nr -L "$MEMRC_HOME/bin/lib/schema" "$@"
	[ -z "${MEMRC_RUN:-}" ] || exec "$@"
	"$@"
	exit
}

# part_temp - DIR: a directory for temporary files, rc's own or one that goes with the part
part_temp() {
	[ -z "$DIR" ] || return 0
	temp_dir
	DIR=$tmp
	trap 'exit 141' PIPE # dash would end without the trap on EXIT
}

# part_boot - MEMRC_TASK, MEMRC_NEXT and CHECKS, the file with the results of the checks: rc looks once for all parts
part_boot() {
	CHECKS=${MEMRC_CHECKS:-}
	if [ -z "$CHECKS" ]; then
		part_temp
		. "$MEMRC_HOME/bin/lib/checks.sh"
		CHECKS=$DIR/checks
		checks_boot "$DIR"
		checks_task "$DIR"
	elif [ -n "$PARTS_LOOK" ]; then
		# Whoever has waited lets the next one go on.
		read -r _ <&8 && printf '\n' >&8
		checks_task "$MEMRC_RUN"
	fi
	# A look that was shot at the deadline tells nothing, and a part that went on would say that all is well.
	[ ! -e "$DIR/late" ] || exit 137
}

# part_awk PROGRAM ARG… - becomes awk with the text functions
part_awk() {
	local program
	program=$MEMRC_HOME/bin/lib/awk/$1.awk
	shift
	exec awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$program" "$@"
}
