#!/usr/bin/env bats
# the README: every command in it runs, and what it shows of a restore is what comes out

load helper

README=$BATS_TEST_DIRNAME/../README.md

# blocks LANGUAGE - the fenced blocks of one kind
blocks() {
	awk -v open="\`\`\`$1" '$0 == open { on = 1; next } /^```/ { on = 0 } on' "$README"
}

@test "each line of the restore message that is shown comes out of make restore" {
	run rc --root "$HERE" --runlevel compact
	expect_status 0
	local line shown=0
	while IFS= read -r line; do
		case $line in '  …' | '[SESSION RESTORE]'*) continue ;; esac
		expect_line "$line"
		shown=$((shown + 1))
	done < <(blocks '' | sed -n '/^\[SESSION RESTORE/,/^\[END OF RESTORE/p')
	[ "$shown" -ge 10 ]
}

@test "the commands for a project run one after the other, each well" {
	need_python
	local line ran=0
	rm -rf "$ROOT"
	# past sessions, of which memrc learn has something to propose
	mkdir -p "$HOME/.claude/projects/-src"
	sed "s|/src/orders|$PROJECT|g" "$HERE/tests/fixtures/learn/claude.jsonl" >"$HOME/.claude/projects/-src/5e55.jsonl"
	while IFS= read -r line; do
		case $line in
		'' | 'export PATH='* | 'cd your-project' | 'make '*) continue ;;
		esac
		run bash -c 'PATH="$1:$PATH"; eval "$2"' bash "$BIN" "$line"
		[ "$status" = 0 ] || _unexpected "$line: exit $status"
		ran=$((ran + 1))
	done < <(blocks sh)
	[ "$ran" -ge 8 ]
	run memrc rc
	expect_text "Don't touch the public API"
	expect_text 'unique index on request_id'
	expect_text 'Never touch the migrations'
	run memrc decisions
	expect_text 'Redis: production opens no port'
}

@test "each command it names in passing is there" {
	local name
	for name in $(grep -o '`memrc [a-z]*' "$README" | sed 's/.* //' | sort -u); do
		[ -x "$BIN/memrc-$name" ] || _unexpected "memrc $name isn't there"
	done
	for name in $(grep -o 'make [a-z-]*' "$README" | sed 's/.* //' | sort -u); do
		[[ $name != restore && $name != test && $name != bench ]] || make -n -C "$BATS_TEST_DIRNAME/.." "$name" >/dev/null
	done
}

@test "the row of config has each key, with its default" {
	local key row
	row=$(grep '^| `config` ' "$HERE/README.md")
	for key in $(sed -n 's/^\t\t\([a-z_]*\)) _config.*/\1/p' "$HERE/bin/lib/config.sh"); do
		[[ $key == project ]] || key=$key=$(grep -o "CFG_$key=[0-9]*" "$HERE/bin/lib/config.sh" | head -n 1 | cut -d= -f2)
		[[ $row == *"$key"* ]] || _unexpected "not in the row: $key"
	done
	[[ $key == project ]]
}
