#!/usr/bin/env bats
# memrc status: the page a person looks at

load helper

# columns - the widest line of stdin in terminal columns, counted by another program
columns() {
	python3 -c '
import sys, unicodedata
def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
print(max(width(line) for line in sys.stdin.buffer.read().decode().splitlines()))'
}

@test "shows task, constraints, last writes, sizes and faults" {
	put constraints.md <<<'- No Redis.'
	put progress.json <<<'{"v":1,"task_id":"retry","current_task":"no double orders","next_steps":["the key check"],"updated_at":"2026-11-30T00:10:00Z"}'
	put decisions.jsonl <<<'{"v":1,"id":"d-0123456789","rev":1,"ts":"2026-11-29T09:00:00Z","decision":"keys in a table","reason":"no service"}'
	run --separate-stderr memrc status
	expect_status 0
	expect_no_error
	expect_text 'task         retry: no double orders'
	expect_text 'next: 1. the key check'
	expect_text 'constraints  1 in force'
	expect_text 'No Redis.'
	expect_text 'progress.json          2026-11-30T00:10:00Z'
	expect_text 'decisions.jsonl        2026-11-29T09:00:00Z'
	expect_text 'of 8000 units'
	expect_text 'faults       none'
}

@test "the sizes add up to the message" {
	put constraints.md <<<'- 不要修改 migrations 目录下的历史文件 😀'
	local size
	size=$(rc --runlevel compact | units)
	run memrc status
	expect_text "size         $size of 8000 units"
}

@test "what is malformed is named, and the exit code says so" {
	put progress.json <<<'{"task_id":"t"'
	put decisions.jsonl <<<'<<<<<<< HEAD'
	run memrc status
	expect_status 1
	expect_text 'faults       current progress: '
	expect_text 'decisions: 1 unreadable in decisions.jsonl: memrc validate'
}

@test "no jq: the page is there all the same" {
	MEMRC_JQ=/nowhere/jq run memrc status
	expect_status 0
	expect_text 'constraints'
}

@test "an empty memory is a page too" {
	run --separate-stderr memrc status
	expect_status 0
	expect_no_error
	expect_text 'task         none'
	expect_text 'constraints  none'
	expect_text 'last writes  none'
}

@test "80 columns at most: long lines, CJK, emoji, combining characters" {
	{
		printf -- '- %s\n' "$(printf '不要修改%.0s' {1..40})" "$(printf 'é́%.0s' {1..90})" "$(printf '😀 %.0s' {1..60})" "$(printf 'x%.0s' {1..200})"
		printf -- '- %s\n' 'ends exactly at the edge of it: 不要修改 migrations 目录下的历史文件夹和文件'
	} | put constraints.md
	run memrc status
	expect_status 0
	local widest
	widest=$(printf '%s\n' "$output" | columns)
	[ "$widest" -le 80 ]
	[ "$widest" -ge 79 ]
}

@test "colour on a terminal only, and not with NO_COLOR" {
	command -v script >/dev/null || skip 'needs script(1) for a terminal'
	run memrc status
	refute_text $'\033'
	run env TERM=xterm script -qec "'$BIN/memrc' status" /dev/null
	expect_text $'\033[1m'
	run env TERM=xterm NO_COLOR=1 script -qec "'$BIN/memrc' status" /dev/null
	refute_text $'\033'
	run env TERM=dumb script -qec "'$BIN/memrc' status" /dev/null
	refute_text $'\033'
}

@test "no root, wrong option" {
	rm -rf "$ROOT"
	run --separate-stderr memrc status
	expect_status 6
	expect_one_error_line
	run --separate-stderr memrc status --nonsense
	expect_status 2
	expect_one_error_line
}

@test "status and rc show the task of the session that writers count for here" {
	memrc task start one --session S1
	memrc task start two --session S2
	local command
	for command in status rc; do
		run memrc "$command"
		expect_text 'one: one'
		run env CLAUDE_CODE_SESSION_ID=S2 "$BIN/memrc" "$command"
		expect_text 'two: two'
		run env CLAUDE_CODE_SESSION_ID=S2 "$BIN/memrc" "$command" --session S1
		expect_text 'one: one'
	done
	run rc status --session S2
	expect_text 'two: two'
	printf '{"v":1,"ts":"%s","session":"S2","event":"start"}\n' "$MEMRC_NOW" >"$ROOT/logs/events.jsonl"
	run memrc status
	expect_text 'two: two'
	cd /
	run memrc rc --root "$PROJECT"
	expect_text 'two: two'
	run --separate-stderr memrc rc --root "$HOME"
	expect_status 6
	expect_error "$HOME/.memrc: no memory here"
}

@test "how many tool calls progress is behind" {
	memrc progress --task retry --next x --session S1
	local i
	for i in 1 2 3; do
		printf '{"v":1,"ts":"2026-11-30T01:00:0%s","session":"S1","host":"any","event":"tool","tool":"Bash","command":"ls"}\n' "$i" >>"$ROOT/logs/flight.jsonl"
	done
	run memrc status --session S1
	expect_order 'task         retry' '             3 tool calls since progress was written' constraints
}

@test "the last write of a progress file is its own time" {
	memrc progress --next x >/dev/null
	run memrc status
	expect_text 'progress.json          2026-11-30T01:00:00Z'
}
