#!/usr/bin/env bats
# memrc init: makes a root, keeps what stands, says what git keeps

load helper

setup() {
	project_setup
	rm -rf "$ROOT"
}

@test "makes a root at the top of the work tree, from below too, and a restore follows" {
	mkdir -p sub/deeper
	cd sub/deeper
	run --separate-stderr memrc init
	expect_status 0
	expect_no_error
	expect_text "made $ROOT/state/constraints.md"
	expect_text "$ROOT: ready"
	run rc
	expect_status 0
	expect_text '[SESSION RESTORE]'
	expect_line '[END OF RESTORE]'
	refute_text '[CONSTRAINTS]'
	refute_text '[IDENTITY]'
}

@test "run twice, and after edits, it changes nothing" {
	memrc init >/dev/null
	printf '%s\n' '- mine' >>"$ROOT/state/constraints.md"
	local before
	before=$(snapshot "$ROOT" | grep -v '/\.lock')
	run memrc init
	expect_status 0
	refute_text 'made '
	expect_equal "$before" "$(snapshot "$ROOT" | grep -v '/\.lock')"
}

@test "git keeps what is shared, and nothing of a branch's state" {
	rm -f .git/info/exclude
	memrc init >/dev/null
	printf '{}\n' | tee "$ROOT/state/decisions.jsonl" "$ROOT/state/facts.jsonl" "$ROOT/state/decisions.archive.jsonl" \
		"$ROOT/state/progress.json" "$ROOT/state/index.jsonl" "$ROOT/state/index.archive.jsonl" "$ROOT/state/x.rejected" \
		"$ROOT/logs/op-001.json" "$ROOT/logs/flight.jsonl" >/dev/null
	mkdir -p "$ROOT/state/lanes" "$ROOT/state/tasks/archive" "$ROOT/state/.seal"
	touch "$ROOT/state/lanes/a.json" "$ROOT/state/tasks/t.jsonl" "$ROOT/state/tasks/archive/old.jsonl" "$ROOT/state/.seal/c"
	git add -A
	run git ls-files .memrc
	expect_equal "$(printf '%s\n' .memrc/.gitattributes .memrc/.gitignore .memrc/state/constraints.md \
		.memrc/state/decisions.archive.jsonl .memrc/state/decisions.jsonl .memrc/state/facts.jsonl \
		.memrc/state/identity.md .memrc/state/tasks/archive/old.jsonl)" "$output"
	run git check-attr merge .memrc/state/decisions.jsonl
	expect_text 'merge: union'
}

@test "--track all keeps the state too but no telemetry, seal or lock; none keeps nothing; it can be changed" {
	rm -f .git/info/exclude
	memrc init --track all >/dev/null
	mkdir -p "$ROOT/state/.seal"
	touch "$ROOT/state/progress.json" "$ROOT/logs/op-001.json" "$ROOT/logs/flight.jsonl" "$ROOT/logs/events.jsonl.1" "$ROOT/state/.seal/c" \
		"$ROOT/logs/hook.log" "$ROOT/logs/.calls.S1"
	git add -A
	run git ls-files .memrc
	expect_text .memrc/state/progress.json
	expect_text .memrc/logs/op-001.json
	refute_text flight
	refute_text events
	refute_text hook.log
	refute_text .calls
	refute_text .seal
	refute_text .lock
	git rm -rq --cached .memrc
	run memrc init --track none
	expect_text "made $ROOT/.gitignore"
	git add -A
	run git ls-files .memrc
	expect_no_output
}

@test "a .gitignore that isn't memrc's is left alone, and said" {
	mkdir "$ROOT"
	printf 'mine\n' >"$ROOT/.gitignore"
	run --separate-stderr memrc init
	expect_status 0
	expect_error "isn't memrc's"
	expect_one_error_line
	expect_equal mine "$(cat "$ROOT/.gitignore")"
}

@test "--here makes a clone its own memory, sets the example aside, and rc works from anywhere" {
	local clone
	clone="$BATS_TEST_TMPDIR/a clone"
	mkdir "$clone"
	cp -R "$HERE/bin" "$HERE/init.d" "$HERE/state" "$HERE/logs" "$clone/"
	rm -rf "$clone/state/.root" "$clone/state/example"
	cd "$clone"
	run "$clone/bin/memrc" init --here
	expect_status 0
	printf '%s\n' '- only this' >>"$clone/state/constraints.md"
	cd /
	run "$clone/init.d/rc"
	expect_status 0
	expect_text '[CONSTRAINTS] 1 in force'
	refute_text 'watchdog'
	[ -f "$clone/state/example/decisions.jsonl" ]
	cd "$clone/bin"
	run "$clone/bin/memrc" init --here
	refute_text 'made '
}

@test "in memrc itself without --here, with a wrong option, in a directory that can't be written: one line" {
	cd "$HERE"
	run --separate-stderr memrc init
	expect_status 2
	expect_one_error_line
	cd "$PROJECT"
	run --separate-stderr memrc init --track some
	expect_status 2
	expect_one_error_line
	ln -s /nowhere "$ROOT"
	run --separate-stderr memrc init
	expect_status 74
	expect_one_error_line
	expect_no_output
}

@test "a path of several lines is refused before anything is made" {
	mkdir "$BATS_TEST_TMPDIR/a"$'\n'b
	cd "$BATS_TEST_TMPDIR/a"$'\n'b
	run --separate-stderr memrc init
	expect_status 65
	expect_one_error_line
	expect_equal '' "$(ls -A)"
}

@test "--here from elsewhere is refused, and the clone is as it was" {
	local clone=$HOME/clone
	mkdir "$clone"
	cp -R "$HERE/bin" "$HERE/init.d" "$HERE/state" "$clone/"
	snapshot "$clone" >"$HOME/before"
	run --separate-stderr "$clone/bin/memrc" init --here
	expect_status 2
	expect_one_error_line
	snapshot "$clone" | cmp - "$HOME/before"
}
