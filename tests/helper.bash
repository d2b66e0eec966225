# shellcheck shell=bash
# helper.bash - what every .bats file loads: each test gets its own home, project and root, a fixed
# clock, and no environment of whoever runs it.
#
#	load helper                      # setup comes with it; a file's own setup calls project_setup first
#	@test "…" {
#		put constraints.md <<<'- no Redis'
#		run --separate-stderr memrc recall
#		expect_status 0
#		expect_text 'no Redis'
#	}
#
# $HERE the code under test (MEMRC_UNDER_TEST, else this checkout), $BIN, $RC, $JQ; $PROJECT the git
# repository a test starts in, $ROOT its .memrc, $COMMIT its short hash, $HOME empty.

bats_require_minimum_version 1.5.0

HERE=${MEMRC_UNDER_TEST:-$(cd -P -- "${BASH_SOURCE[0]%/*}/.." && pwd)}
BIN=$HERE/bin
RC=$HERE/init.d/rc
JQ=${MEMRC_JQ:-$HERE/.venv/bin/jaq}
[[ -x $JQ ]] || JQ=$(command -v jq)

setup() {
	project_setup
}

# A directory that a test made read-only could not be removed but by root.
teardown() {
	chmod -R u+rwX "$BATS_TEST_TMPDIR" 2>/dev/null || :
}

# need_python - skips where this user can't reach the Python in .venv (one below another user's home, say)
need_python() {
	[[ -x $HERE/.venv/bin/python ]] || skip 'not tested: no Python in .venv that this user may run'
}

# project_setup - a fresh HOME, PROJECT and ROOT; the test starts in PROJECT
project_setup() {
	_clean_environment
	BATS_TEST_TMPDIR=$(cd -P -- "$BATS_TEST_TMPDIR" && pwd)
	HOME=$BATS_TEST_TMPDIR/home
	PROJECT="$BATS_TEST_TMPDIR/project with space é"
	ROOT=$PROJECT/.memrc
	export HOME
	mkdir -p "$HOME"
	_project_template
	cp -R "$BATS_RUN_TMPDIR/template" "$PROJECT"
	mkdir -p "$ROOT/state" "$ROOT/logs"
	# known to this user, as after memrc init
	mkdir -p "$HOME/.local/state/memrc"
	printf 'root %s\n' "$ROOT" >"$HOME/.local/state/memrc/trust"
	cd "$PROJECT" || return
	COMMIT=43235a7
}

# _clean_environment - what stays of the caller's: bats' own variables and the choices of tests/matrix.
# An agent that runs the tests has a session, a project and a root of its own in its environment.
_clean_environment() {
	local name
	for name in $(compgen -e); do
		case $name in
		BATS_* | MEMRC_JQ | MEMRC_UNDER_TEST | MEMRC_TEST_PATH | HOME | PATH | PWD | SHLVL | TERM | TMPDIR | _) ;;
		*) unset "$name" ;;
		esac
	done
	export LC_ALL=C TZ=UTC
	export MEMRC_NOW=2026-11-30T01:00:00Z
	export GIT_CONFIG_NOSYSTEM=1
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-11-29T12:00:00Z'
	export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE='2026-11-29T12:00:00Z'
	PATH=${BATS_LIBEXEC:+$BATS_LIBEXEC:}${MEMRC_TEST_PATH:+$MEMRC_TEST_PATH:}/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
}

# _project_template - the repository every test gets a copy of, made once a run; its dates and author
# are fixed, so its hash is too
_project_template() {
	local new
	[[ ! -d $BATS_RUN_TMPDIR/template ]] || return 0
	new=$BATS_TEST_TMPDIR/template
	git init -q -b main --template= "$new"
	mkdir "$new/src" "$new/.git/info"
	printf '/.memrc/\n' >"$new/.git/info/exclude"
	printf 'PORT = 3000\n\n\ndef create_order():\n    return None\n' >"$new/src/app.py"
	git -C "$new" add src/app.py
	git -C "$new" commit -q -m 'src: an order'
	mv "$new" "$BATS_RUN_TMPDIR/template"
}

# memrc ARG… - the front; rc ARG… - the restore, with the time that its parts take on a busy machine. Where a
# part hangs, a --deadline of 3 is enough for the others.
memrc() { "$BIN/memrc" "$@"; }
rc() { "$RC" --deadline 20 "$@"; }

# put FILE - stdin into a file of the root's state
put() {
	mkdir -p "$(dirname "$ROOT/state/$1")"
	cat >"$ROOT/state/$1"
}

# field FILE FILTER - what a jq filter gives of a file of the root's state
field() { "$JQ" -r "$2" "$ROOT/state/$1"; }

# units - how many UTF-16 units stdin is, counted by another program than the one under test
units() {
	python3 -c 'import sys; print(len(sys.stdin.buffer.read().decode("utf-8", "replace").encode("utf-16-le")) // 2)'
}

# snapshot DIR - every file below DIR with its checksum and mode, to compare before and after
snapshot() {
	(cd "$1" && find . -type f -exec ls -l {} + | awk '{ print $1, $NF }' && find . -type f -exec cksum {} +) | sort
}

# mark - an argument that no other process has, and none has as its beginning: for a sleep that mustn't be left
mark() { printf '47%s%s' "$BASHPID" "${RANDOM}1"; }

# wait_for COMMAND… - until it holds, for a minute at most
wait_for() {
	local turn
	for ((turn = 0; turn < 1200; turn++)); do
		! "$@" || return 0
		sleep 0.05
	done
	_unexpected "not so after a minute: $*"
}

# is_empty DIR, is_running TEXT - a process has it among its arguments
is_empty() { [[ -z $(ls -A "$1") ]]; }
is_running() { pgrep -f -- "$1" >/dev/null; }

# need_root, skip_as_root - some rules can only be shown by root, others only without
need_root() { [[ $(id -u) == 0 ]] || skip 'needs root'; }
skip_as_root() { [[ $(id -u) != 0 ]] || skip 'root may do it'; }

# What `run` left behind, and an explanation where it isn't as expected.
expect_status() { [[ $status == "$1" ]] || _unexpected "exit $status, not $1"; }
expect_equal() { [[ $1 == "$2" ]] || _unexpected "$(printf 'expected: %s\n     got: %s' "$1" "$2")"; }
expect_text() { [[ $output == *"$1"* ]] || _unexpected "no text: $1"; }
refute_text() { [[ $output != *"$1"* ]] || _unexpected "text that mustn't be there: $1"; }
expect_line() { [[ $'\n'$output$'\n' == *$'\n'"$1"$'\n'* ]] || _unexpected "no line: $1"; }
refute_line() { [[ $'\n'$output$'\n' != *$'\n'"$1"$'\n'* ]] || _unexpected "line that mustn't be there: $1"; }
expect_no_output() { [[ -z $output ]] || _unexpected 'output, where none should be'; }
expect_error() { [[ ${stderr:-} == *"$1"* ]] || _unexpected "not on stderr: $1"; }
expect_one_error_line() { [[ -n ${stderr:-} && $stderr != *$'\n'* ]] || _unexpected 'stderr is not one line'; }
expect_no_error() { [[ -z ${stderr:-} ]] || _unexpected 'stderr, where none should be'; }

# expect_order A B… - do lines that begin like these stand in the output, one behind the other?
expect_order() {
	local rest=$'\n'$output begin
	for begin; do
		[[ $rest == *$'\n'"$begin"* ]] || _unexpected "not there, or not in this order: $begin"
		rest=${rest#*$'\n'"$begin"}
	done
}

_unexpected() {
	printf '%s\n' "$1" '-- stdout:' "${output:-}" '-- stderr:' "${stderr:-}" >&2
	return 1
}
