# shellcheck shell=sh
# constraints.sh - the constraints of a root with their ids. Needs base.sh, hash.sh and MEMRC_ROOT.

# constraints_each DIR CALLBACK - calls `CALLBACK id state where text` for each constraint, in order;
# state is `force`, `retired`, `gone` (sealed in force, and no line of it is there now) or, with `-` for an
# id, `problem`. A newline in a text is \037. DIR is the
# caller's, for temporary files. Fails, and says so: 69 where nothing hashes, 74 where a file can't be read or DIR is full.
constraints_each() {
	local state where text sum code
	_constraints_list "$1" || return
	[ -f "$1/list" ] || return 0
	: >"$1/sums"
	code=0
	[ ! -f "$1/c.000001" ] || hash_files "$1"/c.* 2>/dev/null >"$1/sums" || code=$?
	case $code in
	0) ;;
	69)
		warn 'no program for SHA-256: install coreutils, perl or openssl'
		return 69
		;;
	*) _constraints_failed "$1" || return ;;
	esac
	while IFS=$TAB read -r state where text; do
		sum=-
		if [ "$state" != problem ]; then
			read -r sum _ <&3 || _constraints_failed "$1" || return
			sum=${sum#\\}
			sum=c-${sum%"${sum#????????}"}
		fi
		"$2" "$sum" "$state" "$where" "$text" || _constraints_failed "$1" || return
	done <"$1/list" 3<"$1/sums"
}

# constraints_gone DIR - has a constraint vanished that was sealed in force? DIR is the caller's, and then has gone.FILE
# with its lines. Yes if it can't be told.
constraints_gone() {
	_constraints_list "$1" || return 0
	[ -f "$1/list" ] && grep -q "^gone$TAB" "$1/list"
}

# _constraints_list DIR - all of them, as constraints.awk has them, in DIR/list
_constraints_list() {
	_constraints_readable identity.md && _constraints_readable constraints.md || return 74
	awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/constraints.awk" "$1" \
		"$MEMRC_ROOT/state/identity.md" "$MEMRC_ROOT/state/constraints.md" \
		"$MEMRC_ROOT/state/.seal/identity.md" "$MEMRC_ROOT/state/.seal/constraints.md" 2>/dev/null || _constraints_failed "$1"
}

# _constraints_failed DIR - says that they can't be told
_constraints_failed() {
	warn "the constraints can't be taken apart: is there awk, and space in $1?"
	return 74
}

# _constraints_readable NAME - is the state file absent, or there and readable?
_constraints_readable() {
	local file
	file=$MEMRC_ROOT/state/$1
	[ ! -e "$file" ] && [ ! -L "$file" ] && return 0
	[ -f "$file" ] && [ -r "$file" ] && return 0
	warn "$file: can't be read: give it back its permissions"
	return 1
}
