# shellcheck shell=sh
# parts.sh - finding, running and ending the parts of init.d; the machinery of rc. Needs boot_env.
# rc sets `run`, a directory of its own; every part's environment carries it as MEMRC_RUN, which is how
# processes that outlive their part are found.

PARTS_STARTED='' PARTS_RUNNING='' PARTS_SHELL=''

# parts_each CALLBACK - calls `CALLBACK name path layer verdict` for each entry in byte order of the names;
# verdict is `run`, `masked` or `skipped: reason`, layer `home` or `own`. Of two parts of one name the
# user's runs; a link to /dev/null masks. What a root brings is code: it runs, before both, only if the root is
# known and the user has allowed these very bytes, and it can't mask.
parts_each() {
	local callback entry
	callback=$1
	PARTS_USER=${XDG_CONFIG_HOME:-${HOME:-}/.config}/memrc/init.d
	[ -d "$PARTS_USER" ] || PARTS_USER=''
	PARTS_ROOT=$MEMRC_ROOT/init.d
	[ -d "$PARTS_ROOT" ] && [ ! "$MEMRC_ROOT" -ef "$MEMRC_HOME" ] || PARTS_ROOT=''
	set -- "$MEMRC_HOME"/init.d/*
	if [ -n "$PARTS_USER$PARTS_ROOT" ]; then
		entry=$(printf '%s\n' "$@" ${PARTS_USER:+"$PARTS_USER"/*} ${PARTS_ROOT:+"$PARTS_ROOT"/*} | sed 's|.*/||' | sort -u)
		set -f
		IFS=$NL
		# shellcheck disable=SC2086 # one name a line, and no globs among them
		set -- $entry
		IFS=" $TAB$IFS"
		set +f
	fi
	for entry in "$@"; do _part_entry "$callback" "${entry##*/}"; done
}

# _part_entry CALLBACK NAME - which file NAME stands for, and whether it may run
_part_entry() {
	local path layer verdict
	verdict=run
	case $2 in
	'*') return 0 ;;
	[SK][0-9][0-9]-[a-z0-9]*) case ${2#????} in *[!a-z0-9-]*) verdict='skipped: the name has other characters than a-z 0-9 -' ;; esac ;;
	*) verdict='skipped: not named SNN-name or KNN-name' ;;
	esac
	if [ -n "$PARTS_ROOT" ] && { [ -e "$PARTS_ROOT/$2" ] || [ -L "$PARTS_ROOT/$2" ]; }; then
		path=$PARTS_ROOT/$2
		if [ "$verdict" != run ]; then
			"$1" "$2" "$path" root "$verdict"
			return
		elif [ -z "$MEMRC_TRUST" ] || [ ! -f "$path" ] || ! trust_code "$path"; then
			"$1" "$2" "$path" root "skipped: code of this root, not allowed by you: memrc allow $path"
		else
			"$1" "$2" "$path" root run
			return
		fi
	fi
	path=$MEMRC_HOME/init.d/$2 layer=home
	if [ -n "$PARTS_USER" ] && { [ -e "$PARTS_USER/$2" ] || [ -L "$PARTS_USER/$2" ]; }; then
		path=$PARTS_USER/$2 layer=own
	fi
	[ -e "$path" ] || [ -L "$path" ] || return 0
	if [ "$verdict" = run ]; then
		if [ "$path" -ef /dev/null ]; then
			verdict=masked
		elif [ ! -f "$path" ]; then
			verdict='skipped: not a file'
		elif [ ! -x "$path" ]; then
			verdict='skipped: not executable'
		fi
	fi
	"$1" "$2" "$path" "$layer" "$verdict"
}

# parts_print NAME PATH LAYER VERDICT - a line of rc --list
parts_print() {
	printf '%-16s %s  (%s)\n' "$1" "$4" "$2"
}

# parts_watch DEADLINE - from now on rc has DEADLINE seconds: what it started and still runs then is shot
parts_watch() {
	: >"$run/started"
	PARTS_RUNNING=yes
	(_parts_watch "$1") </dev/null >/dev/null 2>&1 &
	PARTS_DOG=$!
}

# parts_run LETTER ONLY - all parts of a letter (or the one named ONLY) side by side, each into $run/NAME.out and
# .err; then $run/parts lists how each ended
parts_run() {
	local entry pid name code
	PARTS_LETTER=$1 PARTS_ONLY=$2
	IFS= read -r PARTS_SHELL <"$MEMRC_HOME/init.d/rc"
	parts_each _part_start
	_parts_looked
	_parts_foreign
	# The watchdog may have been there before the last of them.
	[ ! -e "$run/late" ] || _parts_reap
	for entry in $PARTS_STARTED; do
		pid=${entry%%:*} entry=${entry#*:} code=0
		name=${entry#*:}
		# bash reports a job that was shot on stderr
		{ wait "$pid"; } 2>/dev/null || code=$?
		[ "$code" -ne 137 ] || [ ! -e "$run/late" ] || code=late
		case $entry in
		home:*) printf '%s\t%s\thome\t%s\n' "$name" "$code" "$MEMRC_HOME/init.d/$name" ;;
		root:*) printf '%s\t%s\town\t%s\n' "$name" "$code" "$run/$name.code" ;;
		*) printf '%s\t%s\town\t%s\n' "$name" "$code" "$PARTS_USER/$name" ;;
		esac 2>/dev/null || die 74 "$run: is full: make room, or set TMPDIR"
	done >"$run/parts"
	_parts_watch_end
	_parts_reap
	PARTS_RUNNING=''
}

# parts_look - the look at the records begins (PARTS_LOOK: its process), beside the parts, which wait at descriptor 8
# for it if they need it (part_boot)
parts_look() {
	local wait
	wait=yes
	! mkfifo "$run/looked" 2>/dev/null || ! { command exec 8<>"$run/looked"; } 2>/dev/null || wait=''
	(
		MEMRC_RUN=$run
		export MEMRC_RUN
		checks_boot "$run"
	) </dev/null >/dev/null 2>&1 &
	PARTS_LOOK=$!
	printf '%s\n' "$!" >>"$run/started"
	[ -z "$wait" ] || _parts_looked
}

# _parts_looked - the look is over: those who wait for it go on, and those who come know of it
_parts_looked() {
	[ -n "$PARTS_LOOK" ] || return 0
	{ wait "$PARTS_LOOK"; } 2>/dev/null || printf 'failed\n' >"$run/checks.count"
	PARTS_LOOK=''
	{ printf '\n' >&8; } 2>/dev/null || :
	checks_task "$run"
	export MEMRC_TASK MEMRC_NEXT
}

# _part_start NAME PATH LAYER VERDICT - one part in the background. Home's own parts for rc's own shell needn't start
# another: a fork is as good a process, and costs half. What is started anew is told everything, and so comes when the
# look is over.
_part_start() {
	local line
	[ "$4" = run ] || return 0
	case $1 in "$PARTS_LETTER"*) ;; *) return 0 ;; esac
	[ -z "$PARTS_ONLY" ] || [ "$1" = "$PARTS_ONLY" ] || [ "${1#????}" = "$PARTS_ONLY" ] || return 0
	line=''
	[ "$3" != home ] || { IFS= read -r line <"$2"; } 2>/dev/null || :
	if [ "$line" = "$PARTS_SHELL" ]; then
		_part_run "$1" "$2" fork
		PARTS_STARTED="$PARTS_STARTED $!:$3:$1"
	else
		PARTS_STARTED="$PARTS_STARTED :$3:$1"
	fi
}

# _parts_foreign - starts what _part_start left
_parts_foreign() {
	local entry name
	# shellcheck disable=SC2086 # a word each
	set -- $PARTS_STARTED
	PARTS_STARTED=''
	for entry; do
		name=${entry##*:}
		case $entry in
		:root:*)
			# The bytes that were allowed are the bytes that run, whatever happens to the file meanwhile.
			cp -- "$PARTS_ROOT/$name" "$run/$name.code" && trust_code "$run/$name.code" && chmod 700 "$run/$name.code" || continue
			_part_run "$name" "$run/$name.code" anew
			;;
		:own:*) _part_run "$name" "$PARTS_USER/$name" anew ;;
		:*) _part_run "$name" "$MEMRC_HOME/init.d/$name" anew ;;
		esac
		case $entry in :*) entry=$!$entry ;; esac
		PARTS_STARTED="$PARTS_STARTED $entry"
	done
}

# _part_run NAME PATH fork|anew - runs it in the background
_part_run() {
	local path
	(
		MEMRC_RUN=$run
		export MEMRC_RUN
		# A part that floods is shot by the system (64 KiB; bash counts double) before it fills the disk; one
		# that has to write more lifts the soft limit.
		# shellcheck disable=SC3045 # -S: in every shell of tests/matrix
		ulimit -S -f 128
		[ "$3" = fork ] || exec "$2" 8<&-
		PARTS_NAME=$1 path=$2
		set --
		# shellcheck source=/dev/null
		. "$path"
		exit
	) >"$run/$1.out" 2>"$run/$1.err" </dev/null &
	printf '%s\n' "$!" >>"$run/started"
}

# _parts_watch DEADLINE - what still runs then is shot. All descriptors are on /dev/null: who called rc must
# not wait for it. The sleep's number goes into a file: a trap here could miss a signal that comes early. Somebody's
# `pkill sleep` is no deadline, and no end of it.
_parts_watch() {
	local code
	while :; do
		sleep "$1" &
		printf '%s\n' "$!" >"$run/nap"
		code=0
		wait "$!" || code=$?
		[ "$code" -le 128 ] || continue
		: >"$run/late"
		_parts_reap
	done
}

# _parts_watch_end - the watchdog isn't needed any more, nor its sleep
_parts_watch_end() {
	[ -n "${PARTS_DOG:-}" ] || return 0
	until [ -s "$run/nap" ] || ! kill -0 "$PARTS_DOG" 2>/dev/null; do :; done
	kill -9 "$PARTS_DOG" 2>/dev/null || :
	read -r PARTS_NAP <"$run/nap" || PARTS_NAP=''
	# shellcheck disable=SC2086 # a number or nothing
	kill -9 $PARTS_NAP 2>/dev/null || :
	{ wait "$PARTS_DOG"; } 2>/dev/null || :
	PARTS_DOG=''
}

# _parts_reap - SIGKILL for every process of this run, until none is left: those that hang, and those a part
# left behind. Only processes younger than rc can be its own, so that on the usual way this costs a glob.
_parts_reap() {
	local round pids
	for round in 1 2 3 4 5; do
		_parts_young
		[ -n "$PARTS_YOUNG" ] || return 0
		pids=$(_parts_marked)
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086 # a list of numbers
		kill -9 $pids 2>/dev/null || :
	done
}

# _parts_young - PARTS_YOUNG: where the environments of processes younger than rc can be read; `ps` where
# there is no /proc
_parts_young() {
	local entry last
	PARTS_YOUNG='' last=$$
	# The numbers of processes begin again at their end: then every process may be one of rc's.
	[ ! -r /proc/loadavg ] || read -r _ _ _ _ last </proc/loadavg
	[ "$last" -ge "$$" ] && last=$$ || last=0
	for entry in /proc/[0-9]*; do
		entry=${entry#/proc/}
		case $entry in
		'[0-9]*') PARTS_YOUNG='ps' ;;
		"${PARTS_NAP:-}") ;;
		*) [ "$entry" -le "$last" ] || PARTS_YOUNG="$PARTS_YOUNG /proc/$entry/environ" ;;
		esac
	done
}

# _parts_marked - prints the processes of this run: by the mark in their environment, or without /proc the
# parts that still run and what descends from them
_parts_marked() {
	local entry line
	if [ "$PARTS_YOUNG" = ps ]; then
		ps -A -o pid= -o ppid= | awk -v started="$run/started" -v rc="$$" '
			BEGIN { while ((getline pid < started) > 0) begun[pid] }
			{ parent[$1] = $2; if ($2 == rc && ($1 in begun)) mine[$1] = 1 }
			END {
				do {
					more = 0
					for (p in parent) if (!(p in mine) && (parent[p] in mine)) more = mine[p] = 1
				} while (more)
				for (p in mine) print p
			}'
		return
	fi
	# shellcheck disable=SC2086,SC2013 # a list of paths without blanks
	for entry in $(grep -lsF "MEMRC_RUN=$run" $PARTS_YOUNG); do
		entry=${entry%/environ}
		printf '%s\n' "${entry#/proc/}"
	done
	# A fork of rc has rc's environment: it is known by its number and its parent.
	while read -r entry; do
		{ read -r line <"/proc/$entry/stat"; } 2>/dev/null || continue
		case ${line##*) } in
		Z*) ;;
		?" $$ "*) printf '%s\n' "$entry" ;;
		esac
	done <"$run/started"
}

# parts_end - whatever ends rc: nothing of it is left running or lying about
parts_end() {
	if [ -n "$PARTS_RUNNING" ]; then # interrupted
		_parts_watch_end
		_parts_reap
	fi
	rm -rf "$run"
}
