#!/usr/bin/env bats
# fact: nothing without proof

load helper

@test "a fact is a line with its proof and the commit it was verified at" {
	run --separate-stderr memrc fact 'the API listens on 3000' --check 'grep:src/app.py:PORT = 3000' --target src/app.py
	expect_status 0
	expect_no_error
	[[ $output =~ ^f-[0-9a-f]{4}$ ]]
	expect_equal "1|ACTIVE|the API listens on 3000|grep:src/app.py:PORT = 3000|$COMMIT|src/app.py" \
		"$(field facts.jsonl '[.rev, .status, .claim, .check, .verified_at, .target] | map(tostring) | join("|")')"
	run rc start
	expect_text "VERIFIED the API listens on 3000 (verified at $COMMIT)"
}

@test "without check and evidence: 65, and nothing is written" {
	for arguments in 'A' 'A --check= ' 'A --evidence='; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc fact $arguments
		expect_status 65
		expect_one_error_line
	done
	[[ ! -e $ROOT/state/facts.jsonl ]]
}

@test "the same fact after a commit is a retry still" {
	local first
	first=$(memrc fact A --evidence x)
	git commit -q --allow-empty -m next
	expect_equal "$first" "$(memrc fact A --evidence x)"
}

@test "a check that is none is refused, and nothing is written" {
	local check
	for check in foo:bar exists:/etc/passwd exists:../x exists:a:b grep:a 'sha256:a:xyz' "grep:a:$(printf '%0501d' 0)"; do
		run --separate-stderr memrc fact x --check "$check"
		expect_status 65
		expect_no_output
		expect_one_error_line
		expect_error "memrc-fact: --check $check"
	done
	[[ ! -e $ROOT/state/facts.jsonl ]]
}

@test "a check that doesn't hold when it is recorded: kept, and said at once; what is slow or runs waits for verify" {
	printf 'PORT = 3000\n' >app.py
	run --separate-stderr memrc fact 'the API listens on 5004' --check 'grep:app.py:PORT = 5004'
	expect_status 0
	expect_one_error_line
	expect_error "memrc-fact: $output: CONFLICT grep:app.py:PORT = 5004: app.py:1  PORT = 3000: recorded, but"
	run --separate-stderr memrc decide 'No ports' --because x --check 'nogrep:app.py:PORT'
	expect_status 0
	expect_error ': CONFLICT nogrep:app.py:PORT: '
	run --separate-stderr memrc fact y --check 'cmd:touch ran; false'
	expect_status 0
	expect_no_error
	[[ ! -e ran ]]
	run --separate-stderr memrc verify "$(memrc fact z --check 'grep:app.py:PORT')"
	expect_status 0
	expect_equal 1 "${#lines[@]}"
}

@test "only what holds now is called verified; the others are recorded, and nothing is said of no commit" {
	memrc fact 'untrue' --check 'grep:src/app.py:PORT = 9' 2>/dev/null
	memrc fact 'seen' --evidence 'with my eyes'
	memrc fact 'true' --check exists:src/app.py
	run rc
	expect_text "CONFLICT untrue (recorded at $COMMIT)"
	expect_text "UNCHECKED seen (recorded at $COMMIT)"
	expect_text "VERIFIED true (verified at $COMMIT)"
	run memrc recall seen
	expect_line "  recorded at: $COMMIT"
	refute_text verified_at
	rm -rf .git
	memrc fact 'nowhere' --evidence x
	run rc
	[[ $output =~ ' UNCHECKED nowhere'$'\n' ]]
	run memrc recall nowhere
	refute_text 'no commit'
}
