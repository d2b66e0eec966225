# shellcheck shell=sh
# root.sh - which memory applies here, and whose code it speaks of. One function for all programs.
# Needs base.sh and MEMRC_HOME.

# root_find - sets MEMRC_ROOT (holds state/), MEMRC_PROJECT (the code) and ROOT_LANE (a linked
# worktree's name, else empty). Returns 6 where there is no root.
# Order: MEMRC_ROOT (--root sets it) > upwards from here > a home that was made a memory itself.
# Nothing in here starts a process unless the search has to leave a directory.
root_find() {
	local dir
	ROOT_LANE=''
	if [ -n "${MEMRC_ROOT:-}" ]; then
		_root_given || return 6
	else
		# bash stays in a directory that is gone, under a name that leads nowhere
		cd -P . 2>/dev/null && [ . -ef "$PWD" ] || return 6
		dir=$PWD
		until _root_at "$dir"; do
			if [ -e "$dir/.git" ] || [ "$dir" = / ] || [ "$dir" -ef "${HOME:-/}" ] || _root_mounted "$dir"; then
				[ -f "$MEMRC_HOME/state/.root" ] || return 6
				MEMRC_ROOT=$MEMRC_HOME MEMRC_PROJECT=$MEMRC_HOME
				break
			fi
			dir=${dir%/*}
			dir=${dir:-/}
		done
	fi
	export MEMRC_ROOT MEMRC_PROJECT
}

# root_need - root_find, or the program ends with what to do about it
root_need() {
	root_find || die 6 "${MEMRC_ROOT:-$PWD}: no memory here: run memrc init in the project, or give --root DIR"
}

# _root_given - takes MEMRC_ROOT, a root or a project that has one; makes it absolute. A program that found it from
# a linked worktree says so to those it starts, and to itself, by MEMRC_PROJECT: the root alone would be the main one's.
_root_given() {
	local here root
	here=$PWD
	[ -d "$MEMRC_ROOT/state" ] || MEMRC_ROOT=$MEMRC_ROOT/.memrc
	[ -d "$MEMRC_ROOT/state" ] && cd -P -- "$MEMRC_ROOT" || return 1
	root=$PWD
	cd -- "$here" || cd /
	case ${MEMRC_PROJECT:-} in /*) ! _root_at "$MEMRC_PROJECT" || [ ! "$MEMRC_ROOT" -ef "$root" ] || return 0 ;; esac
	MEMRC_ROOT=$root MEMRC_PROJECT=$root ROOT_LANE=''
	case $MEMRC_ROOT in */.memrc) MEMRC_PROJECT=${MEMRC_ROOT%/.memrc} ;; esac
}

# _root_at DIR - is there a root for DIR itself? Another user's is never taken.
_root_at() {
	MEMRC_PROJECT=$1
	if [ -d "$1/.memrc/state" ] && [ -O "$1/.memrc" ]; then
		MEMRC_ROOT=$1/.memrc
	elif [ "$1" -ef "$MEMRC_HOME" ] && [ -d "$1/state" ]; then
		MEMRC_ROOT=$1
	else
		[ -f "$1/.git" ] && _root_worktree "$1"
	fi
}

# _root_worktree DIR - a linked worktree remembers with the main one; the code spoken of is its own
_root_worktree() {
	root_main "$1" || return 1
	if [ -d "$ROOT_MAIN/.memrc/state" ] && [ -O "$ROOT_MAIN/.memrc" ]; then
		MEMRC_ROOT=$ROOT_MAIN/.memrc
	elif [ "$ROOT_MAIN" -ef "$MEMRC_HOME" ] && [ -d "$ROOT_MAIN/state" ]; then
		MEMRC_ROOT=$MEMRC_HOME
	else
		return 1
	fi
	ROOT_LANE=$ROOT_WORKTREE
}

# root_main DIR - ROOT_MAIN, the main work tree of a linked one, and ROOT_WORKTREE, its name there.
# Only if the main one knows of it: a .git file alone could name any project.
root_main() {
	local gitdir back
	IFS= read -r gitdir <"$1/.git" || return 1
	case $gitdir in
	'gitdir: '*/.git/worktrees/*) gitdir=${gitdir#gitdir: } ;;
	*) return 1 ;;
	esac
	case $gitdir in /*) ;; *) gitdir=$(cd -P -- "$1/$gitdir" && pwd) || return 1 ;; esac
	[ -f "$gitdir/gitdir" ] && IFS= read -r back <"$gitdir/gitdir" || return 1
	case $back in /*) ;; *) back=$gitdir/$back ;; esac
	[ "$back" -ef "$1/.git" ] || return 1
	ROOT_MAIN=${gitdir%/.git/worktrees/*} ROOT_WORKTREE=${gitdir##*/}
}

# root_linked FILE - is one of the directories from the root down to FILE a link? ROOT_LINK is that one. A repository that
# was cloned can bring one, and what is written through it lands outside. The root itself may be one: whoever made it
# chose where the memory lies.
root_linked() {
	ROOT_LINK=${1%/*}
	while [ "$ROOT_LINK" != "$MEMRC_ROOT" ]; do
		[ ! -L "$ROOT_LINK" ] || return 0
		ROOT_LINK=${ROOT_LINK%/*}
	done
	return 1
}

# _root_mounted DIR - is DIR where another file system begins? Only the mount points are compared: what
# is used and free may change between the two lines.
_root_mounted() {
	df -P "$1" "$1/.." 2>/dev/null | {
		read -r _ && IFS= read -r a && IFS= read -r b && [ "${a#*% }" != "${b#*% }" ]
	}
}
