#!/usr/bin/env bats
# memrc install, uninstall: a host's settings get memrc's entries and lose them; all else stays as it was

load helper

setup() {
	project_setup
	SETTINGS=$PROJECT/.claude/settings.local.json
	KEPT=$HOME/.local/state/memrc/install
}

# settings - stdin into the project's settings
settings() {
	mkdir -p "${SETTINGS%/*}"
	cat >"$SETTINGS"
}

# of_settings FILTER - what a jq filter gives of them
of_settings() { "$JQ" -rc "$1" "$SETTINGS"; }

# gone TEXT… - lines of the settings before that aren't there any more, in their order
gone() { diff "$1" "$SETTINGS" | grep '^<' || :; }

@test "each event calls this home's memrc without a shell; what nothing waits for is asynchronous" {
	run --separate-stderr memrc install claude
	expect_status 0
	expect_no_error
	expect_line "$SETTINGS:"
	expect_line "  + hooks.SessionStart: command $BIN/memrc hook claude session-start"
	run of_settings '.hooks | to_entries[] | "\(.key) \(.value[].hooks[] | "\(.type) \(.command) \(.args | join(" ")) \(.async // false)")"'
	expect_equal "SessionStart command $BIN/memrc hook claude session-start false
UserPromptSubmit command $BIN/memrc hook claude prompt false
PreCompact command $BIN/memrc hook claude pre-compact false
SessionEnd command $BIN/memrc hook claude session-end false
SubagentStart command $BIN/memrc hook claude subagent-start false
PostToolUse command $BIN/memrc hook claude post-tool true
PostToolUseFailure command $BIN/memrc hook claude post-tool true
SubagentStop command $BIN/memrc hook claude subagent-stop true" "$output"
	run of_settings '[.hooks[][] | has("matcher")] | any'
	expect_equal false "$output"
}

# memrc_spelled - as a shell takes the path
memrc_spelled() {
	case $BIN in
	*[!A-Za-z0-9/._+@%-]*) printf "'%s'" "$BIN/memrc" ;;
	*) printf '%s' "$BIN/memrc" ;;
	esac
}

@test "the writers that add are allowed, by either spelling; what takes away never is" {
	memrc install claude >/dev/null
	local verb
	for verb in progress step log decide fail fact checkpoint recall status; do
		run of_settings '.permissions.allow[]'
		expect_line "Bash(memrc $verb:*)"
		expect_line "Bash($(memrc_spelled) $verb:*)"
	done
	for verb in retire retract supersede seal allow constrain edit confirm uninstall '' '*'; do
		refute_text "memrc $verb:"
	done
	run of_settings '.permissions.allow | length'
	expect_equal 18 "$output"
}

@test "a second install changes nothing, not even the time of the file" {
	memrc install claude >/dev/null
	local before
	before=$(snapshot "$HOME" && snapshot "$PROJECT/.claude" && ls -li --time-style=full-iso "$SETTINGS" 2>/dev/null)
	run --separate-stderr memrc install claude
	expect_status 0
	expect_equal "$SETTINGS: memrc is installed: nothing to change" "$output"
	expect_equal "$before" "$(snapshot "$HOME" && snapshot "$PROJECT/.claude" && ls -li --time-style=full-iso "$SETTINGS" 2>/dev/null)"
}

@test "uninstall takes away the file and the directory that install made, and its own notes" {
	memrc install claude >/dev/null
	run --separate-stderr memrc uninstall claude
	expect_status 0
	expect_line "  - permissions.allow: Bash(memrc decide:*)"
	[[ ! -e $PROJECT/.claude && ! -e $KEPT ]] || _unexpected 'something was left'
	run --separate-stderr memrc uninstall claude
	expect_status 0
	expect_equal "$SETTINGS: nothing of memrc in it" "$output"
}

@test "any format: only lines are added, the rest stands byte for byte; uninstall gives the bytes back" {
	local name
	mkdir "$BATS_TEST_TMPDIR/formats"
	cd "$BATS_TEST_TMPDIR/formats"
	export MEMRC_ROOT=$ROOT
	printf '{\n    "model": "opus",\n    "permissions": {\n        "deny": ["Read(.env)"],\n        "allow": ["Bash(make)"]\n    },\n    "n": 1.10,\n    "big": 9007199254740993\n}\n' >four
	printf '{\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{"hooks": [{"type": "command", "command": "date"}]}\n\t\t],\n\t\t"Stop": []\n\t},\n\t"env": {"A": "\\u00e9 \\" } ] é"}\n}' >tabbed
	printf '{\r\n  "b": {},\r\n  "a": []\r\n}\r\n' >crlf
	printf '{}' >empty
	printf '{"z":1,"a":{"q":[1,2,{"x":"}"}]},"permissions":{"allow":[]}}' >line
	printf '\n\n{ }\n\n' >blanks
	for name in *; do
		settings <"$name"
		memrc install claude >/dev/null
		run of_settings '.hooks.SessionStart[-1].hooks[0].args[2], (.permissions.allow | length > 17)'
		expect_equal "session-start
true" "$output"
		case $name in
		four | tabbed | crlf)
			# a line before the new ones gets a comma, or grows
			run gone "$name"
			[[ $(printf '%s\n' "$output" | wc -l) -le 4 ]] || _unexpected "$name: lines went"
			;;
		esac
		run "$JQ" -en --slurpfile a "$name" --slurpfile b "$SETTINGS" '$b[0] | keys_unsorted - ["hooks", "permissions"] ==
			($a[0] | keys_unsorted - ["hooks", "permissions"])'
		expect_status 0
		memrc uninstall claude >/dev/null
		cmp "$name" "$SETTINGS" || _unexpected "$name: other bytes"
	done
	settings <four
	memrc install claude >/dev/null
	run cat "$SETTINGS"
	expect_line '    "model": "opus",'
	expect_line '        "deny": ["Read(.env)"],'
	expect_text '        "allow": ["Bash(make)", "Bash(memrc progress:*)", '
	expect_line '    "n": 1.10,'
	expect_line '    "big": 9007199254740993,'
	expect_line '        "SessionStart": ['
}

@test "uninstall after somebody else's change takes out memrc's entries and nothing more" {
	settings <<<'{"permissions": {"allow": ["Bash(memrc decide:*)", "Bash(make)"]}, "hooks": {}}'
	memrc install claude --compact-at 70 >/dev/null
	"$JQ" '.hooks.Stop = [{"hooks":[{"type":"command","command":"date"}]}] | .model = "x" | .permissions.allow += ["Bash(ls)", "Bash(memrc retire:*)"]
		| .hooks.SessionStart[0].hooks += [{"type":"command","command":"mine"}]' "$SETTINGS" >"$BATS_TEST_TMPDIR/new"
	settings <"$BATS_TEST_TMPDIR/new"
	run --separate-stderr memrc uninstall claude
	expect_status 0
	run of_settings .
	expect_equal '{"permissions":{"allow":["Bash(memrc decide:*)","Bash(make)","Bash(ls)","Bash(memrc retire:*)"]},"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"mine"}]}],"Stop":[{"hooks":[{"type":"command","command":"date"}]}]},"model":"x"}' "$output"
	[[ ! -e $KEPT ]] || _unexpected 'a note was left'
	# what was empty before stays, empty
	settings <<<'{"hooks": {}, "permissions": {"allow": []}}'
	memrc install claude >/dev/null
	printf '\n' >>"$SETTINGS"
	memrc uninstall claude >/dev/null
	expect_equal '{"hooks":{},"permissions":{"allow":[]}}' "$(of_settings .)"
}

@test "its own older entries, from another home too, are renewed; others' hooks keep their place" {
	settings <<'END'
{
  "hooks": {
    "SessionStart": [
      {"matcher": "compact", "hooks": [{"type": "command", "command": "/old/home/bin/memrc hook claude session-start"}]},
      {"hooks": [{"type": "command", "command": "date"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "/old/home/bin/memrc", "args": ["hook", "claude", "stop"]}]}]
  },
  "permissions": {"allow": ["Bash(/old/home/bin/memrc decide:*)"]}
}
END
	run --separate-stderr memrc install claude
	expect_status 0
	expect_line '  - hooks.SessionStart: compact command /old/home/bin/memrc hook claude session-start'
	expect_line '  - hooks.Stop: command /old/home/bin/memrc hook claude stop'
	expect_line '  - permissions.allow: Bash(/old/home/bin/memrc decide:*)'
	run of_settings '[.hooks.SessionStart[].hooks[].command], .hooks.Stop, (.permissions.allow | map(select(test("old")))), (.hooks | keys_unsorted[0])'
	expect_equal "[\"date\",\"$BIN/memrc\"]
null
[]
SessionStart" "$output"
}

@test "an upgrade after which nobody touched the file: uninstall still gives the first bytes back" {
	printf '{"a":  1}' | settings
	memrc install claude >/dev/null
	memrc install claude --compact-at 60 >/dev/null
	run of_settings .env
	expect_equal '{"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE":"60"}' "$output"
	memrc uninstall claude >/dev/null
	expect_equal '{"a":  1}' "$(cat "$SETTINGS")"
}

@test "--compact-at is kept by an install without it, unless somebody set another; uninstall gives back what was" {
	settings <<<'{"env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "90"}}'
	memrc install claude --compact-at 70 >/dev/null
	memrc install claude >/dev/null
	run of_settings .env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE
	expect_equal 70 "$output"
	# another hand
	printf '\n' >>"$SETTINGS"
	memrc uninstall claude >/dev/null
	run of_settings .
	expect_equal '{"env":{"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE":"90"}}' "$output"
	local value
	for value in 0 101 x 1.5 ''; do
		run --separate-stderr memrc install claude --compact-at "$value"
		expect_status 2
		expect_one_error_line
	done
}

@test "settings that can't be read, parsed or safely changed are left alone, with one line that says so" {
	local text
	for text in '{"a":1' '[]' '{} {}' '"x"' '' '// c
{}' '{"hooks": []}' '{"hooks": {"SessionStart": {}}}' '{"permissions": {"allow": 1}}' '{"permissions": null}' \
		'{"hooks": {}, "hooks": {"Stop": []}}'; do
		settings <<<"$text"
		cp "$SETTINGS" "$BATS_TEST_TMPDIR/was"
		run --separate-stderr memrc install claude
		expect_status 65
		expect_one_error_line
		expect_error "$SETTINGS"
		expect_error 'left as it is'
		cmp "$SETTINGS" "$BATS_TEST_TMPDIR/was"
		[[ ! -e $KEPT ]] || _unexpected 'a note was left'
	done
	rm "$SETTINGS"
	mkdir "$SETTINGS"
	run --separate-stderr memrc install claude
	expect_status 74
	expect_one_error_line
}

@test "a full disk, a directory that can't be written: 74, the file is as it was" {
	printf '{"a": 1}' | settings
	# no file may grow beyond 512 bytes
	run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1; exec "$0" install claude' "$BIN/memrc"
	[[ $status != 0 ]] || _unexpected 'it says it was done'
	expect_equal '{"a": 1}' "$(cat "$SETTINGS")"
	run ls -A "${SETTINGS%/*}"
	expect_equal settings.local.json "$output"
	skip_as_root
	chmod 555 "${SETTINGS%/*}"
	run --separate-stderr memrc install claude
	expect_status 74
	expect_one_error_line
}

@test "a linked settings file stays a link, relative or absolute, and keeps its mode" {
	mkdir -p "$BATS_TEST_TMPDIR/dotfiles" "$HOME/.claude"
	printf '{"x": 1}\n' >"$BATS_TEST_TMPDIR/dotfiles/claude.json"
	chmod 600 "$BATS_TEST_TMPDIR/dotfiles/claude.json"
	ln -s ../../dotfiles/claude.json "$HOME/.claude/settings.json"
	run --separate-stderr memrc install claude --user
	expect_status 0
	[[ -L $HOME/.claude/settings.json ]] || _unexpected 'no link any more'
	run ls -l "$BATS_TEST_TMPDIR/dotfiles/claude.json"
	expect_text '-rw-------'
	run "$JQ" -c '.x, (.hooks | length)' "$BATS_TEST_TMPDIR/dotfiles/claude.json"
	expect_equal '1
8' "$output"
	memrc uninstall claude --user >/dev/null
	expect_equal '{"x": 1}' "$(cat "$BATS_TEST_TMPDIR/dotfiles/claude.json")"
	[[ -L $HOME/.claude/settings.json ]] || _unexpected 'no link any more'
}

@test "links that go round in a circle end with 74, not never" {
	mkdir "$PROJECT/.claude"
	ln -s other "$SETTINGS"
	ln -s "${SETTINGS##*/}" "$PROJECT/.claude/other"
	run --separate-stderr timeout 60 "$BIN/memrc" install claude
	expect_status 74
	expect_one_error_line
}

@test "several installs at once: each ends well, and uninstall gives the bytes back" {
	local i
	printf '{\n  "a": 1\n}\n' | settings
	cp "$SETTINGS" "$BATS_TEST_TMPDIR/before"
	for i in 1 2 3 4 5; do
		memrc install claude >/dev/null 2>"$BATS_TEST_TMPDIR/err.$i" &
	done
	wait
	expect_equal '' "$(cat "$BATS_TEST_TMPDIR"/err.*)"
	expect_equal 1 "$(of_settings '.hooks.SessionStart | length')"
	memrc uninstall claude >/dev/null
	cmp "$BATS_TEST_TMPDIR/before" "$SETTINGS"
}

@test "--shared: a committed file without a path of this machine, silent where memrc is missing" {
	run --separate-stderr memrc install claude --shared
	expect_status 0
	expect_error "isn't on PATH"
	run grep -c "$HERE" "$PROJECT/.claude/settings.json"
	expect_equal 0 "$output"
	run --separate-stderr bash -c '"$0" -r "[.hooks[][].hooks[] | .command, .args[]] | .[:3][]" "$1"' "$JQ" "$PROJECT/.claude/settings.json"
	expect_line /bin/sh
	local program
	program=$("$JQ" -r '.hooks.SessionStart[0].hooks[0].args[1]' "$PROJECT/.claude/settings.json")
	run --separate-stderr env PATH=/usr/bin:/bin /bin/sh -c "$program" </dev/null
	expect_status 0
	expect_no_output
	expect_no_error
	printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' >"$BATS_TEST_TMPDIR/memrc"
	chmod +x "$BATS_TEST_TMPDIR/memrc"
	run --separate-stderr env PATH="$BATS_TEST_TMPDIR:/usr/bin:/bin" /bin/sh -c "$program" </dev/null
	expect_equal 'hook claude session-start' "$output"
	memrc uninstall claude --shared >/dev/null
	[[ ! -e $PROJECT/.claude ]] || _unexpected 'something was left'
}

@test "--user needs no root; where the client keeps its settings elsewhere, they are there" {
	cd "$HOME"
	run --separate-stderr memrc install claude
	expect_status 6
	expect_one_error_line
	CLAUDE_CONFIG_DIR=$BATS_TEST_TMPDIR/cfg run --separate-stderr memrc install claude --user
	expect_status 0
	[[ -f $BATS_TEST_TMPDIR/cfg/settings.json && ! -e $HOME/.claude ]] || _unexpected 'not there'
}

@test "two settings that both call memrc: the second install says so" {
	memrc install claude --user >/dev/null
	run --separate-stderr memrc install claude
	expect_status 0
	expect_error "$HOME/.claude/settings.json: has memrc too"
	expect_error 'memrc uninstall claude --user'
	memrc uninstall claude --user >/dev/null
	run --separate-stderr memrc install claude
	expect_no_error
}

@test "--dry-run says what would change, and changes nothing" {
	local before
	before=$(snapshot "$HOME" && snapshot "$PROJECT")
	run --separate-stderr memrc install claude --trust --dry-run
	expect_status 0
	expect_text 'would change'
	expect_line '  + permissions.allow: Bash(memrc decide:*)'
	expect_equal "$before" "$(snapshot "$HOME" && snapshot "$PROJECT")"
	memrc install claude >/dev/null
	before=$(snapshot "$HOME" && snapshot "$PROJECT")
	run --separate-stderr memrc uninstall claude --dry-run
	expect_line '  - permissions.allow: Bash(memrc decide:*)'
	expect_equal "$before" "$(snapshot "$HOME" && snapshot "$PROJECT")"
}

@test "a memory nobody confirmed is named; --trust confirms it" {
	: >"$HOME/.local/state/memrc/trust"
	run --separate-stderr memrc install claude
	expect_status 0
	expect_error 'memrc allow'
	run --separate-stderr memrc install claude --trust
	expect_status 0
	expect_no_error
	run cat "$HOME/.local/state/memrc/trust"
	expect_line "root $ROOT"
}

@test "a home with a blank and a quote in its path is allowed as a shell spells it" {
	local home="$BATS_TEST_TMPDIR/my home"
	mkdir -p "$home"
	cp -R "$HERE/bin" "$HERE/init.d" "$HERE/pyproject.toml" "$home/"
	MEMRC_JQ=$JQ run --separate-stderr "$home/bin/memrc" install claude
	expect_status 0
	run of_settings '.hooks.SessionStart[0].hooks[0].command, .permissions.allow[]'
	expect_line "$home/bin/memrc"
	expect_line "Bash('$home/bin/memrc' decide:*)"
	MEMRC_JQ=$JQ "$home/bin/memrc" uninstall claude >/dev/null
	[[ ! -e $PROJECT/.claude ]] || _unexpected 'something was left'
}

@test "a wrong host, none, two, a wrong option: 2 and one line; no jq: 69" {
	local arguments
	for arguments in '' vim ../x 'claude claude' 'claude --bad' 'claude --compact-at' 'claude --root'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr memrc install $arguments
		expect_status 2
		expect_one_error_line
	done
	run --separate-stderr memrc install ''
	expect_error 'one of claude'
	MEMRC_JQ='' run --separate-stderr memrc install --help
	expect_status 0
	MEMRC_JQ=/nowhere/jq run --separate-stderr memrc install claude
	expect_status 69
	expect_one_error_line
}

@test "nothing is left in the temp directory" {
	mkdir "$BATS_TEST_TMPDIR/t"
	TMPDIR=$BATS_TEST_TMPDIR/t memrc install claude >/dev/null
	printf 'x' >"$SETTINGS"
	TMPDIR=$BATS_TEST_TMPDIR/t run memrc uninstall claude
	expect_status 65
	run ls -A "$BATS_TEST_TMPDIR/t"
	expect_no_output
}

@test "the plugin has the hooks that install writes, its skill the commands there are, in 40 lines at most" {
	local plugin=$HERE/.claude-plugin skill=$HERE/.claude-plugin/skills/memory/SKILL.md verb
	memrc install claude >/dev/null
	run "$JQ" -en --slurpfile a "$plugin/hooks.json" --slurpfile b "$SETTINGS" --arg memrc "$BIN/memrc" \
		'[$a[0].hooks, $b[0].hooks] | map(tojson) | (.[0] | split("${CLAUDE_PLUGIN_ROOT}/bin/memrc") | join($memrc)) == .[1]'
	expect_status 0
	run grep -c "^version = \"$("$JQ" -r .version "$plugin/plugin.json")\"" "$HERE/pyproject.toml"
	expect_equal 1 "$output"
	[[ $(wc -l <"$skill") -le 40 ]] || _unexpected 'too long'
	for verb in $(grep -o '`memrc [a-z][a-z]*' "$skill" | cut -d' ' -f2 | sort -u); do
		[[ -x $BIN/memrc-$verb ]] || _unexpected "memrc $verb: no such command"
	done
	# it may be in a request too: the restore message must be the only one with this mark
	run cat "$skill"
	refute_text '[SESSION RESTORE]'
}
