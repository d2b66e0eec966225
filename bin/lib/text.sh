# shellcheck shell=sh
# text.sh - what may be written: the text that a person or an agent gave, or a refusal. Needs base.sh, MEMRC_HOME.

TEXT_PLAIN="$TAB$NL -~"

# text_plain TEXT - printable ASCII, TAB and newline only? Such a text needs no further look.
text_plain() {
	case $1 in *[!$TEXT_PLAIN]*) return 1 ;; esac
}

# text_need TEXT - dies where a text would not be shown as it was given: one awk for what isn't plain
text_need() {
	local why
	text_plain "$1" && return
	why=$(MEMRC_TEXT=$1 awk -f "$MEMRC_HOME/bin/lib/awk/unicode.awk" -f "$MEMRC_HOME/bin/lib/awk/writable.awk") ||
		die 74 "awk failed: the text can't be checked"
	[ -z "$why" ] || die 65 "the text holds $why: take it out"
}

# ere_need NAME ERE - dies unless grep -E takes it; what has none of its signs needs no look
ere_need() {
	case $2 in *[][\\\(\){}*+?\|^\$]*) ;; *) return 0 ;; esac
	grep -qE -e "$2" /dev/null 2>/dev/null || [ "$?" -eq 1 ] || die 65 "$1: not an extended regular expression: try it with grep -E"
}

# check_need NAME CHECK - dies where the pattern of a check is none; the rest of it is for checked.jq
check_need() {
	case $2 in *"$NL"*) ;; grep:*:* | nogrep:*:* | tree-nogrep:*:*) ere_need "$1 $2" "${2#*:*:}" ;; esac
}
