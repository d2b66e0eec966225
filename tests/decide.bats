#!/usr/bin/env bats
# decide: the record, its id, retries, refusals; the way of all writers that add a record

load helper

decisions() { field decisions.jsonl "$1"; }

@test "a decision is one line with all that was given" {
	run --separate-stderr memrc decide 'Keys are UUIDv7' --because 'no new service' --premise 'the client can retry' \
		--rejected 'Redis: no port: never' --rejected 'body hash' --rejected '缓存：太慢' --check exists:src/app.py --evidence 'pytest: 3 passed' \
		--target src/app.py --based-on s-1234 --constraint c-12345678 --tag api --tag db --step 3 --task retry --session S1
	expect_status 0
	expect_no_error
	[[ $output =~ ^d-[0-9a-f]{4}$ ]]
	expect_equal 1 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal "$output" "$(decisions '.id[:6]')"
	expect_equal '["v","id","rev","ts","status","premise","decision","reason","rejected","check","evidence","task_id","target","based_on","constraint_ref","tags","step","session","commit"]' \
		"$("$JQ" -c keys_unsorted "$ROOT/state/decisions.jsonl")"
	expect_equal "1 1 2026-11-30T01:00:00Z ACTIVE S1 retry $COMMIT" \
		"$(decisions '"\(.v) \(.rev) \(.ts) \(.status) \(.session) \(.task_id) \(.commit)"')"
	expect_equal '[{"option":"Redis","reason":"no port: never"},{"option":"body hash","reason":""},{"option":"缓存","reason":"太慢"}]' "$(decisions '.rejected | tojson')"
	expect_equal '["api","db"]' "$(decisions '.tags | tojson')"
	run rc start
	expect_text 'Rejected: Redis (no port: never), body hash, 缓存 (太慢).'
}

@test "the task in hand is the decision's task, unless another is named" {
	put progress.json <<<'{"v":1,"task_id":"idempotent-retry"}'
	memrc decide A --because x
	memrc decide B --because x --task other
	memrc decide C --because x --task-only
	expect_equal 'idempotent-retry other idempotent-retry' "$(field decisions.jsonl .task_id | tr '\n' ' ' | sed 's/ $//')"
	expect_equal true "$("$JQ" -s '.[2].task_only' "$ROOT/state/decisions.jsonl")"
}

@test "the same again, or the same key, writes nothing and prints the id there is" {
	local first key
	first=$(memrc decide A --because x --session S1)
	expect_equal "$first" "$(memrc decide A --because x --session S1)"
	# another session's records in between don't matter
	memrc decide B --because x --session S2
	expect_equal "$first" "$(MEMRC_NOW=2026-11-30T02:00:00Z memrc decide A --because x --session S1)"
	expect_equal 2 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	key=$(memrc decide C --because x --key k/1 --session S1)
	memrc decide D --because x --session S1
	expect_equal "$key" "$(memrc decide 'C, put differently' --because y --key k/1 --session S3)"
	expect_equal 4 "$(wc -l <"$ROOT/state/decisions.jsonl")"
}

@test "anything else is a new record: other words, other step, the same with another in between" {
	memrc decide A --because x --step 1
	memrc decide A --because x --step 2
	memrc decide A --because y --step 2
	memrc decide A --because x --step 1
	expect_equal 4 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal 4 "$(field decisions.jsonl .id | sort -u | wc -l)"
}

@test "an id that is taken is drawn again; the one printed is the shortest that is unique" {
	mkdir "$HOME/bin"
	cat >"$HOME/bin/od" <<-'END'
		#!/bin/sh
		n=$(cat "$HOME/drawn" 2>/dev/null || printf 0)
		printf '%s' $((n + 1)) >"$HOME/drawn"
		[ "$n" -ge 2 ] && printf ' ab cd 0e 00 03\n' || printf ' ab cd 00 00 01\n'
	END
	chmod +x "$HOME/bin/od"
	PATH=$HOME/bin:$PATH
	export MEMRC_UUID=/nowhere
	expect_equal d-abcd "$(memrc decide A --because x)"
	expect_equal d-abcd0e "$(memrc decide B --because x)"
	expect_equal 'd-abcd000001 d-abcd0e0003 ' "$(field decisions.jsonl .id | tr '\n' ' ')"
	expect_equal d-abcd0e "$(memrc decide B --because x)"
}

@test "an id that is drawn from the kernel has ten random digits" {
	local n
	for n in 1 2 3 4; do memrc decide "$n" --because x; done
	expect_equal 4 "$(field decisions.jsonl .id | grep -c '^d-[0-9a-f]\{10\}$')"
	expect_equal 4 "$(field decisions.jsonl .id | sort -u | wc -l)"
	printf '12345678-9abc-4def-8123-456789abcdef\n' >"$HOME/uuid"
	MEMRC_UUID=$HOME/uuid memrc decide last --because x
	expect_equal d-123456789a "$(field decisions.jsonl .id | tail -n 1)"
}

@test "a key is found in the archive, too: what was taken back is not in force again by a retry" {
	need_python
	local first
	first=$(memrc decide A --because x --key once)
	memrc decide B --because x --key other
	memrc retract "$first" --because no
	memrc archive
	expect_equal "$first" "$(memrc decide A --because x --key once)"
	run rc
	refute_text ' A. Because'
	memrc decide A --because x --key twice
	run rc
	expect_text ' A. Because'
}

@test "a key is found however far back it stands" {
	local first
	first=$(memrc decide A --because x --key far)
	"$JQ" -nc 'range(1200) | {v: 1, id: "d-\(1000000000 + .)", session: "other", decision: ("x" * 200)}' >>"$ROOT/state/decisions.jsonl"
	expect_equal "$first" "$(memrc decide B --because y --key far)"
	expect_equal 1201 "$(wc -l <"$ROOT/state/decisions.jsonl")"
}

@test "usage: no text, no reason, an unknown option, a missing value, two texts; nothing is written" {
	for arguments in '' 'A' '--because x' 'A --because' 'A --becuase x' 'A B --because x' 'A --because x --wait x'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc decide $arguments
		expect_status 2
		expect_no_output
		expect_one_error_line
	done
	[[ ! -e $ROOT/state/decisions.jsonl ]]
}

@test "what can't be shown as it was given is refused: 65, nothing is written" {
	local text
	for text in $'a\001b' $'a\033[31mb' $'a\rb' $'a\177b' $'a\xffb' $'a\xe2\x80\xaeb' $'a\xe2\x80\x8bb' $'a\xe2\x80\xa8b' $'\xef\xbb\xbfa' \
		$'\xed\xa0\x80' $'a\xc2\x85b' "$(printf '%04097d' 0)"; do
		run --separate-stderr memrc decide "$text" --because x
		expect_status 65
		expect_one_error_line
		run --separate-stderr memrc decide x --because "$text"
		expect_status 65
	done
	[[ ! -e $ROOT/state/decisions.jsonl ]]
}

@test "any other text is kept to the byte" {
	local text
	for text in 'plain' $'two\nlines\n' $'\ttab' '  blanks  ' '--because' '-n' '--' '-' '{"id":"d-0000000000","session":""}' \
		"\$(touch x) \`id\` \\n 'q' \"q\"" '.[] | env' '[CONSTRAINTS]' $'\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb' 'ünïcode 不要' \
		$'\xef\xbf\xbd' '%s %d' "$(printf '%04096d' 0)"; do
		: >"$ROOT/state/decisions.jsonl"
		memrc decide --because "$text" -- "$text"
		expect_equal "$("$JQ" -n --arg text "$text" '$text, $text')" "$("$JQ" '.decision, .reason' "$ROOT/state/decisions.jsonl")"
	done
}

@test "a secret is replaced by its kind" {
	memrc decide 'use AKIAABCDEFGHIJKLMNOP' --because 'https://me:hunter2@example.org works' --rejected 'API_KEY=abcDEF123456ghi: leaked'
	expect_equal 'use [redacted:aws-key]' "$(field decisions.jsonl .decision)"
	expect_equal 'https://me:[redacted:url-password]@example.org works' "$(field decisions.jsonl .reason)"
}

@test "a session is given, or of the environment, or of the host; odd ones are hashed" {
	memrc decide A --because x
	MEMRC_SESSION="env" CLAUDE_CODE_SESSION_ID=host memrc decide B --because x
	CLAUDE_CODE_SESSION_ID=host memrc decide C --because x
	MEMRC_SESSION="env" memrc decide D --because x --session option
	memrc decide E --because x --session '../x y'
	expect_equal ' env host option h-' "$(field decisions.jsonl .session | cut -c 1-6 | tr '\n' ' ' | sed 's/h-.*/h-/')"
}

@test "without a root, jq or permission: the documented exit and one line" {
	run --separate-stderr memrc decide A --because x --root /nowhere
	expect_status 6
	expect_one_error_line
	MEMRC_JQ=/nowhere/jq run --separate-stderr memrc decide A --because x
	expect_status 69
	expect_no_output
	printf '{}' >"$ROOT/elsewhere"
	ln -s ../elsewhere "$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc decide A --because x
	expect_status 74
	expect_one_error_line
	expect_equal '{}' "$(cat "$ROOT/elsewhere")"
	rm "$ROOT/state/decisions.jsonl"
	mkdir "$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc decide A --because x
	expect_status 74
	expect_one_error_line
}

@test "a decision of one task only isn't shown to another" {
	memrc decide 'for all of them' --because x >/dev/null
	memrc decide 'for this one' --because x --task one --task-only >/dev/null
	memrc task start one >/dev/null
	run rc --only decisions
	expect_text 'for all of them'
	expect_text 'for this one'
	memrc task start other >/dev/null
	run rc --only decisions
	expect_text 'for all of them'
	refute_text 'for this one'
}
