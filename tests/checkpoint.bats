#!/usr/bin/env bats
# checkpoint: log and progress in one

load helper

@test "a finished step is logged with its proof and taken off" {
	memrc progress --task retry --next 'the key' --next test
	run --separate-stderr memrc checkpoint 'the key' --evidence 'pytest: 3 passed' --next docs --target src/app.py --step 3
	expect_status 0
	expect_no_error
	expect_equal op-001 "$output"
	expect_equal 'checkpoint the key src/app.py retry logs/op-001.json' \
		"$(field index.jsonl '"\(.type) \(.summary) \(.target) \(.task_id) \(.log_path)"')"
	expect_equal 'pytest: 3 passed' "$("$JQ" -r .text "$ROOT/logs/op-001.json")"
	expect_equal 'the key|test docs|step-3' "$(field progress.json '"\(.completed | join(" "))|\(.next_steps | join(" "))|\(.last_updated)"')"
}

@test "no proof, no checkpoint: 65" {
	run --separate-stderr memrc checkpoint A
	expect_status 65
	expect_one_error_line
	run --separate-stderr memrc checkpoint A --evidence ''
	expect_status 65
	run --separate-stderr memrc checkpoint --evidence x
	expect_status 2
	[[ ! -e $ROOT/state/index.jsonl ]]
}

@test "a progress file that can't be read stops it before anything is written" {
	put progress.json <<<'{"task_id":'
	run --separate-stderr memrc checkpoint A --evidence x
	expect_status 65
	expect_one_error_line
	[[ ! -e $ROOT/state/index.jsonl && ! -e $ROOT/logs/op-001.json ]]
}

@test "the same command completes what a kill interrupted" {
	memrc progress --next A
	cp "$ROOT/state/progress.json" "$HOME/before"
	memrc checkpoint A --evidence x
	cp "$HOME/before" "$ROOT/state/progress.json"
	expect_equal op-001 "$(memrc checkpoint A --evidence x)"
	expect_equal 'A|' "$(field progress.json '"\(.completed | join(" "))|\(.next_steps | join(" "))"')"
	expect_equal op-001 "$(memrc checkpoint A --evidence x)"
	expect_equal 1 "$(field progress.json '.completed | length')"
	expect_equal 1 "$(wc -l <"$ROOT/state/index.jsonl")"
}
