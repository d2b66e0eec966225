#!/usr/bin/env bats
# task: start, switch, done, drop, list

load helper

@test "start parks and brings back, switch wants one that is there, list shows all" {
	run memrc task start one --title 'The first'
	expect_equal one "$output"
	memrc progress --next a
	memrc task start two
	run memrc task list
	expect_equal $'* two open: two\n  one parked: The first' "$output"
	run --separate-stderr memrc task switch three
	expect_status 65
	expect_one_error_line
	memrc task switch one
	expect_equal 'one The first a' "$(field progress.json '"\(.task_id) \(.current_task) \(.next_steps[0])"')"
	memrc task start one
	expect_equal 'The first' "$(field progress.json .current_task)"
}

@test "an id that is no file name is hashed, and is the title" {
	run memrc task start 'fix the ../ path'
	[[ $output =~ ^h-[0-9a-f]{16}$ ]]
	expect_equal 'fix the ../ path' "$(field progress.json .current_task)"
	expect_equal "$output" "$(memrc task switch 'fix the ../ path')"
}

@test "done closes the task in hand: document and trail leave for the archive" {
	memrc task start one
	memrc fail A --because x
	memrc progress --done a
	run memrc task 'done'
	expect_equal one "$output"
	expect_equal A "$(field tasks/archive/one.jsonl .action)"
	expect_equal 'done a' "$(field tasks/archive/one.progress.json '"\(.status) \(.completed[0])"')"
	expect_equal 'done' "$(field progress.json .status)"
	[[ ! -e $ROOT/state/tasks/one.jsonl ]]
	run rc start
	refute_text 'DO NOT RETRY'
	# what comes next is no part of it
	memrc progress --next b
	expect_equal 'unnamed b' "$(field progress.json '"\(.task_id) \(.next_steps | join(" "))"')"
}

@test "drop closes a parked one; the task in hand stays" {
	memrc task start one
	memrc step A
	memrc task start two
	memrc task drop one
	expect_equal dropped "$(field tasks/archive/one.progress.json .status)"
	expect_equal A "$(field tasks/archive/one.jsonl .action)"
	expect_equal '* two open: two' "$(memrc task list)"
	run --separate-stderr memrc task 'done' one
	expect_status 65
}

@test "what failed outside any task is shown on when a task without a name is closed" {
	memrc fail A --because x
	for verb in 'done' drop; do
		memrc progress --next a
		memrc task "$verb"
		[[ ! -x $HERE/.venv/bin/python ]] || memrc archive
		run rc start
		expect_text '[DO NOT RETRY] 1 approach that failed outside any task'
	done
	rm "$ROOT/state/progress.json"
	run --separate-stderr memrc task 'done'
	expect_status 65
}

@test "a task that is opened again and closed again has one trail, each record once" {
	memrc task start one
	memrc step A
	memrc task 'done'
	memrc task start one
	expect_equal open "$(field progress.json .status)"
	memrc step B
	cp "$ROOT/state/tasks/one.jsonl" "$ROOT/state/tasks/archive" # as a kill would leave it
	memrc task 'done'
	expect_equal 'A B' "$(field tasks/archive/one.jsonl .action | tr '\n' ' ' | sed 's/ $//')"
	memrc task 'done'
	expect_equal 2 "$(wc -l <"$ROOT/state/tasks/archive/one.jsonl")"
}

@test "closing an id again loses nothing of what was closed under it before" {
	memrc progress --done first --next later
	memrc task 'done'
	memrc progress --done second
	memrc task drop
	memrc progress --done third
	memrc task 'done'
	memrc task 'done'
	expect_equal 'first later, second , third ' "$(field 'tasks/archive/unnamed~1.progress.json' '"\(.completed[0]) \(.next_steps | join(""))"'), $(
		field 'tasks/archive/unnamed~2.progress.json' '"\(.completed[0]) \(.next_steps | join(""))"'
	), $(
		field tasks/archive/unnamed.progress.json '"\(.completed[0]) \(.next_steps | join(""))"'
	)"
	expect_equal 3 "$(find "$ROOT/state/tasks/archive" -type f | wc -l)"
	run memrc recall --type progress --archived
	expect_text 'completed: first'
	expect_text 'completed: second'
	expect_equal '* unnamed done: unknown' "$(memrc task list)"
	# a progress that was closed is history: whoever goes on without a task begins anew
	memrc progress --next new
	expect_equal 'new' "$(field progress.json '.completed + .next_steps | join(" ")')"
}

@test "start takes up a task that was closed in hand, with its failures" {
	memrc task start one --title 'The first'
	memrc fail A --because x
	memrc progress --done a --next b
	memrc task 'done'
	memrc task start one
	expect_equal 'open The first a b' "$(field progress.json '"\(.status) \(.current_task) \(.completed[0]) \(.next_steps[0])"')"
	run rc start
	expect_text '[DO NOT RETRY] 1 approach that failed in this task'
	expect_equal '' "$(find "$ROOT/state/tasks" -type f ! -name one.jsonl)"
}

@test "start takes up a task that was closed while parked, or that another one followed" {
	memrc task start one --title 'The first'
	memrc fail A --because x
	memrc progress --done a --next b
	memrc task start two
	memrc task drop one
	run --separate-stderr memrc task switch one
	expect_status 65
	memrc task start one
	expect_equal 'open The first a b' "$(field progress.json '"\(.status) \(.current_task) \(.completed[0]) \(.next_steps[0])"')"
	expect_equal A "$(field tasks/one.jsonl .action)"
	memrc task 'done'
	memrc progress --next c # unnamed stands in the progress file now
	memrc progress --task one --done b
	expect_equal 'open The first a b' "$(field progress.json '"\(.status) \(.current_task) \(.completed | join(" "))"')"
	expect_equal A "$(field tasks/one.jsonl .action)"
	expect_equal '' "$(find "$ROOT/state/tasks/archive" -type f)"
	memrc task 'done'
	expect_equal one.jsonl:one.progress.json: "$(find "$ROOT/state/tasks/archive" -type f -exec basename {} \; | sort | tr '\n' :)"
}

@test "another session's progress file may still say what a task was when it was closed there" {
	memrc task start one --lane --session S1
	memrc progress --done a --session S1
	memrc task 'done' --session S1
	memrc task start one --session S2
	memrc progress --done b --session S2
	memrc task 'done' --session S2
	memrc task start one --session S1
	expect_equal 'open a b' "$(field lanes/S1.json '"\(.status) \(.completed | join(" "))"')"
}

@test "what a kill interrupts while a task is taken up, the same command completes" {
	memrc task start one
	memrc fail A --because x
	memrc progress --done a
	memrc task 'done'
	memrc task start two
	# document and a copy of the trail are back, the progress file is not yet the task's
	mv "$ROOT/state/tasks/archive/one.progress.json" "$ROOT/state/tasks"
	cp "$ROOT/state/tasks/archive/one.jsonl" "$ROOT/state/tasks"
	memrc task start one
	expect_equal 'one open a' "$(field progress.json '"\(.task_id) \(.status) \(.completed[0])"')"
	expect_equal A "$(field tasks/one.jsonl .action)"
	expect_equal one.jsonl:two.progress.json: "$(find "$ROOT/state/tasks" -type f -exec basename {} \; | sort | tr '\n' :)"
}

@test "--lane gives the session its own file" {
	memrc task start one --session S1
	memrc task start two --lane --session S1
	expect_equal one "$(field progress.json .task_id)"
	expect_equal two "$(field lanes/S1.json .task_id)"
	run --separate-stderr memrc task start three --lane
	expect_status 65
	expect_one_error_line
}

@test "usage" {
	for arguments in '' start 'switch' 'stop x' 'list x' 'done --title x' 'start a b'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc task $arguments
		expect_status 2
		expect_one_error_line
	done
	run --separate-stderr memrc task 'done'
	expect_status 65
	expect_equal '' "$(memrc task list)"
}

@test "a writer that waited for the lock uses the lane that its session got meanwhile" {
	unset MEMRC_NOW
	memrc progress --session s1 --task main --in-progress w
	mkfifo held go
	(flock 9 && : >held && : <go) 9>"$ROOT/state/.lock" 3>&- &
	: <held
	memrc progress --session s2 --task mine --done first 3>&- &
	memrc progress --session s2 --task mine --done second 3>&- &
	sleep 0.5
	: >go
	wait
	expect_equal 'first second' "$(field lanes/s2.json '.completed | sort | join(" ")')"
}
