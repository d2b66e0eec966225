#!/usr/bin/env bats
# progress: where the task stands; lanes

load helper

progress() { field "${2:-progress.json}" "$1"; }
lists() { progress '[.in_progress, (.completed, .next_steps, .blocked | join("+"))] | join("|")'; }

@test "the first progress makes the file, every field in its place" {
	run --separate-stderr memrc progress --title 'two orders' --next a --next 'b é' --blocked x --done-when exists:src/app.py --step 8 --session S1
	expect_status 0
	expect_no_error
	expect_equal unnamed "$output"
	expect_equal '["v","task_id","current_task","completed","in_progress","blocked","next_steps","done_when","status","session","last_updated","updated_at","commit"]' \
		"$(progress 'keys_unsorted | tojson')"
	expect_equal "1 two orders open S1 S1-step-8 2026-11-30T01:00:00Z $COMMIT exists:src/app.py" \
		"$(progress '"\(.v) \(.current_task) \(.status) \(.session) \(.last_updated) \(.updated_at) \(.commit) \(.done_when)"')"
	expect_equal '||a+b é|x' "$(lists)"
	[[ $(wc -l <"$ROOT/state/progress.json") -gt 10 ]]
}

@test "done takes a step off, next adds it once, next-only replaces, unblock removes" {
	memrc progress --next a --next b --next a --next c
	memrc progress --in-progress a
	expect_equal 'a||a+b+c|' "$(lists)"
	memrc progress --done a --done x
	expect_equal '|a+x|b+c|' "$(lists)"
	memrc progress --done a
	expect_equal '|a+x|b+c|' "$(lists)"
	memrc progress --next a
	memrc progress --done a
	expect_equal '|a+x+a|b+c|' "$(lists)"
	memrc progress --blocked p --blocked q --blocked p
	memrc progress --unblock p --unblock nothing
	expect_equal '|a+x+a|b+c|q' "$(lists)"
	memrc progress --next-only one 'two words' -- --three
	expect_equal '|a+x+a|one+two words+--three|q' "$(lists)"
	memrc progress --next-only=last --next more
	expect_equal '|a+x+a|last+more|q' "$(lists)"
}

@test "another task parks the one in hand and brings the other back" {
	memrc progress --task one --title One --next a
	run memrc progress --task two --next b
	expect_equal two "$output"
	expect_equal 'two|b' "$(progress '[.task_id, .next_steps[]] | join("|")')"
	expect_equal 'parked|One|a' "$(progress '[.status, .current_task, .next_steps[]] | join("|")' tasks/one.progress.json)"
	memrc progress --task one --next c
	expect_equal 'open|One|a|c' "$(progress '[.status, .current_task, .next_steps[]] | join("|")')"
	[[ ! -e $ROOT/state/tasks/one.progress.json && -e $ROOT/state/tasks/two.progress.json ]]
}

@test "fields it doesn't know and values of a wrong type survive" {
	put progress.json <<<'{"task_id":"t","current_task":"T","owner":"me","completed":"one step","next_steps":null,"estimate":3}'
	memrc progress --done two --next n
	expect_equal 'me 3 one step+two n' "$(progress '"\(.owner) \(.estimate) \(.completed | join("+")) \(.next_steps | join("+"))"')"
}

@test "texts and lists that hold something else are mended: it stays, as its text" {
	put progress.json <<<'{"current_task":7,"completed":["one",2,null,{"a":1}],"in_progress":["x"],"blocked":false,"next_steps":4,"done_when":null,"v":"1"}'
	memrc progress --done three
	expect_equal '["x"]|one+2+{"a":1}+three|4|' "$(lists)"
	expect_equal '7  1' "$(progress '"\(.current_task) \(.done_when) \(.v)"')"
	run memrc rc
	expect_text 'done: one · 2 · {"a":1} · three'
	put progress.json <<<'{"completed":["one",2]}'
	memrc task 'done'
	expect_equal 'one+2' "$(progress '.completed | join("+")' tasks/archive/unnamed.progress.json)"
}

@test "a file that is no JSON object is left alone: 65" {
	local content
	for content in '{"task_id":' '[]' '{} {}' $'<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x'; do
		put progress.json <<<"$content"
		run --separate-stderr memrc progress --done a
		expect_status 65
		expect_one_error_line
		expect_equal "$content" "$(cat "$ROOT/state/progress.json")"
	done
	put progress.json <<<'{"task_id":"a"}'
	put tasks/b.progress.json <<<'{"task_id":'
	run --separate-stderr memrc progress --task b --done a
	expect_status 65
	expect_error tasks/b.progress.json
	[[ -e $ROOT/state/tasks/b.progress.json ]]
}

@test "a session gets a lane where another one is at work" {
	memrc progress --next a --session S1
	run memrc progress --next b --session S2
	expect_status 0
	expect_equal a "$(progress '.next_steps[0]')"
	expect_equal 'b S2' "$(progress '"\(.next_steps[0]) \(.session)"' lanes/S2.json)"
	# and stays in it
	MEMRC_NOW=2026-11-30T09:00:00Z memrc progress --next c --session S2
	expect_equal 'b c' "$(progress '.next_steps | join(" ")' lanes/S2.json)"
	# without a session it is the shared file
	memrc progress --next d
	expect_equal 'a d' "$(progress '.next_steps | join(" ")')"
}

@test "no lane where the other was last seen two hours ago, has ended, or has closed its task" {
	memrc progress --next a --session S1
	MEMRC_NOW=2026-11-30T03:00:01Z memrc progress --next b --session S2
	expect_equal 'a b' "$(progress '.next_steps | join(" ")')"
	printf '%s\n' '{"session":"S2","event":"start"}' '{"session":"S2","event":"session-end"}' >"$ROOT/logs/events.jsonl"
	MEMRC_NOW=2026-11-30T03:00:02Z memrc progress --next c --session S3
	expect_equal 'a b c S3' "$(progress '"\(.next_steps | join(" ")) \(.session)"')"
	memrc task 'done' --session S3
	memrc progress --next d --session S4
	expect_equal 'd S4 open' "$(progress '"\(.next_steps | join(" ")) \(.session) \(.status)"')"
	[[ ! -e $ROOT/state/lanes ]]
}

@test "where no session is named, it is the only open one; of several it is asked for" {
	memrc progress --task one --next a --session S1
	memrc progress --task two --next b --session S2
	event() { printf '{"v":1,"ts":"%s","session":"%s","host":"any","event":"%s"}\n' "$@" >>"$ROOT/logs/events.jsonl"; }
	event "$MEMRC_NOW" S2 start
	event 2026-11-29T00:59:59Z crashed start
	memrc progress --next c
	expect_equal 'b c' "$(progress '.next_steps | join(" ")' lanes/S2.json)"
	event "$MEMRC_NOW" S1 start
	snapshot "$ROOT/state" >"$BATS_TEST_TMPDIR/before"
	local arguments
	for arguments in 'progress --next d' 'task start three' 'task done' 'checkpoint x --evidence y'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $arguments
		expect_status 65
		expect_one_error_line
		expect_error 'open are S2 S1: give --session ID'
	done
	snapshot "$ROOT/state" | grep -v '/\.lock' | diff - <(grep -v '/\.lock' "$BATS_TEST_TMPDIR/before")
	# a failure is kept all the same, and shown in each task
	memrc fail Q --because x
	expect_equal Q "$(field tasks/unnamed.jsonl .action)"
	memrc progress --next d --session S1
	event "$MEMRC_NOW" S2 end
	memrc progress --next e
	expect_equal 'one a d e' "$(progress '"\(.task_id) \(.next_steps | join(" "))"')"
	CLAUDE_CODE_SESSION_ID=S2 memrc progress --next f
	expect_equal 'b c f' "$(progress '.next_steps | join(" ")' lanes/S2.json)"
}

@test "the mode of the file stays; links and directories in its place are refused" {
	memrc progress --next a
	chmod 640 "$ROOT/state/progress.json"
	memrc progress --next b
	expect_equal "$ROOT/state/progress.json" "$(find "$ROOT/state/progress.json" -perm 640)"
	mv "$ROOT/state/progress.json" "$ROOT/real"
	ln -s ../real "$ROOT/state/progress.json"
	run --separate-stderr memrc progress --next c
	expect_status 74
	expect_one_error_line
	[[ -L $ROOT/state/progress.json ]]
	rm "$ROOT/state/progress.json"
	mkdir "$ROOT/state/progress.json"
	run --separate-stderr memrc progress --next c
	expect_status 74
	expect_one_error_line
}

@test "secrets are replaced, bad texts refused, nothing to record is exit 2" {
	memrc progress --next 'rotate AKIAABCDEFGHIJKLMNOP'
	expect_equal 'rotate [redacted:aws-key]' "$(progress '.next_steps[0]')"
	run --separate-stderr memrc progress --next $'a\001'
	expect_status 65
	run --separate-stderr memrc progress
	expect_status 2
	run --separate-stderr memrc progress stray
	expect_status 2
	expect_one_error_line
}

@test "the later steps are shown by the command that the restore names, this task's alone" {
	memrc progress --task one --next other --session S1
	memrc progress --task two --next 1 --next 2 --next 3 --next 4 --next 5 --next 6 --next 7 --session S2
	run rc --session S2
	expect_text '(2 later steps: memrc recall --task two --type progress)'
	run memrc recall --task two --type progress
	expect_text $'5\n    6\n    7'
	refute_text other
}

@test "an empty text, of a variable that wasn't set, is refused by every writer; it clears what is one text" {
	local given
	for given in 'progress --next' 'progress --next-only' 'progress --next-only a' 'progress --done' 'progress --blocked' 'progress --title' 'progress --task' \
		'task start x --title' 'task start' 'fail' 'fail a --because' 'fail a --because b --error' 'decide a --because b --rejected' 'decide' 'step a --target' \
		'checkpoint a --evidence b --next' 'constrain x --source' 'recall --task'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $given ' '
		expect_status 65
		# shellcheck disable=SC2086
		run --separate-stderr memrc $given ''
		expect_status 65
		expect_one_error_line
		expect_error 'the text is empty'
	done
	[[ ! -e $ROOT/state/progress.json && ! -e $ROOT/state/tasks && ! -e $ROOT/state/decisions.jsonl ]]
	memrc progress --in-progress a --done-when exists:src/app.py
	memrc progress --in-progress '' --done-when=
	expect_equal '|' "$(progress '"\(.in_progress)|\(.done_when)"')"
}

@test "the restore shows it" {
	memrc progress --task retry --title 'no two orders' --in-progress 'the key' --next 'the check'
	run rc start
	expect_text '[CURRENT PROGRESS] retry: no two orders'
	expect_text 'now: the key'
}
