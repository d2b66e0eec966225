#!/usr/bin/env bats
# replay: recorded sessions through the real hooks; what is counted, what is left behind, and that it can fall

load helper

SESSION=$HERE/tests/fixtures/replay/claude.jsonl

setup() {
	need_python
	project_setup
	# it needs no memory, and touches nobody's
	rm -rf "$ROOT" "$HOME/.local"
	export MEMRC_JQ=$JQ MEMRC_PYTHON=$HERE/.venv/bin/python
}

# kept ARM - what an arm kept at each compaction: commands, error lines, paths, prompts
kept() { "$JQ" -c ".$1 | [.commands, .errors, .paths, .prompts]" <<<"$output"; }

# code_with FILE TEXT - a copy of the code in ./code, in which the shell library FILE ends with TEXT
code_with() {
	mkdir code
	cp -R "$HERE/bin" "$HERE/init.d" "$HERE/pytools" code/
	printf '%s\n' "$2" >>"code/bin/lib/$1"
}

@test "a table: a line a compaction with what A, B, C and C without a limit kept, then the sums" {
	run --separate-stderr memrc replay "$SESSION"
	expect_status 0
	expect_no_error
	expect_text 'session      format  line  hooks  units  failed commands   error lines  edited files       prompts'
	[[ ${lines[1]} == '5e55-replay  claude    29     20  2,'*'     0 0 2 2 of 2  0 0 2 2 of 2  0 1 3 3 of 3  0 0 2 2 of 2' ]]
	[[ ${lines[2]} == '5e55-replay  claude    38     26  2,'*'     0 0 2 2 of 2  0 0 2 2 of 2  0 2 4 4 of 4  0 0 2 2 of 2' ]]
	expect_text '2 compactions '
	expect_line 'A: the history cut                                0 of 4, 0%    0 of 4, 0%    0 of 7, 0%    0 of 4, 0%'
	expect_line "B: the host's summary                             0 of 4, 0%    0 of 4, 0%   3 of 7, 42%    0 of 4, 0%"
	expect_line 'C: summary and restore, at most 8,000 units     4 of 4, 100%  4 of 4, 100%  7 of 7, 100%  4 of 4, 100%'
	expect_line 'C without a limit                               4 of 4, 100%  4 of 4, 100%  7 of 7, 100%  4 of 4, 100%'
	# nothing of the user's was touched, nothing is left
	[[ ! -e $ROOT && -z $(ls -A "$HOME") && -z $(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'memrc-replay-*' -newer "$PROJECT") ]]
}

@test "--json: an object a compaction, with nothing of what was said" {
	run --separate-stderr memrc replay --json "$SESSION"
	expect_status 0
	expect_equal $'["claude","5e55-replay",29,"2026-11-30T00:00:29.000Z",20,true,true,[]]\n["claude","5e55-replay",38,"2026-11-30T00:00:38.000Z",26,true,true,[]]' \
		"$("$JQ" -c '[.format, .session, .line, .at, .hooks, .units > 1000 and .units <= 8000, .units_unlimited >= .units, .faults]' <<<"$output")"
	expect_equal $'[[0,2],[0,2],[1,3],[0,2]]\n[[0,2],[0,2],[2,4],[0,2]]' "$(kept summary)"
	expect_equal $'[[2,2],[2,2],[3,3],[2,2]]\n[[2,2],[2,2],[4,4],[2,2]]' "$(kept restore)"
	refute_text pytest
}

@test "two runs give the same bytes, wherever they take place: in a project with a memory, too" {
	memrc replay --json "$SESSION" >"$BATS_TEST_TMPDIR/first"
	mkdir 'elsewhere, at a longer path'
	memrc init >/dev/null
	snapshot . >"$BATS_TEST_TMPDIR/before"
	CLAUDE_CODE_SESSION_ID=s MEMRC_SESSION=s MEMRC_ROOT=$ROOT TMPDIR="$PWD/elsewhere, at a longer path" memrc replay --json "$SESSION" |
		cmp "$BATS_TEST_TMPDIR/first" -
	snapshot . | cmp "$BATS_TEST_TMPDIR/before" -
}

@test "a session of each host" {
	run --separate-stderr memrc replay --json "$HERE/tests/fixtures/transcripts"
	expect_status 0
	expect_equal 'claude claude codex gemini opencode pi qwen' "$("$JQ" -r .format <<<"$output" | sort | tr '\n' ' ' | sed 's/ $//')"
	expect_equal 7 "${#lines[@]}"
	expect_equal '[true]' "$("$JQ" -sc 'map([.restore[] | .[0] == .[1]] | all) | unique' <<<"$output")"
}

@test "--keep leaves what the hooks wrote, and takes no directory with something in it" {
	run --separate-stderr memrc replay --keep kept "$SESSION"
	expect_status 0
	run cat kept/1/1/project/.memrc/logs/flight.jsonl
	# a line a prompt, a tool call and the start and end of a subagent, each at its own time
	expect_equal 21 "${#lines[@]}"
	expect_equal '2026-11-30T00:00:01Z prompt Make retries of create_order safe. Never touch the public API.' \
		"$("$JQ" -r '"\(.ts) \(.event) \(.text)"' <<<"${lines[0]}")"
	expect_equal 'subagent-start tool subagent-stop' "$("$JQ" -r 'select(.agent) | .event' <<<"$output" | tr '\n' ' ' | sed 's/ $//')"
	expect_equal '2026-11-30T00:00:35Z make deploy false 2' "$("$JQ" -r '"\(.ts) \(.command) \(.ok) \(.exit)"' <<<"${lines[-2]}")"
	run --separate-stderr memrc replay --keep kept "$SESSION"
	expect_status 2
	expect_error "memrc-replay: --keep kept: isn't empty: give a directory that isn't there yet"
}

@test "a recorder that loses failures shows: the score falls" {
	code_with flight.sh 'flight_add() { case $2 in *\"ok\":false*) ;; *) printf "%s\n" "$2" >>"$MEMRC_ROOT/logs/$1.jsonl" ;; esac; }'
	run --separate-stderr code/bin/memrc replay --json "$SESSION"
	expect_status 0
	expect_equal $'[[0,2],[0,2],[3,3],[2,2]]\n[[0,2],[0,2],[4,4],[2,2]]' "$(kept restore)"
}

@test "hooks that fail are named, and it ends with 1" {
	code_with flight.sh 'flight_add() { die 74 "no room"; }'
	run --separate-stderr code/bin/memrc replay --json "$SESSION"
	expect_status 1
	expect_error "line 29: memrc: no room: --keep DIR leaves the scratch root to look at"
	expect_equal $'[[0,2],[0,2],[1,3],[0,2]]\n[[0,2],[0,2],[2,4],[0,2]]' "$(kept restore)"
}

@test "within its limit a restore keeps less than without one" {
	code_with config.sh 'config_load() {
		CFG_max_chars=1500 CFG_recent_operations=20 CFG_replay_decisions=3 CFG_nudge_every=25 CFG_max_checks=1000
	}'
	run --separate-stderr code/bin/memrc replay --json "$SESSION"
	expect_status 0
	expect_equal '[true,true]' "$("$JQ" -sc 'map(.units <= 1500 and .restore.paths[0] < .restore.paths[1])' <<<"$output")"
	expect_equal $'[[2,2],[2,2],[3,3],[2,2]]\n[[2,2],[2,2],[4,4],[2,2]]' "$(kept unlimited)"
}

@test "ended by TERM or HUP it leaves nothing behind, and ends with the shell's code" {
	local n signal code
	export TMPDIR=$PWD/scratch
	mkdir scratch many
	# enough of them that it is at work when the signal comes
	for n in {10..40}; do sed "s/5e55/5e$n/g" "$SESSION" >"many/$n.jsonl"; done
	for signal in TERM:143 HUP:129; do
		code=0
		"$BIN/memrc" replay many >/dev/null 2>err 3>&- &
		wait_for compgen -G 'scratch/memrc-replay-*/1/project/.memrc/logs/flight.jsonl' >/dev/null
		kill -s "${signal%:*}" "$!"
		wait "$!" || code=$?
		expect_equal "${signal#*:}" "$code"
		expect_equal '' "$(cat err)"
		wait_for is_empty scratch
	done
}

@test "without a jq it says so itself" {
	MEMRC_JQ=$PWD/nowhere/jq run --separate-stderr memrc replay "$SESSION"
	expect_status 69
	expect_no_output
	expect_one_error_line
	expect_error "nowhere/jq doesn't run: without it hooks record nothing: install jq, or run make restore"
}

@test "no compaction, no transcript, nothing given: one line and its exit code" {
	head -n 5 "$SESSION" >short.jsonl
	run --separate-stderr memrc replay short.jsonl
	expect_status 1
	expect_no_output
	expect_one_error_line
	expect_error 'memrc-replay: no compaction of a session there: nothing to replay'
	run --separate-stderr memrc replay src/app.py
	expect_status 65
	expect_one_error_line
	run --separate-stderr memrc replay src/app.py "$SESSION"
	expect_status 1
	expect_one_error_line
	expect_text 'C: summary and restore'
	run --separate-stderr memrc replay
	expect_status 2
	expect_one_error_line
	expect_error "Missing argument 'FILE|DIR...': see memrc-replay --help"
	run --separate-stderr memrc replay --help
	expect_status 0
	expect_text 'Usage: memrc replay'
}
