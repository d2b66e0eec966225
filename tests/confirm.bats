#!/usr/bin/env bats
# confirm, supersede, retract: records change by a line more; what no longer holds never shows as current

load helper

setup() {
	project_setup
	D=$(memrc decide 'keys in a table' --because 'no new service' --premise 'one database')
	F=$(memrc fact 'the API listens on 3000' --check 'grep:src/app.py:PORT = 3000')
}

file() { cat "$ROOT/state/$1.jsonl"; }
lines() { wc -l <"$ROOT/state/$1.jsonl"; }
last() { tail -n 1 "$ROOT/state/$1.jsonl" | "$JQ" -r "$2"; }

# shown - all that shows what is current
shown() {
	local level
	for level in startup resume clear compact manual; do rc --runlevel "$level" --soft; done
	memrc status || :
	memrc verify || :
}

@test "a change is a line more: every line that was there stays, byte for byte" {
	local before command
	for command in 'confirm D --evidence x' 'supersede D --by y --because z' 'retract F --because x' 'confirm D --evidence x' 'supersede F --by y --evidence z'; do
		before=$(file decisions)$'\n'$(file facts)
		# shellcheck disable=SC2046 # several words
		memrc $(sed "s/ D / $D /; s/ F / $F /" <<<"$command") >/dev/null 2>&1 || :
		python3 - "$before" "$ROOT/state" <<'END'
import sys
before, state = sys.argv[1:]
now = open(f"{state}/decisions.jsonl").read() + open(f"{state}/facts.jsonl").read()
assert all(line in now.split("\n") for line in before.split("\n")), now
END
	done
	expect_equal 4 "$(lines decisions)"
}

@test "confirm: who said what, and when" {
	run --separate-stderr memrc confirm "$D" --evidence 'saw the table' --answer 'yes, "that" one'
	expect_status 0
	expect_no_error
	expect_equal 'user yes, "that" one saw the table 2 43235a7 ACTIVE' \
		"$(last decisions '[.by, .answer, .evidence, (.rev | tostring), .verified_at, .status] | join(" ")')"
	memrc confirm "$D" --evidence again >/dev/null
	expect_equal 'agent 3' "$(last decisions '[.by, (.rev | tostring)] | join(" ")')"
	run memrc recall "$D"
	expect_text 'evidence: again'
	expect_text 'premise: one database'
}

@test "confirm doesn't end a conflict whose check fails: another check does" {
	sed -i 's/3000/4000/' src/app.py
	run rc
	expect_status 3
	# the one it has is looked at as one that is given, and said to fail
	run --separate-stderr memrc confirm "$F" --evidence 'it does, really'
	expect_status 0
	expect_one_error_line
	expect_error "memrc-confirm: $(last facts .id): CONFLICT grep:src/app.py:PORT = 3000: src/app.py:1  PORT = 4000: recorded, but the check doesn't hold now"
	run rc
	expect_status 3
	run --separate-stderr memrc confirm "$F" --evidence 'by its line' --check 'grep:src/app.py:PORT = 5000'
	expect_status 0
	expect_error ': CONFLICT grep:src/app.py:PORT = 5000: src/app.py'
	run --separate-stderr memrc confirm "$F" --evidence 'by another file' --check exists:src/app.py
	expect_no_error
	run rc
	expect_status 0
}

@test "confirm of what holds, or can't be looked at here, says nothing; nor does what ends a record whose check fails" {
	local check
	run --separate-stderr memrc confirm "$F" --evidence x
	expect_no_error
	for check in 'cmd:false' 'tree-nogrep:src:PORT'; do
		run --separate-stderr memrc confirm "$(memrc decide "$check" --because x --check "$check")" --evidence x
		expect_no_error
	done
	sed -i 's/3000/4000/' src/app.py
	run --separate-stderr memrc supersede "$F" --by 'another port' --evidence 'saw it'
	expect_no_error
	run --separate-stderr memrc retract "$F" --because x
	expect_no_error
}

@test "each command that a conflict names answers it" {
	local id
	sed -i 's/3000/4000/' src/app.py
	D=$(memrc decide 'port 3000' --because x --check 'grep:src/app.py:PORT = 3000' 2>/dev/null)
	# answers LETTER - the commands that the restore names for the record
	answers() { rc | sed -n "s/^    answer with: \(memrc confirm $1-.*\)/\1/p" | sed 's/ | /\n/g'; }
	expect_equal "memrc confirm $F --check … --evidence …
memrc supersede $F --by … --check …
memrc retract $F --because …" "$(answers f)"
	expect_equal "memrc confirm $D --check … --evidence …
memrc supersede $D --by … --because …
memrc retract $D --because …" "$(answers d)"
	while read -r _ command; do
		cp "$ROOT"/state/*.jsonl "$BATS_TEST_TMPDIR"
		# shellcheck disable=SC2046,SC2086 # several words
		memrc $(sed 's/--check …/--check exists:src\/app.py/; s/…/x/g' <<<"$command") >/dev/null
		run rc
		refute_text "$(cut -d ' ' -f 2 <<<"$command") says:"
		cp "$BATS_TEST_TMPDIR"/*.jsonl "$ROOT/state"
	done < <(answers f && answers d)
}

@test "supersede: the new one is in force, the old one nowhere but on record" {
	local new
	run --separate-stderr memrc supersede "$D" --by 'keys in the header' --because 'clients resend' --rejected 'a cookie: no browser' --answer 'take the header'
	expect_status 0
	expect_no_error
	new=$output
	expect_equal 'user take the header clients resend SUPERSEDED' "$(last decisions '[.by, .answer, .because, .status] | join(" ")')"
	run shown
	refute_text 'keys in a table'
	expect_text "$new UNVERIFIED keys in the header. Because: clients resend. Rejected: a cookie (no browser)."
	run memrc recall keys
	expect_line "$D decision SUPERSEDED 2026-11-30T01:00:00Z @43235a7"
	expect_line "$new decision UNVERIFIED 2026-11-30T01:00:00Z @43235a7"
	run memrc recall "$new"
	expect_text "  supersedes: $D"
	expect_text '  by: user'
}

@test "supersede a fact: with a check of its own" {
	sed -i 's/3000/4000/' src/app.py
	run memrc supersede "$F" --by 'the API listens on 4000'
	expect_status 65
	run memrc supersede "$F" --by 'the API listens on 4000' --check 'grep:src/app.py:PORT = 4000'
	expect_status 0
	run rc
	expect_status 0
	expect_text "$output"
	expect_text 'VERIFIED the API listens on 4000'
	refute_text 3000
}

@test "supersede once more: a retry prints the same id and writes nothing; another text is refused" {
	local new before
	new=$(memrc supersede "$D" --by b --because x)
	before=$(file decisions)
	run --separate-stderr memrc supersede "$D" --by b --because x
	expect_status 0
	expect_equal "$new" "$output"
	run --separate-stderr memrc supersede "$D" --by c --because x
	expect_status 65
	expect_one_error_line
	expect_error "superseded already, by $new"
	expect_equal "$before" "$(file decisions)"
	# a chain
	memrc supersede "$new" --by c --because x >/dev/null
	run shown
	expect_text '[DECISIONS] 1 in force'
}

@test "two at once that supersede one record: one does, the other is told" {
	local i
	mkfifo held go
	(flock 9 && : >held && : <go) 9>"$ROOT/state/.lock" 3>&- &
	: <held
	for i in 1 2; do
		(code=0 && memrc supersede "$D" --by "port $i" --because x >"out$i" 2>"err$i" || code=$? && printf '%s\n' "$code" >"code$i") 3>&- &
	done
	sleep 0.3
	: >go
	wait
	expect_equal $'0\n65' "$(sort code1 code2)"
	expect_equal 1 "$(cat err1 err2 | grep -c 'is superseded already')"
	run memrc rc
	expect_equal 1 "$(grep -c 'port [12]' <<<"$output")"
}

@test "retract: INVALID, with the reason and the user's words" {
	run --separate-stderr memrc retract "$F" --because 'never true' --answer 'it never did'
	expect_status 0
	expect_no_error
	expect_equal 'user it never did never true INVALID' "$(last facts '[.by, .answer, .because, .status] | join(" ")')"
	run shown
	refute_text 'listens on 3000'
	run memrc recall "$F"
	expect_text 'INVALID'
	expect_text 'because: never true'
}

@test "what was said with a change isn't shown as said with the next one, nor as said of the record" {
	local user
	user=$(MEMRC_NOW=2026-11-30T02:00:00Z memrc supersede "$D" --by b --because 'b it is' --answer 'yes, b please')
	memrc retract "$D" --because 'a never held' >/dev/null
	run memrc recall "$D"
	expect_text INVALID
	expect_text 'because: a never held'
	refute_text 'yes, b please'
	expect_text 'recorded: by agent, 2026-11-30T01:00:00Z'
	MEMRC_NOW=2026-11-30T03:00:00Z memrc confirm "$user" --evidence 'saw it' >/dev/null
	run memrc decisions --md
	expect_line "- Recorded: by user, 2026-11-30T02:00:00Z, at $COMMIT"
	expect_line "- Recorded: by agent, 2026-11-30T01:00:00Z, at $COMMIT"
	# whatever a hand calls so
	printf '%s\n' '{"v":1,"id":"d-0000000001","decision":"c","recorded":"x"}' >>"$ROOT/state/decisions.jsonl"
	run memrc recall d-0000
	expect_text 'recorded: x'
	run --separate-stderr memrc decisions --md
	expect_status 0
}

@test "what is out of force can't be confirmed back; it is recorded anew" {
	memrc retract "$F" --because x >/dev/null
	memrc supersede "$D" --by y --because z >/dev/null
	local id before
	before=$(
		file decisions
		file facts
	)
	for id in "$D" "$F"; do
		run --separate-stderr memrc confirm "$id" --evidence x
		expect_status 65
		expect_one_error_line
	done
	run --separate-stderr memrc supersede "$F" --by y --evidence z
	expect_status 65
	expect_one_error_line
	expect_equal "$before" "$(
		file decisions
		file facts
	)"
}

@test "two branches that disagree: undecided, in force and named, until one word ends it" {
	local record
	record=$(last decisions '.id')
	printf '%s\n' "{\"v\":1,\"id\":\"$record\",\"rev\":2,\"ts\":\"2026-11-30T02:00:00Z\",\"status\":\"SUPERSEDED\"}" \
		"{\"v\":1,\"id\":\"$record\",\"rev\":2,\"ts\":\"2026-11-30T03:00:00Z\",\"status\":\"ACTIVE\"}" >>"$ROOT/state/decisions.jsonl"
	run rc
	expect_text 'UNDECIDED (ACTIVE or SUPERSEDED: two branches disagree) keys in a table'
	memrc confirm "$D" --evidence x >/dev/null
	expect_equal 3 "$(last decisions .rev)"
	run rc
	refute_text UNDECIDED
	expect_text "$D UNCHECKED keys in a table"
}

@test "two branches that put different ones in the place of one: both in force, each names the other, until one is retracted" {
	local first second file
	file=$ROOT/state/decisions.jsonl
	cp "$file" "$BATS_TEST_TMPDIR/base"
	memrc supersede "$D" --by 'keys in a file' --because slow >/dev/null
	tail -n 2 "$file" >"$BATS_TEST_TMPDIR/theirs"
	first=$("$JQ" -r .id "$BATS_TEST_TMPDIR/theirs" | head -n 1 | cut -c 1-6)
	cp "$BATS_TEST_TMPDIR/base" "$file"
	second=$(memrc supersede "$D" --by 'keys in memory' --because slow)
	cat "$BATS_TEST_TMPDIR/theirs" >>"$file"
	memrc seal --accept --answer merged >/dev/null
	run rc
	expect_text "$first UNDECIDED (this or $second: two branches superseded $D) keys in a file"
	expect_text "$second UNDECIDED (this or $first: two branches superseded $D) keys in memory"
	run memrc recall "$first"
	expect_text "$first decision UNDECIDED (this or $second"
	run memrc decisions --md
	expect_text "## $first UNDECIDED (this or $second"
	memrc retract "$first" --because 'the user chose memory' >/dev/null
	run rc
	refute_text UNDECIDED
	expect_text "$second UNVERIFIED keys in memory"
}

@test "no such record, an ambiguous one, no id, no reason: nothing is written" {
	local before arguments
	printf '%s\n' '{"v":1,"id":"d-aaaa000001","decision":"a","reason":"b"}' '{"v":1,"id":"d-aaaa000002","decision":"a","reason":"b"}' >>"$ROOT/state/decisions.jsonl"
	before=$(
		file decisions
		file facts
	)
	for arguments in 'confirm d-aaaa --evidence x' 'retract d-aaaa --because x' 'supersede d-aaaa --by x --because y' \
		'confirm d-bbbb --evidence x' 'retract c-12345678 --because x' 'retract d-1 --because x' "confirm $D"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $arguments
		expect_status 65
		expect_one_error_line
	done
	run --separate-stderr memrc retract c-12345678 --because x
	expect_error 'is a constraint: memrc retire c-12345678 --because REASON'
	run --separate-stderr memrc retract s-1234 --because x
	expect_status 65
	expect_error 'memrc edit tasks/TASK.jsonl'
	for arguments in "retract $D" 'retract --because x' 'confirm --evidence x' "supersede $D --because x" "supersede $D --by x" 'supersede --by x --because y'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $arguments
		expect_status 2
		expect_one_error_line
	done
	expect_equal "$before" "$(
		file decisions
		file facts
	)"
}

@test "a record that was archived is called so, not unknown" {
	need_python
	local command
	memrc retract "$F" --because x >/dev/null
	memrc supersede "$D" --by y --because z >/dev/null
	memrc archive >/dev/null
	run --separate-stderr memrc confirm "$F" --evidence x
	expect_status 65
	expect_error "$F: is INVALID: record what holds now"
	# of the newest the line stays that ended them
	printf '' | put decisions.jsonl
	printf '' | put facts.jsonl
	for command in "confirm $F --evidence x" "retract $D --because x" "supersede $D --by z --because x"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc $command
		expect_status 65
		expect_one_error_line
		expect_error ': is archived, out of force: record what holds now, with memrc decide or memrc fact'
	done
	rm "$ROOT/state/facts.jsonl"
	run --separate-stderr memrc retract "$F" --because x
	expect_error "$F: is archived"
	run --separate-stderr memrc retract f-0000 --because x
	expect_error 'f-0000: no such record: memrc recall shows what there is'
}

@test "secrets in what the user said are not kept" {
	memrc retract "$F" --because x --answer 'the key is AKIAIOSFODNN7EXAMPLE' >/dev/null
	run file facts
	refute_text AKIAIOSFODNN7EXAMPLE
	expect_text '[redacted:'
}
