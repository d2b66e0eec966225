#!/usr/bin/env bats
# archive: what leaves, what stays, again and again, killed, beside other writers and merged

load helper

setup() {
	need_python
	project_setup
}

# operations FROM TO - lines of an index
operations() {
	local n
	for ((n = $1; n <= $2; n++)); do
		printf '{"v":1,"id":"op-%03d","ts":"2026-11-30T01:00:00Z","type":"edit","summary":"number %d"}\n' "$n" "$n"
	done
}

# decision ID STATUS [REV] - a record, or with REV a patch of its status
decision() {
	if [[ -n ${3:-} ]]; then
		printf '{"v":1,"id":"d-%010x","rev":%d,"ts":"2026-11-30T01:00:00Z","status":"%s"}\n' "$1" "$3" "$2"
	else
		printf '{"v":1,"id":"d-%010x","rev":1,"ts":"2026-11-30T01:00:00Z","status":"%s","decision":"number %d"}\n' "$1" "$2" "$1"
	fi
}

# state - every file with its checksum and mode; the lock's text is whoever held it last
state() { snapshot "$ROOT" | grep -v '\.lock$'; }

@test "the index keeps its newest archive_keep operations, the archive gets the older ones in their order" {
	put config <<<'archive_keep = 3'
	operations 1 10 | put index.jsonl
	run --separate-stderr memrc archive
	expect_status 0
	expect_no_error
	expect_equal 'index.jsonl: 7 moved, 3 kept' "$output"
	operations 8 10 | cmp - "$ROOT/state/index.jsonl"
	operations 1 7 | cmp - "$ROOT/state/index.archive.jsonl"
	operations 11 12 >>"$ROOT/state/index.jsonl"
	run memrc archive
	expect_equal 'index.jsonl: 2 moved, 3 kept' "$output"
	operations 1 9 | cmp - "$ROOT/state/index.archive.jsonl"
}

@test "ten times is as once; nothing to move touches no file" {
	put config <<<'archive_keep = 3'
	operations 1 10 | put index.jsonl
	{ decision 1 ACTIVE && decision 2 ACTIVE && decision 1 SUPERSEDED 2; } | put decisions.jsonl
	memrc archive
	state >"$HOME/once"
	touch -d 2026-01-01 "$ROOT"/state/*.jsonl
	for _ in 1 2 3 4 5 6 7 8 9; do memrc archive >/dev/null; done
	state | cmp - "$HOME/once"
	[[ -z $(find "$ROOT/state" -name '*.jsonl' -newermt 2026-01-02 ! -path '*/.seal/*') ]]
}

@test "decisions and facts out of force leave with all their patches, the line stays that ended them; undecided ones stay" {
	{
		decision 1 ACTIVE && decision 2 ACTIVE && decision 3 INVALID && decision 4 ACTIVE && decision 5 ACTIVE
		decision 1 SUPERSEDED 2 && decision 4 INVALID 2 && decision 4 ACTIVE 3 && decision 5 SUPERSEDED 2 && decision 5 ACTIVE 2
	} | put decisions.jsonl
	printf '{"v":1,"id":"f-0000000001","status":"INVALID","claim":"a"}\n{"v":1,"id":"f-0000000002","claim":"b"}\n' | put facts.jsonl
	run --separate-stderr memrc archive
	expect_line 'decisions.jsonl: 2 moved, 8 kept'
	expect_line 'facts.jsonl: 1 moved, 1 kept'
	{ decision 1 ACTIVE && decision 3 INVALID && decision 1 SUPERSEDED 2; } | cmp - "$ROOT/state/decisions.archive.jsonl"
	{
		decision 2 ACTIVE && decision 4 ACTIVE && decision 5 ACTIVE
		decision 1 SUPERSEDED 2 && decision 4 INVALID 2 && decision 4 ACTIVE 3 && decision 5 SUPERSEDED 2 && decision 5 ACTIVE 2
	} | cmp - "$ROOT/state/decisions.jsonl"
	run memrc validate
	refute_text 'd-0000000001'
	refute_text 'is missing'
	run memrc recall d-0000000001
	expect_text 'decision SUPERSEDED'
	expect_text 'number 1'
	run memrc decisions --all
	expect_text 'number 1'
	run memrc decisions
	refute_text 'd-0000000001'
	expect_equal f-0000000001 "$(field facts.archive.jsonl .id)"
}

@test "what can't be read as a record stays where it is, to the byte" {
	put config <<<'archive_keep = 1'
	{ operations 1 1 && printf '<<<<<<< HEAD\n\n[1]\n{"a":1} {}\n' && operations 2 2 && printf '{"v":1,"id":"op-0'; } | put index.jsonl
	memrc archive
	{ printf '<<<<<<< HEAD\n\n[1]\n{"a":1} {}\n' && operations 2 2 && printf '{"v":1,"id":"op-0'; } | cmp - "$ROOT/state/index.jsonl"
	operations 1 1 | cmp - "$ROOT/state/index.archive.jsonl"
}

@test "lines that stand in the archive already are not added again; a half line there is completed" {
	put config <<<'archive_keep = 2'
	operations 1 10 | put index.jsonl
	{ operations 1 4 && operations 5 5 | head -c 30; } | put index.archive.jsonl
	memrc archive
	operations 1 8 | cmp - "$ROOT/state/index.archive.jsonl"
	# one that isn't the beginning of any of ours is somebody's, and stays
	operations 9 14 | put index.jsonl
	printf 'a note' >>"$ROOT/state/index.archive.jsonl"
	memrc archive
	{ operations 1 8 && printf 'a note\n' && operations 9 12; } | cmp - "$ROOT/state/index.archive.jsonl"
}

@test "a dry run says the same and changes nothing" {
	put config <<<'archive_keep = 3'
	operations 1 10 | put index.jsonl
	state >"$HOME/before"
	run --separate-stderr memrc archive --dry-run
	expect_equal 'index.jsonl: 7 would move, 3 would stay' "$output"
	state | cmp - "$HOME/before"
}

@test "trails of tasks that have ended follow them, unless another lane still works on it" {
	put tasks/parked.progress.json <<<'{"task_id":"parked","status":"done"}'
	put tasks/parked.jsonl <<<'{"v":1,"id":"s-0000000001","type":"note"}'
	put lanes/a.json <<<'{"task_id":"shared","status":"dropped"}'
	put progress.json <<<'{"task_id":"shared","status":"open"}'
	put tasks/shared.jsonl <<<'{"v":1,"id":"s-0000000002","type":"note"}'
	put tasks/unknown.jsonl <<<'{"v":1,"id":"s-0000000003","type":"note"}'
	run memrc archive
	expect_equal 'tasks/parked.jsonl: 1 moved, 0 kept' "$output"
	[[ -f $ROOT/state/tasks/archive/parked.jsonl && ! -e $ROOT/state/tasks/parked.jsonl ]]
	[[ -f $ROOT/state/tasks/shared.jsonl && -f $ROOT/state/tasks/unknown.jsonl ]]
}

# bats test_tags=once
@test "a merge with a branch that didn't archive: git's union loses and doubles nothing" {
	git init -q -b main "$HOME/merge" && cd "$HOME/merge" || return
	mkdir -p .memrc/state
	ROOT=$HOME/merge/.memrc
	printf '*.jsonl merge=union\n' >.gitattributes
	{ decision 1 ACTIVE && decision 2 ACTIVE && decision 3 ACTIVE && decision 1 SUPERSEDED 2; } | put decisions.jsonl
	git add . && git commit -q -m base
	git checkout -q -b other
	# the other branch writes on, and finds that the first was right after all
	{ decision 4 ACTIVE && decision 1 ACTIVE 3 && decision 2 INVALID 2; } >>"$ROOT/state/decisions.jsonl"
	git commit -q -a -m other
	git checkout -q main
	memrc archive >/dev/null
	decision 5 ACTIVE >>"$ROOT/state/decisions.jsonl"
	git add . && git commit -q -m archived
	git merge -q -m merge other
	memrc archive >/dev/null
	expect_equal 'd-0000000001 d-0000000003 d-0000000004 d-0000000005 ' "$(field decisions.jsonl 'select(.decision) | .id' | sort -u | tr '\n' ' ')"
	expect_equal 'number 1' "$("$JQ" -r 'select(.id == "d-0000000001") | .decision // empty' "$ROOT/state/decisions.jsonl")"
	expect_equal 2 "$(grep -c d-0000000002 "$ROOT/state/decisions.archive.jsonl")"
	expect_equal "$(sort "$ROOT/state/decisions.jsonl" | uniq -d)" ''
	expect_equal "$(sort "$ROOT/state/decisions.archive.jsonl" | uniq -d)" ''
	state >"$HOME/once"
	memrc archive >/dev/null
	state | cmp - "$HOME/once"
	cd "$PROJECT" || return
}

# bats test_tags=once
@test "what was taken back stays so in a merge with a branch that didn't archive, before the next archive, too" {
	local taken fact kept
	rm .git/info/exclude
	memrc init >/dev/null
	printf 'PORT = 5004\n' >app.py
	taken=$(memrc decide 'cache in Redis' --because fast)
	kept=$(memrc decide 'keys in a table' --because simple)
	fact=$(memrc fact 'the port is 5004' --check 'grep:app.py:PORT = 5004')
	git add -A && git commit -q -m base && git checkout -q -b other
	memrc decide 'another' --because x >/dev/null
	memrc confirm "$kept" --evidence 'read it' >/dev/null
	git commit -q -a -m other && git checkout -q -
	memrc retract "$taken" --because 'the user wants none' >/dev/null
	memrc retract "$kept" --because 'this neither' >/dev/null
	sed -i s/5004/3000/ app.py
	memrc supersede "$fact" --by 'the port is 3000' --check 'grep:app.py:PORT = 3000' >/dev/null
	memrc archive >/dev/null
	git add -A && git commit -q -m archived && git merge -q -m merge other
	grep -q 'cache in Redis' "$ROOT/state/decisions.jsonl"
	run rc --runlevel compact
	expect_status 0
	refute_text 'cache in Redis'
	refute_text 'the port is 5004'
	expect_text "$kept UNDECIDED (ACTIVE or INVALID: two branches disagree) keys in a table"
	run memrc recall "$taken"
	expect_text 'decision INVALID'
	memrc verify
}

@test "what archive moves is no conflict, wherever another hand's records stand; what that hand altered still is" {
	local old altered
	memrc decide first --because x >/dev/null
	old=$(memrc decide 'old way' --because x)
	memrc decide second --because x >/dev/null
	# as a pull does: records of somebody else before, between and behind ours
	sed -i -e "1i $(decision 1 ACTIVE)" -e "2i $(decision 2 ACTIVE)" -e "\$a $(decision 3 ACTIVE)" "$ROOT/state/decisions.jsonl"
	memrc retract "$old" --because 'the user said no' >/dev/null
	run memrc archive
	expect_equal 'decisions.jsonl: 1 moved, 6 kept' "$output"
	run memrc rc --runlevel compact
	expect_status 0
	expect_text '[CHANGED]'
	run memrc seal
	expect_equal "$(printf 'decisions.jsonl: added\t%s\n' "$(decision 1 ACTIVE)" "$(decision 2 ACTIVE)" "$(decision 3 ACTIVE)")" "$output"
	altered=$(grep second "$ROOT/state/decisions.jsonl")
	sed -i 's/second/another/' "$ROOT/state/decisions.jsonl"
	memrc retract "$(memrc decide third --because x)" --because y >/dev/null
	memrc archive >/dev/null
	run memrc rc --runlevel compact
	expect_status 3
	expect_text '[CONFLICT] 1:'
	expect_line "    was: $altered"
	expect_line "    now: ${altered/second/another}"
	# a record that is gone isn't said to have become one that is new
	sed -i "/another/c $(decision 4 ACTIVE)" "$ROOT/state/decisions.jsonl"
	run memrc rc --runlevel compact
	expect_line "    was: $altered"
	expect_line '    now: (gone)'
	expect_line "  decisions.jsonl: new: $(decision 4 ACTIVE)"
}

@test "the lock: busy is 75 and says who; flock(1) waits for us, and we for it" {
	operations 1 3 | put index.jsonl
	exec 8>"$ROOT/state/.lock"
	flock 8
	run --separate-stderr memrc archive --wait 0.2
	expect_status 75
	expect_one_error_line
	expect_error 'another program for more than 0.2 s'
	printf '%s memrc-decide\n' "$$" >&8
	run --separate-stderr memrc archive --wait 0
	expect_error "memrc-decide (process $$)"
	flock -u 8
	run memrc archive --wait 0
	expect_status 0
}

# bats test_tags=once
@test "two at once, and writers beside them: every record is there once" {
	local n
	put config <<<'archive_keep = 5'
	operations 1 200 | put index.jsonl
	for ((n = 1; n <= 40; n++)); do decision "$n" SUPERSEDED; done | put decisions.jsonl
	memrc archive >/dev/null 3>&- &
	local first=$!
	memrc archive >/dev/null 3>&- &
	local second=$!
	for n in 1 2 3 4 5; do memrc decide "beside $n" --because x >/dev/null; done
	wait "$first" "$second"
	expect_equal 200 "$(cat "$ROOT"/state/index*.jsonl | sort -u | wc -l)"
	expect_equal 200 "$(cat "$ROOT"/state/index*.jsonl | wc -l)"
	expect_equal 40 "$(wc -l <"$ROOT/state/decisions.archive.jsonl")"
	expect_equal 5 "$(wc -l <"$ROOT/state/decisions.jsonl")"
}

# bats test_tags=slow
@test "killed 50 times at random moments, and until it was three times in the act: run again it completes, nothing lost, doubled or left over" {
	local n turn caught=0
	put config <<<'archive_keep = 10'
	operations 1 2000 >"$HOME/index.jsonl"
	for ((n = 1; n <= 300; n++)); do decision "$n" ACTIVE && { ((n % 10 == 0)) || decision "$n" INVALID 2; }; done >"$HOME/decisions.jsonl"
	cat "$HOME"/*.jsonl | sort >"$HOME/all"
	for ((turn = 1; turn <= 50 || caught < 3; turn++)); do
		[[ $turn -le 500 ]] || _unexpected "caught in the act $caught times of 500"
		rm -f "$ROOT"/state/*.jsonl
		cp "$HOME"/*.jsonl "$ROOT/state/"
		setsid "$BIN/memrc" archive >/dev/null 2>&1 3>&- &
		# most of its time is Python's start: half of the kills wait until it writes
		if ((turn % 2)); then
			for ((n = 0; n < 3000; n++)); do
				compgen -G "$ROOT/state/.*.tmp*" >/dev/null && break
				kill -0 $! 2>/dev/null || break
			done
			sleep "0.0$(printf %02d $((RANDOM % 40)))"
		else
			sleep "0.$(printf %03d $((RANDOM % 350)))"
		fi
		kill -9 -- -$! 2>/dev/null || :
		wait $! 2>/dev/null || :
		[[ -z $(find "$ROOT" -name '.*.tmp*') ]] || caught=$((caught + 1))
		cat "$ROOT"/state/*.jsonl | sort -u | grep -v '^{"v":1,"id":"[^"]*$' >"$HOME/between" || :
		[[ -z $(comm -23 "$HOME/all" "$HOME/between") ]]
		memrc archive >/dev/null
		cat "$ROOT"/state/*.jsonl | sort -u | cmp - "$HOME/all"
		cat "$ROOT"/state/*.archive.jsonl | sort | uniq -d | cmp - /dev/null
		expect_equal 10 "$(wc -l <"$ROOT/state/index.jsonl")"
		# those in force, and of the newest the line that ended them
		expect_equal 130 "$(wc -l <"$ROOT/state/decisions.jsonl")"
		[[ -z $(find "$ROOT" -name '.*.tmp*') ]]
	done
}

@test "no root, wrong options, a full disk, a link for a file: the documented exit, one line, nothing changed" {
	run --separate-stderr memrc archive --root /nowhere
	expect_status 6
	expect_one_error_line
	for arguments in --nonsense '--wait x' '--wait -1' extra --root; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc archive $arguments
		expect_status 2
		expect_one_error_line
		expect_no_output
	done
	operations 1 400 | put index.jsonl
	state >"$HOME/before"
	run --separate-stderr bash -c "ulimit -f 10; '$BIN/memrc' archive"
	expect_status 74
	expect_one_error_line
	state | cmp - "$HOME/before"
	mv "$ROOT/state/index.jsonl" "$ROOT/elsewhere"
	ln -s ../elsewhere "$ROOT/state/index.jsonl"
	run --separate-stderr memrc archive
	expect_status 74
	expect_one_error_line
	expect_equal 400 "$(wc -l <"$ROOT/elsewhere")"
}

@test "no Python, or one without the packages: 69 and what to do; the project's own modules are never loaded" {
	MEMRC_PYTHON=/nowhere/python run --separate-stderr memrc archive
	expect_status 69
	expect_one_error_line
	"$HERE/.venv/bin/python" -m venv --without-pip "$HOME/bare"
	MEMRC_PYTHON=$HOME/bare/bin/python run --separate-stderr memrc archive
	expect_status 69
	expect_one_error_line
	expect_error 'make tools'
	printf 'open("imported", "w")\n' >click.py
	run memrc archive
	expect_status 0
	[[ ! -e imported ]]
}

@test "the same through a project path, from elsewhere, with a clean environment" {
	operations 1 120 | put index.jsonl
	cd /
	run --separate-stderr env -i "PATH=$PATH" "$BIN/memrc-archive" --root="$PROJECT"
	expect_status 0
	expect_equal 'index.jsonl: 20 moved, 100 kept' "$output"
}
