#!/usr/bin/env bats
# the front: help, unknown commands, version, and being called from anywhere

load helper

@test "help lists every command with its one line" {
	run memrc help
	expect_status 0
	expect_line 'memrc - memory that lets AI coding agents survive context compaction'
	local program name
	for program in "$BIN"/memrc-*; do
		name=${program##*/memrc-}
		expect_text "  $name "
		expect_text "$(sed -n "2s/^# memrc-$name - //p" "$program")"
	done
}

@test "no argument, -h and --help are help" {
	local expected
	expected=$(memrc help)
	run memrc
	expect_status 0
	expect_equal "$expected" "$output"
	run memrc -h
	expect_equal "$expected" "$output"
	run memrc --help
	expect_equal "$expected" "$output"
}

@test "every command answers --help, -h and memrc help COMMAND with its header" {
	local program name
	for program in "$BIN"/memrc-*; do
		name=${program##*/memrc-}
		run --separate-stderr memrc "$name" --help
		expect_status 0
		expect_text "memrc-$name - "
		expect_text 'Usage: memrc '
		expect_text 'Exit: '
		expect_no_error
		expect_equal "$output" "$(memrc "$name" -h)"
		expect_equal "$output" "$(memrc help "$name")"
	done
}

@test "help needs no memory, no home directory and no jq" {
	cd /
	run env -i PATH=/usr/bin:/bin "$BIN/memrc" help
	expect_status 0
	run env -i PATH=/usr/bin:/bin "$BIN/memrc" root --help
	expect_status 0
}

@test "an unknown command is exit 2 and one line that names it" {
	local name
	for name in frobnicate -x Root ../memrc root/ ''; do
		run --separate-stderr memrc "$name"
		expect_status 2
		expect_no_output
		expect_one_error_line
		expect_error "$name: no such command"
	done
	run --separate-stderr memrc help frobnicate
	expect_status 2
	expect_one_error_line
}

@test "an unknown option of a command is exit 2 and one line, nothing on stdout" {
	need_python
	local program
	for program in "$BIN"/memrc-*; do
		run --separate-stderr "$program" --frobnicate
		expect_status 2
		expect_no_output
		expect_one_error_line
		expect_error "${program##*/memrc-}: "
	done
}

# writer_options - `command --option …` for each option with a text in the usage of each writer; … if it may be repeated
writer_options() {
	local program name
	for program in $(cd "$BIN" && grep -l '^options "\$@"' memrc-*); do
		name=${program#memrc-}
		memrc "$name" --help | sed -n '/^Usage/,/^[^U ]/{/^[U ]/p;}' | grep -oE -e '--[a-z-]+ ("[^"]*"|[A-Z][A-Z|-]*)]?(…)?' |
			sed -E "/…/s/ .*/ …/; /…/!s/ .*//; s/^/$name /" | sort -u
	done
}

@test "an option given twice is exit 2, and nothing is written; where the usage says … it goes on" {
	local command option many options before
	options=$(writer_options)
	for option in 'fact --check' 'fail --error' 'progress --in-progress' 'task --title' 'log --evidence' 'decide --rejected …' \
		'progress --next-only …' 'constrain --deny-edit …' 'step --session'; do
		[[ $'\n'$options$'\n' == *$'\n'$option$'\n'* ]] || _unexpected "not in the usage: $option"
	done
	before=$(snapshot "$ROOT")
	while read -r command option; do
		run --separate-stderr memrc "$command" "$option" 1 "$option=2"
		expect_status 2
		expect_no_output
		expect_one_error_line
		expect_error "memrc-$command: $option: given twice: it takes one text: see memrc-$command --help"
	done < <(grep -v '…' <<<"$options")
	expect_equal "$before" "$(snapshot "$ROOT")"
	while read -r command option many; do
		run --separate-stderr memrc "$command" "$option" 1 "$option" 2
		[[ $stderr != *'given twice'* ]] || _unexpected "$command $option $many"
	done < <(grep '…' <<<"$options")
}

@test "--version is that of pyproject.toml" {
	run memrc --version
	expect_status 0
	expect_equal "memrc $(sed -n 's/^version = "\(.*\)"/\1/p' "$HERE/pyproject.toml")" "$output"
}

@test "works through a link on PATH, and through a link to a link" {
	mkdir "$HOME/bin"
	ln -s "$BIN/memrc" "$HOME/bin/memrc"
	ln -s memrc "$HOME/bin/m"
	PATH=$HOME/bin:$PATH
	run "$HOME/bin/memrc" root
	expect_status 0
	expect_line "root: $ROOT"
	run "$HOME/bin/m" root
	expect_line "root: $ROOT"
	cd "$HOME/bin"
	run ./m --version
	expect_status 0
	expect_text 'memrc '
}

@test "called by name through PATH, by a relative path, and from /" {
	run env PATH="$BIN:$PATH" memrc root
	expect_status 0
	expect_line "root: $ROOT"
	cd "$BIN/.."
	run bin/memrc root --root "$ROOT"
	expect_status 0
	expect_line "root: $ROOT"
	cd bin
	run ./memrc root --root "$ROOT"
	expect_line "root: $ROOT"
	cd /
	run memrc root --root "$ROOT"
	expect_line "root: $ROOT"
}

@test "a home whose path has blanks, quotes and other letters" {
	local home
	home="$BATS_TEST_TMPDIR/a 'home' \"é\" \$x"
	mkdir "$home"
	cp -R "$BIN" "$home/bin"
	run --separate-stderr "$home/bin/memrc" root
	expect_status 0
	expect_line "root: $ROOT"
	expect_no_error
	ln -s "$home/bin/memrc" "$HOME/memrc"
	run "$HOME/memrc" help root
	expect_status 0
	expect_text 'memrc-root - '
}

@test "CDPATH, IFS and git's variables of the caller mean nothing" {
	mkdir -p "$HOME/elsewhere/bin"
	cd "$BIN/.."
	export CDPATH=$HOME/elsewhere IFS=/ GIT_DIR=$HOME/nowhere GIT_WORK_TREE=$HOME
	run --separate-stderr bin/memrc root --root "$ROOT"
	unset IFS
	expect_status 0
	expect_line "root: $ROOT"
	expect_no_error
}

@test "no temporary directory: 74 and one line, from each that needs one" {
	local command
	while read -r command; do
		# shellcheck disable=SC2086 # several words
		TMPDIR=$HOME/nowhere run --separate-stderr memrc $command <<<x
		expect_status 74
		expect_no_output
		expect_one_error_line
		expect_error 'set TMPDIR'
	done <<-'END'
		status
		recall x
		verify
		constrain x
		import .
		install claude
		log --type t --target t --evidence - x
	END
	expect_equal '' "$(find "$ROOT/state" -type f)"
}

@test "a program that is ended by a signal leaves no temporary directory" {
	local m code=0
	m=$(mark)
	export TMPDIR=$HOME/tmp
	mkdir -p "$TMPDIR" "$HOME/.config/memrc/init.d"
	printf '#!/bin/sh\nsleep %s\n' "$m" >"$HOME/.config/memrc/init.d/S82-hangs"
	chmod +x "$HOME/.config/memrc/init.d/S82-hangs"
	"$BIN/memrc" status >/dev/null 2>&1 3>&- &
	wait_for is_running "sleep $m"
	kill "$!"
	wait "$!" || code=$?
	expect_equal 143 "$code"
	wait_for is_empty "$TMPDIR"
}
