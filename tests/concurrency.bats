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
	wait_for test -e "$HOME/held"
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
			trap ': >"$HOME/ended.$w"' EXIT
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

# others - archive, validate --fix and a person's saves of the same files, again and again until $HOME/done
others() {
	put config <<<'archive_keep = 20'
	cat >"$HOME/editor" <<-'END'
		#!/bin/sh
		case $2 in
		*.md) printf -- '- by hand %s\n' "$1" ;;
		*) printf '{"v":1,"id":"e-eeee%06d","rev":1,"ts":"2026-11-30T12:00:00Z","status":"ACTIVE","decision":"by hand","claim":"by hand"}\n' "$1" ;;
		esac >>"$2"
	END
	chmod +x "$HOME/editor"
	again archive
	again validate --fix
	(
		for ((n = 1; ; n += 3)); do
			[[ ! -e $HOME/done ]] || exit 0
			save $n constraints.md
			save $((n + 1)) decisions.jsonl
			save $((n + 2)) facts.jsonl
		done
	) 3>&- &
}

# again COMMAND… - until $HOME/done; each time well
again() {
	(
		until [[ -e $HOME/done ]]; do
			memrc "$@" --wait 60 >"$HOME/out.$1" 2>&1 || printf 'failed: %s: %s\n' "$*" "$(<"$HOME/out.$1")" >>"$HOME/failed"
			printf '%s\n' "$1" >>"$HOME/rounds"
		done
	) 3>&- &
}

# save NUMBER FILE - a person adds a line; one that was refused since another was at the same place is no fault
save() {
	local code=0
	EDITOR="$HOME/editor $1" TMPDIR=$HOME memrc edit "$2" --wait 60 2>"$HOME/out.edit" || code=$?
	case $code in
	0) printf '%s %s\n' "$1" "$2" >>"$HOME/saves" ;;
	65) ;;
	*) printf 'failed: edit %s: %s\n' "$2" "$(<"$HOME/out.edit")" >>"$HOME/failed" ;;
	esac
}

# lines NAME - the records of a file and of its archive, in the order in which they were written
lines() {
	cat "$ROOT/state/$1.archive.jsonl" "$ROOT/state/$1.jsonl" 2>/dev/null
}

# check_writers COUNT ROUNDS - what they acknowledged is there once, in each one's order
check_writers() {
	local w total=$(($1 * $2)) expected
	[[ ! -e $HOME/failed ]] || { cat "$HOME/failed" && return 1; }
	lines index >"$HOME/index"
	expect_equal "$total $total" "$(field decisions.jsonl 'select(.decision != "by hand").id' | sort -u | wc -l) $(grep -vc 'by hand' "$ROOT/state/decisions.jsonl")"
	expect_equal "$total $total" "$(field facts.jsonl 'select(.claim != "by hand").id' | sort -u | wc -l) $(grep -vc 'by hand' "$ROOT/state/facts.jsonl")"
	expect_equal "$((total * 2))" "$(cat "$ROOT"/state/tasks/*.jsonl | "$JQ" -r .id | sort -u | wc -l)"
	expect_equal "$((total * 2)) $((total * 2))" "$("$JQ" -r .id "$HOME/index" | sort -u | wc -l) $(wc -l <"$HOME/index")"
	expect_equal "$((total * 2))" "$(find "$ROOT/logs" -name 'op-*.json' | wc -l)"
	expect_equal "$(($1 * (($2 + 4) / 5)))" "$(grep -v 'by hand' "$ROOT/state/constraints.md" | sort -u | wc -l)"
	for ((w = 1; w <= $1; w++)); do
		expected=$(for ((r = 1; r <= $2; r++)); do printf '%s %s\n' "$w" "$r"; done)
		expect_equal "$expected" "$("$JQ" -r --arg s "w$w" 'select(.session == $s) | .decision' "$ROOT/state/decisions.jsonl")"
		expect_equal "$expected" "$("$JQ" -r --arg s "w$w" 'select(.session == $s and .type == "t") | .summary' "$HOME/index")"
		expect_equal "$expected" "$(cat "$ROOT"/state/tasks/*.jsonl | "$JQ" -r --arg s "w$w" 'select(.session == $s and .type == "failure") | .action')"
		expect_equal "$(awk '$2 % 5 == 1' <<<"$expected")" "$(sed -n "s/^- \($w .*\)/\1/p" "$ROOT/state/constraints.md")"
		# each acknowledged id is there; short as it is, a later one may begin the same
		while read -r kind id; do
			case $kind in
			decide) grep -q "\"id\":\"$id" "$ROOT/state/decisions.jsonl" || _unexpected "lost: $id" ;;
			log | checkpoint) expect_equal 1 "$(grep -c "\"id\":\"$id\"" "$HOME/index")" ;;
			esac
		done < <(awk 'NR % 40 < 8' "$HOME/acks.$w")
		# progress, wherever the session keeps it
		expect_equal "$2 $2" "$(cat "$ROOT/state/progress.json" "$ROOT"/state/lanes/*.json |
			"$JQ" -rs --arg w "$w " '[.[] | .next_steps[] | select(startswith($w))] as $n | [.[] | .completed[] | select(startswith($w))] as $c | "\($n | length) \($c | length)"')"
	done
	expect_equal '' "$(find "$ROOT" -name '.*.tmp*')"
}

# check_others - what a person saved is there once; all of them came to their turn
check_others() {
	local number file text
	while read -r number file; do
		text="^- by hand $number\$"
		[[ $file == *.md ]] || text=$(printf '"e-eeee%06d"' "$number")
		expect_equal "$number 1" "$number $(grep -ce "$text" "$ROOT/state/$file")"
	done <"$HOME/saves"
	for text in archive validate; do grep -qx "$text" "$HOME/rounds"; done
	[[ -s $ROOT/state/index.archive.jsonl || $1 -lt 20 ]]
}

beside() {
	need_python
	others
	writers "$1" "$2"
	until [[ $(find "$HOME" -name 'ended.*' | wc -l) -eq $1 ]]; do
		whole || return
		sleep 0.2
	done
	: >"$HOME/done"
	wait
	check_writers "$1" "$2"
	check_others $(($1 * $2 * 2))
}

@test "4 writers, 3 records of every kind each, among archive, validate --fix and edit: all there once, in order" {
	beside 4 3
}

# bats test_tags=slow
@test "16 writers, 50 records of every kind each, among archive, validate --fix and edit" {
	beside 16 50
}

@test "a restore and validate beside a writer take nothing of its for another hand's" {
	local level
	need_python
	memrc constrain 'No Redis'
	(
		for ((n = 1; n <= 25; n++)); do
			memrc decide "number $n" --because x
			memrc fact "number $n" --evidence x
			memrc constrain "number $n"
		done >/dev/null
		: >"$HOME/ended"
	) 3>&- &
	until [[ -e $HOME/ended ]]; do
		for level in compact startup; do
			run --separate-stderr rc --runlevel "$level"
			expect_status 0
			refute_text '[CONFLICT]'
			refute_text '[CHANGED]'
			refute_text 'gone from constraints.md'
		done
		run memrc validate
		refute_text dropped
	done
	wait
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
		wait_for test -e "$HOME/held"
		PATH=$(only $locker) run --separate-stderr memrc decide A --because x --wait 0
		expect_status 75
		release
	done
}

@test "a lock file that is replaced while waiting is not the lock" {
	hold flock
	# the new one is held before it is in its place, else the writer might take it first
	(sleep 0.3 && flock "$ROOT/state/new" sh -c 'mv "$2/state/new" "$2/state/.lock"; rm -f "$1/go"; sleep 0.7; : >"$1/freed"; sleep 0.05' sh "$HOME" "$ROOT") 3>&- &
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

# bats test_tags=slow
@test "8 clones, 250 records each, merged: no id twice; what each prints is taken, an ambiguous one is refused" {
	local clone id
	for clone in 1 2 3 4 5 6 7 8; do
		cp -R "$PROJECT" "$HOME/clone $clone"
		(
			cd "$HOME/clone $clone"
			for ((n = 1; n <= 250; n++)); do memrc decide "$clone $n" --because x; done >"$HOME/printed.$clone"
		) 3>&- &
	done
	wait
	cat "$HOME"/clone*/.memrc/state/decisions.jsonl | put decisions.jsonl
	field decisions.jsonl .id >"$HOME/ids"
	expect_equal '2000 2000' "$(wc -l <"$HOME/ids") $(sort -u "$HOME/ids" | wc -l)"
	expect_equal 0 "$(grep -vc '^d-[0-9a-f]\{10\}$' "$HOME/ids")"
	cut -c1-6 "$HOME/ids" | sort | uniq -u | head -n 10 >"$HOME/unique"
	while read -r id; do
		run --separate-stderr memrc recall "$id"
		expect_status 0
		expect_text "$id decision UNVERIFIED"
	done <"$HOME/unique"
	# 2,000 of 65,536 prefixes: that none is there twice has a chance of one in ten to the thirteenth
	id=$(cut -c1-6 "$HOME/ids" | sort | uniq -d | head -n 1)
	run --separate-stderr memrc recall "$id"
	expect_status 65
	expect_no_output
	while read -r id; do expect_error "${id%?????}"; done < <(grep "^$id" "$HOME/ids")
}
