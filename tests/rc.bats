#!/usr/bin/env bats
# rc: where it may be called from, the budget, parts that misbehave, options, and what it must leave alone
#
# Drop-ins of the user are the way to have a part misbehave: $PARTS holds them.

load helper

FIXTURES=$BATS_TEST_DIRNAME/fixtures

setup() {
	project_setup
	cp -R "$FIXTURES/memory/." "$ROOT/state"
	PARTS=$HOME/.config/memrc/init.d
	M=$BATS_TEST_TMPDIR/messages
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p "$PARTS" "$M" "$TMPDIR"
}

# dropin NAME - stdin is the program of a part of the user's
dropin() {
	cat >"$PARTS/$1"
	chmod +x "$PARTS/$1"
}

# judge FILE… - fails with what message.py finds wrong with a message; judge_output - with $output
judge() {
	local found
	found=$(python3 "$FIXTURES/message.py" "$@") || _unexpected "not a whole message: $found"
}

judge_output() {
	printf '%s\n' "$output" >"$M/output"
	judge "$M/output"
}

# home_copy DIR - a home of its own
home_copy() {
	mkdir -p "$1"
	cp -R "$BIN" "$HERE/init.d" "$1"
	[[ ! -d $HERE/.venv ]] || ln -s "$HERE/.venv" "$1/.venv"
}

# is_nothing_left MARK, expect_nothing_left MARK - no temporary directory, and no process that has MARK among its arguments
is_nothing_left() { is_empty "$TMPDIR" && ! is_running "$1"; }

expect_nothing_left() {
	[[ -z $(ls -A "$TMPDIR") ]] || _unexpected "left in TMPDIR: $(ls -A "$TMPDIR")"
	[[ -z $(pgrep -f -- "$1") ]] || _unexpected "left running: $(pgrep -fa -- "$1")"
}

milliseconds() { python3 -c 'import time; print(int(time.monotonic() * 1000))'; }

# --- where it may be called from ----------------------------------------------------------------------

# expect_memory PROJECT - rc's message, just run, is the memory of the project of that name
expect_memory() {
	expect_status 0
	expect_no_error
	judge_output
	expect_text "[SESSION RESTORE] $1 · "
	expect_text 'No Redis: production opens no extra port.'
}

@test "from the project, below it, and from / with --root" {
	local name='project with space é'
	run --separate-stderr rc
	expect_memory "$name"
	cd src
	run --separate-stderr rc
	expect_memory "$name"
	cd /
	run --separate-stderr rc --root "$PROJECT"
	expect_memory "$name"
	run --separate-stderr rc --root "$ROOT"
	expect_memory "$name"
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr rc --root 'project with space é'
	expect_memory "$name"
}

@test "rc through a link, a link to a link, a relative one, and one on PATH" {
	mkdir -p "$HOME/my bin" "$HOME/other"
	ln -s "$RC" "$HOME/my bin/restore"
	ln -s '../my bin/restore' "$HOME/other/again"
	run --separate-stderr "$HOME/my bin/restore"
	expect_memory 'project with space é'
	run --separate-stderr "$HOME/other/again"
	expect_memory 'project with space é'
	PATH="$HOME/my bin:$PATH"
	run --separate-stderr restore --runlevel compact
	expect_memory 'project with space é'
	cd "$HOME/other"
	run --separate-stderr ./again --root "$PROJECT"
	expect_memory 'project with space é'
}

@test "a clone that is the memory itself, in a path with a space and a letter" {
	local clone="$BATS_TEST_TMPDIR/my clone ü"
	home_copy "$clone"
	cp -R "$FIXTURES/memory" "$clone/state"
	cd /
	run --separate-stderr "$clone/init.d/rc"
	expect_status 6
	expect_no_output
	touch "$clone/state/.root"
	run --separate-stderr "$clone/init.d/rc"
	expect_memory 'my clone ü'
	# a project's own memory comes first
	cd "$PROJECT"
	run --separate-stderr "$clone/init.d/rc"
	expect_memory 'project with space é'
	cd "$clone/bin"
	run --separate-stderr ../init.d/rc
	expect_memory 'my clone ü'
}

@test "from a linked worktree, with its own lane" {
	git worktree add -q "$BATS_TEST_TMPDIR/the worktree ø" -b topic
	cd "$BATS_TEST_TMPDIR/the worktree ø"
	run --separate-stderr rc
	expect_memory 'the worktree ø'
	expect_text ' · topic@43235a7 · '
	refute_text '[CURRENT PROGRESS]'
	cp "$ROOT/state/lanes/s2.json" "$ROOT/state/lanes/$(memrc root | sed -n 's/^lane: //p').json"
	run --separate-stderr rc
	expect_memory 'the worktree ø'
	expect_text '[CURRENT PROGRESS] other-lane'
}

@test "from a submodule: its own memory, never the outer one's" {
	git init -q -b main "$BATS_TEST_TMPDIR/library"
	git -C "$BATS_TEST_TMPDIR/library" commit -q --allow-empty -m library
	git -c protocol.file.allow=always submodule add -q "$BATS_TEST_TMPDIR/library" lib
	cd lib
	run --separate-stderr rc
	expect_status 6
	expect_no_output
	mkdir .memrc
	cp -R "$FIXTURES/memory" .memrc/state
	run --separate-stderr rc
	expect_memory lib
}

@test "no root: 6, nothing on stdout, one line that says what to do" {
	cd "$HOME"
	for args in '' '--runlevel compact' stop --list '--only S20-constraints'; do
		# shellcheck disable=SC2086
		run --separate-stderr rc $args
		expect_status 6
		expect_no_output
		expect_one_error_line
		expect_error 'memrc init'
	done
}

# --- the budget ---------------------------------------------------------------------------------------

# full_memory - 30 constraints, 12 failures, a 20 KB document, 40 decisions, CJK and emoji
full_memory() {
	local i
	for i in $(seq 1 29); do printf -- '- constraint %02d: 不要修改 %d 号文件, never rename it 🚫\n' "$i" "$i"; done >"$ROOT/state/constraints.md"
	"$JQ" -nc 'range(1; 13) | {v: 1, id: "s-\(1000000000 + . * 1000000)", ts: "2026-11-2\(. % 10)", type: "failure", action: "attempt \(.): 尝试 👩‍💻 with another lock file",
		reason: "the other process holds it 🔒 and waits for the database to answer", error: "TimeoutError: attempt \(.)", instead: "ask first"}' >"$ROOT/state/tasks/idempotent-retry.jsonl"
	"$JQ" -nc 'range(1; 41) | {v: 1, id: "d-\(1000000000 + . * 1000000)", rev: 1, ts: "2026-11-01T00:00:\(10 + .)Z", status: "ACTIVE", decision: "decision \(.): 决定 🎯 of forty, in some words more than needed",
		reason: "it was measured", rejected: [{option: "the other way", reason: "slower"}], task_id: "idempotent-retry"}' >"$ROOT/state/decisions.jsonl"
	{
		printf 'inline\n# A long document\n'
		for i in $(seq 1 200); do printf 'line %03d of the document: 这是一个很长的文件 with words and 🎉 and more words to fill it, at least a hundred bytes\n' "$i"; done
	} >"$ROOT/state/documents/40_STYLE.md"
	[[ $(wc -c <"$ROOT/state/documents/40_STYLE.md") -gt 20000 ]]
}

@test "budget: 30 constraints, 12 failures, a 20 KB document, 40 decisions" {
	local i level
	full_memory
	for level in manual compact startup; do
		run --separate-stderr rc --runlevel "$level"
		[[ $status == [01] ]]
		expect_no_error
		judge_output
		[[ $(printf '%s\n' "$output" | units) -le 8000 ]]
		expect_line "[CONSTRAINTS] 30 in force, all of them, in the user's words"
		for i in $(seq 1 29); do expect_text "$(printf 'constraint %02d: 不要修改 %d 号文件, never rename it 🚫' "$i" "$i")"; done
		expect_text 'forbidden: force pushes'
		expect_text 'retries of create_order must not place two orders'
		expect_text 'next: 1. add the key check at the top of create_order'
		expect_text 'attempt 12: 尝试 👩‍💻 with another lock file'
		expect_text 'error: TimeoutError: attempt 12'
		refute_text 'attempt 4:' # of more than 8 the newest 8
	done
}

@test "budget: each cut says how much is hidden, and how to see it" {
	full_memory
	run --separate-stderr rc
	[[ $(printf '%s\n' "$output" | grep -c 'more hidden: ') -ge 2 ]]
	while IFS= read -r line; do
		[[ $line =~ ^\ \ \([0-9]+\ more\ hidden:\ (memrc\ recall\ --type\ [a-z]+|memrc\ rc\ [^\)]+|ls\ .memrc/state/documents|read\ .memrc/state/.*)\)$ ]] || _unexpected "a cut without a way to see it: $line"
	done < <(printf '%s\n' "$output" | grep 'more hidden')
	# the hidden ones are really so many: shown and hidden are what there is
	run --separate-stderr rc --only S45-decisions --max-chars 2000
	shown=$(printf '%s\n' "$output" | grep -c '^  d-')
	hidden=$(printf '%s\n' "$output" | sed -n 's/^  (\([0-9]*\) more hidden: .*/\1/p')
	[[ $hidden -gt 0 && $((shown + hidden)) == 40 ]]
	[[ $(printf '%s\n' "$output" | units) -le 2000 ]]
}

@test "budget: at every size never over, from first line to last, sections lost in order" {
	local max
	full_memory
	rc --max-chars 100000 >"$M/all" || [[ $? == 1 ]] # the document is more than a part may print
	for max in 1000 1300 2000 3000 4000 5000 7999 8000 12500 20000; do
		run --separate-stderr rc --max-chars "$max"
		[[ $status == [01] ]]
		judge_output
		[[ $(printf '%s\n' "$output" | units) -le $max ]] || _unexpected "more than $max units: $(printf '%s\n' "$output" | units)"
		# what costs less goes first
		[[ $output != *'[DOCUMENTS]'*'line 001'* || $output == *'attempt 12'* ]]
		[[ $output != *'attempt 12'* || $output == *'constraint 29'* ]]
	done
	[[ $(units <"$M/all") -gt 20000 ]]
}

@test "budget: max_chars of the config, and the option before it" {
	full_memory
	printf 'max_chars = 6000\n' >>"$ROOT/state/config"
	run --separate-stderr rc
	[[ $(printf '%s\n' "$output" | units) -le 6000 && $(printf '%s\n' "$output" | units) -gt 4500 ]]
	run --separate-stderr rc --max-chars 9000
	[[ $(printf '%s\n' "$output" | units) -gt 6000 ]]
}

@test "budget: any mixture of widths is counted as JavaScript counts it" {
	local i text
	for text in a $'\303\251' $'\347\225\214' $'\360\237\216\211' $'a\303\251\347\225\214\360\237\216\211'; do
		for i in $(seq 1 60); do printf '{"v":1,"id":"op-%03d","type":"t","summary":"%s"}\n' "$i" "$(printf "%0$((i * 2))d" 0 | sed "s/0/$text/g")"; done | put index.jsonl
		printf 'recent_operations = 60\n' | put config
		for max in 4500 5500; do
			run --separate-stderr rc --max-chars "$max"
			[[ $status == [01] ]] # 1: sixty lines of emoji are more than 16 KiB
			[[ $(printf '%s\n' "$output" | units) -le $max ]]
			# and used to the full: no line of an operation is 500 long
			[[ $(printf '%s\n' "$output" | units) -gt $((max - 500)) ]] || _unexpected "only $(printf '%s\n' "$output" | units) of $max"
		done
	done
}

@test "constraints over the cap: an order to read the file, and 1" {
	local i
	for i in $(seq 1 100); do printf -- '- constraint %03d is a text of about a hundred characters, so that a hundred of them are too many\n' "$i"; done >"$ROOT/state/constraints.md"
	run --separate-stderr rc
	expect_status 1
	judge_output
	expect_text '[CONSTRAINTS] 101 in force'
	expect_text ' more hidden: read .memrc/state/constraints.md whole before you act)'
	refute_text 'all of them'
	[[ $(printf '%s\n' "$output" | units) -le 8000 ]]
	shown=$(printf '%s\n' "$output" | grep -c '^  c-')
	hidden=$(printf '%s\n' "$output" | sed -n 's/^  (\([0-9]*\) more hidden: read .memrc\/state\/constraints.md.*/\1/p')
	[[ $((shown + hidden)) == 101 ]] || _unexpected "$shown shown and $hidden hidden are not 101"
	run --separate-stderr rc --soft
	expect_status 0
}

# --- parts that misbehave -----------------------------------------------------------------------------

# expect_the_rest - rc, just run, printed everything of its own parts
expect_the_rest() {
	[[ -z ${stderr:-} ]] || _unexpected 'stderr'
	printf '%s\n' "$output" >"$M/message"
	judge "$M/message" "$M/whole" 'SESSION RESTORE'
}

@test "a part that hangs is named, the rest is there within 2 s, and nothing is left" {
	local m before after try took
	m=$(mark)
	rc >"$M/whole"
	dropin S82-hangs <<<"#!/bin/sh
printf '[HANGS]\n'
sleep $m
printf 'never\n'"
	for try in 1 2 3 4 5 6; do # this machine may be busy with something else
		before=$(milliseconds)
		run --separate-stderr "$RC"
		after=$(milliseconds)
		took=$((after - before))
		[[ $took -ge 2000 || $(grep -c 'FAILED PART' <<<"$output") != 1 ]] || break
	done
	[[ $took -lt 2000 ]] || _unexpected "$took ms"
	expect_status 1
	expect_line '[FAILED PART] S82-hangs: not finished after 1.5 s; what it shows is missing here'
	expect_the_rest
	expect_nothing_left "sleep $m"
}

@test "somebody ends the sleep that the deadline hangs on: what hangs is shot all the same" {
	local m nap
	m=$(mark)
	dropin S82-hangs <<<"#!/bin/sh
: >'$M/begun'
sleep $m"
	nap=5.$((RANDOM + 10000))
	(wait_for test -e "$M/begun" && pkill -9 -xf "sleep $nap" && : >"$M/killed") 3>&- &
	run --separate-stderr rc --deadline "$nap"
	wait
	[[ -e $M/killed ]]
	expect_status 1
	expect_line "[FAILED PART] S82-hangs: not finished after $nap s; what it shows is missing here"
	expect_text '[END OF RESTORE]'
	expect_nothing_left "sleep $m"
	expect_nothing_left "sleep $nap"
}

@test "a jq that hangs: rc ends in time all the same, with the constraints, whether or not there are drop-ins" {
	local m before after
	m=$(mark)
	printf '#!/bin/sh\nexec sleep %s\n' "$m" >"$M/jq"
	chmod +x "$M/jq"
	for dropin in '' S02-early; do
		[[ -z $dropin ]] || dropin "$dropin" <<<"#!/bin/sh
printf '[EARLY] drop-in\n'"
		before=$(milliseconds)
		MEMRC_JQ=$M/jq run --separate-stderr rc --deadline 3
		after=$(milliseconds)
		[[ $((after - before)) -lt 12000 ]] || _unexpected "$((after - before)) ms"
		expect_status 3
		expect_text '[CONFLICT] the conflicts could not be read: not finished after 3 s'
		expect_text '[CONSTRAINTS]'
		expect_line '[FAILED PART] S30-progress: not finished after 3 s; what it shows is missing here'
		expect_nothing_left "sleep $m"
	done
}

@test "a part that ignores TERM, and whose child does too" {
	local m
	m=$(mark)
	rc >"$M/whole"
	dropin S82-deaf <<<"#!/bin/sh
trap '' TERM INT HUP
sh -c 'trap \"\" TERM INT HUP; sleep $m'
sleep $m"
	run --separate-stderr rc --deadline 3
	expect_status 1
	expect_text '[FAILED PART] S82-deaf: not finished after 3 s'
	expect_the_rest
	expect_nothing_left "sleep $m"
}

@test "a part that leaves children behind: they are gone, and o=\$(rc) doesn't wait for them" {
	local m before after
	m=$(mark)
	rc >"$M/whole"
	dropin S82-litters <<<"#!/bin/sh
printf '[LITTER] one line\n'
sleep $m &
(sleep $m &)
sh -c 'trap \"\" HUP TERM; sleep $m' >/dev/null 2>&1 </dev/null &"
	before=$(milliseconds)
	output=$(rc)
	after=$(milliseconds)
	[[ $((after - before)) -lt 15000 ]] || _unexpected "$((after - before)) ms: it waited for the watchdog"
	expect_line '[LITTER] one line'
	expect_the_rest
	expect_nothing_left "sleep $m"
}

@test "without such parts, o=\$(rc) returns at once" {
	local before after
	before=$(milliseconds)
	output=$(rc)
	after=$(milliseconds)
	expect_line '[END OF RESTORE]'
	[[ $((after - before)) -lt 15000 ]]
	expect_nothing_left "$TMPDIR"
}

@test "a part that floods 10 MB" {
	rc >"$M/whole"
	dropin S82-floods <<<'#!/bin/sh
printf "[FLOOD]\n"
i=0
while [ $i -lt 100000 ]; do
	printf "%s\n" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	i=$((i + 1))
done'
	run --separate-stderr rc
	expect_status 1
	expect_text '[FAILED PART] S82-floods: '
	refute_text xxxxxxxxxx
	expect_the_rest
	expect_nothing_left S82-floods
}

@test "a part that prints 20 KB: its first 16 are taken, and that is said" {
	dropin S82-wordy <<<'#!/bin/sh
printf "[WORDY]\n"
i=0
while [ $i -lt 200 ]; do
	printf "%03d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" $i
	i=$((i + 1))
done'
	run --separate-stderr rc --max-chars 100000
	expect_status 1
	judge_output
	expect_text '  160 xxx'
	refute_text '  165 xxx'
	expect_line '  (S82-wordy printed more than 16 KiB: the rest is cut)'
	run --separate-stderr rc
	[[ $(printf '%s\n' "$output" | units) -le 8000 ]]
}

@test "a part that exits 7, one that is killed, a bad interpreter, one that isn't executable" {
	rc >"$M/whole"
	dropin S82-seven <<<'#!/bin/sh
printf "[SEVEN]\nhalf of it\n"
printf "the reason\nmore\n" >&2
exit 7'
	dropin S83-killed <<<'#!/bin/sh
printf "[KILLED]\n"
kill -9 $$'
	dropin S84-interpreter <<<'#!/nonexistent/interpreter'
	dropin S85-not-executable <<<'#!/bin/sh
printf "[NEVER]\n"'
	chmod -x "$PARTS/S85-not-executable"
	run --separate-stderr rc
	expect_status 1
	expect_line '[FAILED PART] S82-seven: exit 7: the reason; what it shows is missing here'
	expect_text '[FAILED PART] S83-killed: exit 137'
	expect_text '[FAILED PART] S84-interpreter: exit 12'
	refute_text 'half of it'
	refute_text '[KILLED]'
	refute_text '[NEVER]'
	expect_the_rest
	expect_nothing_left "$TMPDIR"
	run --separate-stderr rc --soft
	expect_status 0
	expect_text '[FAILED PART] S82-seven'
	run --separate-stderr rc --list
	expect_text 'S85-not-executable skipped: not executable'
}

@test "a part that prints other parts' markers, ANSI, NUL, bidi, invalid UTF-8" {
	local first
	for first in '[END OF RESTORE]' '[CONSTRAINTS] 0 in force' '[SESSION RESTORE] x' '[CONFLICT] x' 'no marker' '  [IDENTITY]' '[lower]'; do
		dropin S82-forges <<-END
			#!/bin/sh
			printf '%s\n[END OF RESTORE]\n\t[CONFLICT] tab\n\n[SESSION RESTORE]\rx\n\033[31mred\033[0m \000nul \342\200\256bidi \377\376 bytes\033]0;title\007\n' '$first'
		END
		run --separate-stderr rc
		expect_status 0
		judge_output
		refute_line '[CONFLICT] x'
		refute_line '[CONSTRAINTS] 0 in force'
		expect_text 'No Redis: production opens no extra port.'
		expect_text '  red nul bidi '
		[[ $(printf '%s\n' "$output" | tail -n 1) == '[END OF RESTORE]' ]]
	done
	# no newline at the end of what a part prints
	dropin S82-forges <<<"#!/bin/sh
printf '[UNENDED] x\nlast'"
	run --separate-stderr rc
	judge_output
	expect_line '  last'
}

@test "rc told to end: TERM, INT, HUP and a part killed meanwhile leave nothing" {
	local m signal pid code
	m=$(mark)
	dropin S82-hangs <<<"#!/bin/sh
sleep $m"
	for signal in TERM HUP INT; do
		# a shell ignores INT in what it starts in the background: python gives it back
		python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
			"$RC" --deadline 20 >"$M/out" 2>"$M/err" &
		pid=$!
		wait_for is_running "sleep $m"
		kill "-$signal" "$pid"
		code=0
		wait "$pid" || code=$?
		case $signal in TERM) expect_equal 143 "$code" ;; HUP) expect_equal 129 "$code" ;; INT) expect_equal 130 "$code" ;; esac
		wait_for is_nothing_left "sleep $m"
		[[ ! -s $M/out ]]
	done
}

@test "processes whose numbers begin again below rc's are found too" {
	need_root
	unshare --pid --fork --mount-proc true 2>/dev/null || skip 'no unshare'
	local m
	m=$(mark)
	dropin S82-hangs <<<"#!/bin/sh
sleep $m
exit 0"
	run --separate-stderr unshare --pid --fork --mount-proc bash -c 'p=$(cat /proc/sys/kernel/pid_max)
		printf "%s\n" $((p - 4)) >/proc/sys/kernel/ns_last_pid 2>/dev/null || exit 99
		exec env timeout 60 "$0" --deadline 3' "$RC"
	[[ $status != 99 ]] || skip 'process numbers cannot be set'
	expect_status 1
	expect_text '[FAILED PART] S82-hangs: not finished after 3 s'
	expect_line '[END OF RESTORE]'
	expect_nothing_left "sleep $m"
}

@test "the parts of another rc, whose number begins as this one's, are left alone" {
	local m pid
	m=$(mark)
	dropin S82-other <<<"#!/bin/sh
MEMRC_RUN=\${MEMRC_RUN%.}9. sleep $m >/dev/null 2>&1 </dev/null &
printf '[OTHER] started\n'"
	run --separate-stderr rc
	expect_status 0
	expect_line '[OTHER] started'
	wait_for is_running "sleep $m"
	pid=$(pgrep -f -- "sleep $m")
	kill "$pid"
}

# --- a required part ----------------------------------------------------------------------------------

@test "constraints that fail: [CONFLICT] right behind the header, 3, the rest as it is" {
	local why
	rc >"$M/whole"
	for why in 'exit 1' 'exit 74' 'kill -9 $$' 'sleep 9'; do
		dropin S20-constraints <<<"#!/bin/sh
printf '[CONSTRAINTS] 1 in force\n  c-00000000 half of it\n'
printf 'disk error\n' >&2
$why"
		run --separate-stderr rc --deadline 3
		expect_status 3
		expect_no_error
		refute_text 'half of it'
		printf '%s\n' "$output" >"$M/message"
		judge "$M/message" "$M/whole" 'SESSION RESTORE' CONSTRAINTS
		[[ $output =~ ^\[SESSION\ RESTORE\][^$'\n']*($'\n'\ \ [^$'\n']*)*$'\n'\[CONFLICT\]\ the\ constraints\ could\ not\ be\ read:\ [^$'\n']*change\ nothing,\ ask\ the\ user ]] ||
			_unexpected 'no [CONFLICT] behind the header'
		[[ $why == sleep* ]] || expect_text 'disk error'
		run --separate-stderr rc --deadline 3 --soft
		expect_status 0
		expect_text '[CONFLICT] the constraints could not be read'
	done
}

@test "a part that finds a conflict: 3, and its text stays" {
	dropin S82-conflict <<<"#!/bin/sh
printf '[PORTS] one is wrong\n  5004 or 3000\n'
exit 76"
	dropin S83-malformed <<<"#!/bin/sh
exit 65"
	run --separate-stderr rc
	expect_status 3
	expect_line '  5004 or 3000'
	rm "$PARTS/S82-conflict"
	run --separate-stderr rc
	expect_status 1
}

@test "the header fails: the message still begins and ends as one" {
	dropin S00-header <<<"#!/bin/sh
exit 1"
	run --separate-stderr rc
	expect_status 1
	judge_output
}

# --- options and layers -------------------------------------------------------------------------------

@test "--list: every entry with run, masked or skipped and why" {
	ln -s /dev/null "$PARTS/S70-facts"
	dropin S30-progress <<<"#!/bin/sh
printf '[CURRENT PROGRESS] mine\n'"
	dropin S81-mine <<<"#!/bin/sh
printf '[MINE]\n'"
	dropin notes.txt <<<text
	dropin 'S84-Upper' <<<text
	dropin 'S84 blank' <<<text
	mkdir "$PARTS/S83-directory" "$ROOT/init.d"
	printf '#!/bin/sh\ntouch pwned\nprintf "[OF THE ROOT]\\n"\n' >"$ROOT/init.d/S86-of-the-root"
	cp "$ROOT/init.d/S86-of-the-root" "$ROOT/init.d/S20-constraints"
	chmod +x "$ROOT/init.d/"*
	run --separate-stderr rc --list
	expect_status 0
	expect_no_error
	expect_text "S10-identity     run  ($HERE/init.d/S10-identity)"
	expect_text "S30-progress     run  ($PARTS/S30-progress)"
	expect_text "S70-facts        masked  ($PARTS/S70-facts)"
	expect_text "S81-mine         run  ($PARTS/S81-mine)"
	expect_text 'S83-directory    skipped: not a file'
	expect_text 'S84-Upper        skipped: '
	expect_text 'S84 blank        skipped: '
	expect_text 'notes.txt        skipped: not named'
	expect_text "S86-of-the-root  skipped: code of this root, not allowed by you: memrc allow $ROOT/init.d/S86-of-the-root"
	for path in "$HERE"/init.d/S*; do expect_text "${path##*/}"; done
	run --separate-stderr rc
	expect_status 0
	judge_output
	expect_line '[CURRENT PROGRESS] mine'
	expect_line '[MINE]'
	refute_text '[FACTS]'
	refute_text '[OF THE ROOT]'
	expect_text 'No Redis: production opens no extra port.'
	[[ ! -e pwned && ! -e $ROOT/pwned ]]
	expect_order '[FACTS' '[MINE' || expect_order '[RECENT OPERATIONS' '[MINE'
	expect_order '[MINE]' '[PROTOCOL]'
}

@test "XDG_CONFIG_HOME is where the user's parts are, and a home without any is fine" {
	mkdir -p "$BATS_TEST_TMPDIR/xdg dir/memrc/init.d"
	PARTS="$BATS_TEST_TMPDIR/xdg dir/memrc/init.d"
	dropin S81-mine <<<"#!/bin/sh
printf '[MINE]\n'"
	run --separate-stderr rc
	refute_text '[MINE]'
	XDG_CONFIG_HOME="$BATS_TEST_TMPDIR/xdg dir" run --separate-stderr rc
	expect_line '[MINE]'
	expect_status 0
	unset HOME
	run --separate-stderr rc
	expect_status 0
	expect_no_error
	judge_output
}

@test "stop runs K parts, not S parts, and prints nothing" {
	dropin K50-mine <<<"#!/bin/sh
printf 'loud\n'
printf 'ran %s\n' \"\$MEMRC_RUNLEVEL\" >>'$M/k'"
	dropin S81-mine <<<"#!/bin/sh
touch '$M/s'"
	run --separate-stderr rc stop --runlevel compact
	expect_status 0
	expect_no_output
	expect_no_error
	expect_equal 'ran compact' "$(cat "$M/k")"
	[[ ! -e $M/s ]]
	rm "$M/k"
	run --separate-stderr rc
	[[ ! -e $M/k && -e $M/s ]]
	expect_nothing_left "$TMPDIR"
}

@test "usage errors: 2, nothing on stdout, one line" {
	local args
	while IFS= read -r args; do
		# shellcheck disable=SC2086
		run --separate-stderr rc $args
		expect_status 2
		expect_no_output
		expect_one_error_line
	done <<-'END'
		--nonsense
		restart
		--runlevel
		--runlevel boot
		--max-chars
		--max-chars many
		--max-chars -5
		--max-chars 8e3
		--deadline x
		--deadline 1.2.3
		--deadline .
		--only
		--only S77-nothing
		--root
	END
	MEMRC_RUNLEVEL=garbage run --separate-stderr rc
	expect_status 2
	expect_no_output
}

@test "--help is the header, with every option" {
	run --separate-stderr rc --help
	expect_status 0
	for option in start stop status --root --runlevel --session --host --max-chars --only --list --soft --deadline; do
		expect_text "$option"
	done
}

# --- what it leaves alone -----------------------------------------------------------------------------

@test "rc writes nothing in root, project and home" {
	local level
	snapshot "$BATS_TEST_TMPDIR" >/dev/null
	touch "$BATS_TEST_TMPDIR/before"
	snapshot "$PROJECT" >"$BATS_TEST_TMPDIR/files"
	snapshot "$HOME" >"$BATS_TEST_TMPDIR/home-files"
	sleep 0.02
	for level in startup resume clear compact subagent manual; do rc --runlevel "$level" --session s2 >/dev/null; done
	rc --list >/dev/null
	rc --only S45-decisions >/dev/null
	snapshot "$PROJECT" | cmp - "$BATS_TEST_TMPDIR/files"
	snapshot "$HOME" | cmp - "$BATS_TEST_TMPDIR/home-files"
	[[ -z $(find "$PROJECT" "$HOME" -newer "$BATS_TEST_TMPDIR/before") ]] || _unexpected "$(find "$PROJECT" "$HOME" -newer "$BATS_TEST_TMPDIR/before")"
	# rc stop notes that the books were closed, and nothing else
	rc stop
	rm "$ROOT/logs/events.jsonl"
	snapshot "$PROJECT" | cmp - "$BATS_TEST_TMPDIR/files"
	snapshot "$HOME" | cmp - "$BATS_TEST_TMPDIR/home-files"
	expect_nothing_left "$TMPDIR"
}

@test "on a memory and a home that can't be written" {
	skip_as_root
	chmod -R a-w "$PROJECT" "$HOME"
	run --separate-stderr rc
	chmod -R u+w "$PROJECT" "$HOME"
	expect_status 0
	judge_output
}

@test "the same bytes ten times, and whatever the locale, mask and environment" {
	local i
	rc >"$M/whole"
	for i in 1 2 3 4 5 6 7 8 9 10; do rc | cmp - "$M/whole"; done
	LC_ALL=en_US.UTF-8 LANG=en_US.UTF-8 rc | cmp - "$M/whole"
	LC_ALL=tr_TR.UTF-8 TZ=Asia/Tokyo rc | cmp - "$M/whole"
	(umask 077 && rc | cmp - "$M/whole")
	(umask 000 && rc | cmp - "$M/whole")
	(
		export CDPATH=/:/tmp GIT_DIR=/nonexistent GIT_WORK_TREE=/ GIT_INDEX_FILE=/x IFS=/.-x PS4=x POSIXLY_CORRECT=1 \
			GREP_OPTIONS=-v GREP_COLORS=x JQ_COLORS=1 TERM=xterm-256color COLUMNS=20 ENV=/nonexistent MEMRC_PROGRESS=/etc/passwd \
			MEMRC_PROJECT=/ MEMRC_COMMIT=fffffff MEMRC_BRANCH=x ROOT_LANE=x CFG_max_chars=100 nl=x text=x dir=x run=/x only=x code=9
		rc | cmp - "$M/whole"
	)
}

@test "MEMRC_RUN of somebody else's rc, in the environment, is not taken for its own" {
	rc >"$M/whole"
	MEMRC_RUN=/nonexistent rc | cmp - "$M/whole"
}

@test "closed standard input and standard error" {
	rc >"$M/whole"
	rc <&- | cmp - "$M/whole"
	rc 2>&- | cmp - "$M/whole"
	rc <&- 2>&- | cmp - "$M/whole"
	printf 'noise\n' | rc | cmp - "$M/whole"
}

@test "TMPDIR: with a space, through a link, and none there" {
	rc >"$M/whole"
	mkdir "$TMPDIR/with space é"
	TMPDIR="$TMPDIR/with space é" rc | cmp - "$M/whole"
	[[ -z $(ls -A "$TMPDIR/with space é") ]]
	TMPDIR=$BATS_TEST_TMPDIR/nowhere rc | cmp - "$M/whole"
	(unset TMPDIR && rc | cmp - "$M/whole")
}

@test "a directory with rc's next name in the way" {
	rc >"$M/whole"
	# the name can be guessed: somebody else's directory or link is never used
	run --separate-stderr bash -c 'ln -s "$1" "$TMPDIR/memrc.$$"; exec "$0"' "$RC" "$HOME"
	expect_status 0
	expect_no_error
	printf '%s\n' "$output" | cmp - "$M/whole"
	[[ -z $(find "$HOME" -type f ! -path '*/memrc/trust') ]]
	[[ $(find "$TMPDIR" -mindepth 1 | wc -l) == 1 ]]
}

@test "a reader that goes away" {
	run --separate-stderr bash -c 'set -o pipefail; "$0" | head -n 1' "$RC"
	expect_text '[SESSION RESTORE] '
	expect_nothing_left "$TMPDIR"
}

@test "two at once" {
	rc >"$M/whole"
	rc >"$M/a" &
	rc >"$M/b" &
	rc >"$M/c"
	wait
	cmp "$M/a" "$M/whole"
	cmp "$M/b" "$M/whole"
	cmp "$M/c" "$M/whole"
	expect_nothing_left "$TMPDIR"
}

@test "a part of home's own that never ends, without a program of its own: named, shot, the rest is there" {
	local home=$HOME/memrc
	mkdir -p "$home"
	cp -R "$HERE/bin" "$HERE/init.d" "$home/"
	printf '%s\n# loops\nprintf %s "$$" >%q\nwhile :; do :; done\n' "$(head -n 1 "$RC")" %s "$HOME/rc" >"$home/init.d/S25-background"
	MEMRC_JQ=$JQ run --separate-stderr "$home/init.d/rc" --deadline 3
	expect_status 1
	expect_text '[FAILED PART] S25-background: not finished after 3 s'
	expect_text '[END OF RESTORE]'
	[[ -s $HOME/rc ]]
	expect_equal '' "$(pgrep -f "$home/init.d/rc" || :)"
}

@test "with a full temporary directory the message is made elsewhere" {
	need_root
	mkdir "$BATS_TEST_TMPDIR/full"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/full" 2>/dev/null || skip 'no mount'
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/full/x" bs=4k 2>/dev/null || :
	rc >"$BATS_TEST_TMPDIR/usual"
	TMPDIR=$BATS_TEST_TMPDIR/full run --separate-stderr rc
	umount "$BATS_TEST_TMPDIR/full"
	# mksh, which keeps here-documents in that directory, complains
	expect_status 0
	expect_equal "$(<"$BATS_TEST_TMPDIR/usual")" "$output"
}

@test "a temporary directory with hardly any room: a whole message all the same" {
	need_root
	local size
	mkdir "$BATS_TEST_TMPDIR/small"
	for size in 72 128 256 300; do
		mount -t tmpfs -o size=${size}k none "$BATS_TEST_TMPDIR/small" 2>/dev/null || skip 'no mount'
		TMPDIR=$BATS_TEST_TMPDIR/small run --separate-stderr rc --soft
		umount "$BATS_TEST_TMPDIR/small"
		expect_status 0
		expect_line '[END OF RESTORE]'
	done
}

@test "a project that can't be entered: 74 and why, not that there is no memory" {
	skip_as_root
	mkdir "$HOME/closed"
	printf 'project=%s\n' "$HOME/closed" | put config
	mv "$ROOT" "$HOME/memory"
	chmod 0 "$HOME/closed"
	run --separate-stderr rc --root "$HOME/memory"
	chmod 700 "$HOME/closed"
	expect_status 74
	expect_one_error_line
	expect_error "$HOME/closed: can't be entered: check its permissions"
}
