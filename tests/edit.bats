#!/usr/bin/env bats
# edit: a person's changes and what was written meanwhile

load helper

# editor LINE… - EDITOR becomes a program of these lines; $1 is the copy
editor() {
	printf '%s\n' '#!/bin/sh' "$@" >"$HOME/editor"
	chmod +x "$HOME/editor"
	export EDITOR="$HOME/editor" TMPDIR=$HOME
}

copies() { find "$HOME" -name 'memrc-edit.*' | wc -l; }

@test "the edited copy is saved, with the mode of the file" {
	put constraints.md <<<'- one'
	chmod 640 "$ROOT/state/constraints.md"
	editor 'sed "s/one/two/" "$1" >"$1.new"; cat "$1.new" >"$1"; rm "$1.new"'
	run --separate-stderr memrc edit constraints.md
	expect_status 0
	expect_no_output
	expect_no_error
	expect_equal '- two' "$(cat "$ROOT/state/constraints.md")"
	expect_equal "$ROOT/state/constraints.md" "$(find "$ROOT/state/constraints.md" -perm 640)"
	expect_equal 0 "$(copies)"
}

@test "a new file; VISUAL comes first; options in the variable; nothing changed" {
	mkdir -p "$ROOT/state/documents"
	editor 'printf "%s\n" "$@" >"$3"'
	VISUAL="$HOME/editor --fast -x" run memrc edit documents/40_STYLE.md
	expect_status 0
	expect_equal --fast "$(head -n 1 "$ROOT/state/documents/40_STYLE.md")"
	editor :
	run memrc edit state/documents/40_STYLE.md
	expect_status 0
	run memrc edit documents/50_NOTHING.md
	expect_status 0
	[[ ! -e $ROOT/state/documents/50_NOTHING.md ]]
	expect_equal 0 "$(copies)"
}

@test "a new file that nothing would read is refused with the names there are; one that is there is edited" {
	local name
	editor 'printf "{}\n" >"$1"'
	mkdir -p "$ROOT/state/documents" "$ROOT/state/lanes" "$ROOT/state/tasks/archive"
	for name in constraint.md decisions.json documents/nothing.md documents/STYLE_40.md lanes/x tasks/x.json; do
		run --separate-stderr memrc edit "$name"
		expect_status 65
		expect_one_error_line
		expect_error "$name: nothing reads a file of this name: identity.md, constraints.md, documents/NN_NAME.md, "
		[[ ! -e $ROOT/state/$name ]]
		touch "$ROOT/state/$name"
		memrc edit "$name"
		expect_equal '{}' "$(cat "$ROOT/state/$name")"
	done
	editor 'case $1 in *.md | */config) printf "x = 1\n" ;; *) printf "{}\n" ;; esac >"$1"'
	for name in identity.md constraints.md config documents/40_STYLE.md progress.json lanes/s.json tasks/t.jsonl tasks/t.progress.json \
		tasks/archive/t.jsonl decisions.jsonl facts.archive.jsonl index.jsonl; do
		memrc edit "$name"
		[[ -s $ROOT/state/$name ]] || _unexpected "$name"
	done
}

@test "an editor with blanks in its path, in quotes or escaped, as git takes it" {
	put constraints.md <<<'- one'
	editor 'printf "%s\n" "- $1" >"$2"'
	mkdir "$HOME/my editor"
	mv "$HOME/editor" "$HOME/my editor/ed"
	EDITOR="'$HOME/my editor/ed' two" memrc edit constraints.md
	expect_equal '- two' "$(cat "$ROOT/state/constraints.md")"
	EDITOR="$HOME/my\\ editor/ed three" memrc edit constraints.md
	expect_equal '- three' "$(cat "$ROOT/state/constraints.md")"
}

@test "left without a change, an edit accepts nothing, and says what would" {
	memrc constrain 'no Redis' >/dev/null
	printf -- '- Redis\n' | put constraints.md
	editor :
	run --separate-stderr memrc edit constraints.md
	expect_status 0
	expect_one_error_line
	expect_error "constraints.md: you changed nothing, so what others changed in it isn't accepted: memrc seal shows it, memrc seal --accept takes it"
	run rc --runlevel compact
	expect_status 3
	editor 'printf -- "- Redis\n- tabs\n" >"$1"'
	run --separate-stderr memrc edit constraints.md
	expect_no_error
	run rc --runlevel compact
	expect_status 0
	editor :
	run --separate-stderr memrc edit constraints.md
	expect_no_error
}

@test "what writers add meanwhile is kept" {
	memrc decide one --because x
	memrc constrain one
	editor "'$BIN/memrc' decide two --because x >/dev/null" "'$BIN/memrc' constrain two >/dev/null" 'sed "s/one/ONE/" "$1" >"$1.new"; mv "$1.new" "$1"'
	memrc edit decisions.jsonl
	expect_equal 'ONE two' "$(field decisions.jsonl .decision | tr '\n' ' ' | sed 's/ $//')"
	memrc edit constraints.md
	expect_equal $'- ONE\n- two' "$(cat "$ROOT/state/constraints.md")"
}

@test "lines changed elsewhere meanwhile are merged; in the same place it is a conflict" {
	printf -- '- one\n- two\n- three\n- four\n- five\n' | put constraints.md
	editor "'$BIN/memrc' retire \"\$(cat '$HOME/id')\" --because x >/dev/null" 'sed "s/five/FIVE/" "$1" >"$1.new"; mv "$1.new" "$1"'
	printf one | sha256sum | sed 's/\(.\{8\}\).*/c-\1/' >"$HOME/id"
	memrc edit constraints.md
	expect_equal $'- one {retired: 2026-11-30 x}\n- two\n- three\n- four\n- FIVE' "$(cat "$ROOT/state/constraints.md")"
	printf FIVE | sha256sum | sed 's/\(.\{8\}\).*/c-\1/' >"$HOME/id"
	editor "'$BIN/memrc' retire \"\$(cat '$HOME/id')\" --because x >/dev/null" 'sed "s/FIVE/5/" "$1" >"$1.new"; mv "$1.new" "$1"'
	run --separate-stderr memrc edit constraints.md
	expect_status 65
	expect_one_error_line
	expect_equal '- FIVE {retired: 2026-11-30 x}' "$(tail -n 1 "$ROOT/state/constraints.md")"
	expect_equal '- 5' "$(tail -n 1 "${stderr##*your copy is }")"
}

@test "broken JSON is not saved; old faults don't stand in the way" {
	put progress.json <<<'{"task_id":"a"}'
	editor 'printf "{\"task_id\":" >"$1"'
	run --separate-stderr memrc edit progress.json
	expect_status 65
	expect_one_error_line
	expect_equal '{"task_id":"a"}' "$(cat "$ROOT/state/progress.json")"
	expect_equal '{"task_id":' "$(cat "${stderr##*your copy is }")"
	put decisions.jsonl <<<$'rubbish\n{"id":"d-1111111111","decision":"a"}'
	editor 'printf "%s\n" "{\"id\":\"d-2222222222\",\"decision\":\"b\"}" >>"$1"'
	memrc edit decisions.jsonl
	expect_equal 3 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	editor 'printf "more rubbish\n" >>"$1"'
	run memrc edit decisions.jsonl
	expect_status 65
	expect_equal 3 "$(wc -l <"$ROOT/state/decisions.jsonl")"
}

@test "an editor that fails, none, and names that are no state file" {
	put constraints.md <<<'- one'
	editor 'printf x >"$1"; exit 3'
	run --separate-stderr memrc edit constraints.md
	expect_status 74
	expect_one_error_line
	EDITOR=/nowhere/ed run --separate-stderr memrc edit constraints.md
	expect_status 69
	expect_error 'memrc-edit: /nowhere/ed: no such editor: set EDITOR'
	MEMRC_JQ=/nowhere/jq EDITOR='touch started #' run --separate-stderr memrc edit progress.json
	expect_status 69
	expect_error 'memrc-edit: no jq: '
	[[ ! -e started ]] || _unexpected 'the editor was started'
	MEMRC_JQ=/nowhere/jq EDITOR='true' run --separate-stderr memrc edit constraints.md
	expect_status 0
	for name in ../outside .lock .seal/x documents/../x /etc/passwd '' tasks//x; do
		run --separate-stderr memrc edit "$name"
		expect_status 2
		expect_one_error_line
	done
	run --separate-stderr memrc edit nowhere/x
	expect_status 65
	expect_equal '- one' "$(cat "$ROOT/state/constraints.md")"
	ln -s constraints.md "$ROOT/state/link.md"
	run --separate-stderr memrc edit link.md
	expect_status 74
}

@test "--add: a field at the end, or where its name has no value; no editor" {
	export EDITOR=/nonexistent
	printf '# test_command: no\nlanguage:\n- Test_command : \nroot: src\r\nodd: a\0b' | put identity.md
	chmod 640 "$ROOT/state/identity.md"
	run --separate-stderr memrc edit identity.md --add 'test_command: make test'
	expect_status 0
	expect_no_output
	memrc edit --add 'lint_command: make \lint' identity.md
	expect_equal $'# test_command: no\nlanguage:\ntest_command: make test\nroot: src\r\nodd: a@b\nlint_command: make \\lint' "$(tr '\0' @ <"$ROOT/state/identity.md")"
	expect_equal "$ROOT/state/identity.md" "$(find "$ROOT/state/identity.md" -perm 640)"
	rm "$ROOT/state/identity.md"
	memrc edit --add 'language: sh' identity.md
	expect_equal 'language: sh' "$(cat "$ROOT/state/identity.md")"
}

@test "--add never takes the place of a value or of a rule, and makes none" {
	local line
	printf 'test_command: make\nforbidden: all of these, and also:\n' | put identity.md
	put constraints.md <<<'- no Redis'
	cp "$ROOT/state/identity.md" "$BATS_TEST_TMPDIR/before"
	for line in 'test_command: other' 'forbidden: nothing' 'Convention: x' '' ' ' x 'a b: c' 'a:' 'a: ' '  a: b' '- a: b' $'a: b\nc: d' \
		'token: ghp_0123456789abcdefABCDEF0123456789abcd'; do
		run --separate-stderr memrc edit --add "$line" identity.md
		expect_status 65
		expect_one_error_line
	done
	for line in constraints.md decisions.jsonl documents/10_A.md; do
		mkdir -p "$ROOT/state/documents"
		run --separate-stderr memrc edit "$line" --add 'a: {retired: 2026-11-30 no}'
		expect_status 65
	done
	cmp "$ROOT/state/identity.md" "$BATS_TEST_TMPDIR/before"
	expect_equal '- no Redis' "$(cat "$ROOT/state/constraints.md")"
}

@test "--add is a writer's change: what other hands altered stays visible" {
	printf 'forbidden: force pushes\n' | put identity.md
	memrc seal --accept --answer yes >/dev/null
	printf 'forbidden: nothing\n' | put identity.md
	memrc edit --add 'test_command: make test' identity.md
	run memrc seal
	expect_text 'force pushes'
	expect_text 'nothing'
}

@test "what a hand took away while the editor was open is not accepted with what the editor saved" {
	local rule
	for rule in one two four five six; do memrc constrain "rule $rule" >/dev/null; done
	editor "sed -i '/rule two/d' '$ROOT/state/constraints.md'" "printf '%s\\n' '- rule three' >>\"\$1\""
	run memrc edit constraints.md
	expect_status 0
	run memrc rc --runlevel compact
	expect_status 3
	expect_text 'was: - rule two'
	expect_text 'rule two (gone from constraints.md here; in force until retired)'
	expect_text 'rule three'
}

@test "an edit of records that another hand was at, and a writer meanwhile: the edit and the writer's line are sealed, that hand's isn't" {
	local rule
	for rule in one two three four; do memrc decide "$rule" --because x >/dev/null; done
	sed -i 's/three/by hand/' "$ROOT/state/decisions.jsonl"
	editor "'$BIN/memrc' decide five --because x >/dev/null" 'sed "s/two/TWO/; s/four/FOUR/" "$1" >"$1.new"; mv "$1.new" "$1"'
	memrc edit decisions.jsonl
	expect_equal 'one TWO by hand FOUR five' "$(field decisions.jsonl .decision | tr '\n' ' ' | sed 's/ $//')"
	run memrc seal
	expect_status 3
	expect_equal 2 "$(wc -l <<<"$output")"
	expect_text three
	expect_text 'by hand'
}

@test "constraints that are gone and in force stand at the end of the copy: kept they are back, deleted they are out of force, never by the way" {
	local file=$ROOT/state/constraints.md
	printf -- '- one\n- two\n- a procedure:\n  first this\n- old {retired: 2026-11-01 x}' | put constraints.md
	memrc seal --accept --answer yes >/dev/null
	printf -- '- two' | put constraints.md
	# nothing changed: nothing accepted, and nothing put back
	editor 'cat "$1" >"$HOME/seen"'
	run --separate-stderr memrc edit constraints.md
	expect_error 'you changed nothing'
	expect_equal '- two' "$(cat "$file")"
	expect_equal $'- two\n- one\n- a procedure:\n  first this' "$(grep -v '^<!-- memrc: gone from this file.* -->$' "$HOME/seen")"
	editor 'sed -i s/two/TWO/ "$1"'
	memrc edit constraints.md
	expect_equal $'- TWO\n- one\n- a procedure:\n  first this' "$(cat "$file")"
	run memrc rc --runlevel compact
	expect_status 0
	expect_text ' one'
	refute_text 'gone from'
	: >"$file"
	editor 'sed -i /procedure/,/first/d "$1"'
	memrc edit constraints.md
	expect_equal $'- TWO\n- one' "$(cat "$file")"
	run memrc rc --runlevel compact
	expect_status 0
	refute_text procedure
}

@test "the same of identity.md; what was a value and no rule isn't offered" {
	printf 'language: sh\nforbidden: eval\nconvention: tabs\n' | put identity.md
	memrc seal --accept --answer yes >/dev/null
	: >"$ROOT/state/identity.md"
	editor 'sed -i /tabs/d "$1"'
	memrc edit identity.md
	expect_equal 'forbidden: eval' "$(cat "$ROOT/state/identity.md")"
	run memrc seal
	expect_status 0
}
