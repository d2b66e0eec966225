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
