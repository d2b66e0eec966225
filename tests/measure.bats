#!/usr/bin/env bats
# measure: the table, --json and --csv over files, directories and what the hosts keep; what can't be read

load helper

SESSIONS=$HERE/tests/fixtures/transcripts

setup() {
	need_python
	project_setup
	# it needs no memory
	rm -rf "$ROOT"
}

@test "a table: a line a session, below it its compactions, then the sums" {
	run --separate-stderr memrc measure "$SESSIONS"
	expect_status 0
	expect_line 'session     format    prompts  calls  errors  repeats  rereads  compacted  fullest  skipped'
	expect_order '0c1a-old    claude          1      2       0        0        0          1  150,000        0' \
		'  compacted at line 7: no trigger told, about 150,000 tokens before, 20,000 for the next answer' \
		'0c1a-new    claude          1      4       2        0        0          1   26,000        1' \
		'  tool results cleared at line 10: auto, 2,100 tokens before, 1,500 after, 26,000 for the next answer' \
		'  compacted at line 14: auto, 167,114 tokens before, 2,455 after, 26,000 for the next answer' \
		'    its summary kept 0 of 1 failed commands, 0 of 1 error lines, 0 of 1 edited files, 0 of 1 prompts' \
		'9 sessions                 11     20      12        0        0          7  600,000        3'
	expect_one_error_line
	expect_error 'memrc-measure: 3 lines skipped: no JSON object, or too long: --json says in which files'
}

@test "one session has no sums; nothing skipped is nothing on stderr" {
	run --separate-stderr memrc measure "$SESSIONS/pi.jsonl"
	expect_status 0
	expect_no_error
	expect_equal 4 "${#lines[@]}"
	expect_line '  compacted at line 8: no trigger told, 91,010 tokens before, 8,000 for the next answer'
}

@test "--json: an object a session, every figure in it" {
	run --separate-stderr memrc measure --json "$SESSIONS/claude.jsonl" "$SESSIONS/opencode"
	expect_status 0
	expect_equal '["claude","0c1a-new","","2.1.228","/src/orders","2026-11-30T01:00:00.000Z","2026-11-30T01:00:10.000Z",18,1,0,1,[],1,4,2,0,26000]
["opencode","ses_1","","1.1.53","/src/orders","2026-11-30T01:00:00.000Z","2026-11-30T01:00:05.000Z",15,1,0,0,[],1,3,2,0,58000]' \
		"$("$JQ" -c '[.format, .session, .agent, .version, .cwd, .first, .last, .records, .bad, .long, .duplicates, .broken,
			.prompts, .calls, .errors, .agent_calls, .fullest]' <<<"$output")"
	expect_equal '{"line":14,"at":"2026-11-30T01:00:08.000Z","agent":"","micro":false,"trigger":"auto","before":167114,"before_by":"host","after":2455,"next":26000,"kept":{"commands":[0,1],"errors":[0,1],"paths":[0,1],"prompts":[0,1]}}
{"line":13,"at":"2026-11-30T01:00:04.000Z","agent":"","micro":false,"trigger":"auto","before":58000,"before_by":"usage","after":null,"next":9000,"kept":{"commands":[0,1],"errors":[0,1],"paths":[0,0],"prompts":[0,1]}}' \
		"$("$JQ" -c '.compactions[-1]' <<<"$output")"
}

@test "--csv: a head and a line a session" {
	run --separate-stderr memrc measure --csv "$SESSIONS/qwen.jsonl" "$SESSIONS/claude.jsonl"
	expect_status 0
	expect_equal 3 "${#lines[@]}"
	expect_text 'file,format,session,agent,version,cwd,first,last,records,skipped,'
	expect_text ',qwen,73e0,,0.24.4,/src/orders,2026-11-30T01:00:00.000Z,2026-11-30T01:00:08.000Z,10,0,1,2,2,2,0,169000,1,0,0,0,auto:170000'
	expect_text ',18,1,1,1,4,2,0,26000,1,1,0,0,auto:167114'
}

@test "--all is what the hosts keep, each once" {
	mkdir -p "$HOME/.claude/projects/-src" "$HOME/.pi/agent/sessions/src"
	cp "$SESSIONS/claude.jsonl" "$HOME/.claude/projects/-src/"
	cp "$SESSIONS/pi.jsonl" "$HOME/.pi/agent/sessions/src/"
	run --separate-stderr memrc measure --all --json
	expect_status 0
	expect_equal $'0c1a-new\n3141' "$("$JQ" -r .session <<<"$output")"
	run --separate-stderr memrc measure --all --json "$HOME/.claude"
	expect_equal 2 "${#lines[@]}"
}

@test "nothing there is said, and is no error" {
	run --separate-stderr memrc measure --all
	expect_status 0
	expect_no_output
	expect_one_error_line
	mkdir empty
	run --separate-stderr memrc measure --csv empty
	expect_status 0
	expect_equal 1 "${#lines[@]}"
}

# refused CODE TEXT ARG… - it ends with CODE and one line that has TEXT
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr memrc measure "$@"
	expect_status "$code"
	expect_no_output
	expect_one_error_line
	expect_error "$text"
}

@test "usage, no transcript, not there: one line and its exit code" {
	refused 2 'nothing to measure: give files, directories, or --all'
	refused 2 '--format x: no such format: give one of claude, codex, gemini, opencode, pi, qwen' --format x src/app.py
	refused 2 "No such option" --root .
	refused 65 'src/app.py: no transcript of claude, codex, gemini, opencode, pi, qwen: if it is one' src/app.py
	refused 65 '/dev/null: isn'"'"'t a file' /dev/null
	refused 74 'nowhere: No such file or directory: give the path of a transcript' nowhere
	mkfifo pipe
	refused 65 'pipe: isn'"'"'t a file' pipe
}

@test "not readable: one line and its exit code" {
	[ "$(id -u)" != 0 ] || skip 'not tested: root reads everything'
	install -m 0 "$SESSIONS/pi.jsonl" closed.jsonl
	refused 74 'closed.jsonl: Permission denied' closed.jsonl
}

@test "--format reads what its beginning doesn't tell" {
	sed -n '4,$p' "$SESSIONS/codex.jsonl" | sed 's/^/x/;2,$s/^x//' >torn
	run --separate-stderr memrc measure --format codex torn
	expect_status 0
	expect_line '  compacted at line 13: no trigger told, about 180,500 tokens before, 12,100 for the next answer'
}

@test "of many, one that breaks off doesn't hide the others: exit 1" {
	mkdir many
	cp "$SESSIONS/pi.jsonl" many/z.jsonl
	"$HERE/.venv/bin/python" -c 'import backports.zstd' 2>/dev/null || skip 'not tested: no backports.zstd'
	"$HERE/.venv/bin/python" - "$SESSIONS/codex.jsonl" >many/a.jsonl.zst <<'END'
import random, sys
from backports import zstd
data = open(sys.argv[1], "rb").read() + random.Random(1).randbytes(1 << 18).hex().encode()
sys.stdout.buffer.write(zstd.compress(data)[:200000])
END
	run --separate-stderr memrc measure many
	expect_status 1
	expect_text '0c0d-new'
	expect_text "  the rest couldn't be read: "
	expect_text '3141'
}

@test "what was done again in vain: where, of what, and whether across a compaction" {
	# turn N COMMAND OUTPUT - a command that fails
	turn() {
		printf '{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c-%s","name":"bash","arguments":{"command":"%s"}}]}}\n' "$1" "$2"
		printf '{"type":"message","message":{"role":"toolResult","toolCallId":"c-%s","isError":true,"content":[{"type":"text","text":"%s\\n\\nCommand exited with code 1"}]}}\n' "$1" "$3"
	}
	{
		printf '{"type":"session","id":"s","cwd":"/src"}\n'
		turn 1 'pytest -q' 'KeyError: id'
		printf '{"type":"compaction","summary":"pytest -q failed","tokensBefore":9}\n'
		turn 2 'pytest -q' 'KeyError: id'
	} >again.jsonl
	run --separate-stderr memrc measure --json again.jsonl
	expect_status 0
	expect_equal '[[{"line":6,"of":3,"across":true}],[],[1,1],[0,1]]' \
		"$("$JQ" -c '[.repeats, .rereads, .compactions[0].kept.commands, .compactions[0].kept.errors]' <<<"$output")"
}

@test "names of sessions and files don't steer the terminal" {
	printf '{"type":"session","id":"a\\u001b[2J\\nb","cwd":"/"}\n' >$'a\e[2J\xff.jsonl'
	run --separate-stderr memrc measure ./*.jsonl
	expect_status 0
	expect_text 'a [2J b'
	[[ $output != *$'\e'* ]]
	run --separate-stderr memrc measure --json ./*.jsonl
	expect_status 0
	python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$output"
}
