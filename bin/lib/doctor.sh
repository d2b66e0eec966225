# shellcheck shell=sh
# doctor.sh - what memrc doctor looks at, one function each. Needs base.sh, root.sh, trust.sh, install.sh and a host's file.
# They share: host, transcript, mark; installed: which settings call memrc; bad is 1 once something is wrong.

# well TEXT, ill TEXT - a finding
well() {
	printf 'ok   %s\n' "$1"
}
ill() {
	printf 'BAD  %s\n' "$1"
	bad=1
}

# doctor_root - is there a memory here, may it be obeyed, can it be written?
doctor_root() {
	local dir
	if ! root_find; then
		ill "no memory here (${MEMRC_ROOT:-$PWD}): memrc init in the project; memrc root says where is looked"
		MEMRC_ROOT=''
		return 0
	fi
	well "memory: $MEMRC_ROOT"
	trust_root || ill "this memory came with the repository and nobody here has confirmed it, so little of it is shown and nothing recorded: memrc allow"
	for dir in state/tasks state/tasks/archive state/lanes state/documents state/.seal; do
		[ ! -L "$MEMRC_ROOT/$dir" ] || ill "$MEMRC_ROOT/$dir: is a symbolic link, and so not written to: put the directory itself there"
	done
	for dir in state logs; do
		if [ ! -d "$MEMRC_ROOT/$dir" ]; then
			ill "$MEMRC_ROOT/$dir: isn't there: memrc init"
		elif [ -L "$MEMRC_ROOT/$dir" ]; then
			ill "$MEMRC_ROOT/$dir: is a symbolic link, and so not written to: put the directory itself there"
		elif [ ! -w "$MEMRC_ROOT/$dir" ]; then
			ill "$MEMRC_ROOT/$dir: can't be written: check its permissions"
		elif [ "$(df -Pk "$MEMRC_ROOT/$dir" 2>/dev/null | awk 'NR == 2 { print ($4 < 1024) }')" = 1 ]; then
			ill "$MEMRC_ROOT/$dir: less than 1 MB is free on its disk"
		fi
	done
}

# doctor_tools - is there a jq that works?
doctor_tools() {
	if [ -z "$MEMRC_JQ" ]; then
		ill "no jq: JSON can't be read, so hooks record nothing: install jq, or run make restore in $MEMRC_HOME"
	elif [ "$("$MEMRC_JQ" -n '1 + 1' 2>/dev/null)" != 2 ]; then
		ill "$MEMRC_JQ doesn't work, so hooks record nothing: install jq, or unset MEMRC_JQ"
		MEMRC_JQ=''
	else
		well "jq: $MEMRC_JQ"
	fi
}

# doctor_message - does rc give a whole message that fits the host?
doctor_message() {
	local message code size
	[ -n "$MEMRC_ROOT" ] || return 0
	code=0
	message=$("$MEMRC_HOME/init.d/rc" start --runlevel compact --host "$host" 2>&1) || code=$?
	size=$(printf '%s\n' "$message" | awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" \
		-f "$MEMRC_HOME/bin/lib/awk/size.awk" 2>/dev/null) || size=${#message}
	case $code in
	0) well "restore: $size units" ;;
	1) ill "restore: $size units, but something is malformed, cut or failed: memrc status" ;;
	3) ill "restore: a conflict stands: memrc rc --runlevel compact" ;;
	*) ill "restore: init.d/rc ended with $code: ${message%%"$NL"*}" ;;
	esac
	printf '%s\n' "$message" | grep -E '^\[(FAILED PART|CONFLICT)\]' | sed 's/^/     /' || :
	[ -z "$HOST_LIMIT" ] || [ "$size" -le "$HOST_LIMIT" ] ||
		ill "restore: the host takes $HOST_LIMIT units and shows $HOST_PREVIEW of a longer text: set max_chars in state/config below that"
}

# doctor_installed - do the host's settings name memrc's hooks?
doctor_installed() {
	local file found plugin
	found='' plugin='' installed=''
	[ -n "$(host_settings "$PWD")" ] || return 0
	while IFS= read -r file; do
		[ -f "$file" ] || continue
		! grep -q '"disableAllHooks": *true' "$file" || ill "$file: disableAllHooks is true: no hook runs"
		! grep -q '"memrc@[^"]*": *true' "$file" || plugin=$file
		grep -qF "hook" "$file" && grep -v '"memrc@' "$file" | grep -qF memrc || continue
		found=$file
		install_has "$file" || continue
		[ -z "$installed" ] || [ "$file" -ef "$installed" ] ||
			ill "hooks: $installed and $file have them, so each runs twice: take one out: memrc uninstall $host, with --user or --shared where it was installed so"
		installed=$file
	done <<-END
		$(host_settings "${MEMRC_PROJECT:-$PWD}")
	END
	[ -z "$found" ] || [ -z "$plugin" ] || ill "hooks and plugin: each says everything once more: memrc uninstall $host"
	installed=${found:-$plugin}
	if [ -n "$found" ]; then
		well "hooks: $found"
		while IFS= read -r file; do
			[ -z "$file" ] || [ -x "$file" ] || ill "the hooks call $file, which isn't there: memrc install $host"
		done <<-END
			$(grep -o '"/[^"]*/memrc[" ]' "$found" | sed 's/^"//; s/.$//' | sort -u)
		END
	elif [ -n "$plugin" ]; then
		well "hooks: by the plugin, enabled in $plugin"
	else
		ill "no hooks of memrc in the host's settings, and no plugin: memrc install $host (claude --plugin-dir isn't seen)"
	fi
}

# doctor_given - a file that was named must be a transcript of the host; nothing else can be said of it
doctor_given() {
	[ -f "$transcript" ] || die 65 "--transcript $transcript: no such file: name one, or none for the newest of this project"
	[ -r "$transcript" ] || die 74 "--transcript $transcript: can't be read: check its permissions"
	[ -f "$MEMRC_HOME/bin/lib/host/$host-doctor.jq" ] && [ -n "$MEMRC_JQ" ] || return 0
	[ -n "$("$MEMRC_JQ" -nR 'first(inputs | fromjson? | objects | select(.type | strings) | true)' "$transcript" 2>/dev/null)" ] ||
		die 65 "--transcript $transcript: is no transcript of $host: name one, or none for the newest of this project"
}

# doctor_transcript - what became of the message after the last compaction
doctor_transcript() {
	local all
	TOLD=''
	[ -n "$transcript" ] || _doctor_newest
	[ -n "$transcript" ] || return 0
	[ -f "$transcript" ] && [ -r "$transcript" ] || {
		ill "$transcript: can't be read"
		return 0
	}
	[ -f "$MEMRC_HOME/bin/lib/host/$host-doctor.jq" ] && [ -n "$MEMRC_JQ" ] || return 0
	all=''
	[ -z "$MEMRC_ROOT" ] || [ ! -f "$MEMRC_ROOT/logs/events.jsonl" ] || {
		all=$(grep -aF '"event":"start","runlevel":"compact"' "$MEMRC_ROOT/logs/events.jsonl" | tail -n 1)
		case $all in *'"units":'*) all=${all#*'"units":'} all=${all%%[!0-9]*} ;; *) all='' ;; esac
	}
	TOLD=$("$MEMRC_JQ" -nRr -L "$MEMRC_HOME/bin/lib/host" --arg mark "$mark" --arg all "$all" 'include "'"$host"'-doctor";
		verdict(inputs; $mark; $all) | (.verdict // "none"), "\(.n): \(.trigger // ""), \(.before // "unknown") to \(.after // "unknown") tokens, \(.at // "")", (.told | keys | join(" "))
		| split("\n") | join(" ")' "$transcript" 2>/dev/null | awk -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" -f "$MEMRC_HOME/bin/lib/awk/clean.awk") && [ -n "$TOLD" ] || {
		ill "$transcript: can't be read as a transcript of $host"
		return 0
	}
	case $TOLD in
	none*) well "no compaction in $transcript" ;;
	'delivered whole'*) well "last compaction ($(printf '%s\n' "$TOLD" | sed -n 2p)): ${TOLD%%"$NL"*}" ;;
	*) ill "last compaction ($(printf '%s\n' "$TOLD" | sed -n 2p)): ${TOLD%%"$NL"*}" ;;
	esac
	TOLD=$(printf '%s\n' "$TOLD" | sed -n 3p)
}

# _doctor_newest - transcript: the newest of this project
_doctor_newest() {
	local file
	host_transcripts "${MEMRC_PROJECT:-$PWD}"
	[ -n "$HOST_DIR" ] || return 0
	for file in "$HOST_DIR"/*.jsonl; do
		[ -f "$file" ] || continue
		[ -n "$transcript" ] && [ "$transcript" -nt "$file" ] || transcript=$file
	done
	[ -n "$transcript" ] || printf '     no transcript of %s in %s: it has not run here yet: start it once\n' "$host" "$HOST_DIR"
}

# doctor_hooks - which hooks never ran, though what they wait for happened
doctor_hooks() {
	local ran file
	[ -n "$MEMRC_ROOT" ] || return 0
	ran=$(for file in "$MEMRC_ROOT"/logs/events.jsonl* "$MEMRC_ROOT"/logs/flight.jsonl*; do [ ! -f "$file" ] || cat -- "$file" 2>/dev/null; done |
		awk '{ if (match($0, /"event":"[a-z-]*"/)) n[substr($0, RSTART + 9, RLENGTH - 10)]++ } END { for (e in n) printf " %s", e }')
	# Nothing can have been called by a client that hasn't run.
	[ -z "$transcript" ] || _doctor_ran session-start start 'sessions start'
	case " $TOLD " in *' prompt '*) _doctor_ran prompt prompt 'the user writes' ;; esac
	case " $TOLD " in *' tool '*) _doctor_ran post-tool tool 'tools run' ;; esac
	case " $TOLD " in *' compact '*) _doctor_ran pre-compact pre-compact 'the context is compacted' ;; esac
}

_doctor_ran() {
	case "$ran " in
	*" $2 "*) ;;
	*) ill "the hook $1 never ran here, though $3: $(_doctor_advice "$1")" ;;
	esac
}

# _doctor_advice HOOK - what helps: what is installed already needn't be
_doctor_advice() {
	if [ -n "$installed" ] && { grep -qF -e "\"$1\"" -e " $1\"" "$installed" || grep -q '"memrc@' "$installed"; }; then
		printf 'it is installed: start %s here anew, confirm its dialog about this directory, and see %s' "$host" "$MEMRC_ROOT/logs/hook.log"
	else
		printf 'memrc install %s, and restart it' "$host"
	fi
}

# doctor_log - what the hooks complained of
doctor_log() {
	local file
	for file in ${MEMRC_ROOT:+"$MEMRC_ROOT/logs/hook.log"} "${XDG_STATE_HOME:-${HOME:-/}/.local/state}/memrc/hook.log"; do
		[ -s "$file" ] && [ -r "$file" ] || continue
		ill "hooks failed, the newest last ($file; remove it when that is mended):"
		tail -n 5 -- "$file" | tr -d '\000' | awk -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" -f "$MEMRC_HOME/bin/lib/awk/clean.awk" | sed 's/^/     /'
	done
}
