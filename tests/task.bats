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

# two_sessions - S1 is at work on one, S2 on two in a lane of its own
two_sessions() {
	memrc task start one --title One --session S1
	memrc task start two --title Two --session S2
	memrc progress --next two-a --session S2
	memrc fail Q --because bad --session S2
}

# ended SESSION - as the hook at its end notes it
ended() { printf '{"session":"%s","event":"%s"}\n' "$1" start "$1" end >>"$ROOT/logs/events.jsonl"; }

@test "a task that another session is at work on is shown with it, and neither taken up nor closed" {
	two_sessions
	snapshot "$ROOT/state" >"$BATS_TEST_TMPDIR/before"
	local arguments owner
	for arguments in 'task switch two' 'task start two' 'progress --task two --next x' 'task done two' 'task drop two' 'task start one' 'progress --task one --done x' 'task done one' 'task done'; do
		owner=S1
		[[ $arguments != *two* ]] || owner=S2
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $arguments --session S3
		expect_status 65
		expect_one_error_line
		expect_error "session $owner is at work on it"
	done
	run --separate-stderr memrc task 'done' two
	expect_status 65
	snapshot "$ROOT/state" | grep -v '/\.lock' | diff - <(grep -v '/\.lock' "$BATS_TEST_TMPDIR/before")
	expect_equal $'* two open: Two\n  one open (session S1 is at work on it): One' "$(memrc task list --session S2)"
	run memrc recall two-a --session S1
	expect_text 'two progress open'
	run rc --runlevel resume --session S2
	expect_text '[DO NOT RETRY] 1 approach that failed in this task'
}

@test "what a session left is taken up with its steps: it has ended, or wrote nothing for two hours" {
	local now
	for now in "$MEMRC_NOW" 2026-11-30T03:00:01Z; do
		rm -rf "$ROOT/state/lanes" "$ROOT/state/tasks" "$ROOT/state/progress.json" "$ROOT/logs/events.jsonl"
		two_sessions
		[[ $now != "$MEMRC_NOW" ]] || ended S2
		run env MEMRC_NOW="$now" "$BIN/memrc" task list --session S3
		expect_line '  two open (left by session S2): Two'
		MEMRC_NOW=$now memrc progress --task one --session S1
		MEMRC_NOW=$now memrc task switch two --session S3
		expect_equal 'open Two two-a S3' "$(field lanes/S3.json '"\(.status) \(.current_task) \(.next_steps[0]) \(.session)"')"
		expect_equal S3.json "$(ls "$ROOT/state/lanes")"
		expect_equal '' "$(find "$ROOT/state/tasks" -name '*.progress.json')"
	done
	# it began anew: it is at work again
	printf '{"session":"S3","event":"%s"}\n' end start >>"$ROOT/logs/events.jsonl"
	run --separate-stderr env MEMRC_NOW="$now" "$BIN/memrc" task switch two --session S4
	expect_status 65
}

@test "what a session left is closed where it lies" {
	two_sessions
	ended S2
	memrc task 'done' two --session S1
	expect_equal 'done two-a' "$(field tasks/archive/two.progress.json '"\(.status) \(.next_steps[0])"')"
	expect_equal 'done' "$(field lanes/S2.json .status)"
	expect_equal Q "$(field tasks/archive/two.jsonl .action)"
	expect_equal '* one open: One' "$(memrc task list --session S1)"
	run --separate-stderr memrc task switch two --session S1
	expect_status 65
	memrc task start two --session S1
	expect_equal 'Two two-a' "$(field progress.json '"\(.current_task) \(.next_steps[0])"')"
}

@test "what two sessions did outside any task is each one's own, and parked both" {
	memrc progress --next a --session S1
	memrc progress --next b --session S2
	memrc task start one --session S1
	memrc task start two --session S2
	expect_equal 'a b' "$(cat "$ROOT"/state/tasks/unnamed*.json | "$JQ" -r '.next_steps[0]' | sort | tr '\n' ' ' | sed 's/ $//')"
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
