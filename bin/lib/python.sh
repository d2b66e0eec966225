# shellcheck shell=sh
# shellcheck source-path=SCRIPTDIR/..
# python.sh - how a command starts its Python half. Needs base.sh and root.sh. Nothing that a restore or a
# hook runs may use it: Python takes longer to start than a whole restore.
. "${0%/*}/lib/hash.sh"
. "${0%/*}/lib/lane.sh"
. "${0%/*}/lib/session.sh"

# python_run COMMAND ARG… - becomes COMMAND of the package in pytools, told the home, the root and the progress file of
# this session or worktree. --root and --help are taken here, as all programs take them; the rest is the package's own.
python_run() {
	local left
	home_find "$0"
	left=$(($# - 1))
	set -- "$@" "$1"
	shift
	while [ "$left" -gt 0 ]; do
		case $1 in
		-h | --help) help ;;
		--root)
			need_value "$@"
			[ "$left" -ge 2 ] || usage_error '--root: needs a value'
			MEMRC_ROOT=$2
			shift 2
			left=$((left - 2))
			continue
			;;
		--root=*) MEMRC_ROOT=${1#--root=} ;;
		*) set -- "$@" "$1" ;;
		esac
		shift
		left=$((left - 1))
	done
	root_need
	session_find
	lane_path "$MEMRC_SESSION"
	export MEMRC_PROGRESS="$LANE"
	_python_become "$@"
}

# python_run_anywhere COMMAND ARG… - the same for a command that needs no memory and has no --root
python_run_anywhere() {
	local given
	home_find "$0"
	for given; do
		case $given in
		-h | --help) help ;;
		--) break ;;
		esac
	done
	_python_become "$@"
}

# _python_become COMMAND ARG… - the Python of MEMRC_PYTHON, else of .venv, else on PATH, with pytools
_python_become() {
	local python
	python=${MEMRC_PYTHON:-$MEMRC_HOME/.venv/bin/python}
	[ -n "${MEMRC_PYTHON:-}" ] || [ -x "$python" ] || python=python3
	command -v "$python" >/dev/null || die 69 "$python: not found: install Python 3.9 or newer, or run make tools in $MEMRC_HOME"
	# Not -m: that would look for modules in the current directory first, which is somebody's project.
	exec "$python" -c 'import sys
sys.path[0] = sys.argv.pop(1)
from memrc.__main__ import main
main()' "$MEMRC_HOME/pytools" "$@"
}
