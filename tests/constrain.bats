#!/usr/bin/env bats
# constrain: what is written is what is read back

load helper

file() { cat "$ROOT/state/constraints.md"; }

@test "a constraint is a line, its id that of its text; again it writes nothing" {
	run --separate-stderr memrc constrain 'No Redis: production opens no extra port.'
	expect_status 0
	expect_no_error
	expect_equal "c-$(printf '%s' 'No Redis: production opens no extra port.' | sha256sum | cut -c 1-8)" "$output"
	expect_equal '- No Redis: production opens no extra port.' "$(file)"
	expect_equal "$output" "$(memrc constrain 'No Redis: production opens no extra port.')"
	expect_equal 1 "$(wc -l <"$ROOT/state/constraints.md")"
	run rc start
	expect_text 'No Redis: production opens no extra port.'
}

@test "machine data in braces, lines as a procedure" {
	memrc constrain $'backup\nthen pull' --source user --deny-edit 'migrations/**' --deny-command '^git push {2}'
	expect_equal $'- backup\n  then pull {source: user; deny-edit: migrations/**; deny-command: ^git push {2}}' "$(file)"
	run rc start
	expect_text 'then pull'
	refute_text source:
}

@test "what is in force already stays as it is, and what it would deny besides is named" {
	memrc constrain a --deny-edit x
	run --separate-stderr memrc constrain a --deny-edit x
	expect_status 0
	expect_no_error
	run --separate-stderr memrc constrain a --deny-edit y
	expect_status 0
	expect_one_error_line
	expect_error 'is in force already, and stays without deny-edit: y'
	expect_equal '- a {deny-edit: x}' "$(file)"
}

@test "in whatever state the file is, the rest of it stays" {
	printf '# Rules\r\n\r\n- one\r\n  more' | put constraints.md
	memrc constrain two
	expect_equal $'# Rules\r\n\r\n- one\r\n  more\n- two' "$(file)"
	chmod 640 "$ROOT/state/constraints.md"
	memrc constrain three
	expect_equal "$ROOT/state/constraints.md" "$(find "$ROOT/state/constraints.md" -perm 640)"
}

@test "any text is read back as it is, or refused and nothing written" {
	local text before id
	for text in '# head' '```' '<!-- x' '- dash' '1. x' '---' '{source: x}' 'a {source: b}' 'a {retired: x}' 'a {b: c}' $'a\n\nb' \
		$'a\n  b' $'a\n# b' $'a\n- b' '<<<<<<< HEAD' $'a\n=======' 'x --> y' $'a\n{source: x}' '不要修改 migrations' "\$(x) \`y\` \\n %s" \
		'"quoted"' $'a\tb' '*' '[CONSTRAINTS]' "$(printf '%01000d' 0)" 'key: value' $'a \nb'; do
		before=$(file 2>/dev/null || :)
		if id=$(memrc constrain -- "$text" 2>/dev/null); then
			expect_equal "$text" "$(memrc recall "$id" | sed -n '/^  text: /,/^  where: /p' | sed -e '$d' -e 's/^  text: //' -e 's/^    //')"
		else
			expect_equal "$before" "$(file 2>/dev/null || :)"
		fi
	done
	[[ $(wc -l <"$ROOT/state/constraints.md") -gt 14 ]]
}

@test "too long, secret, unshowable, data that would split: refused with one line" {
	local text
	for text in "$(printf '%01001d' 0)" 'use AKIAABCDEFGHIJKLMNOP' $'a\001b' $'a\xe2\x80\xaeb' $'a\xff'; do
		run --separate-stderr memrc constrain "$text"
		expect_status 65
		expect_one_error_line
	done
	run --separate-stderr memrc constrain a --source 'x; deny-edit: y'
	expect_status 65
	run --separate-stderr memrc constrain a --deny-command $'x\ny'
	expect_status 65
	run --separate-stderr memrc constrain a --deny-command 'push('
	expect_status 65
	expect_one_error_line
	expect_error 'push(: not an extended regular expression'
	run --separate-stderr memrc constrain
	expect_status 2
	[[ ! -e $ROOT/state/constraints.md ]]
	memrc constrain 'use AKIAABCDEFGHIJKLMNOP' --literal
	expect_equal '- use AKIAABCDEFGHIJKLMNOP' "$(file)"
	# 1,000 units, 3,000 bytes
	memrc constrain "$(printf '%01000d' 0 | sed 's/0/不/g')"
}

@test "identity counts, and what was retired can come back" {
	put identity.md <<<'forbidden: force push'
	memrc constrain 'forbidden: force push'
	[[ ! -e $ROOT/state/constraints.md ]]
	local id
	id=$(memrc constrain 'No Redis')
	memrc retire "$id" --because 'it is there'
	expect_equal "$id" "$(memrc constrain 'No Redis')"
	expect_equal 2 "$(grep -c 'No Redis' "$ROOT/state/constraints.md")"
	run rc start
	expect_text "No Redis"
}

@test "a link in its place is refused" {
	printf x >"$ROOT/elsewhere"
	ln -s ../elsewhere "$ROOT/state/constraints.md"
	run --separate-stderr memrc constrain a
	expect_status 74
	expect_equal x "$(cat "$ROOT/elsewhere")"
}

@test "a text that begins with a dash: the message says where it goes" {
	run --separate-stderr memrc constrain '-v is never passed'
	expect_status 2
	expect_one_error_line
	expect_error 'memrc-constrain: -v is never passed: not an option: a text that begins with - comes behind --: see memrc-constrain --help'
	memrc constrain -- '-v is never passed'
	expect_equal '- -v is never passed' "$(cat "$ROOT/state/constraints.md")"
	run --separate-stderr memrc seal --now
	expect_error 'memrc-seal: --now: not an option: see memrc-seal --help'
}

@test "no program for SHA-256: 69 and one line" {
	local tool dir=$BATS_TEST_TMPDIR/path
	mkdir "$dir"
	for tool in awk cat cksum cmp cp cut date dd flock git grep head mkdir mktemp mv od printf rm sed sh sort sync tail tr wc; do
		ln -s "$(type -P "$tool")" "$dir/$tool"
	done
	MEMRC_JQ=$JQ PATH=$dir run --separate-stderr "$BIN/memrc" constrain 'No Redis'
	expect_status 69
	expect_one_error_line
	expect_error 'no sha256sum, shasum or openssl: install one'
	[[ ! -s $ROOT/state/constraints.md ]]
}
