#!/usr/bin/env bats
# retire: a constraint leaves by a mark on its line

load helper

file() { cat "$ROOT/state/constraints.md"; }
ids() { memrc recall --type constraint | sed -n 's/^\(c-[0-9a-f]*\) constraint IN FORCE.*/\1/p'; }

@test "the reason and the day stand on the line, in the braces that are there" {
	put constraints.md <<<$'- one\n- two {source: user}\n- three\n  lines'
	local id
	for id in $(ids); do
		run --separate-stderr memrc retire "$id" --because 'the user said so'
		expect_status 0
		expect_no_error
		expect_equal "$id" "$output"
	done
	expect_equal $'- one {retired: 2026-11-30 the user said so}\n- two {source: user; retired: 2026-11-30 the user said so}\n- three\n  lines {retired: 2026-11-30 the user said so}' "$(file)"
	run rc start
	refute_text 'three'
	run memrc retire "$id" --because again
	expect_status 0
	expect_equal 3 "$(grep -c retired "$ROOT/state/constraints.md")"
}

@test "everywhere the text stands; in identity.md too; line endings stay" {
	printf -- '- one\r\n\r\n* one\r\n- two\r\n' | put constraints.md
	put identity.md <<<$'language: sh\nforbidden: force push'
	memrc retire "$(printf one | sha256sum | sed 's/\(.\{8\}\).*/c-\1/')" --because x
	expect_equal $'- one {retired: 2026-11-30 x}\r\n\r\n* one {retired: 2026-11-30 x}\r\n- two\r' "$(file)"
	memrc retire "$(printf 'forbidden: force push' | sha256sum | sed 's/\(.\{8\}\).*/c-\1/')" --because x
	expect_equal $'language: sh\nforbidden: force push {retired: 2026-11-30 x}' "$(cat "$ROOT/state/identity.md")"
	run rc start
	refute_text 'force push'
}

@test "the user's words; a short id" {
	put constraints.md <<<'- one'
	local id
	id=$(ids)
	memrc retire "${id%??}" --because x --answer 'yes, drop it'
	expect_equal '- one {retired: 2026-11-30 x (user: yes, drop it)}' "$(file)"
}

@test "unknown, malformed, without a reason, or with a text that would split: nothing changes" {
	put constraints.md <<<'- one'
	run --separate-stderr memrc retire c-00000000 --because x
	expect_status 65
	expect_one_error_line
	for arguments in '' 'c-1 --because x' 'd-123456 --because x' "$(ids)"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc retire $arguments
		expect_status 2
		expect_one_error_line
	done
	run --separate-stderr memrc retire "$(ids)" --because $'a\nb'
	expect_status 65
	run --separate-stderr memrc retire "$(ids)" --because 'x; deny-edit: y'
	expect_status 65
	expect_equal '- one' "$(file)"
}
