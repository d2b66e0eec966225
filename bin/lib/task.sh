# shellcheck shell=sh
# task.sh - the task in hand: what progress, task and checkpoint have in common. Needs writer.sh.

# task_plan FIELD TEXT … - works out the change of the task in hand, under the lock: LANE may become the
# session's own. TASK_NEW is the new document, TASK_OLD the id and TASK_PARK the document of the task that
# gives way, if one does; TASK_UP is the wanted task, unless that is the one in hand; HELD is where another session
# left it, if one did. The wanted task is the field task_id; `lane` asks for an own lane.
task_plan() {
	local out parked own step want lane left check
	TASK_UP='' HELD='' EVENTS='' want='' step='' lane='' check='' own=$MEMRC_ROOT/state/lanes/$MEMRC_SESSION.json
	session_need
	left=$#
	while [ "$left" -gt 0 ]; do
		case $1 in
		task_id) task_named "$2" && want=$NAME ;;
		step) step=$2 ;;
		lane) lane=1 ;;
		*) set -- "$@" "$1" "$2" ;;
		esac
		[ "$1" != done_when ] || check=$2
		shift 2
		left=$((left - 2))
	done
	[ -z "$lane" ] || [ -n "$MEMRC_SESSION" ] || die 65 '--lane: the session is unknown: give --session ID'
	[ -z "$lane" ] || [ -e "$own" ] || LANE=$own
	check_need --done-when "$check"
	commit_target "$LANE"
	parked=$MEMRC_ROOT/state/tasks/${want:-unnamed}.progress.json
	# Only who asks for a task by its id takes up a closed one, or one that another session left.
	if [ -n "$want" ]; then
		task_claim "$want"
		[ -f "$parked" ] || parked=${HELD:-$MEMRC_ROOT/state/tasks/archive/$want.progress.json}
	fi
	task_current "$LANE"
	TASK_OLD=$TASK
	[ ! -f "$parked" ] || commit_target "$parked"
	[ "$LANE" != "$own" ] && [ -n "$MEMRC_SESSION" ] || own=''
	[ -z "$own" ] || session_events
	out=$(task_change "$own" "$parked" "$want" "$step" "$@") || jq_refused $?
	case $out in
	broken*)
		[ "$out" = broken ] || LANE=$parked
		die 65 "$LANE: is no JSON object: correct it with memrc edit ${LANE#"$MEMRC_ROOT"/state/}"
		;;
	held*) task_refused "$want" "${out#held }" ;;
	lane*) LANE=$own ;;
	esac
	case ${out%%"$NL"*} in *' up') TASK_UP=$want ;; esac
	out=${out#*"$NL"}
	TASK_NEW=${out%%"$NL--"*}
	TASK_PARK=${out#"$TASK_NEW$NL--"}
	TASK_PARK=${TASK_PARK#"$NL"}
}

# task_change OWN PARKED TASK STEP FIELD TEXT … - for task_plan: prints `lane`, where OWN is to be the session's, or `same`, with
# ` up` behind it where another task than the one in hand is taken up; the new document; `--`; and the document that
# gives way, or nothing. Or `held` and the session that is at work on TASK in the file that is everybody's.
task_change() {
	local own parked want step current
	own=$1 parked=$2 want=$3 step=$4 current=$LANE
	shift 4
	[ -z "$check" ] || check="| .done_when |= check_needed(\"${0##*/}: --done-when\")"
	[ -f "$current" ] || current=/dev/null
	[ -f "$parked" ] || parked=/dev/null
	run_jq -nr --rawfile current "$current" --rawfile parked "$parked" --arg events "$EVENTS" --arg want "$want" \
		--arg at "${MEMRC_NOW:-}" --arg session "$MEMRC_SESSION" --arg step "$step" --arg commit "$MEMRC_COMMIT" \
		--arg shared "$own" "${check:+include \"checked\"; }"'include "shape"; include "task"; include "progress";
		{session: $session, step: $step, commit: $commit,
			at: time($at)} as $by
		| task_of($current) as $doc
		| if $doc == null then "broken" elif task_of($parked) == null then "broken parked" else
			($shared != "" and ($doc | busy($by; $events))) as $lane
			| if $lane and $want == $doc.task_id and $want != "unnamed" then "held \($doc.session)" else
			(if $lane then {} else $doc end) as $base
			| (($base.status // "open") | . == "done" or . == "dropped") as $closed
			| ($base.task_id | if fits("task") then . else "unnamed" end) as $old
			| (if $want != "" then $want elif $closed then "unnamed" else $old end) as $task
			| (if $task == $old then $base elif $closed or $base == {} then null else $base + {status: "parked"} end) as $park
			| ($task == $old and $base != {} and ($closed | not)) as $here
			# A task that is closed is what the archive has of it, wherever it was closed.
			| (if $here then $base else task_of($parked) end
				| if . == {} and $task == $old and $want != "" then $base else . end
				| filed | .task_id = $task | .status = "open"
				| changes($ARGS.positional) '"$check"'| stamped($by)) as $new
			| (if $lane then "lane" else "same" end) + (if $here then "" else " up" end), $new, "--", ($park | select($task != $old) // "")
		end end' --args -- "$@"
}

# task_find TASK - HELD: the progress file in which another session has the task in hand, or empty. What is parked, or
# in hand here, is nobody else's.
task_find() {
	local file
	HELD=''
	[ ! -f "$MEMRC_ROOT/state/tasks/$1.progress.json" ] || return 0
	for file in "$MEMRC_ROOT/state/progress.json" "$MEMRC_ROOT"/state/lanes/*.json; do
		[ "$file" != "$LANE" ] && task_open "$1" "$file" || continue
		task_open "$1" "$LANE" || HELD=$file
		return 0
	done
}

# task_open TASK FILE - is it the task of that progress file, and not closed?
task_open() {
	[ -f "$2" ] || return
	task_current "$2"
	[ "$TASK" = "$1" ] && ! grep -qE '"status" *: *"(done|dropped)"' -- "$2"
}

# task_claim TASK - task_find, and dies where that session is still at work on it, as `busy` says. What belongs to
# no task is each session's own: it is left alone then.
task_claim() {
	local owner
	task_find "$1"
	[ -n "$HELD" ] || return 0
	session_events
	owner=$(run_jq -nr --rawfile held "$HELD" --arg events "$EVENTS" --arg session "$MEMRC_SESSION" --arg at "${MEMRC_NOW:-}" \
		'include "shape"; include "task"; include "progress";
		{session: $session, at: time($at)} as $by
		| task_of($held) // {} | select(busy($by; $events)) | .session') || jq_refused $?
	[ -n "$owner" ] || return 0
	[ "$1" = unnamed ] || task_refused "$1" "$owner"
	HELD=''
}

# task_refused TASK SESSION - dies: another session is at work on it
task_refused() {
	die 65 "$1: session $2 is at work on it: if that is you, give --session $2; else take another task until it has ended"
}

# task_store - what task_plan worked out, on disk: parked first, so that a kill loses neither
task_store() {
	local tasks
	tasks=$MEMRC_ROOT/state/tasks
	[ -z "$TASK_PARK" ] || task_park "$tasks/$TASK_OLD.progress.json"
	[ -z "$HELD" ] || task_move "$HELD" "$tasks/$TASK_UP.progress.json"
	[ -z "$TASK_UP" ] || task_unarchive "$TASK_UP"
	commit_text "$LANE" "$TASK_NEW"
	task_current "$LANE"
	[ ! -f "$tasks/$TASK.progress.json" ] || rm -f -- "$tasks/$TASK.progress.json"
}

# task_park FILE - the document that gives way. What another session parked outside any task stays beside it.
task_park() {
	[ ! -f "$1" ] || [ "$(cat -- "$1")" = "$TASK_PARK" ] || task_aside "$1"
	commit_text "$1" "$TASK_PARK"
}

# task_aside FILE - what lies there under the same id stays beside it, as ID~1.progress.json and so on
task_aside() {
	local count
	count=1
	while [ -e "${1%.progress.json}~$count.progress.json" ]; do count=$((count + 1)); done
	task_move "$1" "${1%.progress.json}~$count.progress.json"
}

# task_unarchive TASK - what is left of a closed task comes back: its trail, and its document as that of a parked one,
# so that the same command completes what a kill interrupted
task_unarchive() {
	local tasks document
	tasks=$MEMRC_ROOT/state/tasks document=$1.progress.json
	[ ! -f "$tasks/archive/$document" ] || [ -f "$tasks/$document" ] || task_move "$tasks/archive/$document" "$tasks/$document"
	[ ! -f "$tasks/archive/$1.jsonl" ] || task_trail "$1" "$tasks/archive" "$tasks"
}

# task_move FROM TO - a document under another name, at once: there is one of it whenever this is killed
task_move() {
	commit_target "$1"
	commit_target "$2"
	[ -d "${2%/*}" ] || mkdir -p -- "${2%/*}" || die 74 "${2%/*}: can't be made: check the permissions above it"
	mv -- "$1" "$2" && fsync "${2%/*}" && fsync "${1%/*}" || die 74 "${2%/*}: can't be written: check its permissions"
}

# task_trail TASK FROM TO - its trail moves from one directory to the other. Where both have one, each record counts
# once, and those of the archive are the older ones.
task_trail() {
	local from to
	from=$2/$1.jsonl to=$3/$1.jsonl
	commit_target "$from"
	commit_open "$to"
	if [ -f "$to" ]; then
		set -- "$MEMRC_ROOT/state/tasks/archive/$1.jsonl" "$MEMRC_ROOT/state/tasks/$1.jsonl"
	else
		set -- "$from"
	fi
	into "$COMMIT_TMP" awk 'NF && !seen[$0]++' "$@" || commit_fail "$to"
	commit_close "$to"
	rm -f -- "$from"
	fsync "${from%/*}"
}
