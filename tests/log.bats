#!/usr/bin/env bats
# log: the index of operations and their evidence

load helper

index() { field index.jsonl "$1"; }

@test "an operation is a line of the index; numbers count up" {
	run --separate-stderr memrc log --type test --target tests/a.py --session S1 --step 2 --task retry 'reproduced it'
	expect_status 0
	expect_no_error
	expect_equal op-001 "$output"
	expect_equal "1 op-001 2026-11-30T01:00:00Z S1 2 test tests/a.py reproduced it retry $COMMIT null" \
		"$(index '"\(.v) \(.id) \(.ts) \(.session) \(.step) \(.type) \(.target) \(.summary) \(.task_id) \(.commit) \(.log_path)"')"
	expect_equal op-002 "$(memrc log --type read --target docs 'blocks after 5')"
	run rc start
	expect_text 'op-002 read docs: blocks after 5'
}

@test "evidence is kept whole, from a file or standard input, without secrets" {
	printf '1 passed\n\ttab é\nkey AKIAABCDEFGHIJKLMNOP\n' >out.txt
	memrc log --type test --target a --evidence out.txt one
	expect_equal $'1 passed\n\ttab é\nkey [redacted:aws-key]' "$("$JQ" -r .text "$ROOT/logs/op-001.json")"
	expect_equal 'op-001 logs/op-001.json one' "$("$JQ" -r '"\(.id) \(.log_path) \(.summary)"' "$ROOT/logs/op-001.json")"
	expect_equal logs/op-001.json "$(index .log_path)"
	printf 'a\0b\377c\n' | memrc log --type test --target a --evidence - two
	expect_equal $'ab\xef\xbf\xbdc' "$("$JQ" -r .text "$ROOT/logs/op-002.json")"
	run --separate-stderr memrc log --type test --target a --evidence missing.txt three
	expect_status 65
	expect_one_error_line
	expect_equal "$(printf '%01024d' 7 | tr '0' $'\351' | sed $'s/\351/\357\277\275/g')" \
		"$(printf '%01024d' 7 | tr '0' $'\351' | memrc log --type test --target a --evidence - rubbish >/dev/null && "$JQ" -r .text "$ROOT/logs/op-003.json")"
	rm "$ROOT/logs/op-003.json"
	head -c 8388700 /dev/zero | tr '\0' x >big
	run --separate-stderr memrc log --type test --target a --evidence big three
	expect_status 65
	expect_one_error_line
	expect_equal 3 "$(wc -l <"$ROOT/state/index.jsonl")"
}

@test "the same again is a retry, unless its evidence is another; an hour apart with one between stays two" {
	log() { memrc log --type test --target a --evidence - "$@"; }
	expect_equal op-001 "$(log one <<<'1 failed')"
	expect_equal op-001 "$(log one <<<'1 failed')"
	expect_equal op-002 "$(log one <<<'1 passed')"
	expect_equal op-003 "$(memrc log --type read --target b c)"
	export MEMRC_NOW=2026-11-30T02:00:00Z
	expect_equal op-004 "$(log one <<<'1 passed')"
	expect_equal op-005 "$(memrc log --type read --target b --key k c)"
	memrc log --type read --target b d
	expect_equal op-005 "$(memrc log --type read --target b --key k e)"
	[[ ! -e $ROOT/logs/op-007.json ]]
}

@test "a number is never used again: index, archive and logs all count" {
	put index.archive.jsonl <<<'{"v":1,"id":"op-041","type":"a","summary":"b"}'
	expect_equal op-042 "$(memrc log --type a --target b 1)"
	touch "$ROOT/logs/op-0008.json" "$ROOT/logs/op-999.json" "$ROOT/logs/op-1207.json" "$ROOT/logs/op-x.json"
	expect_equal op-1208 "$(memrc log --type a --target b 2)"
	rm "$ROOT"/logs/op-*
	rm "$ROOT/state/index.jsonl"
	put index.jsonl <<<'{"id": "op-088"}'
	printf '{"id":"op-09' >>"$ROOT/state/index.jsonl"
	expect_equal op-089 "$(memrc log --type a --target b 3)"
}

@test "a number of more than nine digits is none, in every awk" {
	local awk number
	mkdir "$HOME/bin"
	for awk in mawk gawk original-awk 'busybox awk'; do
		command -v "${awk%% *}" >/dev/null || continue
		printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$HOME/bin/awk"
		chmod +x "$HOME/bin/awk"
		for number in 20261130144500 2147483648 00000000000000000007; do
			put index.jsonl < <(printf '{"v":1,"id":"op-%s","type":"a"}\n' 007 "$number")
			cp "$ROOT/state/index.jsonl" "$ROOT/state/index.archive.jsonl"
			PATH=$HOME/bin:$PATH run --separate-stderr memrc log --type a --target b 1
			expect_status 0
			expect_no_error
			expect_equal op-008 "$output"
		done
	done
	put index.jsonl <<<'{"v":1,"id":"op-999999998","type":"a"}'
	expect_equal op-999999999 "$(memrc log --type a --target b 2)"
	run --separate-stderr memrc log --type a --target b 3
	expect_status 65
	expect_one_error_line
}

@test "a number whose evidence was left by a kill is passed over" {
	printf '{}' >"$ROOT/logs/op-001.json"
	expect_equal op-002 "$(memrc log --type a --target b --evidence - 1 <<<x)"
	expect_equal '{}' "$(cat "$ROOT/logs/op-001.json")"
}

@test "usage" {
	for arguments in '' 'a' '--type a b' '--target a b' '--type a --target b'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc log $arguments
		expect_status 2
		expect_one_error_line
	done
	[[ ! -e $ROOT/state/index.jsonl ]]
}
