# shellcheck shell=sh
# commit.sh - the one way a whole file is replaced. Needs base.sh, root.sh and seal.sh; only under the lock (lock.sh).
# Killed at any moment, the old or the new file is there, and a temporary one that the next writer sweeps:
# it is named .NAME.tmp and digits.

# commit_open FILE - COMMIT_TMP: a new file beside FILE, with its mode, to be filled
commit_open() {
	local dir code
	commit_target "$1"
	dir=${1%/*}
	COMMIT_TMP=$dir/.${1##*/}.tmp$$
	[ -d "$dir" ] || mkdir -p -- "$dir" || die 74 "$dir: can't be made: check the permissions above it"
	set -C
	code=0
	{ printf '' >"$COMMIT_TMP"; } 2>/dev/null || code=$?
	set +C
	[ "$code" -eq 0 ] || die 74 "$dir: can't be written: check its permissions and the space on its disk"
	[ ! -e "$1" ] || cp -p -- "$1" "$COMMIT_TMP" 2>/dev/null || commit_fail "$1"
}

# commit_close FILE - COMMIT_TMP, filled and valid, becomes FILE, and the disk has it
commit_close() {
	fsync "$COMMIT_TMP" || commit_fail "$1"
	seal_prepare "$1" "$COMMIT_TMP"
	mv -f -- "$COMMIT_TMP" "$1" 2>/dev/null && fsync "${1%/*}" || commit_fail "$1"
	seal_finish
}

# commit_text FILE TEXT - FILE holds TEXT and a newline
commit_text() {
	commit_open "$1"
	{ printf '%s\n' "$2" >"$COMMIT_TMP"; } 2>/dev/null || commit_fail "$1"
	commit_close "$1"
}

# into FILE COMMAND… - FILE holds what COMMAND prints; fails if either went wrong. By way of cat: busybox awk doesn't
# say that it could not write.
into() {
	local file code
	file=$1
	shift
	code=$({ _said "$@" | cat >"$file" || printf 1 >&3; } 3>&1 2>/dev/null) || :
	[ "$code" = 0 ]
}

# _said COMMAND… - runs it; its exit code goes to descriptor 3
_said() {
	"$@"
	printf '%s' "$?" >&3
}

# commit_fail FILE - dies; FILE is as it was
commit_fail() {
	rm -f -- "$COMMIT_TMP"
	die 74 "$1: can't be written: check permissions and space: it is as it was"
}

# commit_target FILE - only a regular file, or nothing yet, is written to, and in a root not behind a linked directory
commit_target() {
	case $1 in "$MEMRC_ROOT"/state/* | "$MEMRC_ROOT"/logs/*) ! root_linked "$1" || die 74 "$ROOT_LINK: is a symbolic link: put the directory itself there" ;; esac
	[ ! -L "$1" ] || die 74 "$1: is a symbolic link: put the file itself there"
	[ ! -e "$1" ] || [ -f "$1" ] || die 74 "$1: is no regular file: move it away"
}

# fsync PATH - a file's content, or a directory's names, are on the disk
fsync() {
	# On Linux sync(1) takes paths; elsewhere it may ignore them.
	[ -d /proc/self ] && sync "$1" 2>/dev/null && return
	[ -d "$1" ] || dd if=/dev/null of="$1" conv=notrunc,fsync 2>/dev/null && [ ! -d "$1" ] && return
	perl -MIO::Handle -e 'open my $f, "<", $ARGV[0] or exit 1; exit !$f->sync' "$1" 2>/dev/null && return
	# What a directory names can't be forced out everywhere; its file was.
	[ -d "$1" ]
}
