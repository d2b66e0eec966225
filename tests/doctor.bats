#!/usr/bin/env bats
# doctor, rehearse: what the host delivered, what it cut, which hooks never ran and why

load helper

# recorded transcripts, which are not part of the repository: beside its clone
SAMPLES=$BATS_TEST_DIRNAME/../../shared/clients/claude/samples

setup() {
	project_setup
	T=$BATS_TEST_TMPDIR/transcript.jsonl
	put constraints.md <<<'- No Redis'
	# hooks that are there and have run
	mkdir -p "$PROJECT/.claude"
	printf '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"%s","args":["hook","claude","session-start"]}]}]}}\n' "$BIN/memrc" >"$PROJECT/.claude/settings.local.json"
	printf '%s\n' '{"v":1,"session":"S1","host":"claude","event":"start","runlevel":"compact","units":4711}' \
		'{"v":1,"session":"S1","host":"claude","event":"pre-compact"}' >"$ROOT/logs/events.jsonl"
	printf '%s\n' '{"v":1,"session":"S1","event":"prompt","text":"a"}' '{"v":1,"session":"S1","event":"tool"}' >"$ROOT/logs/flight.jsonl"
}

BOUNDARY='{"type":"system","subtype":"compact_boundary","timestamp":"2026-11-30T01:00:00Z","compactMetadata":{"trigger":"auto","preTokens":95000,"postTokens":2600}}'
ANSWER='{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}}'

# ran TYPE FIELDS - a hook of memrc's as the transcript has it
ran() { printf '{"type":"attachment","attachment":{"type":"%s","hookName":"SessionStart:compact","hookEvent":"SessionStart","command":"/x/bin/memrc",%s}}\n' "$1" "$2"; }

WHOLE='"content":"[SESSION RESTORE] x\n[END OF RESTORE]","stdout":"","exitCode":0'

# diagnosed TEXT - the doctor says it of the transcript on stdin
diagnosed() {
	cat >"$T"
	run --separate-stderr memrc doctor claude --transcript "$T"
	expect_no_error
	expect_text "$1"
}

@test "delivered whole" {
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success "$WHOLE"
		printf '%s\n' "$ANSWER"
	} | diagnosed 'ok   last compaction (1: auto, 95000 to 2600 tokens, 2026-11-30T01:00:00Z): delivered whole (36 units)'
	run memrc doctor claude --transcript "$T"
	expect_status 0
	refute_text BAD
}

@test "what a transcript or the hooks' log holds can't drive the terminal, or be taken for a finding" {
	{
		printf '{"type":"system","subtype":"compact_boundary","timestamp":"2026\\n\\u001b[2Jok","compactMetadata":{"trigger":"auto\\nok   all is well\\u009b2J"}}\n'
		ran hook_non_blocking_error '"stderr":"\u001b]0;title\u0007 boom\r\u009b1A","exitCode":1'
	} >"$T"
	printf 'memrc: \033[2J\302\2331A what\n' >"$ROOT/logs/hook.log"
	run --separate-stderr memrc doctor claude --transcript "$T"
	expect_text 'failed: '
	refute_line 'ok   all is well'
	expect_equal "$output" "$(tr -d '\000-\010\013-\037' <<<"$output" | sed $'s/\302[\200-\237]//g')"
}

@test "cut, cancelled, failed, late and not at all are told apart" {
	local long
	long=$(head -c 10001 /dev/zero | tr '\0' y)
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success '"content":"<persisted-output>\nOutput too large (9.8KB). Full output saved to: /x\n\nPreview (first 2KB):\n[SESSION RESTORE] abc\n...\n</persisted-output>","stdout":"'"$long"'"'
	} |
		diagnosed 'BAD  last compaction (1: auto, 95000 to 2600 tokens, 2026-11-30T01:00:00Z): cut (21 of 10001)'
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success '"content":"<persisted-output>","stdout":"abc"'
	} | diagnosed ': cut (0 of 3)'
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success '"content":"[SESSION RESTORE] half","stdout":""'
	} | diagnosed ': cut (22 of 4711)'
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_cancelled '"durationMs":2032'
	} | diagnosed ': cancelled after 2032 ms'
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_non_blocking_error '"stderr":"Failed with non-blocking status code: no such file\nx","exitCode":1'
	} | diagnosed ': failed: Failed with non-blocking status code: no such file'
	{
		printf '%s\n' "$BOUNDARY" "$ANSWER"
		ran hook_additional_context '"content":["[SESSION RESTORE] x\n[END OF RESTORE]"]'
	} | diagnosed ': late, after the model had gone on; delivered whole'
	{
		ran hook_success "$WHOLE"
		printf '%s\n' "$BOUNDARY" "$ANSWER"
	} | diagnosed ': not at all: no hook of memrc ran after it'
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success '"content":"","stdout":""'
	} | diagnosed ': not at all: the hook printed nothing'
	run memrc doctor claude --transcript "$T"
	expect_status 1
}

@test "the last compaction counts; other hooks, unknown records and broken lines don't" {
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_cancelled '"durationMs":1'
		printf '%s\n' '{"type":"of the future","attachment":7}' '{"type":"attachment","attachment":{"type":7}}' 'no json' '[1]' '' '{"type":"assistant","message":"x"}' "$BOUNDARY"
		ran hook_success "$WHOLE"
		printf '{"type":"attachment","attachment":{"type":"hook_cancelled","hookName":"SessionStart:compact","command":"other"}}\n{"type":"sys'
	} | diagnosed ': delivered whole (36 units)'
	run memrc doctor claude --transcript "$T"
	expect_text '(2: auto'
	printf '%s\n' "$ANSWER" | diagnosed 'ok   no compaction in'
}

@test "the recorded transcripts" {
	[[ -d $SAMPLES ]] || skip 'no samples here'
	local file
	for file in "$SAMPLES"/*.jsonl; do
		run memrc doctor claude --transcript "$file" --command m-compact
		expect_text '): delivered whole (1'
		# as they are without that hook
		grep -v '"SessionStart:compact"' "$file" | diagnosed '): not at all'
		sed 's/"hook_success"/"hook_cancelled"/' "$file" >"$T"
		run memrc doctor claude --transcript "$T" --command m-compact
		expect_text '): cancelled after'
	done
}

# transcripts_of PROJECT NAME - the doctor finds those in dir, below ~/.claude/projects, whose name NAME ends
transcripts_of() {
	dir=$HOME/.claude/projects/$(printf '%s' "$BATS_TEST_TMPDIR/" | tr -c 'A-Za-z0-9' '-')$2
	mkdir -p "$dir" "$BATS_TEST_TMPDIR/$1/.memrc/state"
	printf '{"cwd":"%s"}\n%s\n' "$BATS_TEST_TMPDIR/$1" "$BOUNDARY" >"$dir/only.jsonl"
	cd "$BATS_TEST_TMPDIR/$1" || return
	run memrc doctor
	expect_text 'not at all: no hook of memrc ran after it'
}

@test "the newest transcript of the project is found" {
	transcripts_of 'project with space é' project-with-space--
	touch -d 2020-01-01 "$dir/only.jsonl"
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_cancelled '"durationMs":5'
	} >"$dir/new.jsonl"
	run memrc doctor
	expect_text 'cancelled after 5 ms'
}

@test "where the host keeps transcripts: a dash for each UTF-16 unit but letters and digits; a long name is cut" {
	# as the client 2.1.332 named them
	transcripts_of 'é-不-😀 x_y.z' '-------x-y-z'
	transcripts_of "$(printf 'e\314\201')" e-
	local dir long other
	long=$(head -c 200 /dev/zero | tr '\0' a)
	other=$(printf '%s' "$BATS_TEST_TMPDIR/$long" | tr -c 'A-Za-z0-9' '-' | head -c 200)
	mkdir -p "$HOME/.claude/projects/$other-1abc" "$HOME/.claude/projects/$other-3abc"
	for dir in "$HOME/.claude/projects/$other"-*; do printf '{"cwd":"/another"}\n' >"$dir/a.jsonl"; done
	transcripts_of "$long" "$(printf '%.*s' $((200 - ${#BATS_TEST_TMPDIR} - 1)) "$long")-2dc8t3"
}

@test "a hook that never ran though it should have" {
	{
		printf '%s\n' "$BOUNDARY"
		ran hook_success "$WHOLE"
		printf '%s\n' "$ANSWER"
	} >"$T"
	run memrc doctor --transcript "$T"
	refute_text 'never ran'
	rm "$ROOT/logs/flight.jsonl"
	run memrc doctor --transcript "$T"
	expect_status 1
	expect_text 'the hook prompt never ran'
	expect_text 'the hook post-tool never ran'
	rm "$ROOT/logs/events.jsonl"
	run memrc doctor --transcript "$T"
	expect_line "BAD  the hook session-start never ran here, though sessions start: it is installed: start claude here anew, confirm its dialog about this directory, and see $ROOT/logs/hook.log"
	expect_line 'BAD  the hook pre-compact never ran here, though the context is compacted: memrc install claude, and restart it'
}

@test "why: no memory, not confirmed, no jq, unwritable, no hooks, hooks that failed, a message too long" {
	printf 'memrc: x: why\n' >"$ROOT/logs/hook.log"
	run memrc doctor
	expect_text 'BAD  hooks failed'
	expect_text '     memrc: x: why'
	rm "$ROOT/logs/hook.log"
	MEMRC_JQ=/nonexistent run memrc doctor
	expect_status 1
	expect_text "/nonexistent doesn't work"
	printf '{"disableAllHooks": true}' >"$PROJECT/.claude/settings.json"
	run memrc doctor
	expect_text 'disableAllHooks'
	rm -r "$PROJECT/.claude"
	run memrc doctor
	expect_text 'no hooks of memrc'
	rm -r "$HOME/.local"
	run memrc doctor
	expect_text 'nobody here has confirmed it'
	rm -r "$ROOT/logs"
	run memrc doctor
	expect_text "logs: isn't there"
	cd "$HOME"
	run memrc doctor
	expect_status 1
	expect_text 'no memory here'
}

@test "why: hooks that lead nowhere, a constraint file that can't be read" {
	sed "s|$BIN/memrc|/moved away/bin/memrc|" "$PROJECT/.claude/settings.local.json" >"$BATS_TEST_TMPDIR/new"
	mv "$BATS_TEST_TMPDIR/new" "$PROJECT/.claude/settings.local.json"
	rm "$ROOT/state/constraints.md"
	mkdir "$ROOT/state/constraints.md"
	run memrc doctor
	expect_status 1
	expect_text "BAD  the hooks call /moved away/bin/memrc, which isn't there: memrc install claude"
	expect_text '[CONFLICT] the constraints could not be read'
}

@test "hooks in two settings files run twice: both are named; permissions alone are no hooks" {
	memrc install claude --user >/dev/null 2>&1
	run memrc doctor
	expect_status 1
	expect_text "BAD  hooks: $HOME/.claude/settings.json and $PROJECT/.claude/settings.local.json have them, so each runs twice: take one out: memrc uninstall claude, with --user or --shared where it was installed so"
	memrc uninstall claude --user >/dev/null
	mkdir -p "$HOME/.claude"
	printf '{"permissions":{"allow":["Bash(memrc fact:*)"]},"hooks":{}}\n' >"$HOME/.claude/settings.json"
	run memrc doctor
	refute_text twice
}

@test "a transcript that was named and is none is an error" {
	run --separate-stderr memrc doctor --transcript nope
	expect_status 65
	expect_no_output
	expect_one_error_line
	expect_error '--transcript nope: no such file'
	printf '# memrc\n{"a":1}\n' >"$T"
	run --separate-stderr memrc doctor --transcript "$T"
	expect_status 65
	expect_no_output
	expect_one_error_line
	expect_error "$T: is no transcript of claude"
	skip_as_root
	chmod 0 "$T"
	run --separate-stderr memrc doctor --transcript "$T"
	expect_status 74
}

@test "hooks of a plugin count; beside installed ones they are too many" {
	mkdir -p "$HOME/.claude"
	printf '{\n  "enabledPlugins": {\n    "memrc@memrc": true\n  }\n}\n' >"$HOME/.claude/settings.json"
	run memrc doctor
	expect_text 'BAD  hooks and plugin: each says everything once more: memrc uninstall claude'
	rm "$PROJECT/.claude/settings.local.json"
	run memrc doctor
	expect_text "ok   hooks: by the plugin, enabled in $HOME/.claude/settings.json"
	printf '{"enabledPlugins": {"memrc@memrc": false}, "hooks": {}}\n' >"$HOME/.claude/settings.json"
	run memrc doctor
	expect_text 'BAD  no hooks of memrc'
}

@test "usage" {
	run --separate-stderr memrc doctor nobody
	expect_status 2
	expect_one_error_line
	run --separate-stderr memrc doctor claude any
	expect_status 2
	run memrc doctor any
	expect_text 'ok   memory'
}

@test "rehearse prints what the model would get, and says on stderr what is cut" {
	run --separate-stderr memrc rehearse claude
	expect_status 0
	expect_equal "$(rc --runlevel compact)" "$output"
	expect_equal "$(($(units <<<"$output") - 1)) units; the host takes 10000: delivered whole" "$stderr"
	run --separate-stderr memrc rehearse any --runlevel subagent
	expect_text '· subagent'
	expect_error 'delivered whole'
	for i in $(seq 10 99); do
		printf '{"v":1,"id":"d-00000000%s","rev":1,"ts":"2026-11-01T00:00:00Z","status":"ACTIVE","decision":"%0110d","reason":"x"}\n' "$i" 7
	done | put decisions.jsonl
	run --separate-stderr memrc rehearse claude
	expect_status 1
	expect_error 'cut [DECISIONS]: '
	printf 'max_chars = 30000\n' >"$ROOT/state/config"
	run --separate-stderr memrc rehearse claude
	expect_status 1
	expect_error 'the host shows only the first 2000 of more than 10000'
	[[ $(units <<<"$output") -le 2001 ]]
	run --separate-stderr memrc rehearse nobody
	expect_status 2
}

@test "a linked directory of the root is named" {
	mkdir "$BATS_TEST_TMPDIR/outside"
	ln -s "$BATS_TEST_TMPDIR/outside" "$ROOT/state/tasks"
	run --separate-stderr memrc doctor
	expect_status 1
	expect_text "BAD  $ROOT/state/tasks: is a symbolic link, and so not written to"
}
