# shellcheck shell=sh
# documents.sh - the two sections that list state/documents. Needs part.sh.

# documents_show MARKER GLOB - the section of the documents that GLOB names; ends the part
documents_show() {
	local marker
	marker=$1
	case $MEMRC_RUNLEVEL in subagent | clear) exit 0 ;; esac
	# shellcheck disable=SC2086 # GLOB is one of ours
	set -- "$STATE"/documents/$2
	[ -e "$1" ] || exit 0
	part_awk documents "$marker" "${STATE#"$MEMRC_PROJECT"/}/documents" "$@"
}
