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

@test "a table: a line a session in the order of time, below it its compactions, then the sums, by project too" {
	run --separate-stderr memrc measure "$SESSIONS"
	expect_status 0
	expect_line 'session     format    day         prompts  calls  errors  repeats  rereads  compacted  fullest  skipped  outcome'
	expect_order '0c1a-old    claude    2025-07-01        1      2       0        0        0          1  150,000        0  unknown' \
		'  compacted at line 7: no trigger told, about 150,000 tokens before, 20,000 for the next answer' \
		'0c1a-new    claude    2026-11-30        1      4       2        0        0          1   26,000        1  detours' \
		'  tool results cleared at line 10: auto, 2,100 tokens before, 1,500 after, 26,000 for the next answer' \
		'  compacted at line 14: auto, 167,114 tokens before, 2,455 after, 26,000 for the next answer' \
		'    its summary kept 0 of 1 failed commands, 0 of 1 error lines, 0 of 1 edited files, 0 of 1 prompts' \
		'9 sessions                             11     20      12        0        0          7  600,000        3' \
		'project      sessions  subagents  prompts  calls  errors  repeats  rereads  compacted  fullest  skipped' \
		'(not told)          3          0        3      4       3        0        0          1  600,000        1' \
		'/src/orders         6          0        8     16       9        0        0          6  180,500        2' \
		'How they ended: 1 done, 1 with detours, 3 failed or taken over, 4 unknown.' \
		'When to compact: that takes 10 compactions that nobody asked for, their tokens known and tool calls after them; there are 0.'
	expect_one_error_line
	expect_error 'memrc-measure: 3 lines skipped: no JSON object, or too long: --json says in which files'
}

@test "the day is left out where the table would be wider than the terminal" {
	COLUMNS=100 run --separate-stderr memrc measure "$SESSIONS/pi.jsonl"
	expect_status 0
	expect_line 'session  format  prompts  calls  errors  repeats  rereads  compacted  fullest  skipped  outcome'
	expect_line '3141     pi            1      2       1        0        0          1   91,010        0   failed'
}

@test "subagents with a file of their own: no sessions, no outcome, no project, but what they did counts" {
	cp "$SESSIONS/claude.jsonl" .
	mkdir -p 0c1a-new/subagents
	# subagent ID DIRECTORY - a file with one tool call in a context of 90,000 tokens
	subagent() {
		printf '{"type":"assistant","sessionId":"0c1a-new","agentId":"%s","cwd":"%s","message":{"usage":{"input_tokens":90000},"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}\n' "$1" "$2"
	}
	subagent a1 /src/orders >0c1a-new/subagents/agent-a1.jsonl
	subagent a2 /src/elsewhere >0c1a-new/subagents/agent-a2.jsonl
	run --separate-stderr memrc measure claude.jsonl 0c1a-new
	expect_status 0
	expect_order '0c1a-new a1                      claude                    0      1       0        0        0          0   90,000        0' \
		'1 session, 2 files of subagents                            1      6       2        0        0          1   26,000        1' \
		'How they ended: 1 with detours.'
	refute_text '/src/elsewhere'
	run --separate-stderr memrc measure --by project --csv claude.jsonl 0c1a-new
	expect_equal 2 "${#lines[@]}"
	expect_text '/src/orders,1,2,'
	run --separate-stderr memrc measure --json 0c1a-new
	expect_equal '["","a1"]' "$("$JQ" -c '[.outcome, .agent]' <<<"${lines[0]}")"
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
	expect_equal '{"line":14,"at":"2026-11-30T01:00:08.000Z","agent":"","micro":false,"trigger":"auto","before":167114,"before_by":"host","after":2455,"next":26000,"regrown":0,"calls":0,"repeats":0,"rereads":0,"violations":0,"resumed":null,"kept":{"commands":[0,1],"errors":[0,1],"paths":[0,1],"prompts":[0,1]}}
{"line":13,"at":"2026-11-30T01:00:04.000Z","agent":"","micro":false,"trigger":"auto","before":58000,"before_by":"usage","after":null,"next":9000,"regrown":0,"calls":0,"repeats":0,"rereads":0,"violations":0,"resumed":null,"kept":{"commands":[0,1],"errors":[0,1],"paths":[0,0],"prompts":[0,1]}}' \
		"$("$JQ" -c '.compactions[-1]' <<<"$output")"
}

@test "--csv: a head and a line a session" {
	run --separate-stderr memrc measure --csv "$SESSIONS/qwen.jsonl" "$SESSIONS/claude.jsonl"
	expect_status 0
	expect_equal 3 "${#lines[@]}"
	expect_text 'file,format,session,agent,version,cwd,first,last,records,skipped,'
	expect_text ',qwen,73e0,,0.24.4,/src/orders,2026-11-30T01:00:00.000Z,2026-11-30T01:00:08.000Z,10,0,1,2,2,2,0,169000,1,0,0,0,auto:170000,unknown,0,0,0,'
	expect_text ',18,1,1,1,4,2,0,26000,1,1,0,0,auto:167114,detours,1,0,0,'
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
	refused 6 './nowhere: no memory here: run memrc init in the project, or give --root DIR' --root ./nowhere src
	refused 2 "'a' is not one of 'session', 'project'" --by a src
	refused 65 'src/app.py: no transcript of claude, codex, gemini, opencode, pi, qwen: if it is one' src/app.py
	refused 65 '/dev/null: isn'"'"'t a file' /dev/null
	refused 74 'nowhere: No such file or directory: give the path of a transcript' nowhere
	mkfifo pipe
	refused 65 'pipe: isn'"'"'t a file' pipe
	: >empty.jsonl
	refused 65 'empty.jsonl: is empty: give the path of a transcript' empty.jsonl
	refused 65 'empty.jsonl: is empty' --csv --format codex empty.jsonl
	refused 2 '--json and --csv: give one of them' --json --csv "$SESSIONS"
}

@test "of those named, one that is no transcript doesn't hide the others: each is told, the worst gives the exit code" {
	: >empty.jsonl
	run --separate-stderr memrc measure --json src/app.py "$SESSIONS/pi.jsonl" empty.jsonl
	expect_status 65
	expect_equal 3141 "$("$JQ" -r .session <<<"$output")"
	expect_equal 2 "${#stderr_lines[@]}"
	expect_error 'memrc-measure: src/app.py: no transcript of'
	expect_error 'memrc-measure: empty.jsonl: is empty'
	run --separate-stderr memrc measure --json src/app.py nowhere "$SESSIONS/pi.jsonl"
	expect_status 74
	expect_equal 3141 "$("$JQ" -r .session <<<"$output")"
	expect_error 'memrc-measure: nowhere: No such file or directory'
}

@test "stdout that is closed early says nothing; one that is full is one line and 74" {
	local form
	for form in '--csv' '--json' '--by=project' '--by=session'; do
		run --separate-stderr bash -c 'exec > >(:); sleep 0.2; exec "$@"' - "$BIN/memrc" measure "$form" "$SESSIONS/pi.jsonl"
		expect_status 0
		expect_no_error
		[ ! -c /dev/full ] || {
			run --separate-stderr bash -c 'exec "$@" >/dev/full' - "$BIN/memrc" measure "$form" "$SESSIONS/pi.jsonl"
			expect_status 74
			expect_one_error_line
		}
	done
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
	# nothing of it there: an error where it was named, nothing to do in a directory
	refused 65 'pi.jsonl: nothing of codex in it: leave --format out, or give another' --format codex "$SESSIONS/pi.jsonl"
	run --separate-stderr memrc measure --json --format codex "$SESSIONS"
	expect_status 0
	expect_equal 'codex' "$("$JQ" -r .format <<<"$output" | sort -u)"
	expect_equal 2 "${#lines[@]}"
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
	expect_one_error_line
	expect_error "memrc-measure: many/a.jsonl.zst: the rest couldn't be read: "
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
	printf '{"type":"session","id":"a\\u001b[2J\\u202eb","cwd":"/"}\n' >b.jsonl
	run --separate-stderr memrc measure --csv ./*.jsonl
	expect_status 0
	expect_text 'a [2J b'
	[[ $output != *$'\e'* && $output != *$'\u202e'* ]]
	rm b.jsonl
	run --separate-stderr memrc measure --json ./*.jsonl
	expect_status 0
	python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$output"
}

# step KIND ID NAME - a tool call of pi that goes well: a command, or an edit of a file
step() {
	local given=path
	[ "$1" != bash ] || given='command'
	printf '{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c-%s","name":"%s","arguments":{"%s":"%s"}}]}}\n' "$2" "$1" "$given" "$3"
	printf '{"type":"message","message":{"role":"toolResult","toolCallId":"c-%s","isError":false,"content":[]}}\n' "$2"
}

# session DIRECTORY - of pi: an edit, a compaction, a command and a reading elsewhere, and the way back
session() {
	printf '{"type":"session","id":"%s","cwd":"/src/%s"}\n' "$1" "$1"
	step edit 1 app.py
	printf '{"type":"compaction","summary":"","tokensBefore":9}\n'
	step read 2 app.py
	step bash 3 'git log'
	step bash 4 'pytest app.py'
	printf '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}\n'
}

@test "how work went on after a compaction: the first action, and the tool calls until the task was touched" {
	session one >one.jsonl
	run --separate-stderr memrc measure one.jsonl
	expect_status 0
	expect_line '    first acting step elsewhere, back at the task with tool call 3'
	run --separate-stderr memrc measure --json one.jsonl
	expect_equal '[{"line":7,"right":false,"prompted":false,"latency":3},3,"done"]' \
		"$("$JQ" -c '[.compactions[0].resumed, .compactions[0].calls, .outcome]' <<<"$output")"
}

@test "--by project: a line, an object or values for each directory that sessions began in" {
	session one >one.jsonl
	session two >two.jsonl
	sed 's/"id":"two"/"id":"three"/' two.jsonl >three.jsonl
	run --separate-stderr memrc measure --by project ./*.jsonl
	expect_status 0
	expect_equal 3 "${#lines[@]}"
	expect_line '/src/two         2          0        0      8       0        0        0          2        0        0'
	run --separate-stderr memrc measure --by project --json .
	expect_equal '["/src/one",1,4,1,0,3,{"done":1,"detours":0,"failed":0,"unknown":0},1]
["/src/two",2,8,2,0,3,{"done":2,"detours":0,"failed":0,"unknown":0},2]' \
		"$("$JQ" -c '[.project, .sessions, .calls, .resumed, .first_right, .latency, .outcomes, .threshold.compactions]' <<<"$output")"
	run --separate-stderr memrc measure --by project --csv .
	expect_line 'project,sessions,subagents,first,last,prompts,calls,errors,repeats,rereads,compactions,fullest,skipped,done,detours,failed,unknown,interrupted,resumed,first_right,latency,watched,violations'
	expect_line '/src/two,2,0,,,0,8,0,0,0,2,0,0,2,0,0,0,0,2,0,3,0,0'
}

@test "a session with many compactions shows 20 of them" {
	{
		session one
		for _ in {1..29}; do printf '{"type":"compaction","summary":"","tokensBefore":9}\n'; done
	} >one.jsonl
	run --separate-stderr memrc measure one.jsonl
	expect_status 0
	expect_line '  … 10 more: --json'
	expect_equal 20 "$(grep -c 'compacted at line' <<<"$output")"
	run --separate-stderr memrc measure --json one.jsonl
	expect_equal '[30,30,0]' "$("$JQ" -c '[.compacted, (.compactions | length), .unlisted]' <<<"$output")"
}

@test "ten compactions that nobody asked for, and it says what they tell of the threshold" {
	local number
	for number in {1..10}; do session "s$number" | sed 's/"tokensBefore":9/"tokensBefore":150000/' >"$number.jsonl"; done
	run --separate-stderr memrc measure .
	expect_status 0
	expect_order 'When to compact: 10 compactions that nobody asked for had 150,000 tokens before (medians).' \
		'  Done again in vain, per 100 tool calls: 0.0 (0 in 30) across a compaction, 0.0 (0 in 40) without one between.' \
		'  All came about equally full, so nothing here says whether earlier is better: let it compact earlier for a while (memrc install claude --compact-at 70), and measure again.'
}

@test "what is against a constraint: by the memory of the session's own directory, or that of --root" {
	local against
	memrc init
	against=$(memrc constrain 'never rewrite app.py' --deny-edit app.py --deny-command '^git (log|push)')
	printf -- '- odd {deny-command: (}\n- old {retired: 2026-11-30 x; deny-command: pytest}\n' >>"$ROOT/state/constraints.md"
	# one session of this project, one of a directory that is nowhere
	session here | sed "s|/src/here|$PROJECT/src|; s|/src/app.py|$PROJECT/src/app.py|" >here.jsonl
	session there >there.jsonl
	run --separate-stderr memrc measure here.jsonl there.jsonl
	expect_status 0
	expect_order "  against $against: 2 actions, the first at line 2" \
		'Against constraints: 2 actions, in the 1 session whose project has deny rules.'
	expect_one_error_line
	expect_error 'deny-command (: grep -E can'
	expect_equal '["here",2,[[2,"deny-edit"],[7,"deny-command"]],[1]]
["there",0,[],[0]]' "$(memrc measure --json here.jsonl there.jsonl 2>/dev/null |
		"$JQ" -c '[.session, .rules, [.violations[] | [.line, .rule]], [.compactions[].violations]]')"
	cd /
	expect_equal 2 "$(memrc measure --json --root "$PROJECT" "$PROJECT/there.jsonl" 2>/dev/null | "$JQ" '.violations | length')"
	expect_equal 2 "$(memrc measure --csv --by project "$PROJECT/here.jsonl" 2>/dev/null | tail -n 1 | sed 's/.*,//')"
}

@test "a project that nobody gets into, or whose constraints can't be read, costs no other session its figures" {
	skip_as_root
	memrc init
	memrc constrain a --deny-edit app.py
	mkdir closed
	session closed | sed "s|/src/closed|$PROJECT/closed|" >closed.jsonl
	session here | sed "s|/src/here|$PROJECT/src|" >here.jsonl
	chmod 0 closed "$ROOT/state/constraints.md"
	run --separate-stderr memrc measure --json closed.jsonl here.jsonl
	chmod 700 closed "$ROOT/state/constraints.md"
	expect_status 0
	expect_equal '[0,0]' "$("$JQ" -s -c 'map(.rules)' <<<"$output")"
	expect_error "violations of its constraints aren't counted"
}

@test "--focus: how many decisions a task took, and the replay_decisions that covers 80%" {
	memrc init
	memrc task start one
	memrc decide A --because a
	memrc task start two
	memrc decide B --because b
	memrc decide C --because c
	run --separate-stderr memrc measure --focus
	expect_status 0
	expect_no_error
	expect_order 'decisions  tasks' \
		'        1      1' \
		'        2      1' \
		'3 decisions in 2 tasks, 1 in each (median).' \
		'replay_decisions=3 is all decisions of 100% of the tasks; 80% need 2.'
	cd /
	run --separate-stderr memrc measure --focus --json --root "$OLDPWD"
	expect_status 0
	expect_equal '[1,3,0,2,{"1":1,"2":1},1,2,3,true]' \
		"$("$JQ" -c '[.v, .decisions, .loose, .tasks, .spans, .median, .needed, .set, .covered == 100]' <<<"$output")"
}

@test "--focus needs a memory, and takes no transcripts" {
	refused 6 'no memory here: run memrc init in the project' --focus
	memrc init
	refused 2 '--focus: goes with --root and --json only' --focus --all
	refused 2 '--focus: goes with --root and --json only' --focus --csv
	refused 2 '--focus: goes with --root and --json only' --focus src
}
