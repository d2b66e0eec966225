# shellcheck shell=sh
# trust.sh - which roots and which code of theirs this user has said yes to: the user's own list, outside any
# repository. A line each: `root PATH`, or `code SHA256 WHAT`. Needs base.sh, hash.sh and root.sh.

# trust_file - TRUST_FILE: where the list lies
trust_file() {
	TRUST_FILE=${XDG_STATE_HOME:-${HOME:-/}/.local/state}/memrc/trust
}

# trust_root - is the root one to obey? The home's own always is; a linked worktree's is if the main one's is.
trust_root() {
	local line main
	[ ! "$MEMRC_ROOT" -ef "$MEMRC_HOME" ] || return 0
	trust_file
	[ -f "$TRUST_FILE" ] && [ -O "$TRUST_FILE" ] || return 1
	main=''
	if [ -f "$MEMRC_PROJECT/.git" ] && root_main "$MEMRC_PROJECT"; then main=$ROOT_MAIN/.memrc; fi
	while IFS= read -r line; do
		case $line in
		"root $MEMRC_ROOT") return 0 ;;
		"root $main") [ -z "$main" ] || return 0 ;;
		esac
	done <"$TRUST_FILE"
	return 1
}

# trust_told - whoever writes or looks something up hears that no restore shows it, if that is so
trust_told() {
	trust_root || warn 'nobody here has confirmed this memory: no restore shows what is in it: memrc allow'
}

# trust_code FILE - has the user allowed code of exactly these bytes?
trust_code() {
	local line sum
	trust_file
	[ -f "$TRUST_FILE" ] && [ -O "$TRUST_FILE" ] || return 1
	sum=$(hash_files "$1") || return 1
	sum=${sum#\\}
	sum=${sum%% *}
	while IFS= read -r line; do
		case $line in "code $sum "*) return 0 ;; esac
	done <"$TRUST_FILE"
	return 1
}

# trust_add LINE, trust_drop LINE - the list with a line more, or without it, code by its bytes, however it was
# named; only this user can read it
trust_add() {
	# A line of the list is one thing that was said yes to.
	case $1 in *"$NL"*) die 65 "$1: has several lines: that can't be allowed" ;; esac
	trust_drop "$1"
	trust_write "$TRUST_TEXT$1$NL"
}

trust_drop() {
	local line code
	trust_file
	TRUST_TEXT='' code=''
	case $1 in "code "*) code=${1#code } ;; esac
	[ -f "$TRUST_FILE" ] || return 0
	while IFS= read -r line; do
		case ${code:+$line} in "code ${code%% *} "*) continue ;; esac
		[ "$line" = "$1" ] || TRUST_TEXT=$TRUST_TEXT$line$NL
	done <"$TRUST_FILE"
	trust_write "$TRUST_TEXT"
}

trust_write() {
	(
		umask 077
		mkdir -p -- "${TRUST_FILE%/*}" && printf '%s' "$1" >"$TRUST_FILE.new$$" && mv -f -- "$TRUST_FILE.new$$" "$TRUST_FILE"
	) || die 74 "$TRUST_FILE: can't be written: check its permissions, or set XDG_STATE_HOME"
}
