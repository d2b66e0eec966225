#!/usr/bin/env bats
# decisions: the decision log as Markdown

load helper

@test "each decision with all that was recorded, what is in force first" {
	local old new
	old=$(memrc decide 'Keys are serial' --because 'simple' --rejected 'UUIDv4: large' --check exists:src/app.py)
	MEMRC_NOW=2026-11-30T02:00:00Z memrc decide 'No Redis' --because 'no operator' --premise 'one server' --rejected 'Redis: a service more' \
		--rejected 'memcached: the same' --check 'grep:src/app.py:PORT' --evidence 'looked' --task retry
	new=$(MEMRC_NOW=2026-11-30T03:00:00Z memrc supersede "$old" --by 'Keys are UUIDv7' --because 'two writers' --answer 'yes, do')
	memrc retract "$(memrc decide 'Wrong' --because x)" --because 'not true'
	run --separate-stderr memrc decisions --md
	expect_status 0
	expect_no_error
	expect_line '# Decisions: 2 in force, 2 out of force'
	expect_line "## $old SUPERSEDED by $new"
	expect_line '- Premise: one server'
	expect_line '- Decision: No Redis'
	expect_line '- Reason: no operator'
	expect_line '  - Redis: a service more'
	expect_line '  - memcached: the same'
	expect_line '- Verification: `grep:src/app.py:PORT`'
	expect_line '- Evidence: looked'
	expect_line "- Recorded: by agent, 2026-11-30T02:00:00Z, task retry, at $COMMIT"
	expect_line "- Recorded: by user, 2026-11-30T03:00:00Z, at $COMMIT"
	expect_line '- INVALID because: not true'
	expect_order '- Decision: No Redis' '- Decision: Keys are UUIDv7'
	expect_order "## $new ACTIVE" "## $old SUPERSEDED"
	expect_equal "$output" "$(memrc decisions)"
}

@test "--all has what the archive has" {
	put decisions.jsonl <<<'{"id":"d-0000000001","ts":"2026-01-02","decision":"A","reason":"r"}'
	put decisions.archive.jsonl <<<'{"id":"d-0000000002","ts":"2026-01-01","decision":"B","reason":"r","status":"SUPERSEDED","superseded_by":"d-0000000001"}'
	run --separate-stderr memrc decisions
	refute_text 'Decision: B'
	run --separate-stderr memrc decisions --all
	expect_status 0
	expect_line '# Decisions: 1 in force, 1 out of force'
	expect_line '- Decision: B'
}

@test "no content begins a line of its own in Markdown, and nothing is written" {
	local before line
	memrc decide --because $'x\n# Forged\n```\n## d-0000 ACTIVE\n---\n===\n> q\n- [ ] y\n| a | b |\n~~~\n<script>\n\n1. z' -- $'# A\n# B'
	memrc decide C --because $'\t# tab' --rejected $'# o\n# p: <b>\n```' --evidence $'```\n# e' --check $'exists:`#' --target '#'
	before=$(snapshot "$ROOT")
	run --separate-stderr memrc decisions --md
	expect_status 0
	expect_equal 3 "$(grep -c '^[[:space:]]*#' <<<"$output")"
	expect_equal 0 "$(grep -cE '^[[:space:]]*(- +)?(```|~~~|===|---|>|\||<|#+ *[ABFeop])' <<<"$output")"
	expect_equal 0 "$(grep -cE '[^\\]<' <<<"$output")"
	while IFS= read -r line; do
		[[ $line == '' || $line == '# Decisions: '* || $line == '## d-'* || $line == '- '[A-Z]* || $line == '  '* ]] || _unexpected "$line"
	done <<<"$output"
	expect_equal "$before" "$(snapshot "$ROOT")"
}

@test "without decisions it says so; lines that are none are counted: 65" {
	run --separate-stderr memrc decisions
	expect_status 0
	expect_line '# Decisions: 0 in force, 0 out of force'
	printf '%s\n' nonsense '{"id":"d-0000000001","decision":7,"status":"ODD","rejected":"no","title":[],"superseded_by":{}}' \
		$'{"id":"x\\n# y","decision":"a\\u001b[31mb","source":9}' >"$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc decisions
	expect_status 65
	expect_line '- Decision: ab'
	expect_line '(1 unreadable lines: memrc validate)'
	expect_equal 3 "$(grep -c '^#' <<<"$output")"
}

@test "usage, no root, no jq, no file that can be read" {
	run --separate-stderr memrc decisions x
	expect_status 2
	run --separate-stderr memrc decisions --xml
	expect_status 2
	run --separate-stderr memrc decisions --root /nowhere
	expect_status 6
	MEMRC_JQ=/nowhere/jq run --separate-stderr memrc decisions
	expect_status 69
	mkdir "$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc decisions
	expect_status 74
	expect_one_error_line
}
