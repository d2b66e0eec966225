# shellcheck shell=sh
# checks.sh - evaluating checks without running anything: they are data, paths and patterns.
# Needs base.sh and hash.sh; the current directory is the project.

# checks_boot DIR - the one look at the records before the parts start: MEMRC_TASK, the task in hand, MEMRC_NEXT, its
# next step, and the results of at most max_checks checks in DIR/checks; empty where nothing can be read
checks_boot() {
	MEMRC_TASK='' MEMRC_NEXT=''
	: >"$1/checks"
	: >"$1/checks.count"
	[ -n "$MEMRC_JQ" ] && checks_list "$1" "$CFG_max_checks" 2>/dev/null || return 0
	IFS=$TAB read -r _ MEMRC_TASK MEMRC_NEXT <"$1/checks.todo" || :
	checks_run "$1" || : >"$1/checks"
}

# checks_list DIR MOST - DIR/checks.todo: first the task in hand and its next step, then the checks of what is in
# force: the task's end, the task's records, the newest
checks_list() {
	local dir most name file
	dir=$1 most=$2
	set --
	for name in progress decisions facts; do
		file=$MEMRC_ROOT/state/$name.jsonl
		[ "$name" != progress ] || file=$MEMRC_PROGRESS
		[ -f "$file" ] && [ -r "$file" ] || file=/dev/null
		set -- "$@" --rawfile "$name" "$file"
	done
	run_jq -nr --arg most "$most" "$@" 'include "jsonl"; include "shape"; include "progress"; include "show"; include "checks";
		($progress | document) as $read
		| ($read.value // {} | conform(progress_shape | {task_id, current_task, status, in_progress, next_steps, done_when})) as $task
		| ($task | if $read.value == null or .status != "open" then "" else .task_id end) as $id
		| ["task", $id, ($task.next_steps[0] // $task.in_progress | flat | clip(120))],
		([$task | select($id != "" and .done_when != "") | {id: "done_when", check: .done_when}]
			+ ($decisions + "\n" + $facts | folded | .rows | checkable($id))
			| (.[0:$most | tonumber] | check_lines),
			(length - ($most | tonumber) | select(. > 0) | ["check", "over", "bad", "", "\(.) more are over max_checks"]))
		| join("\t")
	' >"$dir/checks.todo"
}

# checks_run DIR - evaluates what check_lines of checks.jq printed into DIR/checks.todo, and writes
# DIR/checks: a line a check: id, VERIFIED, CONFLICT or UNCHECKED, what was found; tab between.
# One pass over the files in awk; grep only for expressions that awks read differently.
checks_run() {
	local kind path id arg dir
	: >"$1/checks.rest"
	: >"$1/checks.conflict"
	while IFS=$TAB read -r kind path; do
		case $kind in
		path)
			_checks_file "$path"
			printf '%s\t%s\n' "$CHECKS_FILE" "$path"
			;;
		check) break ;;
		esac
	done <"$1/checks.todo" >"$1/checks.files"
	# Without any check that is all.
	[ "$kind" = check ] || return 0
	awk -f "$MEMRC_HOME/bin/lib/awk/text.awk" -f "$MEMRC_HOME/bin/lib/awk/ere.awk" -f "$MEMRC_HOME/bin/lib/awk/checks.awk" \
		"$1" >"$1/checks" || return 74
	dir=$1
	set --
	while IFS=$TAB read -r id kind path arg; do
		case $kind in
		grep | nogrep) _checks_grep "$id" "$kind" "$path" "$arg" ;;
		sha256) _checks_hash "$id" "$path" "$arg" ;;
		json) set -- "$@" --rawfile "$path" "$path" ;;
		esac
	done <"$dir/checks.rest" >>"$dir/checks"
	[ $# -eq 0 ] || run_jq -nr "$@" --rawfile 'checks:rest' "$dir/checks.rest" \
		'include "jsonl"; include "checks"; $ARGS.named | map_values(cleaned) | json_checks(.["checks:rest"])' >>"$dir/checks" || return 69
	# What was found by other programs than awk counts too.
	[ ! -s "$dir/checks.rest" ] || awk -F "$TAB" -v dir="$dir" '
		{ n[$2]++ }
		$2 == "CONFLICT" { print $1 > (dir "/checks.conflict") }
		END { print n["VERIFIED"] + 0, n["CONFLICT"] + 0, n["UNCHECKED"] + 0 > (dir "/checks.count") }' "$dir/checks" || return 74
}

# _checks_file PATH - CHECKS_FILE: `file` for a regular file inside the project that no link leads out of,
# else what is there instead
_checks_file() {
	local at rest dir
	CHECKS_FILE=file
	if [ -L "$1" ]; then
		CHECKS_FILE='a symbolic link'
	elif [ -d "$1" ]; then
		CHECKS_FILE='a directory'
	elif [ ! -e "$1" ]; then
		CHECKS_FILE=missing
	elif [ ! -f "$1" ]; then
		CHECKS_FILE='no regular file'
	elif [ ! -r "$1" ]; then
		CHECKS_FILE=unreadable
	fi
	# A directory on the way may be a link: inside the project it is as good as any.
	at='' rest=$1
	while :; do
		case $rest in */*) ;; *) return ;; esac
		at=$at${rest%%/*}
		rest=${rest#*/}
		if [ -L "$at" ]; then
			dir=$(cd -P -- "$at" 2>/dev/null && pwd) || dir=''
			case $dir/ in "$PWD"/*) ;; *) CHECKS_FILE='outside the project' ;; esac
		fi
		at=$at/
	done
}

# _checks_grep ID KIND PATH ERE - by grep -E
_checks_grep() {
	local found code
	code=0
	found=$(grep -nE -m 1 -e "$4" -- "$3" 2>/dev/null) || code=$?
	found=${found%%:*}
	case $2$code in
	grep0) printf '%s\tVERIFIED\t%s:%s\n' "$1" "$3" "$found" ;;
	grep1) printf '%s\tCONFLICT\t%s: no line matches\n' "$1" "$3" ;;
	nogrep1) printf '%s\tVERIFIED\t%s\n' "$1" "$3" ;;
	nogrep0) printf '%s\tCONFLICT\t%s:%s\n' "$1" "$3" "$found" ;;
	*) printf '%s\tUNCHECKED\tno regular expression that grep takes\n' "$1" ;;
	esac
}

# _checks_hash ID PATH HEX
_checks_hash() {
	local sum
	sum=$(hash_files "$2") || sum=''
	sum=${sum#\\}
	sum=${sum%% *}
	case $sum in
	'') printf '%s\tUNCHECKED\tno program for SHA-256\n' "$1" ;;
	"$3"*) printf '%s\tVERIFIED\t%s\n' "$1" "$2" ;;
	*) printf '%s\tCONFLICT\t%s: its SHA-256 is %s\n' "$1" "$2" "$sum" ;;
	esac
}

# checks_trees DIR - the tree-nogrep checks among DIR/checks.todo, over the files that git tracks
checks_trees() {
	local word id kind path arg found code
	grep "^check$TAB[^$TAB]*${TAB}tree-nogrep$TAB" "$1/checks.todo" >"$1/checks.trees" || return 0
	while IFS=$TAB read -r word id kind path arg; do
		code=0
		found=$(git grep -nIE -e "$arg" -- "$path" 2>/dev/null) || code=$?
		case $code in
		0) printf '%s\tCONFLICT\t%.200s\n' "$id" "${found%%"${IFS#??}"*}" ;;
		1) printf '%s\tVERIFIED\t%s\n' "$id" "$path" ;;
		*) printf '%s\tUNCHECKED\tno work tree of git, or no regular expression\n' "$id" ;;
		esac
	done <"$1/checks.trees" >>"$1/checks"
}
