#!/usr/bin/env bats
# crash: killed at any moment, full disk, no permission

load helper

setup() {
	project_setup
	unset MEMRC_NOW
	export TMPDIR=$HOME
}

# parses FILE… - what is wrong with them, for whoever reads them while they are written
broken() {
	local file
	for file in "$ROOT"/state/*.json "$ROOT"/state/tasks/*.json "$ROOT"/state/tasks/archive/*.json "$ROOT"/logs/op-*.json; do
		[[ ! -e $file ]] || "$JQ" -es 'length == 1 and (.[0] | type == "object")' "$file" >/dev/null || printf '%s\n' "$file"
	done
	for file in "$ROOT"/state/*.jsonl "$ROOT"/state/tasks/*.jsonl; do
		[[ ! -e $file ]] || "$JQ" -Rsne 'input | split("\n")[:-1] | all(.[]; [fromjson?] | length == 1)' "$file" >/dev/null || printf '%s\n' "$file"
	done
	[[ ! -e $ROOT/state/constraints.md ]] || grep -v '^- k[0-9]* [^ ]*$' "$ROOT/state/constraints.md"
}

# one KIND N - a write; what it prints is what it acknowledges
one() {
	case $1 in
	decide | fail) memrc "$1" "k$2 $1" --because x ;;
	fact) memrc fact "k$2 fact" --evidence x ;;
	log) memrc log --type t --target t --evidence - "k$2 log" <<<"evidence $2" ;;
	checkpoint) memrc checkpoint "k$2 checkpoint" --evidence x ;;
	progress) memrc progress --next "k$2 progress" ;;
	constrain) memrc constrain "k$2 constrain" ;;
	task) memrc task start "t$(($2 % 3))" ;;
	esac
}

# kills COUNT - as many writers killed with their group, each at a random moment. One that was killed gives the next
# more time, one that had ended less: so there are some of both, however long a write takes here and now.
kills() {
	local i kind pid code moment span=100 killed=0 ended=0 kinds=(decide fail fact log checkpoint progress constrain task)
	export -f memrc one
	export BIN
	for ((i = 1; i <= $1; i++)); do
		kind=${kinds[i % 8]}
		setsid bash -c 'one "$1" "$2" >"$3" 2>/dev/null && mv "$3" "$3.done"' bash "$kind" "$i" "$HOME/ack.$i.$kind" 3>&- &
		pid=$!
		moment=$((RANDOM % span))
		sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
		kill -9 -- "-$pid" 2>/dev/null || :
		code=0
		{ wait "$pid" || code=$?; } 2>/dev/null
		case $code in
		0) ended=$((ended + 1)) span=$((span * 3 / 4 + 1)) ;;
		137) killed=$((killed + 1)) span=$((span * 3 / 2)) ;;
		*) _unexpected "$kind ended with $code" ;;
		esac
		expect_equal '' "$(broken)"
	done
	[[ $killed -ge 1 && $ended -ge 1 ]] || _unexpected "$killed killed, $ended ended: it proved nothing"
}

# acknowledged - each write that reported success has its text in its file, once
acknowledged() {
	local ack i kind file
	for ack in "$HOME"/ack.*.done; do
		kind=${ack%.done}
		kind=${kind##*.}
		i=${ack##*/ack.}
		i=${i%%.*}
		case $kind in
		decide) file=$ROOT/state/decisions.jsonl ;;
		fact) file=$ROOT/state/facts.jsonl ;;
		constrain) file=$ROOT/state/constraints.md ;;
		log | checkpoint) file=$ROOT/state/index.jsonl ;;
		*) continue ;;
		esac
		expect_equal "$i 1" "$i $(grep -c "k$i $kind" "$file")"
		[[ $kind != log ]] || grep -q "evidence $i" "$ROOT/logs/$(cat "$ack").json"
	done
	for ack in "$HOME"/ack.*.fail.done "$HOME"/ack.*.progress.done "$HOME"/ack.*.checkpoint.done; do
		[[ -e $ack ]] || continue
		kind=${ack%.done}
		kind=${kind##*.}
		i=${ack##*/ack.}
		i=${i%%.*}
		# a task that was about to be switched may stand in its parked file too
		cat "$ROOT"/state/progress.json "$ROOT"/state/tasks/*.json "$ROOT"/state/tasks/*.jsonl | grep -q "\"k$i $kind\"" || _unexpected "lost: k$i $kind"
	done
}

crash() {
	kills "$1"
	# nobody is kept waiting, and nothing is left over
	memrc decide last --because x --wait 2
	expect_equal '' "$(find "$ROOT" -name '.*.tmp*')"
	expect_equal '' "$(broken)"
	acknowledged
}

@test "16 writers killed at random: files are whole, what was acknowledged is there, nothing is left" {
	crash 16
}

# bats test_tags=slow
@test "200 writers killed at random" {
	crash 200
}

@test "a half-written record is cut off by the next, a person's last line is not" {
	printf '%s\n%s' '{"v":1,"id":"d-1111111111","decision":"a"}' '{"v":1,"id":"d-2222222222","decis' >"$ROOT/state/decisions.jsonl"
	memrc decide b --because x
	expect_equal $'a\nb' "$(field decisions.jsonl .decision)"
	printf '%s' '{"v":1,"id":"d-3333333333","decision":"c"}' >>"$ROOT/state/decisions.jsonl"
	memrc decide d --because x
	expect_equal $'a\nb\nc\nd' "$(field decisions.jsonl .decision)"
	printf '%s' 'a note without an end' >>"$ROOT/state/decisions.jsonl"
	memrc decide e --because x
	expect_equal 'a note without an end' "$(sed -n 5p "$ROOT/state/decisions.jsonl")"
	expect_equal 6 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	for part in '{' '{"v' '{"v":1,"id":"d-4444444444"}}' '{"v":1,"x":"}'; do
		printf '%s' "$part" >>"$ROOT/state/decisions.jsonl"
		memrc decide "$part" --because x
	done
	expect_equal 10 "$(wc -l <"$ROOT/state/decisions.jsonl")"
}

@test "a record that a power cut left half-written, with NUL bytes behind it, is cut off whole" {
	memrc decide first --because r
	printf '{"v":1,"id":"d-12\0\0\0\0\0\0\0\0\0' >>"$ROOT/state/decisions.jsonl"
	memrc decide second --because r
	expect_equal 2 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal '' "$(broken)"
	run memrc recall second
	expect_text second
}

@test "leftovers of killed writers are swept, other hidden files are not" {
	mkdir -p "$ROOT/state/tasks/archive" "$ROOT/state/lanes" "$ROOT/state/documents"
	for dir in state state/tasks state/tasks/archive state/lanes state/documents logs; do
		: >"$ROOT/$dir/.x.jsonl.tmp4711"
		: >"$ROOT/$dir/.x.md.swp"
	done
	: >"$ROOT/state/.root"
	memrc decide a --because x
	expect_equal '' "$(find "$ROOT" -name '.*.tmp*')"
	expect_equal 6 "$(find "$ROOT" -name '.x.md.swp' | wc -l)"
	[[ -e $ROOT/state/.root ]]
}

# every_writer - each of them must fail with 74 and one line, and leave $ROOT as it is
every_writer() {
	local before kind
	for kind in decide fail fact log checkpoint progress constrain task retire edit; do
		before=$(snapshot "$ROOT" | grep -v '/\.lock$')
		case $kind in
		retire) run --separate-stderr "$@" memrc retire "$(printf '%s' "$first" | sha256sum | sed 's/\(.\{8\}\).*/c-\1/')" --because "$(printf '%0900d' 0)" ;;
		edit) EDITOR='sh -c "printf %03000d 0 2>/dev/null >>\$1" sh' run --separate-stderr "$@" memrc edit constraints.md ;;
		*) run --separate-stderr "$@" one $kind "$(printf '%0900d' 1)" ;;
		esac
		[[ $status == 74 ]] || _unexpected "$kind: exit $status"
		expect_no_output
		expect_one_error_line
		expect_equal "$before" "$(snapshot "$ROOT" | grep -v '/\.lock$')"
	done
}

# filled - state files of a size, one more write would be too much
filled() {
	local file
	first=$(printf 'constraint %0900d' 0)
	memrc constrain "$first" >/dev/null
	for kind in decide fail fact log checkpoint progress; do one $kind "$(printf '%0900d' 0)" >/dev/null; done
	for file in decisions.jsonl facts.jsonl index.jsonl tasks/unnamed.jsonl; do
		while [[ $(wc -c <"$ROOT/state/$file") -lt 3500 ]]; do
			printf '{"v":1,"id":"x-%010d","session":"other","note":"%0300d"}\n' "$RANDOM" 0 >>"$ROOT/state/$file"
		done
	done
	while [[ $(wc -c <"$ROOT/state/constraints.md") -lt 3300 ]]; do printf -- '- %0300d\n' "$RANDOM" >>"$ROOT/state/constraints.md"; done
	memrc progress --blocked "$(printf '%02500d' 0)" >/dev/null
}

@test "beyond the file-size limit: 74, and every file is as it was" {
	filled
	limited() { (ulimit -f 4 && "$@"); }
	every_writer limited
}

@test "on a full disk: 74, and every file is as it was" {
	need_root
	mount -t tmpfs -o size=256k none "$ROOT" 2>/dev/null || skip 'no mount'
	mkdir -p "$ROOT/state" "$ROOT/logs"
	filled
	dd if=/dev/zero of="$ROOT/full" bs=1k 2>/dev/null || :
	printf x 2>/dev/null >>"$ROOT/full" || :
	every_writer command_of || {
		umount "$ROOT"
		return 1
	}
	umount "$ROOT"
}

command_of() { "$@"; }

@test "in a directory that can't be written: 74, one line" {
	skip_as_root
	filled
	chmod -R a-w "$ROOT/state" "$ROOT/logs"
	every_writer command_of
	chmod -R u+w "$ROOT"
}

@test "on a file system that is read-only: 74, one line" {
	need_root
	filled
	mount --bind "$ROOT" "$ROOT" 2>/dev/null && mount -o remount,ro,bind "$ROOT" 2>/dev/null || skip 'no mount'
	every_writer command_of || {
		umount "$ROOT"
		return 1
	}
	umount "$ROOT"
}

@test "without jq: 69, one line, nothing written" {
	local tool dir=$HOME/bin home=$HOME/home
	mkdir -p "$dir" "$home/init.d"
	cp -R "$BIN" "$home/bin"
	for tool in awk cat date dd dirname flock git grep mktemp mv od printf rm sed sh sync tail tr wc cksum head sort; do
		ln -s "$(PATH=/usr/bin:/bin type -P "$tool")" "$dir/$tool"
	done
	for kind in decide fail fact log checkpoint progress recall; do
		case $kind in
		recall) MEMRC_JQ='' PATH=$dir run --separate-stderr "$home/bin/memrc" recall x ;;
		*) BIN=$home/bin MEMRC_JQ='' PATH=$dir run --separate-stderr one $kind 1 ;;
		esac
		expect_status 69
		expect_no_output
		expect_one_error_line
		expect_error 'install jq'
	done
	expect_equal '' "$(find "$ROOT" -type f ! -name .lock)"
}
