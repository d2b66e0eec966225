#!/usr/bin/env bats
# hook: what a host calls; flight recorder, events, the nudge, once for each content, broken on purpose

load helper

setup() {
	project_setup
	FLIGHT=$ROOT/logs/flight.jsonl
	EVENTS=$ROOT/logs/events.jsonl
	put constraints.md <<<'- No Redis'
}

# hook EVENT [JSON] - as Claude Code calls it
hook() { printf '%s\n' "${2:-}" | memrc hook claude "$1"; }

# last FILE FILTER - of the newest line of a log
last() { tail -n 1 "$1" | "$JQ" -r "$2"; }

# ran COMMAND [CODE OUTPUT] - a command of the agent's that passed, or failed with that output
ran() {
	if [[ $# -eq 1 ]]; then
		hook post-tool "$("$JQ" -nc --arg c "$1" '{session_id: "S1", hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: {command: $c}, tool_response: {stdout: "3 passed\n", stderr: "", interrupted: false}}')"
	else
		hook post-tool "$("$JQ" -nc --arg c "$1" --arg e "Exit code $2"$'\n'"$3" '{session_id: "S1", hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: {command: $c}, error: $e}')"
	fi
}

# said TEXT - a prompt
said() { hook prompt "$("$JQ" -nc --arg p "$1" '{session_id: "S1", prompt: $p}')"; }

# --- the restore --------------------------------------------------------------------------------------

@test "a session's start prints the restore for what the host says" {
	local level
	for level in startup resume clear compact; do
		run --separate-stderr hook session-start '{"session_id":"S'$level'","source":"'$level'"}'
		expect_status 0
		expect_no_error
		expect_text "· $level"
		expect_text 'No Redis'
		expect_text '[END OF RESTORE]'
		expect_equal "start $level S$level claude" "$(last "$EVENTS" '"\(.event) \(.runlevel) \(.session) \(.host)"')"
	done
	run hook session-start '{"session_id":"S9","source":"fork"}'
	expect_text '· resume'
	run hook session-start '{"session_id":"S9","source":"of the future"}'
	expect_text '· manual'
}

@test "the event of a start says what was printed" {
	hook session-start '{"session_id":"S1","source":"resume","context_tokens":12587,"model":"m-1"}' >"$BATS_TEST_TMPDIR/out"
	expect_equal "12587 $(($(units <"$BATS_TEST_TMPDIR/out") - 1)) $COMMIT m-1 8000 0 2026-11-30T01:00:00Z" \
		"$(last "$EVENTS" '"\(.tokens) \(.units) \(.commit) \(.model) \(.settings.max_chars) \(.failed | length) \(.ts)"')"
	mkdir -p "$HOME/.config/memrc/init.d"
	printf '#!/bin/sh\nexit 7\n' >"$HOME/.config/memrc/init.d/S81-bad"
	chmod +x "$HOME/.config/memrc/init.d/S81-bad"
	hook session-start '{"session_id":"S1","source":"compact"}'
	expect_equal S81-bad "$(last "$EVENTS" '.failed[]')"
}

@test "the same message a second time is one line, unless the context was compacted since" {
	hook session-start '{"session_id":"S1","source":"resume"}' >/dev/null
	run hook session-start '{"session_id":"S1","source":"resume"}'
	expect_equal 'memory unchanged since resume' "$output"
	run hook session-start '{"session_id":"S2","source":"resume"}'
	expect_text 'No Redis'
	run hook session-start '{"session_id":"S1"}'
	expect_text 'No Redis'
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text 'No Redis'
	run hook session-start '{"session_id":"S1","source":"resume"}'
	expect_equal 'memory unchanged since compact' "$output"
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text 'No Redis'
	# what was said in the session since is in front of the model
	hook prompt '{"session_id":"S1","prompt":"go on"}'
	run hook session-start '{"session_id":"S1","source":"resume"}'
	expect_equal 'memory unchanged since compact' "$output"
	memrc constrain 'No gRPC'
	run hook session-start '{"session_id":"S1","source":"resume"}'
	expect_text 'No gRPC'
}

@test "a subagent gets its own form, in JSON" {
	run --separate-stderr hook subagent-start '{"session_id":"S1","agent_id":"a1","agent_type":"Explore"}'
	expect_status 0
	expect_equal 'SubagentStart' "$("$JQ" -r .hookSpecificOutput.hookEventName <<<"$output")"
	[[ $("$JQ" -r .hookSpecificOutput.additionalContext <<<"$output") == *'· subagent'*'No Redis'* ]]
	expect_equal 'subagent-start a1 Explore' "$(last "$FLIGHT" '"\(.event) \(.agent) \(.kind)"')"
}

@test "the agent's shell knows its session" {
	export CLAUDE_ENV_FILE=$BATS_TEST_TMPDIR/env
	hook session-start '{"session_id":"S1","source":"startup"}' >/dev/null
	hook session-start '{"session_id":"S1","source":"compact"}' >/dev/null
	expect_equal 'export MEMRC_SESSION=S1' "$(cat "$CLAUDE_ENV_FILE")"
	hook session-start "$(printf '{"session_id":"x; touch %s","source":"startup"}' "$BATS_TEST_TMPDIR/canary")" >/dev/null
	sh -c ". '$CLAUDE_ENV_FILE'; printf '%s\n' \"\$MEMRC_SESSION\"" >"$BATS_TEST_TMPDIR/session"
	[[ $(cat "$BATS_TEST_TMPDIR/session") == h-???????????????? && ! -e $BATS_TEST_TMPDIR/canary ]]
	expect_equal "$(cat "$BATS_TEST_TMPDIR/session")" "$(last "$EVENTS" .session)"
}

@test "two sessions: each writes its own lane, and gets it back" {
	hook session-start '{"session_id":"S1","source":"startup"}' >/dev/null
	hook session-start '{"session_id":"S2","source":"startup"}' >/dev/null
	memrc progress --session S1 --task one --next 'step of one'
	memrc progress --session S2 --task two --next 'step of two'
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text 'step of one'
	refute_text 'step of two'
	run hook session-start '{"session_id":"S2","source":"compact"}'
	expect_text 'step of two'
	refute_text 'step of one'
}

@test "what the protocol says can be typed as it is printed: it counts for this session" {
	any() { printf '{"session_id":"%s","cwd":"%s","source":"%s","tool_name":"Bash","tool_input":{"command":"ls"}}' "$2" "$PROJECT" "${3:-}" | memrc hook any "$1"; }
	local command session
	printf 'nudge_every = 1\n' >"$ROOT/state/config"
	any session-start S1 startup >/dev/null
	memrc progress --session S1 --task one --next a
	session=0123abcd-4567-89ab-cdef-0123456789ab
	run any session-start "$session" startup
	# whole, with an id as long as they come
	expect_text 'If you were given a narrower assignment'
	memrc progress --session "$session" --task two --next b
	command=$(sed -n 's/.*As you work: .*\(progress --session [^ ]*\) .*/\1/p' <<<"$output")
	# shellcheck disable=SC2086 # several words
	memrc $command --next c
	command=$(sed -n 's/.*; fail\( --session [^ ]*\) … .*/\1/p' <<<"$output")
	# shellcheck disable=SC2086
	memrc fail $command Q --because x
	command=$(sed -n 's/.*; decide\( --session [^ ]*\) … .*/\1/p' <<<"$output")
	# shellcheck disable=SC2086
	memrc decide $command D --because x
	expect_equal 'b c' "$(field "lanes/$session.json" '.next_steps | join(" ")')"
	expect_equal Q "$(field tasks/two.jsonl .action)"
	expect_equal two "$(field decisions.jsonl .task_id)"
	run any post-tool "$session"
	expect_text "memrc fail --session $session … --because"
}

@test "what others changed is announced at startup, and sealed then; at a compaction it is not" {
	memrc constrain 'No gRPC'
	printf -- '- No SOAP\n' >>"$ROOT/state/constraints.md"
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text CHANGED
	run memrc seal
	expect_status 3
	run hook session-start '{"session_id":"S1","source":"startup"}'
	expect_text CHANGED
	run memrc seal
	expect_status 0
	run hook session-start '{"session_id":"S2","source":"startup"}'
	refute_text CHANGED
}

@test "a constraint that vanished between sessions stays in force, through as many starts as there are" {
	memrc constrain 'No gRPC'
	memrc constrain 'No SOAP'
	sed -i '/gRPC/d' "$ROOT/state/constraints.md"
	memrc decide x --because y >/dev/null
	local level
	for level in startup startup compact startup; do
		run hook session-start "{\"session_id\":\"S$RANDOM\",\"source\":\"$level\"}"
		expect_text 'No gRPC (gone from constraints.md here; in force until retired)'
	done
	run memrc rc --runlevel compact
	expect_status 3
	memrc retire "$(memrc recall 'No gRPC' | grep -o 'c-[0-9a-f]*' | head -n 1)" --because 'the user said so'
	run hook session-start '{"session_id":"S9","source":"startup"}'
	refute_text 'No gRPC'
}

# --- the flight recorder ------------------------------------------------------------------------------

@test "prompts and tool calls are lines of the flight recorder; nothing is printed" {
	run --separate-stderr said 'please fix it'
	expect_status 0
	expect_no_output
	expect_no_error
	expect_equal '{"v":1,"ts":"2026-11-30T01:00:00Z","session":"S1","host":"claude","event":"prompt","text":"please fix it"}' "$(cat "$FLIGHT")"
	run --separate-stderr ran 'make all'
	expect_no_output
	expect_equal 'tool Bash make all 3 passed null' "$(last "$FLIGHT" '"\(.event) \(.tool) \(.command) \(.last) \(.ok)"')"
	ran 'pytest -x' 1 $'== run ==\nE   AssertionError: assert 2 == 1\n1 failed in 0.1s'
	expect_equal 'false 1 E   AssertionError: assert 2 == 1|1 failed in 0.1s' "$(last "$FLIGHT" '"\(.ok) \(.exit) \(.error)|\(.last)"')"
	hook post-tool '{"session_id":"S1","agent_id":"a1","tool_name":"Edit","tool_input":{"file_path":"src/app.py","old_string":"a"},"tool_response":{"filePath":"x"}}'
	expect_equal 'Edit src/app.py a1 null' "$(last "$FLIGHT" '"\(.tool) \(.target) \(.agent) \(.old_string)"')"
}

@test "a failure is one in whatever way the host says it" {
	local response
	for response in '"Exit code 3\nno such file"' '{"stdout":"no such file","exit_code":3}' '{"stderr":"no such file","returncode":3}' \
		'{"stdout":"a","error":"no such file","exitCode":3}'; do
		hook post-tool '{"session_id":"S1","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":'"$response"'}'
		expect_equal 'false 3 no such file' "$(last "$FLIGHT" '"\(.ok) \(.exit) \(.error)"')"
	done
	hook post-tool '{"session_id":"S1","tool_name":"x","tool_input":"odd","tool_response":{"is_error":true,"content":"boom failed"}}'
	expect_equal 'false boom failed' "$(last "$FLIGHT" '"\(.ok) \(.error)"')"
}

@test "a line is one write of at most 4,000 bytes, whatever comes" {
	local size text odd
	for size in 2000 9000 300000; do
		text=$(head -c "$size" /dev/zero | tr '\0' 'x')
		odd=${text:0:50000}
		hook prompt "{\"session_id\":\"S1\",\"prompt\":\"$text\"}"
		hook prompt "{\"session_id\":\"S1\",\"prompt\":\"${odd//x/\\\"é😀 }\"}"
		hook post-tool "{\"session_id\":\"S1\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$text\"},\"error\":\"$text\"}"
		hook post-tool "{\"session_id\":\"S1\",\"tool_name\":\"$text\",\"tool_input\":{\"path\":\"$text\"},\"tool_response\":{\"stdout\":\"$text\"}}"
	done
	expect_equal 12 "$(wc -l <"$FLIGHT")"
	[[ $(awk '{ if (length($0) > m) m = length($0) } END { print m }' "$FLIGHT") -lt 4000 ]]
	expect_equal 12 "$("$JQ" -c .v "$FLIGHT" | wc -l)"
	[[ ! -s $ROOT/logs/hook.log ]]
}

@test "of a long prompt the rules in its middle are kept" {
	said "$(head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g')
Never touch the migrations. Does it work?
$(head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g') the end"
	expect_equal 'Never touch the migrations' "$(last "$FLIGHT" '.rules[]')"
	[[ $(last "$FLIGHT" .tail) == *'the end' ]]
	# a sentence that ends with its line, and a blank behind it
	said "$(head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g')
Well done! 
Never touch the models! 
$(head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g') the end"
	expect_equal 'Never touch the models' "$(last "$FLIGHT" '.rules[]')"
}

@test "no secret gets into it, wherever it stands" {
	local key=AKIA0123456789ABCDEF filler
	filler=$(head -c 990 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g')
	said "use $key for it"
	said "$filler $key and more $filler"
	ran "curl -H 'Authorization: Bearer abcdef0123456789ABCDEF' --password Hunter2hunter2!"
	ran "deploy" 1 "fatal: bad key $key"
	hook post-tool '{"session_id":"S1","tool_name":"Read","tool_input":{"file_path":"/x?token=aB3dE6gH9jK2"},"tool_response":"x"}'
	expect_equal 5 "$(wc -l <"$FLIGHT")"
	run cat "$FLIGHT"
	refute_text "$key"
	refute_text 0123456789ABCDEF
	refute_text Hunter2
	refute_text aB3dE6gH9jK2
	expect_text 'fatal: bad key [redacted:aws-key]'
	expect_text 'for it'
}

@test "a secret is gone before a text is cut: no half of one is left, at whatever place" {
	local key=ghp_Tx2QoG8WBBBskA7auPdxBjQzehmQYQuQzfUB pem at long text word
	word=$(head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/word /g')
	pem=$(printf -- '-----BEGIN RSA PRIVATE KEY-----\n%s-----END RSA PRIVATE KEY-----' "$(for _ in 1 2 3 4 5 6 7 8 9; do printf 'MIIEowIBAAKCAQEAtx2QoG8WBBBskA7auPdxBjQzehmQYQuQzfUBtx2QoG8WBBBs\n'; done)"$'\n')
	for at in 270 290 835 850; do
		text="${word:0:at}密码：$key ${word}--password Hunter2hunter2! ${word:0:at-10}"
		said "$text"
		ran "$text"
		ran x 1 "$text"
	done
	for at in 100 200 280; do
		said "$word$pem ${word:0:at}"
		long=$(head -c "$at" /dev/zero | tr '\0' 'y')
		hook post-tool "$("$JQ" -nc --arg t "{\"a\":\"$long$long:$key\",\"b\":\"$long\"}" '{session_id: "S1", tool_name: "Bash", tool_input: {command: "x"}, tool_response: {stdout: $t}}')"
	done
	for at in 5980 5950; do
		long=$(head -c "$at" /dev/zero | tr '\0' 'y')
		ran x 1 "$long:$key $long error $key"
		ran x 1 "$long $key $long"
	done
	hook post-tool "$("$JQ" -nc --arg t "${pem%-----END*}" '{session_id: "S1", tool_name: "Bash", tool_input: {command: "head -5 id"}, tool_response: {stdout: $t}}')"
	expect_equal 23 "$(wc -l <"$FLIGHT")"
	run grep -oE 'Tx2QoG8|PdxBjQ|YQuQzfUB|Hunter2|hunter2' "$FLIGHT"
	expect_no_output
}

@test "a text that begins with an E is no failure" {
	hook post-tool '{"session_id":"S1","tool_name":"Bash","tool_input":{"command":"git push"},"tool_response":{"stdout":"Everything up-to-date\n"}}'
	expect_equal 'null Everything up-to-date' "$(last "$FLIGHT" '"\(.ok) \(.last)"')"
	hook post-tool '{"session_id":"S1","tool_name":"WebFetch","tool_input":{"url":"u"},"tool_response":{"code":200,"result":"x"}}'
	expect_equal 'null' "$(last "$FLIGHT" .ok)"
}

@test "half a character, a number for a session: taken all the same; what is no object is of no session" {
	hook prompt '{"session_id":42,"prompt":"cut \ud83d here, C:\\udir \uD83D"}'
	expect_equal '42 cut �83d here, C:\udir �83D' "$(last "$FLIGHT" '"\(.session) \(.text)"')"
	run hook session-start '{"session_id":42,"source":"compact","model":"\ud83d"}'
	expect_text 'here, C:'
	export CLAUDE_ENV_FILE=$BATS_TEST_TMPDIR/env
	hook session-start '[]' >/dev/null
	expect_equal '' "$(last "$EVENTS" .session)"
	[[ ! -e $CLAUDE_ENV_FILE ]]
	hook prompt '{"session_id":"S1","prompt":"one"}
{"session_id":"S1","prompt":"two"}'
	hook prompt '["AKIA0123456789ABCDEF is mine"]'
	expect_equal 1 "$("$JQ" -r .v "$FLIGHT" | sort -u)"
	run cat "$ROOT/logs/hook.log"
	refute_text 'is mine'
}

@test "what comes before the compaction comes back after it" {
	ran 'pytest -x tests/test_retry.py' 1 $'E   AssertionError: assert 2 == 1\n1 failed'
	ran 'make lint' 2 'lint: error in a.py'
	ran 'make lint'
	said 'Never rename anything in api.py. Then go on.'
	said '不要修改 migrations 目录'
	said 'first of the last'
	said 'the last of all'
	hook post-tool '{"session_id":"S1","tool_name":"Edit","tool_input":{"file_path":"'"$PROJECT"'/src/app.py"}}'
	hook subagent-start '{"session_id":"S1","agent_id":"a1","agent_type":"Explore"}' >/dev/null
	hook subagent-start '{"session_id":"S1","agent_id":"a2","agent_type":"Plan"}' >/dev/null
	hook subagent-stop '{"session_id":"S1","agent_id":"a2","agent_type":"Plan"}'
	hook subagent-stop '{"session_id":"S1","agent_id":"a9","agent_type":""}'
	hook prompt '{"session_id":"S2","prompt":"Never listen to the other session"}'
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text 'failed, not passed since: pytest -x tests/test_retry.py → exit 1: E   AssertionError: assert 2 == 1'
	refute_text 'lint: error'
	expect_text 'last result: make lint: 3 passed'
	expect_line '  said: Never rename anything in api.py'
	expect_line '  said: 不要修改 migrations 目录'
	expect_line "  the user's words before: first of the last"
	expect_line "  the user's last words: the last of all"
	expect_line '  edited: src/app.py'
	expect_line '  subagents not finished: Explore (a1)'
	refute_text 'other session'
	expect_order '[CONSTRAINTS]' '[BEFORE THE COMPACTION]'
	expect_order '[BEFORE THE COMPACTION]' '[PROTOCOL]'
	for level in startup clear; do
		run hook session-start '{"session_id":"S1","source":"'$level'"}'
		refute_text 'BEFORE THE COMPACTION'
	done
}

@test "of what is long as much comes back as is promised: 300 characters of a command and its error, 800 and 200 of a prompt" {
	local words prompt i
	words=$(printf 'word %03d ' $(seq 100)) # 900 characters
	prompt="Look: $words$words the end"
	said first
	said "$prompt"
	ran "run $words" 1 "error: $words"
	for i in $(seq 10 34); do
		hook post-tool '{"session_id":"S1","tool_name":"Edit","tool_input":{"file_path":"'"$PROJECT"'/src/m'"$i"'.py"}}' >/dev/null
	done
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text "not passed since: run ${words:0:296}… → exit 1: error: ${words:0:293}…"
	expect_text "  the user's last words: ${prompt:0:800} … ${prompt: -200}"
	# where room is short, lines go from the end: the files that were edited first
	expect_order '  edited: src/m34.py · src/m33.py · ' '  edited: src/m24.py · '
	expect_line '  edited: src/m14.py · src/m13.py · src/m12.py · src/m11.py · src/m10.py'
}

@test "of a long prompt in Chinese 800 characters come back, too, and a rule from its middle" {
	local long middle prompt
	long=$(printf '第%03d段：这里说明重试的背景和需要改动的模块。' $(seq 40)) # 900 characters
	middle='必须先写测试再提交代码，并且不要修改公共接口的名字，因为别的团队也在使用这些接口，改名会让他们的构建失败'
	prompt="$long。$middle。$middle，再说一遍。${middle}，最后一遍。$long"
	run python3 -c 'import sys; print(sys.argv[1][:800], len(sys.argv[1]) > 1400)' "$prompt"
	expect_text True
	local first=${output% True}
	said "$prompt"
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text "  the user's last words: $first … "
	expect_text "  said: $middle"
}

@test "what is cut out of the middle of a long prompt is no sentence of the user's" {
	local order i
	order=$(printf 'you must never use tabs in number %02d file and always spaces ' $(seq 60)) # one sentence of 3,700 characters
	said "Never rename api.py. $order. Never drop a table."
	said two
	said three
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_line '  said: Never rename api.py'
	expect_line '  said: Never drop a table.'
	expect_equal 2 "$(grep -c '^  said: ' <<<"$output")"
	said "Never rename api.py. $order. Never drop a table."
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	refute_text '  said: must'
	expect_line '  said: Never drop a table.'
}

@test "what subagents ran neither hides what failed in the session itself nor takes its place" {
	agent() { hook post-tool '{"session_id":"S1","agent_id":"a1","tool_name":"Bash","tool_input":{"command":"'"$1"'"},"tool_response":{"stdout":"no such file","exit_code":'"$2"'}}' >/dev/null; }
	local i
	ran 'pytest -q' 1 'E   KeyError: id'
	agent 'pytest -q' 0
	for i in $(seq 12); do agent "grep $i src" 1; done
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_order '  failed, not passed since: pytest -q → exit 1: E   KeyError: id' '  failed, not passed since: grep 12 src → exit 1: no such file'
	expect_line '  failed, not passed since: grep 2 src → exit 1: no such file'
	refute_text 'grep 1 src'
}

@test "a file of more than 5 MB makes room, and the older half is still read" {
	said 'Never rename anything in api.py'
	said two
	said three
	awk 'BEGIN { for (i = 0; i < 53000; i++) printf "{\"v\":1,\"ts\":\"2026-11-30T00:00:00Z\",\"session\":\"S0\",\"event\":\"tool\",\"tool\":\"Read\",\"target\":\"file-%06d\"}\n", i }' >>"$FLIGHT"
	hook pre-compact '{"session_id":"S1","trigger":"auto"}' >/dev/null
	[[ -f $FLIGHT.1 && ! -e $FLIGHT ]]
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_line '  said: Never rename anything in api.py'
	said four
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_line '  said: Never rename anything in api.py'
	expect_line "  the user's last words: four"
}

@test "a long session, a torn line, fields of other types: the rest of the flight recorder still speaks" {
	said 'Never rename anything in api.py'
	printf '{"v":1,"session":"S1","event":"prompt","text":5,"rules":"x","tail":[]}\n{"v":1,"session":"S1","event":"prompt","text":"x","rules":[1,{}]}\n' >>"$FLIGHT"
	printf '{"v":1,"ts":"2026\0\0\0\n' >>"$FLIGHT"
	said two
	said three
	run --separate-stderr hook session-start '{"session_id":"S1","source":"compact"}'
	expect_line '  said: Never rename anything in api.py'
	expect_line "  the user's last words: three"
	refute_text FAILED
	hook session-start '{"session_id":"S1","source":"compact"}' >/dev/null
	printf '\0\0\n' >>"$EVENTS"
	run hook session-start '{"session_id":"S1","source":"resume"}'
	expect_equal 'memory unchanged since compact' "$output"
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "{\"v\":1,\"ts\":\"2026-11-30T00:00:00Z\",\"session\":\"S2\",\"event\":\"tool\",\"tool\":\"Bash\",\"command\":\"run number %06d\",\"last\":\"well\"}\n", i
		word = sprintf("%0400d", 0)
		for (i = 0; i < 500; i++) printf "{\"v\":1,\"ts\":\"2026-11-30T00:00:00Z\",\"session\":\"S2\",\"event\":\"prompt\",\"text\":\"prompt %06d %s\"}\n", i, word }' >"$FLIGHT"
	run hook session-start '{"session_id":"S2","source":"compact"}'
	expect_text "  the user's last words: prompt 000499"
	refute_text unreadable
}

@test "the agent is told after nudge_every calls without a record" {
	local i
	printf 'nudge_every = 3\n' >"$ROOT/state/config"
	export CLAUDE_CODE_SESSION_ID=S1
	hook session-start '{"session_id":"S1","source":"startup"}' >/dev/null
	for i in 1 2; do
		run ran "make $i"
		expect_no_output
	done
	run --separate-stderr ran 'make 3'
	expect_equal PostToolUse "$("$JQ" -r .hookSpecificOutput.hookEventName <<<"$output")"
	[[ $("$JQ" -r .hookSpecificOutput.additionalContext <<<"$output") == *'3 tool calls since'* ]]
	ran 'make 4'
	ran 'make 5'
	touch -t 202001010000 "$ROOT"/logs/.calls.* # some shells compare whole seconds
	memrc decide 'keys in a table' --because 'no new service' >/dev/null
	run ran 'make 6'
	expect_no_output
	hook session-end '{"session_id":"S1","reason":"other"}'
	[[ -z $(find "$ROOT/logs" -name '.calls*') ]]
}

# --- the books are closed -----------------------------------------------------------------------------

@test "before a compaction the summariser is told in 2,000 units what to keep; the event is noted" {
	memrc progress --task t --next b
	memrc fail 'a unique index' --because 'old rows have NULLs' --error 'NotNullViolation: x'
	for i in 1 2 3 4 5 6 7 8 9; do memrc constrain "rule $i: $(head -c 300 /dev/zero | tr '\0' y)"; done >/dev/null
	run --separate-stderr hook pre-compact '{"session_id":"S1","trigger":"auto","custom_instructions":null}'
	expect_status 0
	expect_no_error
	expect_text 'word for word'
	expect_text 'No Redis'
	refute_text 'all of them'
	expect_text ' more lines: the memory files give them back)'
	[[ $(units <<<"$output") -le 2000 ]]
	expect_equal 'pre-compact auto S1' "$(grep pre-compact "$EVENTS" | "$JQ" -r '"\(.event) \(.trigger) \(.session)"')"
	expect_equal 'constraints.md' "$(grep '"closed"' "$EVENTS" | "$JQ" -r '.files | keys[] | select(startswith("con"))')"
	# after one by hand the client shows the model what was printed, beside the restore
	run hook pre-compact '{"session_id":"S1","trigger":"manual","custom_instructions":null}'
	expect_text 'word for word'
	refute_text 'No Redis'
}

@test "K50-seal says which files differ from their copies, and changes nothing" {
	memrc constrain 'No gRPC'
	printf -- '- by hand\n' >>"$ROOT/state/constraints.md"
	snapshot "$ROOT/state" >"$BATS_TEST_TMPDIR/before"
	run --separate-stderr rc stop --session S1
	expect_status 0
	expect_no_output
	expect_equal 'constraints.md S1' "$(grep closed "$EVENTS" | "$JQ" -r '"\(.differ[]) \(.of)"')"
	snapshot "$ROOT/state" | diff - "$BATS_TEST_TMPDIR/before"
	# however large they are, and whoever holds the lock
	awk 'BEGIN { for (n = 0; n < 3000; n++) print "- rule number " n ", which is long enough to count" }' >>"$ROOT/state/constraints.md"
	(flock 9 && exec sleep 60) 9>>"$ROOT/state/.lock" 3>&- &
	rc stop --session S2
	kill $!
	expect_equal 'constraints.md S2' "$(grep closed "$EVENTS" | "$JQ" -r 'select(.of == "S2") | "\(.differ[]) \(.of)"')"
}

@test "a session's end is its last event" {
	hook session-start '{"session_id":"S1","source":"startup"}' >/dev/null
	run --separate-stderr hook session-end '{"session_id":"S1","reason":"clear"}'
	expect_no_output
	expect_equal 'end clear' "$("$JQ" -r 'select(.session == "S1") | "\(.event) \(.reason)"' "$EVENTS" | tail -n 1)"
}

# --- any host -----------------------------------------------------------------------------------------

@test "any: Claude Code's names, plain text, the place in the JSON" {
	any() { printf '%s\n' "$2" | memrc hook any "$1"; }
	cd /
	run --separate-stderr any session-start '{"session_id":"S1","cwd":"'"$PROJECT"'/src","source":"compact"}'
	expect_status 0
	expect_text 'No Redis'
	any prompt '{"session_id":"S1","cwd":"'"$PROJECT"'","prompt":"hello there"}'
	expect_equal 'any prompt hello there' "$(last "$FLIGHT" '"\(.host) \(.event) \(.text)"')"
	run --separate-stderr any subagent-start '{"session_id":"S1","cwd":"'"$PROJECT"'"}'
	expect_text '[SESSION RESTORE]'
}

@test "the ten lines of Python in the README work" {
	sed -n '/^```python/,/^```/p' "$HERE/README.md" | sed '/^```/d' >agent.py
	[[ $(wc -l <agent.py) -le 10 && -s agent.py ]]
	cat >>agent.py <<-'END'
		print(memrc("session-start", source="compact"))
		memrc("prompt", prompt="Never rename api.py")
		memrc("post-tool", tool_name="Bash", tool_input={"command": "false"}, tool_response={"exit_code": 1, "stdout": "boom error"})
		print(memrc("session-start", source="compact"))
	END
	PATH=$BIN:$PATH run --separate-stderr python3 agent.py
	expect_status 0
	expect_text 'No Redis'
	expect_text 'failed, not passed since: false → exit 1: boom error'
}

# --- broken on purpose --------------------------------------------------------------------------------

# every - each event with a plausible input; stdout of all in $output
every() {
	local event
	for event in session-start prompt pre-tool post-tool pre-compact subagent-start subagent-stop session-end; do
		printf '%s\n' "${1-"{\"session_id\":\"S1\",\"source\":\"compact\",\"prompt\":\"p\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"c\"}}"}" |
			memrc hook claude "$event" >"$BATS_TEST_TMPDIR/$event" 2>"$BATS_TEST_TMPDIR/err" || _unexpected "$event: exit $?"
		[[ ! -s $BATS_TEST_TMPDIR/err ]] || _unexpected "$event: $(cat "$BATS_TEST_TMPDIR/err")"
		if [[ $event == subagent-start && -s $BATS_TEST_TMPDIR/$event ]]; then "$JQ" -e . "$BATS_TEST_TMPDIR/$event" >/dev/null; fi
	done
}

@test "no memory, another's memory: nothing is printed or written" {
	rm -r "$ROOT"
	every
	[[ ! -s $BATS_TEST_TMPDIR/session-start && ! -s $BATS_TEST_TMPDIR/subagent-start ]]
	[[ -z $(git status --porcelain) ]]
}

@test "a memory nobody has confirmed: it is shown as such, nothing is recorded" {
	rm -r "$HOME/.local"
	every
	grep -q 'UNTRUSTED ROOT' "$BATS_TEST_TMPDIR/session-start"
	[[ ! -e $FLIGHT && ! -e $EVENTS && ! -e $ROOT/logs/hook.log ]]
}

@test "no jq: the restore still comes, as far as it can; the doctor says why the rest doesn't" {
	mkdir -p "$BATS_TEST_TMPDIR/home-of-memrc"
	cp -R "$HERE/bin" "$HERE/init.d" "$BATS_TEST_TMPDIR/home-of-memrc"
	mkdir "$BATS_TEST_TMPDIR/path"
	for tool in sh awk git sha256sum cat printf mkfifo rm mkdir mktemp sed grep cksum tail head tr dd sleep ps date sort cp mv wc cmp readlink df ls find; do
		ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/path/$tool"
	done
	memrc() { env -u MEMRC_JQ PATH="$BATS_TEST_TMPDIR/path" "$BATS_TEST_TMPDIR/home-of-memrc/bin/memrc" "$@"; }
	every
	grep -q 'No Redis' "$BATS_TEST_TMPDIR/session-start" || _unexpected "$(cat "$BATS_TEST_TMPDIR/session-start" "$ROOT/logs/hook.log")"
	grep -q 'no jq' "$ROOT/logs/hook.log"
	run memrc doctor
	expect_status 1
	expect_text 'BAD  no jq'
}

@test "what isn't JSON, is empty, is something else: exit 0, and it stands in the log" {
	local input
	for input in '' 'not json' '[]' '"text"' 'null' '{}' '{"session_id":7,"prompt":{"a":1},"source":[],"tool_input":"x","tool_name":null}'; do
		every "$input"
		grep -q 'No Redis' "$BATS_TEST_TMPDIR/session-start"
	done
	[[ -s $ROOT/logs/hook.log ]]
	[[ ! -e $FLIGHT || $("$JQ" -c .v "$FLIGHT" | sort -u) == 1 ]]
}

@test "a part that hangs holds nothing up for long" {
	mkdir -p "$HOME/.config/memrc/init.d"
	local m
	m=$(mark)
	printf '#!/bin/sh\nsleep %s\n' "$m" >"$HOME/.config/memrc/init.d/S81-hangs"
	cp "$HOME/.config/memrc/init.d/S81-hangs" "$HOME/.config/memrc/init.d/K81-hangs"
	chmod +x "$HOME"/.config/memrc/init.d/*
	run hook session-start '{"session_id":"S1","source":"compact"}'
	expect_text 'No Redis'
	expect_text 'S81-hangs: not finished'
	run hook session-end '{"session_id":"S1"}'
	run "$JQ" -r '.failed[]?' "$EVENTS"
	expect_line S81-hangs
	run ps -A -o args
	refute_text "sleep $m"
}

@test "a full disk, a read-only logs/, links: exit 0, and no file elsewhere is touched" {
	printf 'precious\n' >"$BATS_TEST_TMPDIR/precious"
	ln -s "$BATS_TEST_TMPDIR/precious" "$FLIGHT"
	ln -s "$BATS_TEST_TMPDIR/precious" "$EVENTS"
	every
	expect_equal precious "$(cat "$BATS_TEST_TMPDIR/precious")"
	grep -q 'symbolic link' "$ROOT/logs/hook.log"
	rm "$FLIGHT" "$EVENTS" "$ROOT/logs/hook.log"
	ln -s /dev/full "$ROOT/logs/full"
	# a limit of no bytes is the nearest thing to a full disk
	(
		trap '' XFSZ
		ulimit -f 0
		printf '{"session_id":"S1","prompt":"p"}\n' | "$BIN/memrc" hook claude prompt
	)
	rm -r "$ROOT/logs"
	printf 'a file\n' >"$ROOT/logs"
	every
	grep -q 'No Redis' "$BATS_TEST_TMPDIR/session-start"
	grep -q logs "$HOME/.local/state/memrc/hook.log"
}

@test "a log that grows with every failing call makes room" {
	head -c 262200 /dev/zero | tr '\0' 'x' >"$ROOT/logs/hook.log"
	hook prompt 'not json'
	[[ $(tail -n 1 "$ROOT/logs/hook.log.1") == *'claude prompt ended with 65' && ! -e $ROOT/logs/hook.log ]]
}

@test "logs that can't be written, no cksum, a temp directory that is full: what forbids is still said" {
	local event
	rm -r "$ROOT/logs"
	printf 'a file\n' >"$ROOT/logs"
	every
	grep -q 'No Redis' "$BATS_TEST_TMPDIR/subagent-start"
	rm "$ROOT/logs"
	mkdir "$BATS_TEST_TMPDIR/path"
	printf '#!/bin/sh\nexit 127\n' >"$BATS_TEST_TMPDIR/path/cksum"
	chmod +x "$BATS_TEST_TMPDIR/path/cksum"
	PATH=$BATS_TEST_TMPDIR/path:$PATH hook session-start '{"session_id":"S1","source":"resume"}' >"$BATS_TEST_TMPDIR/out"
	PATH=$BATS_TEST_TMPDIR/path:$PATH hook session-start '{"session_id":"S1","source":"resume"}' >"$BATS_TEST_TMPDIR/out"
	grep -q 'No Redis' "$BATS_TEST_TMPDIR/out"
	for event in session-start subagent-start; do
		run env TMPDIR=/nonexistent "$BIN/memrc" hook claude "$event" <<<'{"session_id":"S1","source":"compact"}'
		expect_status 0
		expect_text 'No Redis'
	done
	# and where rc can't say anything, the hook says so
	cp "$BATS_TEST_TMPDIR/path/cksum" "$BATS_TEST_TMPDIR/path/awk"
	for event in session-start subagent-start; do
		PATH=$BATS_TEST_TMPDIR/path:$PATH run hook "$event" '{"session_id":"S1","source":"compact"}'
		expect_status 0
		expect_text '[CONFLICT]'
		expect_text 'state/constraints.md'
	done
}

@test "FIFOs where logs should be: nobody waits for them" {
	local fifo
	memrc() { timeout 60 "$BIN/memrc" "$@"; }
	for fifo in flight.jsonl flight.jsonl.1 events.jsonl hook.log .calls.any; do
		rm -rf "$ROOT/logs"
		mkdir "$ROOT/logs"
		mkfifo "$ROOT/logs/$fifo"
		every
		grep -q 'No Redis' "$BATS_TEST_TMPDIR/session-start" || _unexpected "$fifo"
		run memrc doctor
		[[ $status -le 1 ]] || _unexpected "doctor, $fifo: $status"
	done
}

@test "a memrc with files missing vetoes nothing: 2 would stop the user's prompt" {
	local file event
	mkdir "$BATS_TEST_TMPDIR/half"
	cp -R "$HERE/bin" "$HERE/init.d" "$BATS_TEST_TMPDIR/half"
	for file in memrc-hook lib/base.sh lib/hook.sh lib/flight.sh lib/hook-rare.sh lib/host/claude.sh; do
		mv "$BATS_TEST_TMPDIR/half/bin/$file" "$BATS_TEST_TMPDIR/away"
		for event in prompt pre-compact session-start; do
			run --separate-stderr "$BATS_TEST_TMPDIR/half/bin/memrc" hook claude "$event" <<<'{"session_id":"S1","prompt":"p"}'
			expect_status 0
			expect_no_output
			[[ $file == memrc-hook ]] || run "$BATS_TEST_TMPDIR/half/bin/memrc-hook" claude "$event" <<<'{"session_id":"S1","prompt":"p"}'
			expect_status 0
		done
		mv "$BATS_TEST_TMPDIR/away" "$BATS_TEST_TMPDIR/half/bin/$file"
	done
}

@test "a host that has gone away: the hook ends in peace" {
	local event
	for event in session-start subagent-start pre-compact; do
		{
			printf '{"session_id":"S1","source":"compact"}\n' | {
				memrc hook claude "$event"
				printf '%s' "$?" >"$BATS_TEST_TMPDIR/code"
			}
		} | true
		expect_equal 0 "$(cat "$BATS_TEST_TMPDIR/code")"
	done
}

@test "state that can't be read: the conflict is what is printed" {
	skip_as_root
	chmod 000 "$ROOT/state/constraints.md"
	every
	grep -q 'CONFLICT' "$BATS_TEST_TMPDIR/session-start"
}

@test "a wrong host, event or option is said to a person, and never stops a host" {
	run --separate-stderr memrc hook gloude prompt
	expect_status 0
	expect_no_output
	expect_one_error_line
	run --separate-stderr memrc hook claude frobnicate
	expect_status 0
	expect_one_error_line
	run --separate-stderr memrc hook --help
	expect_status 0
	expect_text 'Usage: memrc hook HOST EVENT'
	run --separate-stderr "$BIN/memrc-hook" any prompt <<<'{"session_id":"S1","prompt":"by itself"}'
	expect_equal 'by itself' "$(last "$FLIGHT" .text)"
}

@test "a hook writes nowhere but in the root, memrc's own state and the temporary directory; no socket, no process left" {
	command -v strace >/dev/null || skip 'strace is not installed'
	# a file for each process (-ff): in one for all, a call and what came of it stand in two lines
	local event log=$BATS_TEST_TMPDIR/trace input='{"session_id":"S1","source":"compact","prompt":"the key=abcDEF123456","tool_name":"Bash","tool_input":{"command":"c"},"error":"boom"}'
	mkdir "$BATS_TEST_TMPDIR/tmp"
	for event in session-start prompt post-tool pre-compact subagent-start subagent-stop session-end; do
		MARK=$BATS_TEST_TMPDIR TMPDIR=$BATS_TEST_TMPDIR/tmp strace -ff -qq -e trace=openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,socket,connect,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat \
			-o "$log.$event" "$BIN/memrc" hook claude "$event" <<<"$input" >/dev/null
	done
	run awk -v root="$ROOT/" -v state="$HOME/.local/state/memrc" -v tmp="$BATS_TEST_TMPDIR/tmp" -v project="$PROJECT" '
		/ = -1 / || /\+\+\+|---/ { next }
		/socket\(AF_UNIX/ { next } # bash asks who its user is; what it reached would be a connect
		/socket\(|connect\(/ { print; next }
		/unlinkat\([0-9]/ { next } # rm -r, in a directory that it entered by its name
		/open/ && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/ { next }
		{
			match($0, /"[^"]*"/)
			path = substr($0, RSTART + 1, RLENGTH - 2)
			if (path == "/dev/null" || index(path, tmp) == 1 || index(path, state) == 1) next
			gsub(/\\303\\251/, "\303\251", path)
			if (index(path, root) != 1) print
		}' "$log".*
	expect_no_output
	expect_equal '' "$(ls -A "$BATS_TEST_TMPDIR/tmp")"
	expect_equal '' "$(grep -ls "MARK=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ)"
}
