# shellcheck shell=sh
# checks.sh - evaluating checks without running anything: they are data, paths and patterns.
# Needs base.sh and hash.sh; the current directory is the project.

# checks_boot DIR - the one look at the records for all parts: the results of at most max_checks checks in DIR/checks,
# and what checks_task reads; empty where nothing can be read, and `failed` in DIR/checks.count where the checks can't
# be evaluated
checks_boot() {
	: >"$1/checks"
	: >"$1/checks.count"
	[ -n "$MEMRC_JQ" ] && checks_list "$1" "$CFG_max_checks" 2>/dev/null || return 0
	checks_run "$1" && return
	: >"$1/checks"
	: >"$1/checks.conflict"
	printf 'failed\n' >"$1/checks.count"
}

# checks_task DIR - after that MEMRC_TASK, the task in hand, and MEMRC_NEXT, its next step
checks_task() {
	MEMRC_TASK='' MEMRC_NEXT=''
	[ -f "$1/checks.todo" ] || return 0
	# Not by IFS, for which two tabs are one.
	IFS= read -r MEMRC_TASK <"$1/checks.todo" || :
	MEMRC_TASK=${MEMRC_TASK#*"$TAB"}
	MEMRC_NEXT=${MEMRC_TASK#*"$TAB"}
	MEMRC_TASK=${MEMRC_TASK%%"$TAB"*}
}

# checks_list DIR MOST [all] - DIR/checks.todo, and the same in CHECKS_TODO: first the task in hand and its next step, then the checks of what is in
# force: the task's end, the task's records, the newest. Without `all` those that take long keep their last result.
checks_list() {
	local dir most name file last
	dir=$1 most=$2 last=$MEMRC_ROOT/logs/checks.json
	[ -f "$last" ] && [ -z "${3:-}" ] || last=/dev/null
	set -- --arg all "${3:-}" --rawfile last "$last"
	for name in progress decisions facts; do
		file=$MEMRC_ROOT/state/$name.jsonl
		[ "$name" != progress ] || file=$MEMRC_PROGRESS
		[ -f "$file" ] && [ -r "$file" ] || file=/dev/null
		set -- "$@" --rawfile "$name" "$file"
	done
	CHECKS_TODO=$(run_jq -nr --arg most "$most" "$@" 'include "jsonl"; include "shape"; include "progress"; include "show"; include "checks";
		($progress | document) as $read
		| ($read.value // {} | conform(progress_shape | {task_id, current_task, status, in_progress, next_steps, done_when})) as $task
		| ($task | if $read.value == null or .status != "open" then "" else .task_id end) as $id
		| (["task", $id, ($task.next_steps[0] // $task.in_progress | flat | clip(120))] | join("\t")),
		([$task | select($id != "" and .done_when != "") | {id: "done_when", check: .done_when}]
			+ ($decisions + "\n" + $facts | folded | .rows | checkable($id))
			| (.[0:$most | tonumber] | check_lines(if $all == "" then $last | document | .value // {} else null end)),
			(length - ($most | tonumber) | select(. > 0) | "check\tover\tbad\t\t\(.) more are over max_checks"))
	') && printf '%s\n' "$CHECKS_TODO" >"$dir/checks.todo"
}

# checks_run DIR [all] - evaluates what check_lines of checks.jq printed into DIR/checks.todo, and writes
# DIR/checks: a line a check: id, VERIFIED, CONFLICT or UNCHECKED, what was found; tab between.
# One pass over the files in awk; grep only for expressions that awks read differently. Without `all` no more than
# a restore has time for.
checks_run() {
	local line files regular sized
	: >"$1/checks"
	: >"$1/checks.rest"
	: >"$1/checks.conflict"
	: >"$1/checks.large"
	# A shell reads and writes files by the line, or even the byte: with many that is what costs.
	files='' line='' regular='' sized='' CHECKS_NEAR=''
	set -f
	IFS=$NL
	for line in $CHECKS_TODO; do
		case $line in
		path*)
			line=${line#*"$TAB"}
			_checks_file "$line"
			[ "$CHECKS_FILE" != file ] || regular=$regular./$line$NL
			files=$files$CHECKS_FILE$TAB$line$NL
			line=''
			;;
		check*) break ;;
		esac
	done
	# What has more than 1 MB isn't for a restore; the rest can be read at one go.
	# shellcheck disable=SC2086 # one path a line
	[ -n "${2:-}" ] || [ -z "$regular" ] || ! find $regular -prune -size +2048 2>/dev/null >"$1/checks.large" || sized=yes
	IFS=" $TAB$NL"
	set +f
	printf '%s' "$files" >"$1/checks.files"
	# Without any check that is all.
	case $line in check*) ;; *) return 0 ;; esac
	# A pattern can make a program think without end: it has a second, and then nothing is known.
	(
		# shellcheck disable=SC3045 # -S, -t: in every shell of tests/matrix
		[ -n "${2:-}" ] || ulimit -S -t 1
		exec awk -v all="${2:-}" -v sized="$sized" -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/ere.awk" \
			-f "$MEMRC_HOME/bin/lib/awk/checks.awk" "$1"
	) >"$1/checks" || return 74
	[ -s "$1/checks.rest" ] || return 0
	_checks_rest "$1" "${2:-}" >"$1/checks.late" || return 69
	# What was found by other programs than awk counts too.
	awk -F "$TAB" -v OFS="$TAB" -v dir="$1" '
		FILENAME ~ /late$/ {
			if ($1 == "done_when" && $2 == "CONFLICT") $2 = "PENDING"
			print >> (dir "/checks")
		}
		{ n[$2] += $1 == "over" ? $3 : 1 }
		$2 == "CONFLICT" { print $1 > (dir "/checks.conflict") }
		END { printf "%d %d %d\n", n["VERIFIED"], n["CONFLICT"], n["UNCHECKED"] + n["PENDING"] > (dir "/checks.count") }
	' "$1/checks" "$1/checks.late" || return 74
}

# _checks_rest DIR ALL - prints the results of what awk left to other programs
_checks_rest() {
	local id kind path file arg sum dir all
	dir=$1 all=$2
	set --
	while IFS=$TAB read -r id kind path file arg; do
		[ "$kind" != sha256 ] || set -- "$@" "$path"
	done <"$dir/checks.rest"
	# A program each only where one of them is gone meanwhile.
	[ $# -eq 0 ] || hash_files "$@" 2>/dev/null >"$dir/checks.sums" || : >"$dir/checks.sums"
	[ $# -ne 0 ] || : >"$dir/checks.sums"
	CHECKS_SLOW=''
	set --
	while IFS=$TAB read -r id kind path file arg; do
		case $kind in
		grep | nogrep) _checks_grep "$id" "$kind" "$path" "$file" "$arg" "$all" ;;
		sha256)
			read -r sum _ <&3 || sum=$(hash_files "$path" 2>/dev/null) || sum=''
			_checks_hash "$id" "$path" "$arg" "$sum"
			;;
		json) set -- "$@" --rawfile "$path" "$path" ;;
		esac
	done <"$dir/checks.rest" 3<"$dir/checks.sums"
	[ $# -eq 0 ] || run_jq -nr "$@" --rawfile 'checks:rest' "$dir/checks.rest" \
		'include "jsonl"; include "checks"; $ARGS.named | map_values(cleaned) | json_checks(.["checks:rest"])'
}

# _checks_file PATH - CHECKS_FILE: `file` for a regular file inside the project that no link leads out of,
# else what is there instead
_checks_file() {
	local at rest dir
	if [ -L "$1" ]; then
		CHECKS_FILE='a symbolic link'
	elif [ -f "$1" ]; then
		CHECKS_FILE='file'
		[ -r "$1" ] || CHECKS_FILE=unreadable
	elif [ -d "$1" ]; then
		CHECKS_FILE='a directory'
	elif [ -e "$1" ]; then
		CHECKS_FILE='no regular file'
	else
		CHECKS_FILE=missing
	fi
	# A directory on the way may be a link: inside the project it is as good as any. Paths come in order, so the one
	# before often was in the same.
	case $1 in */*) ;; *) return 0 ;; esac
	[ "${1%/*}" != "$CHECKS_NEAR" ] || return 0
	at='' rest=$1
	while :; do
		case $rest in */*) ;; *) break ;; esac
		at=$at${rest%%/*}
		rest=${rest#*/}
		if [ -L "$at" ]; then
			dir=$(cd -P -- "$at" 2>/dev/null && pwd) || dir=''
			case $dir/ in
			"$PWD"/*) ;;
			*)
				CHECKS_FILE='outside the project'
				return
				;;
			esac
		fi
		at=$at/
	done
	CHECKS_NEAR=${1%/*}
}

# _checks_grep ID KIND PATH FILE ERE ALL - by grep -E
_checks_grep() {
	local found code
	code=0 found=''
	if [ -n "$CHECKS_SLOW" ]; then
		printf '%s\tUNCHECKED\t%s: no time for it in a restore: memrc verify\n' "$1" "$3"
		return
	fi
	found=$(
		# shellcheck disable=SC3045 # -S, -t: in every shell of tests/matrix
		[ -n "$6" ] || ulimit -S -t 1
		exec grep -nE -m 1 -e "$5" -- "$4" 2>/dev/null
	) || code=$?
	found=${found%%:*}
	# With a character that isn't text in it grep names no line.
	case $found in *[!0-9]*) found='(binary)' ;; esac
	case $2$code in
	grep0) printf '%s\tVERIFIED\t%s:%s\n' "$1" "$3" "$found" ;;
	grep1) printf '%s\tCONFLICT\t%s: no line matches\n' "$1" "$3" ;;
	nogrep1) printf '%s\tVERIFIED\t%s\n' "$1" "$3" ;;
	nogrep0) printf '%s\tCONFLICT\t%s:%s\n' "$1" "$3" "$found" ;;
	*2) printf '%s\tUNCHECKED\tno regular expression that grep takes\n' "$1" ;;
	*)
		CHECKS_SLOW=yes
		printf '%s\tUNCHECKED\t%s: no time for it in a restore: memrc verify\n' "$1" "$3"
		;;
	esac
}

# _checks_hash ID PATH HEX SUM
_checks_hash() {
	local sum
	sum=${4#\\}
	sum=${sum%% *}
	case $sum in
	'') printf '%s\tUNCHECKED\tno program for SHA-256\n' "$1" ;;
	"$3"*) printf '%s\tVERIFIED\t%s\n' "$1" "$2" ;;
	*) printf '%s\tCONFLICT\t%s: its SHA-256 is %s\n' "$1" "$2" "$sum" ;;
	esac
}

# checks_slow DIR - the checks among DIR/checks.todo that a restore has no time for: tree-nogrep, over the files that
# git tracks, and cmd, if the user has allowed that very text. Their results go to DIR/checks, and to DIR/checks.slow
# with the check in place of the id.
checks_slow() {
	local id kind path arg
	while IFS= read -r id; do
		id=${id#check"$TAB"}
		kind=${id#*"$TAB"}
		id=${id%%"$TAB"*}
		path=${kind#*"$TAB"}
		kind=${kind%%"$TAB"*}
		arg=${path#*"$TAB"}
		path=${path%%"$TAB"*}
		case $kind in
		tree-nogrep) _checks_tree "$path" "$arg" ;;
		cmd) _checks_command "$1" "$arg" ;;
		*) continue ;;
		esac
		printf '%s\t%s\n' "$id" "$CHECKS_RESULT" >>"$1/checks"
		printf '%s\t%s at %s\n' "$kind:${path:+$path:}$arg" "$CHECKS_RESULT" "${MEMRC_COMMIT:-no commit}" >>"$1/checks.slow"
	done <"$1/checks.todo"
}

# _checks_tree DIR ERE - CHECKS_RESULT: verdict, tab, what was found
_checks_tree() {
	local found code
	code=0
	if [ ! -d "$1" ]; then
		CHECKS_RESULT="CONFLICT$TAB$1: is no directory"
		return
	fi
	found=$(git grep --no-color -nIE -e "$2" -- "$1" ':(top,exclude).memrc' 2>/dev/null) || code=$?
	found=$(printf '%.200s' "${found%%"$NL"*}" | tr "$TAB" ' ')
	case $code in
	0) CHECKS_RESULT="CONFLICT$TAB$found" ;;
	1) CHECKS_RESULT="VERIFIED$TAB$1" ;;
	*) CHECKS_RESULT="UNCHECKED${TAB}no work tree of git, or no regular expression" ;;
	esac
}

# _checks_command DIR COMMAND - CHECKS_RESULT: exit 0 is VERIFIED
_checks_command() {
	local code
	printf '%s' "$2" >"$1/checks.command"
	if ! trust_root; then
		CHECKS_RESULT="UNCHECKED${TAB}nobody here has confirmed this memory: first that, by memrc allow, then its commands"
		return
	elif ! trust_code "$1/checks.command"; then
		CHECKS_RESULT="UNCHECKED${TAB}not allowed by you: memrc allow" # memrc verify adds the id, as it shows it
		return
	fi
	code=0
	sh -c "$2" </dev/null >"$1/checks.out" 2>&1 || code=$?
	if [ "$code" -eq 0 ]; then
		CHECKS_RESULT="VERIFIED${TAB}exit 0"
	else
		CHECKS_RESULT="CONFLICT${TAB}exit $code: $(tail -n 1 "$1/checks.out" | tr '\000-\037' ' ' | cut -c 1-160)"
	fi
}
