# shellcheck shell=sh
# field.sh - a field more in identity.md, by a writer and not by a person. Needs writer.sh; takes the lock.

# field_add FILE LINE - `key: value` for identity.md: in the place of the key that has no value, else at the end
field_add() {
	local file key at
	file=$1 key=${2%%:*}
	shift
	[ "$file" = "$MEMRC_ROOT/state/identity.md" ] || die 65 "$file: --add is for identity.md: a rule goes there by memrc constrain, anything else by memrc edit"
	case $1 in *"$NL"*) key='' ;; *:*[!"$TAB "]*) ;; *) key='' ;; esac
	case $key in
	'' | *[!A-Za-z0-9_]*) die 65 "--add: not one line of the form key: value" ;;
	[Ff][Oo][Rr][Bb][Ii][Dd][Dd][Ee][Nn] | [Cc][Oo][Nn][Vv][Ee][Nn][Tt][Ii][Oo][Nn]) die 65 "$key: is a rule: memrc constrain" ;;
	esac
	text_need "$1"
	redact "$1"
	[ "$REDACTED" = "$1" ] || die 65 'this looks like a secret, and this file is kept as it is: take it out'
	lock_take
	commit_open "$file"
	at=$(awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/field.awk" "$COMMIT_TMP" "$key") || commit_fail "$file"
	[ "$at" != taken ] || {
		rm -f -- "$COMMIT_TMP"
		die 65 "$key: has a value already: memrc edit identity.md changes it"
	}
	into "$COMMIT_TMP" _field_added "$1" "$at" "$file" || commit_fail "$file"
	commit_close "$file"
}

# _field_added LINE AT FILE - prints FILE with LINE in place of line AT, or at its end
_field_added() {
	if [ -n "$2" ]; then
		head -n "$2" -- "$3" | sed '$d' && printf '%s\n' "$1" && tail -n "+$(($2 + 1))" -- "$3"
		return
	fi
	if [ -s "$3" ]; then
		cat -- "$3" || return
		append_whole "$3" || printf '\n' || return
	fi
	printf '%s\n' "$1"
}
