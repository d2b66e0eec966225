#!/usr/bin/env bats
# learn: what it proposes of past sessions, what is written and what never is

load helper

setup() {
	need_python
	project_setup
	# the sessions of the fixture, as if they had been here
	local place=$HOME/.claude/projects/-src
	mkdir -p "$place/5e55-old/subagents" "$HOME/.codex/sessions/2026/11/25"
	here learn/claude.jsonl "$place/5e55-old.jsonl"
	here learn/subagents/agent-a1.jsonl "$place/5e55-old/subagents/agent-a1.jsonl"
	here learn/codex.jsonl "$HOME/.codex/sessions/2026/11/25/rollout-1.jsonl"
	mkdir -p "$PROJECT/orders"
}

# here FIXTURE FILE - its sessions were begun in this project
here() {
	sed "s|/src/orders|$PROJECT|g" "$HERE/tests/fixtures/$1" >"$2"
}

@test "the list: kind by kind, the newest first, each with where it comes from" {
	local before
	before=$(snapshot "$ROOT")
	run --separate-stderr memrc learn
	expect_status 0
	expect_equal "rule       Never forge [CONSTRAINTS] in a message.
           from session 5e55-old of 2026-11-20, line 1
rule       Never run \$(git clean -fdx) or jq '.[] | input' in a hook.
           from session 5e55-old of 2026-11-20, line 1
rule       必须用 pnpm 安装依赖
           from session 5e55-old of 2026-11-20, line 1
rule       Don't change the public API of orders/api.py!
           from session 5e55-old of 2026-11-20, line 1
rule       Never touch the migrations
           from session 5e55-old of 2026-11-20, line 1
failure    terraform plan
           error: Error: no backend
           from session 0c0d-new of 2026-11-25, line 4
failure    cargo build
           error: error: no Cargo.toml
           from session 5e55-old of 2026-11-20, subagent a1, line 3
failure    psql postgres://app:[redacted:url-password]@db/orders -f keys.sql
           error: psql: error: connection to server failed: no route
           from session 5e55-old of 2026-11-20, line 22
failure    pip install psycopg2
           error: Error: pg_config executable not found.
           instead: pip install psycopg2-binary
           from session 5e55-old of 2026-11-20, line 4
decision   我们决定用表而不是队列
           because: 运维不要新服务
           from session 5e55-old of 2026-11-20, line 30
decision   keys live 24 hours
           from session 5e55-old of 2026-11-20, line 30
decision   I'll use a table of keys instead of Redis
           because: production opens no port
           from session 5e55-old of 2026-11-20, line 2
task       Write the test for two workers that retry at once.
           from session 0c0d-new of 2026-11-25, line 2
test       npm test
           from session 5e55-old of 2026-11-20, line 18
lint       npx eslint .
           from session 5e55-old of 2026-11-20, line 20" "$output"
	expect_equal 'memrc-learn: rules with what looks like a secret, left out: 1: memrc constrain --literal keeps one
memrc-learn: nothing was written: memrc learn --accept keeps all of it, on a terminal it asks for each' "$stderr"
	expect_equal "$before" "$(snapshot "$ROOT")"
}

@test "--accept: the writers keep it, and the restore shows it; again, there is nothing more to write" {
	local before
	run --separate-stderr memrc learn --accept
	expect_status 0
	expect_line 'learned-0c0d-new task: Write the test for two workers that retry at once.'
	expect_line 'test_command test: npm test'
	[[ ${#lines[@]} -gt 30 ]]
	expect_equal 'Never touch the migrations {source: user, session 5e55-old line 1}' "$(sed -n 's/^- \(Never touch.*\)/\1/p' "$ROOT/state/constraints.md")"
	expect_equal $'lint_command: npx eslint .\ntest_command: npm test' "$(cat "$ROOT/state/identity.md")"
	expect_equal 'production opens no port|Redis|said by the agent, session 5e55-old line 2' \
		"$(field decisions.jsonl 'select(.decision | startswith("I")) | "\(.reason)|\(.rejected[0].option)|\(.evidence)"')"
	# what failed and what was decided belongs to no task: it was written before there was one
	expect_equal true "$(field decisions.jsonl '.task_id == null' | sort -u)"
	expect_equal 'failed in session 5e55-old of 2026-11-20, line 4, and not seen to pass since|pip install psycopg2-binary' \
		"$(field tasks/unnamed.jsonl 'select(.action == "pip install psycopg2") | "\(.reason)|\(.instead)"')"
	run grep -r Hunter2 "$ROOT"
	expect_no_output
	run memrc validate
	expect_status 0
	run memrc rc
	expect_status 0
	expect_text 'Never touch the migrations'
	expect_text "Never run \$(git clean -fdx) or jq '.[] | input' in a hook."
	expect_text 'error: Error: pg_config executable not found.'
	expect_text 'test_command: npm test'
	expect_text 'Rejected: Redis.'
	before=$(snapshot "$ROOT")
	run --separate-stderr memrc learn --accept
	expect_status 0
	expect_no_output
	expect_error 'nothing to propose that isn'"'"'t in the memory already'
	expect_equal "$before" "$(snapshot "$ROOT")"
}

@test "what stands already isn't proposed: whoever wrote it, in force or not" {
	memrc constrain 'NEVER touch the migrations, said the user'
	memrc retire "$(memrc constrain "Don't change the public API of orders/api.py!")" --because x
	memrc fail 'terraform plan' --because 'no backend'
	memrc task start other
	memrc supersede "$(memrc decide 'keys live 24 hours' --because x)" --by 'keys live 48 hours' --because y
	put identity.md <<<'test_command: make test'
	run --separate-stderr memrc learn --dry-run
	expect_status 0
	refute_text migrations
	refute_text 'public API'
	refute_text terraform
	refute_text 'task  '
	refute_text '24 hours'
	refute_text 'npm test'
	expect_line 'lint       npx eslint .'
	[[ $stderr != *accept* ]]
}

@test "a task that was closed doesn't come back" {
	memrc learn --accept >/dev/null
	memrc task 'done'
	run --separate-stderr memrc learn
	expect_status 0
	expect_no_output
}

@test "--json: an object a proposal; with --accept its id too" {
	run --separate-stderr memrc learn --json
	expect_status 0
	expect_equal '{"v":1,"kind":"failure","text":"pip install psycopg2","session":"5e55-old","at":"2026-11-20T10:00:04.000Z","line":4,"error":"Error: pg_config executable not found.","instead":"pip install psycopg2-binary"}' \
		"$("$JQ" -c 'select(.text == "pip install psycopg2")' <<<"$output")"
	run --separate-stderr memrc learn --json --accept
	expect_status 0
	expect_equal test_command "$("$JQ" -r 'select(.kind == "test") | .id' <<<"$output")"
}

@test "other projects' sessions are theirs; a file that is named is meant" {
	local other=$BATS_TEST_TMPDIR/other
	mkdir -p "$other" "$PROJECT/vendor/lib/.git"
	sed "s|$PROJECT|$other|g" "$HOME/.claude/projects/-src/5e55-old.jsonl" >"$HOME/there.jsonl"
	rm -r "$HOME/.claude" "$HOME/.codex"
	mkdir -p "$HOME/.claude/projects/a"
	cp "$HOME/there.jsonl" "$HOME/.claude/projects/a/x.jsonl"
	sed "s|$other|$PROJECT/vendor/lib|g" "$HOME/there.jsonl" >"$HOME/.claude/projects/a/y.jsonl"
	sed "s|$other|$PROJECT-2|g" "$HOME/there.jsonl" >"$HOME/.claude/projects/a/z.jsonl"
	run --separate-stderr memrc learn
	expect_status 0
	expect_no_output
	expect_equal 'memrc-learn: no session of this project found: nothing to propose: give files or directories' "$stderr"
	run --separate-stderr memrc learn "$HOME/there.jsonl"
	expect_status 0
	expect_line 'rule       Never touch the migrations'
	# a linked worktree is the project, too
	git worktree add -q "$other-tree"
	sed "s|$other|$other-tree|g" "$HOME/there.jsonl" >"$HOME/.claude/projects/a/w.jsonl"
	run --separate-stderr memrc learn
	expect_line 'rule       Never touch the migrations'
}

@test "in a linked worktree the task that broke off goes into its own lane" {
	memrc task start main-task --title m >/dev/null
	git worktree add -q -b side "$HOME/side"
	cd "$HOME/side"
	run --separate-stderr memrc learn --accept
	expect_status 0
	expect_equal main-task "$(field progress.json .task_id)"
	expect_text 'learned-'
	[[ $(field lanes/side.json .task_id) == learned-* ]]
	# it is in hand now
	run --separate-stderr memrc learn
	expect_no_output
}

# asked ANSWER… - learn on a terminal, a line of answer for each question; EARLY is typed before the first is put, and
# MEANWHILE is a command that runs while it waits for its answer
asked() {
	"$HERE/.venv/bin/python" - "$BIN/memrc" "$@" <<'END'
import os, pty, subprocess, sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["memrc", "learn"])
os.write(terminal, os.environ.get("EARLY", "").encode())
meanwhile = os.environ.get("MEANWHILE")
answers, seen = sys.argv[2:], b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    if seen.endswith(b"[y/n/a/q] ") and answers:
        if meanwhile:
            subprocess.run(meanwhile, shell=True, check=True, stdout=subprocess.DEVNULL)
            meanwhile = ""
        os.write(terminal, answers.pop(0).encode() + b"\n")
sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 0)
END
}

@test "on a terminal each is a question: yes, no, not now, all of a kind, quit" {
	run asked y n '' x y n a y n q
	expect_status 0
	expect_text '1 of 15'
	# x is no answer, and is asked again; a took the four failures
	expect_text 'memrc-learn: 7 of 15 kept'
	expect_equal $'Never forge [CONSTRAINTS] in a message.\nDon'"'"'t change the public API of orders/api.py!' \
		"$(sed -n 's/^- \(.*\) {source.*/\1/p' "$ROOT/state/constraints.md")"
	expect_equal 4 "$(wc -l <"$ROOT/state/tasks/unnamed.jsonl")"
	expect_equal '我们决定用表而不是队列' "$(field decisions.jsonl .decision)"
	[[ ! -e $ROOT/state/identity.md ]]
	# what got a no isn't asked again, what was left open is
	run --separate-stderr memrc learn
	expect_status 0
	refute_text 'jq '
	refute_text 'migrations'
	refute_text '24 hours'
	expect_line 'rule       必须用 pnpm 安装依赖'
	expect_line 'test       npm test'
	[[ $(cat "$ROOT/state/.refused") != *migrations* ]]
	git -C "$PROJECT" check-ignore -q .memrc/state/.refused
}

@test "what was typed before a question is no answer, nor is a word that only begins like one" {
	EARLY=$'y\n' run asked 'yikes, no' q
	expect_status 0
	expect_text 'memrc-learn: 0 of 15 kept'
	run ! grep -q '{source' "$ROOT/state/constraints.md"
	run asked YES all q
	expect_status 0
	expect_text 'memrc-learn: 5 of 15 kept'
}

@test "what came into the memory during a review isn't written over" {
	MEANWHILE="'$BIN/memrc' task start mine && printf 'test_command: make mine\n' >'$ROOT/state/identity.md'" \
		run asked '' '' '' '' '' '' '' '' '' '' '' '' y y q
	expect_status 0
	expect_text 'memrc-learn: task not kept: the memory has it, or a task in hand, by now'
	expect_text 'memrc-learn: test not kept'
	expect_text 'memrc-learn: 0 of 15 kept'
	expect_equal mine "$(field progress.json .task_id)"
	expect_equal 'test_command: make mine' "$(cat "$ROOT/state/identity.md")"
}

@test "two at once: each proposal is kept once" {
	memrc learn --accept >one 2>&1 &
	memrc learn --accept >two 2>&1
	wait $!
	expect_equal 3 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal 4 "$(wc -l <"$ROOT/state/tasks/unnamed.jsonl")"
	expect_equal 5 "$(grep -c '{source' "$ROOT/state/constraints.md")"
	expect_equal 15 "$(cat one two | grep -cv '^ \|^memrc-learn')"
	git -C "$PROJECT" check-ignore -q .memrc/state/.learn.lock
}

@test "--accept with nowhere to say it: all is kept, and it says so" {
	[[ -c /dev/full ]] || skip 'needs /dev/full'
	run bash -c '"$1" learn --accept 2>&1 >/dev/full' - "$BIN/memrc"
	expect_status 74
	expect_text 'memrc-learn: standard output: No space left on device: 15 kept all the same'
	refute_text 'nothing was changed'
	run --separate-stderr memrc learn
	expect_status 0
	expect_no_output
}

@test "nothing there: it says what was looked at" {
	mkdir empty
	: >nothing.jsonl
	printf '%s\n' '{"type":"session","id":"s","cwd":"/src"}' '{"type":"message","message":{"role":"user","content":"hello there"}}' >hello.jsonl
	run --separate-stderr memrc learn empty
	expect_status 0
	expect_equal 'memrc-learn: no session in what was given: nothing to propose: give other files or directories' "$stderr"
	run --separate-stderr memrc learn hello.jsonl
	expect_status 0
	expect_equal 'memrc-learn: nothing to propose in 1 session' "$stderr"
	refused 65 'nothing.jsonl: is empty: give the path of a transcript' nothing.jsonl
}

@test "of several files, those that can't be used are named, and the others are read" {
	printf '%s\n' '{"type":"session","id":"s","cwd":"/src"}' '{"type":"message","message":{"role":"user","content":"Never use tabs in this project."}}' >rule.jsonl
	: >nothing.jsonl
	run --separate-stderr memrc learn nothing.jsonl src/app.py rule.jsonl --dry-run
	expect_status 1
	expect_text 'Never use tabs in this project.'
	expect_equal 2 "${#stderr_lines[@]}"
	expect_error 'nothing.jsonl: is empty'
	expect_error 'src/app.py: no transcript of'
	run --separate-stderr memrc learn {1..7}.jsonl
	expect_status 74
	expect_equal 6 "${#stderr_lines[@]}"
	expect_error "memrc-learn: 2 more can't be read"
}

@test "too many of a kind: the newest, and how many are left" {
	local n
	{
		sed -n 1p "$HOME/.codex/sessions/2026/11/25/rollout-1.jsonl"
		for n in {1..15}; do
			printf '{"timestamp":"2026-11-26T09:00:00.000Z","type":"event_msg","payload":{"type":"user_message","message":"Never open port %s."}}\n' "$n"
		done
	} >many.jsonl
	run --separate-stderr memrc learn many.jsonl
	expect_status 0
	expect_equal 'Never open port 15.' "$(sed -n '1s/rule *//p' <<<"$output")"
	expect_equal 12 "$(grep -c ^rule <<<"$output")"
	expect_error 'older ones left out: 3 more of rule: run it again after these'
}

@test "a text that a writer refuses is told, and the others are kept: exit 1" {
	printf '%s\n' '{"type":"session","id":"s","cwd":"/src"}' \
		'{"type":"message","message":{"role":"user","content":"Never use tabs. {retired: 2026-11-30 x}\nAlways run the tests before you commit."}}' >odd.jsonl
	run --separate-stderr memrc learn --accept odd.jsonl
	expect_status 0
	run --separate-stderr memrc rc
	expect_text 'Always run the tests before you commit.'
	printf '%s\n' '{"type":"session","id":"s","cwd":"/src"}' \
		'{"type":"message","message":{"role":"user","content":"Never use spaces for it {deny-edit: x}\nAlways run the linter before you commit."}}' >odd.jsonl
	run --separate-stderr memrc learn --accept odd.jsonl
	expect_status 1
	expect_text 'rule: Always run the linter before you commit.'
	expect_one_error_line
	expect_error 'memrc-learn: rule not kept: '
	# however many there are, they don't keep older ones out
	{
		printf '%s\n' '{"type":"session","id":"s","cwd":"/src"}'
		for n in {01..15}; do
			printf '{"type":"message","message":{"role":"user","content":"Never open door %s%s"}}\n' "$n" "$([[ $n == 0[1-3] ]] || printf ' {deny-edit: x}')"
		done
	} >odd.jsonl
	run --separate-stderr memrc learn --accept odd.jsonl
	expect_status 1
	expect_text 'rule: Never open door 03'
	expect_text 'rule: Never open door 01'
}

# refused CODE TEXT ARG… - it ends with CODE and one line that has TEXT
refused() {
	local code=$1 text=$2
	shift 2
	run --separate-stderr memrc learn "$@"
	expect_status "$code"
	expect_no_output
	expect_one_error_line
	expect_error "$text"
}

@test "usage, no memory, no transcript, locked: one line and its exit code" {
	refused 2 '--dry-run and --accept: give one of them' --dry-run --accept
	refused 2 'No such option' --all
	refused 65 'src/app.py: no transcript of' src/app.py
	refused 74 'nowhere: No such file or directory' nowhere
	mkdir "$HOME/elsewhere"
	refused 6 'no memory here: run memrc init' --root "$HOME/elsewhere"
	cd "$HOME/elsewhere"
	refused 6 'no memory here: run memrc init'
}

@test "a file whose beginning tells nothing: --format says what it is, and goes with a file" {
	sed '1s/^/no JSON\n/; s/"sessionId"/"id"/g' "$HOME/.claude/projects/-src/5e55-old.jsonl" >odd
	run --separate-stderr memrc learn odd
	expect_status 65
	expect_error 'odd: no transcript of '
	expect_error 'if it is one, say so with --format'
	run --separate-stderr memrc learn --dry-run --format claude odd
	expect_status 0
	expect_line 'rule       Never touch the migrations'
	run --separate-stderr memrc learn --format claude
	expect_status 2
	expect_one_error_line
	run --separate-stderr memrc learn --format x odd
	expect_status 2
	expect_error '--format x: no such format'
}
