#!/usr/bin/env bats
# fail and step: the trail of the task

load helper

@test "a failure is a line of the trail of the task in hand" {
	put progress.json <<<'{"v":1,"task_id":"retry"}'
	run --separate-stderr memrc fail 'unique constraint' --because 'old rows have NULLs' --error 'NotNullViolation' \
		--instead 'a new table' --target src/app.py --step 4 --tag db --session S1
	expect_status 0
	expect_no_error
	[[ $output =~ ^s-[0-9a-f]{4}$ ]]
	expect_equal "failure|unique constraint|old rows have NULLs|NotNullViolation|a new table|src/app.py|4|S1|main|$COMMIT" \
		"$(field tasks/retry.jsonl '[.type, .action, .reason, .error, .instead, .target, .step, .session, .branch, .commit] | join("|")')"
	expect_equal null "$(field tasks/retry.jsonl .rev)"
	run rc start
	expect_text 'unique constraint in src/app.py: old rows have NULLs; instead: a new table'
}

@test "a step too, in the order written; without a task the trail is unnamed" {
	memrc step 'read the docs' --target docs/api.md --intent 'find the limit'
	memrc fail A --because x
	expect_equal 'step failure' "$(field tasks/unnamed.jsonl .type | tr '\n' ' ' | sed 's/ $//')"
	memrc step B --task other
	expect_equal B "$(field tasks/other.jsonl .action)"
	memrc step C --task 'no/such name'
	expect_equal 1 "$(grep -c '"C"' "$ROOT"/state/tasks/h-*.jsonl)"
}

@test "what failed outside any task is shown in each, below the task's own" {
	memrc fail 'a proxy' --because 'none is allowed'
	run rc start
	expect_text '[DO NOT RETRY] 1 approach that failed outside any task'
	memrc task start retry
	run rc start
	expect_text '[DO NOT RETRY] 1 approach that failed outside any task'
	memrc fail 'a lock' --because 'it hung'
	run rc start
	expect_text '[DO NOT RETRY] 2 approaches that failed, 1 of them in this task'
	[[ $output == *' a lock: it hung'*' a proxy: none is allowed'* ]]
	rm "$ROOT/state/tasks/unnamed.jsonl"
	run rc start
	expect_text '[DO NOT RETRY] 1 approach that failed in this task'
	rm "$ROOT/state/tasks/retry.jsonl"
	run rc start
	refute_text '[DO NOT RETRY]'
}

@test "the task is that of the session's lane, however the file is written" {
	put progress.json <<<'{"task_id" : "main-task"}'
	put lanes/S2.json <<<$'{\n  "current_task": "\\"task_id\\": \\"no\\"",\n  "task_id": "lane-task"\n}'
	memrc step A
	memrc step B --session S2
	expect_equal A "$(field tasks/main-task.jsonl .action)"
	expect_equal B "$(field tasks/lane-task.jsonl .action)"
}

@test "retries in one trail; the same in two tasks is two" {
	local first
	first=$(memrc fail A --because x --task one)
	expect_equal "$first" "$(memrc fail A --because x --task one)"
	[[ $(memrc fail A --because x --task two) != "$first" ]]
	expect_equal 1 "$(wc -l <"$ROOT/state/tasks/one.jsonl")"
}

@test "usage" {
	for arguments in 'fail' 'fail A' 'step' 'fail --because x'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $arguments
		expect_status 2
		expect_one_error_line
	done
	[[ ! -e $ROOT/state/tasks ]]
}

@test "a closed task's failures come back where the task in hand names the same target, and only there" {
	memrc task start first >/dev/null
	memrc fail 'a unique index' --because 'old rows' --target 'src/a "b".py' >/dev/null
	memrc fail 'something else' --because no --target src/other.py >/dev/null
	memrc task 'done' >/dev/null
	memrc task start second >/dev/null
	run rc
	refute_text '[DO NOT RETRY]'
	memrc step look --target src/app.py >/dev/null
	run rc
	refute_text '[DO NOT RETRY]'
	memrc step look --target 'src/a "b".py' >/dev/null
	run rc
	expect_text '[DO NOT RETRY] 1 approach that failed at the same target in closed tasks'
	expect_text 'a unique index in src/a "b".py: old rows (closed task first)'
	refute_text 'something else'
	memrc fail 'a lock' --because slow >/dev/null
	run rc
	expect_text '[DO NOT RETRY] 2 approaches that failed, 1 of them in this task'
	# the newest of many
	local n
	memrc task 'done' second >/dev/null
	memrc task start third >/dev/null
	for n in 1 2 3 4 5 6; do MEMRC_NOW=2026-11-30T0$n:00:00Z memrc fail "try $n" --because no --target src/x.py >/dev/null; done
	memrc task 'done' third >/dev/null
	memrc task start fourth >/dev/null
	memrc step look --target src/x.py >/dev/null
	run rc
	expect_text '[DO NOT RETRY] 4 approaches that failed at the same target in closed tasks'
	expect_text 'try 6 in src/x.py'
	refute_text 'try 2 in'
}

@test "what fails after the task has ended is shown to whoever comes next, not filed with the ended one" {
	memrc task start one >/dev/null
	memrc fail 'while it ran' --because x >/dev/null
	memrc task 'done' >/dev/null
	memrc fail 'after its end' --because x >/dev/null
	run rc --only failures
	expect_text 'after its end'
	refute_text 'while it ran'
	memrc task start one >/dev/null
	memrc fail 'begun again' --because x >/dev/null
	run rc --only failures
	expect_text 'begun again'
}
