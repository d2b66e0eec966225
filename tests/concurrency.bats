#!/usr/bin/env bats
# concurrency: writers beside each other, the one lock, by whatever takes it

load helper

setup() {
	project_setup
	# A session each, so that nothing is taken for a retry of another's.
	unset MEMRC_NOW
}

# a PATH on which the only locker is $1
only() {
	local tool dir=$HOME/only-$1
	mkdir -p "$dir"
	for tool in awk cat cksum cmp cp cut dash date dd git grep head mkdir mktemp mv od printf rm sed sh sleep sort sync tail tr wc sha256sum; do
		ln -sf "$(PATH=/usr/bin:/bin type -P "$tool")" "$dir/$tool"
	done
	ln -sf "$JQ" "$dir/jq"
	[[ $1 == none ]] || ln -sf "$(PATH=/usr/bin:/bin:$PATH type -P "$1")" "$dir/$1"
	printf '%s' "$dir"
}

# hold LOCKER - holds the lock by memrc's own way until $HOME/go is gone; $HOME/held says when
hold() {
	rm -f "$HOME/held"
	touch "$HOME/go"
	MEMRC_HOME=$HERE MEMRC_ROOT=$ROOT PATH=$(only "$1") sh -c '. "$1/lib/base.sh"; . "$1/lib/seal.sh"; . "$1/lib/lock.sh"; lock_take
		: >"$2/held"; while [ -e "$2/go" ]; do sleep 0.05; done' memrc-holder "$BIN" "$HOME" 3>&- &
	until [[ -e $HOME/held ]]; do sleep 0.02; done
}

release() {
	rm -f "$HOME/go"
	wait
}

python_filelock() {
	local python
	for python in "$HERE/.venv/bin/python" python3; do
		"$python" -c 'import filelock' 2>/dev/null && printf '%s' "$python" && return
	done
	return 1
}

# whole - every state file is whole: documents parse, lines too, but for a last one that is being written
whole() {
	local file
	for file in "$ROOT"/state/*.json "$ROOT"/state/lanes/*.json "$ROOT"/state/tasks/*.json "$ROOT"/logs/op-*.json; do
		[[ ! -e $file ]] || "$JQ" -es 'length == 1 and (.[0] | type == "object")' "$file" >/dev/null || { printf 'broken: %s\n' "$file" && return 1; }
	done
	for file in "$ROOT"/state/*.jsonl "$ROOT"/state/tasks/*.jsonl; do
		[[ ! -e $file ]] || "$JQ" -Rsne 'input | split("\n")[:-1] | all(.[]; [fromjson?] | length == 1)' "$file" >/dev/null || { printf 'broken: %s\n' "$file" && return 1; }
	done
}

# writers COUNT ROUNDS - each writes ROUNDS records of every kind, and notes `kind id` of what was acknowledged
writers() {
	local w
	for ((w = 1; w <= $1; w++)); do
		(
			export MEMRC_SESSION=w$w
			for ((r = 1; r <= $2; r++)); do
				for kind in decide fail fact step log checkpoint progress constrain; do
					case $kind in
					decide | fail) id=$(memrc $kind "$w $r" --because x --wait 60) ;;
					fact) id=$(memrc fact "$w $r" --evidence x --wait 60) ;;
					step) id=$(memrc step "$w $r" --wait 60) ;;
					log) id=$(memrc log --type t --target t --evidence - "$w $r" --wait 60 <<<"evidence $w $r") ;;
					checkpoint) id=$(memrc checkpoint "$w $r c" --evidence "$w $r" --wait 60) ;;
					progress) id=$(memrc progress --next "$w $r" --wait 60) ;;
					# parsing hundreds of constraints again and again is not what is tested
					constrain) [[ $((r % 5)) == 1 ]] || continue && id=$(memrc constrain "$w $r" --wait 60) ;;
					esac || printf 'failed: %s %s %s\n' $kind "$w" "$r" >>"$HOME/failed"
					printf '%s %s\n' $kind "$id" >>"$HOME/acks.$w"
				done
			done
		) 3>&- &
	done
}

# check_writers COUNT ROUNDS - what they acknowledged is there once, in each one's order
check_writers() {
	local w total=$(($1 * $2)) expected
	[[ ! -e $HOME/failed ]] || { cat "$HOME/failed" && return 1; }
	expect_equal "$total $total" "$(field decisions.jsonl .id | sort -u | wc -l) $(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal "$total $total" "$(field facts.jsonl .id | sort -u | wc -l) $(wc -l <"$ROOT/state/facts.jsonl")"
	expect_equal "$((total * 2))" "$(cat "$ROOT"/state/tasks/*.jsonl | "$JQ" -r .id | sort -u | wc -l)"
	expect_equal "$((total * 2)) $((total * 2))" "$(field index.jsonl .id | sort -u | wc -l) $(wc -l <"$ROOT/state/index.jsonl")"
	expect_equal "$((total * 2))" "$(find "$ROOT/logs" -name 'op-*.json' | wc -l)"
	expect_equal "$(($1 * (($2 + 4) / 5)))" "$(sort -u "$ROOT/state/constraints.md" | wc -l)"
	for ((w = 1; w <= $1; w++)); do
		expected=$(for ((r = 1; r <= $2; r++)); do printf '%s %s\n' "$w" "$r"; done)
		expect_equal "$expected" "$("$JQ" -r --arg s "w$w" 'select(.session == $s) | .decision' "$ROOT/state/decisions.jsonl")"
		expect_equal "$expected" "$("$JQ" -r --arg s "w$w" 'select(.session == $s and .type == "t") | .summary' "$ROOT/state/index.jsonl")"
		expect_equal "$expected" "$(cat "$ROOT"/state/tasks/*.jsonl | "$JQ" -r --arg s "w$w" 'select(.session == $s and .type == "failure") | .action')"
		expect_equal "$(awk '$2 % 5 == 1' <<<"$expected")" "$(sed -n "s/^- \($w .*\)/\1/p" "$ROOT/state/constraints.md")"
		# each acknowledged id is there; short as it is, a later one may begin the same
		while read -r kind id; do
			case $kind in
			decide) grep -q "\"id\":\"$id" "$ROOT/state/decisions.jsonl" || _unexpected "lost: $id" ;;
			log | checkpoint) expect_equal 1 "$(grep -c "\"id\":\"$id\"" "$ROOT/state/index.jsonl")" ;;
			esac
		done < <(awk 'NR % 40 < 8' "$HOME/acks.$w")
		# progress, wherever the session keeps it
		expect_equal "$2 $2" "$(cat "$ROOT/state/progress.json" "$ROOT"/state/lanes/*.json |
			"$JQ" -rs --arg w "$w " '[.[] | .next_steps[] | select(startswith($w))] as $n | [.[] | .completed[] | select(startswith($w))] as $c | "\($n | length) \($c | length)"')"
	done
	expect_equal '' "$(find "$ROOT" -name '.*.tmp*')"
}

beside() {
	writers "$1" "$2"
	while [[ -n $(jobs -rp) ]]; do
		whole || return
		sleep 0.2
	done
	wait
	check_writers "$1" "$2"
}

@test "4 writers, 3 records of every kind each: all there once, in order, readers see whole files" {
	beside 4 3
}

# bats test_tags=slow
@test "16 writers, 50 records of every kind each" {
	beside 16 50
}

@test "flock, perl and python exclude each other" {
	local holder taker
	for holder in flock perl python3; do
		hold $holder
		for taker in flock perl python3; do
			PATH=$(only $taker) run --separate-stderr memrc decide A --because x --wait 0
			expect_status 75
			expect_no_output
			expect_one_error_line
			expect_error 'held by'
		done
		release
		PATH=$(only $holder) run memrc decide "$holder" --because x --wait 0
		expect_status 0
	done
}

@test "a busy lock names its holder and is waited for" {
	hold flock
	run --separate-stderr memrc decide A --because x --wait 0.2
	expect_status 75
	expect_error 'memrc-holder (process '
	(sleep 0.5 && rm -f "$HOME/go") 3>&- &
	run memrc decide A --because x --wait 20
	expect_status 0
	wait
}

@test "without flock, perl and python: 75 and what to install; with one of them all is well" {
	PATH=$(only none) run --separate-stderr memrc decide A --because x
	expect_status 75
	expect_no_output
	expect_one_error_line
	expect_error install
	[[ ! -e $ROOT/state/decisions.jsonl ]]
}

@test "Python's filelock and memrc exclude each other, both ways" {
	local python locker
	python=$(python_filelock) || skip 'no filelock'
	for locker in flock perl python3; do
		hold $locker
		run "$python" -c 'import filelock, sys
try:
    filelock.FileLock(sys.argv[1], timeout=0.1).acquire()
except filelock.Timeout:
    sys.exit(75)' "$ROOT/state/.lock"
		expect_status 75
		release
		"$python" -c 'import filelock, os, sys, time
with filelock.FileLock(sys.argv[1]):
    open(sys.argv[2] + "/held", "w").close()
    while os.path.exists(sys.argv[2] + "/go"):
        time.sleep(0.02)' "$ROOT/state/.lock" "$HOME" 3>&- &
		rm -f "$HOME/held"
		touch "$HOME/go"
		until [[ -e $HOME/held ]]; do sleep 0.02; done
		PATH=$(only $locker) run --separate-stderr memrc decide A --because x --wait 0
		expect_status 75
		release
	done
}

@test "a lock file that is replaced while waiting is not the lock" {
	hold flock
	(sleep 0.3 && mv "$ROOT/state/.lock" "$ROOT/state/old" && flock "$ROOT/state/.lock" sh -c 'rm -f "$1/go"; sleep 0.7; date +%s%N >"$1/freed"; sleep 0.05' sh "$HOME") 3>&- &
	run memrc decide A --because x --wait 20
	expect_status 0
	wait
	[[ -e $HOME/freed ]]
	[[ $(find "$ROOT/state/decisions.jsonl" -newer "$HOME/freed") ]]
}

@test "a lock file that is a link or a directory is refused" {
	ln -s ../elsewhere "$ROOT/state/.lock"
	run --separate-stderr memrc decide A --because x
	expect_status 74
	expect_one_error_line
	[[ ! -e $ROOT/elsewhere ]]
	rm "$ROOT/state/.lock"
	mkdir "$ROOT/state/.lock"
	run --separate-stderr memrc decide A --because x
	expect_status 74
	expect_one_error_line
}

@test "2,000 records by 8 clones: no id twice" {
	# drawn as the writers draw them
	MEMRC_HOME=$HERE sh -c 'cd "$1"; . ./lib/base.sh; . ./lib/record.sh; i=0; while [ $i -lt 2000 ]; do record_id d; printf "%s\n" "$RECORD_ID"; i=$((i + 1)); done' \
		"$BIN/memrc-decide" "$BIN" >"$HOME/ids"
	expect_equal 2000 "$(sort -u "$HOME/ids" | wc -l)"
	expect_equal 0 "$(grep -vc '^d-[0-9a-f]\{10\}$' "$HOME/ids")"
}
