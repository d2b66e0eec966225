# shellcheck shell=sh
# lock.sh - the one lock of a root: flock(2) on state/.lock through fd 9. Needs base.sh, root.sh, seal.sh and MEMRC_ROOT.
# The kernel drops it when its last holder dies, so it is never stale; Python's filelock takes the same one.
# Children that go on after the writer must be started with `9>&-`.

LOCK_HELD=''

# lock_take - holds the lock until the program ends, and clears away what killed writers left; dies with
# 75 if it stays busy for LOCK_WAIT seconds (10). Who holds it goes on.
lock_take() {
	local file
	[ -z "$LOCK_HELD" ] || return 0
	file=$MEMRC_ROOT/state/.lock
	: "${LOCK_WAIT:=10}"
	case $LOCK_WAIT in '' | *[!0-9.]* | *.*.* | .) usage_error "--wait $LOCK_WAIT: must be a number of seconds" ;; esac
	# A write beyond the file-size limit must be an error to report, not this signal.
	trap '' XFSZ
	_lock_links
	while :; do
		[ ! -L "$file" ] || die 74 "$file: is a symbolic link: remove it"
		# `command` keeps a failing exec from ending the shell.
		{ command exec 9<>"$file"; } 2>/dev/null ||
			die 74 "$file: can't be written: check the permissions of ${file%/*}"
		_lock_wait || _lock_busy
		# Whoever replaced the file meanwhile made another lock of it.
		_lock_same "$file" && break
	done
	LOCK_HELD=yes
	{ printf '%s %s\n' "$$" "${0##*/}" >&9; } 2>/dev/null || :
	_lock_sweep
	seal_settle
}

# lock_look SECONDS - holds the lock through fd 9 until that is closed, to read without a write in between. A writer that
# takes longer isn't waited for; without a lock there is nothing to wait for.
lock_look() {
	local LOCK_WAIT
	LOCK_WAIT=$1
	# A pipe of that name would be waited for.
	[ -f "$MEMRC_ROOT/state/.lock" ] && { command exec 9<"$MEMRC_ROOT/state/.lock"; } 2>/dev/null || return 0
	(_lock_wait) 2>/dev/null || :
}

# _lock_links - what is written beside the file that a writer names is no link either
_lock_links() {
	local path
	for path in "$MEMRC_ROOT/state" "$MEMRC_ROOT/state/.seal" "$MEMRC_ROOT"/state/.seal/*; do
		[ ! -L "$path" ] || die 74 "$path: is a symbolic link: put there what it leads to, or remove it"
	done
}

# _lock_same FILE - is fd 9 still the file at this path? Where the shell can't tell, it is.
_lock_same() {
	# shellcheck disable=SC2094 # nothing is written to /
	[ ! / -ef /dev/fd/8 ] 8</ || [ "$1" -ef /dev/fd/9 ]
}

# _lock_wait - flock(2) on fd 9 by what is here; it stays when the helper ends. 1: busy for LOCK_WAIT seconds
_lock_wait() {
	local said code wait
	wait="-w $LOCK_WAIT"
	[ "$LOCK_WAIT" != 0 ] || wait=-n
	if command -v flock >/dev/null; then
		# shellcheck disable=SC2086 # one or two words
		said=$(flock $wait 0 2>&1 <&9) && return
		# A flock that knows the option says nothing about a busy lock.
		[ -n "$said" ] || return 1
	fi
	if command -v perl >/dev/null; then
		code=0
		perl -e 'use Fcntl ":flock"; use Time::HiRes "alarm"; $SIG{ALRM} = sub { exit 1 }; alarm $ARGV[0];
			flock(STDIN, LOCK_EX | ($ARGV[0] > 0 ? 0 : LOCK_NB)) and exit 0;
			exit($!{EINTR} || $!{EWOULDBLOCK} ? 1 : 2)' "$LOCK_WAIT" <&9 2>/dev/null || code=$?
		[ "$code" -gt 1 ] || return "$code"
	fi
	if command -v python3 >/dev/null; then
		code=0
		python3 -I -S -c 'import fcntl, signal, sys
wait = float(sys.argv[1])
signal.signal(signal.SIGALRM, lambda *_: sys.exit(1))
signal.setitimer(signal.ITIMER_REAL, wait)
try:
    fcntl.flock(0, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
except BlockingIOError:
    sys.exit(1)
except OSError:
    sys.exit(2)' "$LOCK_WAIT" <&9 2>/dev/null || code=$?
		[ "$code" -gt 1 ] || return "$code"
	fi
	die 75 "$MEMRC_ROOT/state: can't be locked: install flock (util-linux), perl or python3"
}

# _lock_busy - dies, and names the holder if it is one of memrc's own
_lock_busy() {
	local file pid name
	file=$MEMRC_ROOT/state/.lock
	pid='' name=''
	read -r pid name 2>/dev/null <"$file" || :
	case $pid in *[!0-9]*) pid='' ;; esac
	if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
		name="$name (process $pid)"
	else
		name='another program'
	fi
	die 75 "$file: held by $name for more than $LOCK_WAIT s: try again, or give --wait S"
}

# _lock_sweep - under the lock any temporary file is what a killed writer left
_lock_sweep() {
	local file
	for file in "$MEMRC_ROOT"/state/.*.tmp[0-9]* "$MEMRC_ROOT"/state/*/.*.tmp[0-9]* \
		"$MEMRC_ROOT"/state/.seal/.*.tmp[0-9]* "$MEMRC_ROOT"/state/tasks/archive/.*.tmp[0-9]* \
		"$MEMRC_ROOT"/logs/.*.tmp[0-9]*; do
		[ ! -f "$file" ] || root_linked "$file" || rm -f -- "$file"
	done
}
