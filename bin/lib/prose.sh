# shellcheck shell=sh
# prose.sh - changing the constraints: nothing in them is ever altered, so what can't stand is refused.
# Needs writer.sh and constraints.sh.

# prose_begin TEXT… - root and lock, $tmp, and a refusal of texts that can't be shown, or hold a secret
# where LITERAL is empty
prose_begin() {
	root_need
	trust_told
	text_need "$*"
	redact "$*"
	[ "$REDACTED" = "$*" ] || [ -n "$LITERAL" ] ||
		die 65 'this looks like a secret, and constraints are kept as they are: take it out, or give --literal'
	temp_dir
	lock_take
}

# prose_data TEXT… - dies where a text would not stay one value of the data in braces
prose_data() {
	local text
	for text; do
		case $text in
		*"$NL"*) die 65 'the text has several lines: put it in one' ;;
		*\;*source:* | *\;*retired:* | *\;*deny-edit:* | *\;*deny-command:*)
			die 65 "$text: would be read as several values: put it differently"
			;;
		esac
	done
}

# prose_find ID - FOUND: the constraints whose id begins so, a line each: `id state place`
prose_find() {
	FOUND='' WANTED=$1
	constraints_each "$tmp" _prose_match || exit
}

_prose_match() {
	case $1 in "$WANTED"*) FOUND=$FOUND${FOUND:+$NL}"$1 $2 $3" ;; esac
}
