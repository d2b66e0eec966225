# shellcheck shell=sh
# documents.sh - the two sections that list state/documents. Needs part.sh.

# documents_show MARKER GLOB - the section of the documents that GLOB names; ends the part
documents_show() {
	local marker file bad
	marker=$1 bad=0
	case $MEMRC_RUNLEVEL in subagent | clear) exit 0 ;; esac
	# shellcheck disable=SC2086 # GLOB is one of ours
	set -- "$STATE"/documents/$2
	[ -e "$1" ] || [ -L "$1" ] || exit 0
	# A FIFO would never end, a directory ends awk: neither may take the others' place.
	for file in "$@"; do
		shift
		if [ -f "$file" ] && [ -r "$file" ]; then set -- "$@" "$file"; else bad=$((bad + 1)); fi
	done
	part_awk documents "$marker" "${STATE#"$MEMRC_PROJECT"/}/documents" "$bad" "$@"
}
