# shellcheck shell=sh
# base.sh - what every program begins with: a known environment, die, help, home, jq.
# Functions and settings only; sourced by programs in bin/ and by part.sh.
# Arguments are named behind each function. Names with a leading _ are private to their file.

set -eu
LC_ALL=C
export LC_ALL
unset CDPATH
IFS=' 	
'
# A caller's git environment (a git hook, say) would make git answer for another repository.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
PARTS_NAME='' PARTS_LOOK='' # parts.sh: in a fork of rc, which part it is, and who looks at the records meanwhile

TAB='	' NL=${IFS#??}

# warn TEXT… - one line on stderr: what: why: what to do
warn() {
	local text
	text=$*
	# What comes from a file must not steer the terminal, nor begin a line.
	case $text in *[!\ -~]*) text=$(printf '%s' "$text" | tr '\001-\037\177' ' ') || text=$* ;; esac
	# Nobody to tell it to is no reason to end.
	printf '%s: %s\n' "${PARTS_NAME:-${0##*/}}" "$text" >&2 || :
}

# die CODE TEXT… - warn, then exit with CODE (2 usage, 6 no root, 65 data, 69 no tool, 74 I/O, 75 lock)
die() {
	local code
	code=$1
	shift
	warn "$*"
	exit "$code"
}

# usage_error TEXT - the one answer to a wrong option or argument
usage_error() {
	die 2 "$1: see ${0##*/} --help"
}

# help - the header comment of the program is its help
help() {
	sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p;};}' "$0"
	exit 0
}

# need_value "$@" - an option that takes a value must have one behind it
need_value() {
	[ $# -ge 2 ] || usage_error "$1: needs a value"
}

# temp_dir - tmp: a temporary directory, which goes with the program, a signal that ends it included
temp_dir() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/memrc.XXXXXX" 2>/dev/null) || die 74 "${TMPDIR:-/tmp}: no temporary directory, or it is full: make room, or set TMPDIR"
	# mksh, ended by a signal, would exit with what rm did
	trap 'code=$?; rm -rf -- "$tmp"; exit "$code"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# home_find PROGRAM - MEMRC_HOME, from where a program in bin/ or init.d/ lies
home_find() {
	local here
	here=${PWD:-/}
	[ . -ef "$here" ] || here=/ # a directory that is gone has no memory either
	cd -P -- "${1%/*}/.." || die 74 "$1: its directory can't be read"
	MEMRC_HOME=$PWD
	export MEMRC_HOME
	cd -- "$here" || cd /
}

# jq_find - MEMRC_JQ: the user's choice, else the one `make` installed, else jq or jaq on PATH; empty if none
jq_find() {
	if [ -z "${MEMRC_JQ:-}" ]; then
		MEMRC_JQ=$MEMRC_HOME/.venv/bin/jaq
		[ -x "$MEMRC_JQ" ] || MEMRC_JQ=$(command -v jq || command -v jaq) || MEMRC_JQ=
	fi
	export MEMRC_JQ
}

# jq_need - jq_find, or the program ends and says so: without a jq it can do nothing
jq_need() {
	jq_find
	command -v "$MEMRC_JQ" >/dev/null || no_jq
}

# no_jq - the end of a program that can't go on without
no_jq() {
	die 69 "no jq: JSON can't be read: install jq, or run make restore in $MEMRC_HOME"
}

# run_jq ARG… - jq with the schemas on its path; without a jq the program can't go on
run_jq() {
	[ -n "$MEMRC_JQ" ] || no_jq
	"$MEMRC_JQ" -L "$MEMRC_HOME/bin/lib/schema" "$@"
}

# jq_refused CODE - ends a program whose jq wrote nothing; with 65 it has said itself what is wrong with what was given
jq_refused() {
	[ "$1" -eq 65 ] || die 74 'jq failed: nothing was written'
	printf '\n' >&2
	exit 65
}

# git_head - MEMRC_BRANCH and MEMRC_COMMIT of the current directory, empty outside a repository or before a commit
# Two small files mostly say it; where they don't (a packed ref, say) git rev-parse does, and where there is no
# repository nobody is asked. Nothing else of git: git status would rewrite the index and run what the repository configures.
git_head() {
	local dir git shared head commit
	MEMRC_BRANCH='' MEMRC_COMMIT='' head='' commit=''
	dir=$PWD
	until [ -e "$dir/.git" ]; do
		[ -n "$dir" ] || return 0
		dir=${dir%/*}
	done
	git=$dir/.git
	# A linked worktree has its own HEAD, and the branches in common.
	[ ! -f "$git" ] || ! IFS= read -r git <"$git" || git=$(_git_absolute "$dir" "${git#gitdir: }")
	shared=$git
	[ ! -f "$git/commondir" ] || ! IFS= read -r shared <"$git/commondir" || shared=$(_git_absolute "$git" "$shared")
	if [ -f "$git/HEAD" ] && IFS= read -r head <"$git/HEAD"; then
		case $head in
		'ref: refs/heads/'*)
			head=${head#ref: refs/heads/}
			[ ! -f "$shared/refs/heads/$head" ] || IFS= read -r commit <"$shared/refs/heads/$head" || :
			;;
		*) commit=$head head=HEAD ;;
		esac
	fi
	case $commit in
	*[!0-9a-f]* | '' | ? | ?? | ??? | ???? | ????? | ??????)
		commit=$(git rev-parse HEAD --abbrev-ref HEAD 2>/dev/null) || return 0
		head=${commit#*"$NL"}
		;;
	esac
	MEMRC_BRANCH=$head MEMRC_COMMIT=${commit%"${commit#???????}"}
}

# _git_absolute DIR PATH - prints PATH, which may be relative to DIR
_git_absolute() {
	case $2 in
	/*) printf '%s' "$2" ;;
	*) printf '%s/%s' "$1" "$2" ;;
	esac
}
