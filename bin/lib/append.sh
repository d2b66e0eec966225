# shellcheck shell=sh
# append.sh - the one way a line is added to a file of records. Needs base.sh, commit.sh and seal.sh; only under the lock.

# append FILE LINE [END] - LINE and a newline, whole and on the disk, or the program dies and FILE is as it was.
# A record of ours that a killed writer left half-written was never acknowledged, and is cut off; any other
# last line without a newline is a person's, and gets one. END is `whole` where the file is known to end with a newline.
append() {
	local dir size glue
	commit_target "$1"
	[ ${#2} -le 65536 ] || die 65 "a record of ${#2} bytes: at most 65536 can be kept: shorten it"
	dir=${1%/*}
	[ -d "$dir" ] || mkdir -p -- "$dir" || die 74 "$dir: can't be made: check the permissions above it"
	size=0 glue=''
	[ ! -e "$1" ] || dir=''
	if [ -s "$1" ]; then
		size=''
		[ "${3:-}" = whole ] || append_whole "$1" || _append_mend "$1"
	fi
	{ printf '%s%s\n' "$glue" "$2" >>"$1"; } 2>/dev/null || _append_fail "$1"
	fsync "$1" || _append_fail "$1"
	[ -z "$dir" ] || fsync "$dir" || _append_fail "$1"
	seal_append "$1" "$2"
}

# append_whole FILE - does it end with a newline?
append_whole() {
	local last
	last=$(tail -c 1 -- "$1" 2>/dev/null && printf .)
	[ "$last" = "$NL." ]
}

# _append_mend FILE - sets `glue` to the newline that is missing, and `size`; or cuts off what a killed writer left
_append_mend() {
	local last
	last=$(tail -n 1 -- "$1" 2>/dev/null) || die 74 "$1: can't be read: check its permissions"
	size=$(wc -c <"$1") || die 74 "$1: can't be read: check its permissions"
	glue=$NL
	case $last in
	'{"v":'*) ! printf '%s' "$last" | run_jq -e 'type == "object"' >/dev/null 2>&1 || return 0 ;;
	'{' | '{"' | '{"v' | '{"v"') ;;
	*) return 0 ;;
	esac
	# Not by ${#last}: a shell drops the NUL bytes that a power cut leaves.
	size=$((size - $(tail -n 1 -- "$1" | wc -c))) glue=''
	_append_cut "$1" "$size" || die 74 "$1: can't be written: check its permissions"
}

# _append_cut FILE SIZE - all behind SIZE bytes goes
_append_cut() {
	dd if=/dev/null of="$1" bs=1 seek="$2" 2>/dev/null
}

# _append_fail FILE - takes back what was written of the line, and dies
_append_fail() {
	local last
	if [ -z "$size" ] && [ -s "$1" ]; then
		last=0
		append_whole "$1" || last=$(tail -n 1 -- "$1" 2>/dev/null | wc -c)
		size=$(($(wc -c <"$1") - last))
	fi
	[ ! -s "$1" ] || _append_cut "$1" "$size" || :
	[ -z "$dir" ] || rm -f -- "$1"
	die 74 "$1: can't be written: check permissions and space: nothing was added"
}
