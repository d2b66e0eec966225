#!/usr/bin/env bats
# recall: by id, task, tag, type and words; archives; what is out of force; logs that lie elsewhere

load helper

line() { printf '%s\n' "$2" >>"$ROOT/state/$1"; }

@test "a record by its id: all that was recorded, to the byte" {
	local id text
	for text in 'plain' $'two\n  lines\n\nmore' $'a\ttab' '--because' '{"id":"d-0000000000"}' "\$(x) \\n 'q' \"q\"" \
		$'[CONSTRAINTS]\nno Redis' $'\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb 不要' '- # > * %s' "$(printf '%04096d' 0)"; do
		id=$(memrc decide --because "$text" -- "$text")
		memrc recall "$id" >"$HOME/shown"
		expect_equal "$text" "$(sed -n '/^  decision: /,/^  reason: /p' "$HOME/shown" | sed -e '$d' -e 's/^  decision: //' -e 's/^    //')"
		expect_equal "$text" "$(sed -n '/^  reason: /,$p' "$HOME/shown" | sed -e 's/^  reason: //' -e 's/^    //')"
	done
}

@test "the head says what it is and how far to trust it" {
	memrc decide A --because x --task retry >/dev/null
	run memrc recall A
	[[ ${lines[0]} =~ ^d-[0-9a-f]{4}\ decision\ UNVERIFIED\ 2026-11-30T01:00:00Z\ retry\ @$COMMIT$ ]]
	memrc fact 'B is so' --check exists:src/app.py >/dev/null
	run memrc recall 'b IS'
	expect_text 'fact UNCHECKED'
}

@test "an ambiguous id is refused with the candidates, a longer one taken; an unknown one is 65" {
	line decisions.jsonl '{"v":1,"id":"d-abcd000001","ts":"1","decision":"one"}'
	line decisions.jsonl '{"v":1,"id":"d-abcd0e0003","ts":"2","decision":"two"}'
	line decisions.jsonl '{"v":1,"id":"d-ffff000001","ts":"3","decision":"three","based_on":["d-abcd000001"]}'
	run --separate-stderr memrc recall d-abcd
	expect_status 65
	expect_no_output
	expect_one_error_line
	expect_error d-abcd00
	expect_error d-abcd0e
	run memrc recall d-abcd00
	expect_status 0
	expect_text 'decision: one'
	refute_text three
	run --separate-stderr memrc recall d-0123
	expect_status 65
	expect_one_error_line
}

@test "what is superseded or invalid is marked, by its patches, in any order of lines" {
	line decisions.jsonl '{"id":"d-1111111111","rev":2,"ts":"2","status":"SUPERSEDED","by":"user"}'
	line decisions.jsonl '{"v":1,"id":"d-1111111111","rev":1,"ts":"1","status":"ACTIVE","decision":"old"}'
	line decisions.jsonl '{"v":1,"id":"d-2222222222","rev":1,"ts":"1","status":"INVALID","decision":"wrong"}'
	run memrc recall --type decision
	expect_text 'd-1111 decision SUPERSEDED'
	expect_text 'd-2222 decision INVALID'
}

@test "by task, tag and type, exactly; words in any case, all of them; newest first" {
	memrc decide 'Use the Table' --because speed --tag db --task retry
	MEMRC_NOW=2026-11-30T01:00:01Z memrc fail 'a TABLE lock' --because slow --tag db --task retry
	MEMRC_NOW=2026-11-30T01:00:02Z memrc log --type test --target t --task retry2 'the table grew'
	MEMRC_NOW=2026-11-30T01:00:03Z memrc step 'look' --task other
	heads() { memrc recall "$@" | sed -n 's/^[dsfop]*-[0-9a-f]* \([a-z]*\) .*/\1/p' | tr '\n' ' '; }
	expect_equal 'step op failure decision ' "$(heads)"
	expect_equal 'op failure decision ' "$(heads table)"
	expect_equal 'decision ' "$(heads table SPEED)"
	expect_equal 'failure decision ' "$(heads --tag db)"
	expect_equal '' "$(heads --tag d)"
	expect_equal 'failure decision ' "$(heads --task retry)"
	expect_equal 'failure ' "$(heads --type failure)"
	expect_equal 'op ' "$(heads --type op)"
	expect_equal 'step ' "$(heads -n 1)"
	run memrc recall -n 1
	expect_text '(3 more'
	run memrc recall no-such-word
	expect_status 0
	expect_text '(nothing found'
	# names of fields aren't words
	expect_equal '' "$(heads target)"
	expect_equal '' "$(heads Summary)"
}

@test "what was recorded in the same second stands in the order of the files, here and in the restore" {
	local n
	for n in 1 2 3 4 5 6; do
		memrc decide "n$n" --because x
		memrc fact "m$n" --evidence x
	done
	texts() { sed -n 's/.*\<\([mn][1-6]\)\>.*/\1/p' | tr '\n' ' '; }
	expect_equal 'n6 n5 n4 n3 n2 n1 ' "$(memrc recall --type decision | texts)"
	expect_equal 'm6 m5 m4 m3 m2 m1 ' "$(memrc recall --type fact | texts)"
	expect_equal 'n6 n5 n4 n3 n2 n1 ' "$(memrc rc --only decisions | texts)"
	expect_equal 'm6 m5 m4 m3 m2 m1 ' "$(memrc rc --only facts | texts)"
	expect_equal 'n1 n2 n3 n4 n5 n6 ' "$(memrc decisions | texts)"
	# the archive has the older ones
	head -n 3 "$ROOT/state/decisions.jsonl" >"$ROOT/state/decisions.archive.jsonl"
	sed -i 1,3d "$ROOT/state/decisions.jsonl"
	expect_equal 'n6 n5 n4 n3 n2 n1 ' "$(memrc recall --archived --type decision | texts)"
	expect_equal 'n1 n2 n3 n4 n5 n6 ' "$(memrc decisions --all | texts)"
}

@test "what is archived while recall reads is there once" {
	line index.archive.jsonl '{"v":1,"id":"op-001","ts":"1","summary":"old one"}'
	line index.jsonl '{"v":1,"id":"op-002","ts":"2","summary":"new one"}'
	mkdir "$HOME/stub"
	# archive at work: it is done when the first file has been read
	cat >"$HOME/stub/cat" <<-END
		#!/bin/sh
		PATH=/usr/bin:/bin
		cat "\$@"
		[ ! -s "$ROOT/state/index.jsonl" ] || {
			cat "$ROOT/state/index.jsonl" >>"$ROOT/state/index.archive.jsonl"
			: >"$ROOT/state/new"
			mv "$ROOT/state/new" "$ROOT/state/index.jsonl"
		}
	END
	chmod +x "$HOME/stub/cat"
	PATH=$HOME/stub:$PATH run memrc recall --archived one
	expect_equal 'op-002 op-001' "$(grep -o '^op-00.' <<<"$output" | xargs)"
	# and an archive that was killed between its two steps leaves it in both
	cp "$ROOT/state/index.archive.jsonl" "$ROOT/state/index.jsonl"
	run memrc recall --archived one
	expect_equal 'op-002 op-001' "$(grep -o '^op-00.' <<<"$output" | xargs)"
}

@test "words with quotes, other letters, and lines that write them as escapes" {
	memrc decide 'say "hello" C:\path' --because 'für später'
	line decisions.jsonl '{"v":1,"id":"d-1111111111","ts":"1","decision":"f\u00fcr wen"}'
	line index.jsonl '{"v":1,"id":"op-001","ts":"1","summary":"f\u00fcr wen"}'
	run memrc recall '"hello"' 'c:\p'
	expect_text 'say "hello" C:\path'
	run memrc recall für
	expect_text 'decision UNVERIFIED 2026'
	expect_text 'd-1111'
	expect_text 'op-001'
}

@test "constraints, documents and progress" {
	put constraints.md <<<$'- No Redis, ever\n- two\n  lines {source: x}\n- gone {retired: 2026-11-01 done}'
	put documents/40_STYLE.md <<<$'# Style\n\nRedis keys are lower-case.'
	memrc progress --title 'without redis'
	run memrc recall redis
	expect_text 'constraint IN FORCE'
	expect_text '  text: No Redis, ever'
	expect_text 'documents/40_STYLE.md document'
	expect_text 'current_task: without redis'
	run memrc recall --type constraint
	expect_text $'  text: two\n    lines'
	expect_text 'constraint RETIRED'
	local id
	memrc seal --accept --answer 'as it is' >/dev/null
	sed -i '/^- two$/,+1d' "$ROOT/state/constraints.md"
	run memrc recall --type constraint
	expect_text $'  text: two\n    lines\n  source: x\n  where: gone from constraints.md, in force until retired'
	id=$(memrc recall ever | sed -n 's/^\(c-[0-9a-f]*\) .*/\1/p')
	run memrc recall "$id"
	expect_status 0
	expect_text 'No Redis, ever'
}

@test "constraints that can't be read: one line, wherever they are needed" {
	mkdir -p "$ROOT/state/constraints.md"
	for command in 'recall x' 'constrain x' 'retire c-1234 --because x'; do
		# shellcheck disable=SC2086 # its words
		run --separate-stderr memrc $command
		expect_status 74
		expect_no_output
		expect_one_error_line
		expect_error constraints.md
	done
}

@test "records that can't be read are never none: one line" {
	local name
	memrc decide base --because x
	for name in decisions facts index index.archive; do
		rm -rf "$ROOT/state/$name.jsonl"
		mkdir "$ROOT/state/$name.jsonl"
		run --separate-stderr memrc recall --archived base
		expect_status 74
		expect_no_output
		expect_one_error_line
		expect_error "$name.jsonl"
		rmdir "$ROOT/state/$name.jsonl"
	done
	[[ $(id -u) == 0 ]] && return
	line decisions.jsonl '{}'
	chmod 0 "$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc recall base
	expect_status 74
	expect_one_error_line
}

@test "what is said of a constraint: whose it is, what it denies, why it was retired" {
	local id
	memrc constrain 'No Redis' --source alice --deny-edit 'a/*' --deny-edit 'b/*'
	id=$(memrc constrain 'No gRPC')
	# what is gone stands in a line of the copy, where another stands in the file
	memrc constrain 'No SOAP' --source bob
	sed -i '/No Redis/d' "$ROOT/state/constraints.md"
	memrc retire "$id" --because 'it won' --answer 'ok'
	run memrc recall --type constraint
	expect_text $'  text: No Redis\n  source: alice\n  deny-edit: a/*\n    b/*\n  where: gone from'
	expect_text $'RETIRED\n  text: No gRPC\n  retired: 2026-11-30 it won (user: ok)\n  where: constraints.md:1'
	expect_text $'  text: No SOAP\n  source: bob\n  where: constraints.md:2'
}

@test "an operation with the log behind it" {
	printf 'line 1\n\033[31mred\033[0m\n[CONSTRAINTS]\n' | memrc log --type test --target a --evidence - ran
	run memrc recall op-001
	expect_status 0
	expect_text $'  evidence:\n    line 1\n    red\n    [CONSTRAINTS]'
	seq 1 5000 | memrc log --type test --target a --evidence - long
	run memrc recall op-002
	expect_text 'more lines in logs/op-002.json)'
	[[ $(memrc recall op-002 | units) -le 8100 ]]
}

@test "a log outside logs/ or behind a link is refused" {
	printf 'secret\n' >"$ROOT/outside"
	mkdir "$ROOT/real"
	printf 'secret\n' >"$ROOT/real/a"
	ln -s ../outside "$ROOT/logs/link"
	ln -s ../real "$ROOT/logs/dir"
	ln "$ROOT/outside" "$ROOT/state/inside"
	for path in ../outside logs/../outside /etc/passwd "$ROOT/outside" logs/link logs/dir/a state/inside outside logs/ logs//x logs/./x; do
		rm -f "$ROOT/state/index.jsonl"
		"$JQ" -nc --arg path "$path" '{v: 1, id: "op-001", ts: "1", type: "a", target: "b", summary: "c", log_path: $path}' | put index.jsonl
		run --separate-stderr memrc recall op-001
		[[ $path == logs/ ]] || expect_status 65
		refute_text secret
		refute_text root:
	done
	rm "$ROOT/logs/link" "$ROOT/logs/dir"
	mv "$ROOT/logs" "$ROOT/logs2"
	ln -s logs2 "$ROOT/logs"
	printf 'secret\n' >"$ROOT/logs2/a"
	put index.jsonl <<<'{"v":1,"id":"op-001","ts":"1","type":"a","target":"b","summary":"c","log_path":"logs/a"}'
	run --separate-stderr memrc recall op-001
	expect_status 65
	refute_text secret
}

@test "archives: on request, and for an id that is nowhere else; folded with what is in force" {
	line decisions.archive.jsonl '{"v":1,"id":"d-1111111111","rev":1,"ts":"1","status":"ACTIVE","decision":"old table"}'
	line decisions.jsonl '{"v":1,"id":"d-1111111111","rev":2,"ts":"2","status":"SUPERSEDED"}'
	line decisions.archive.jsonl '{"v":1,"id":"d-3333333333","rev":1,"ts":"1","decision":"older table"}'
	line facts.archive.jsonl '{"v":1,"id":"f-1111111111","rev":1,"ts":"1","claim":"a table","evidence":"x"}'
	line index.archive.jsonl '{"v":1,"id":"op-007","ts":"1","summary":"made the table"}'
	mkdir -p "$ROOT/state/tasks/archive"
	line tasks/archive/done.jsonl '{"v":1,"id":"s-1111111111","ts":"1","type":"failure","action":"table lock"}'
	run memrc recall table
	expect_equal '(nothing found; --archived looks into the archives too)' "$output"
	run memrc recall --archived table
	expect_text 'd-1111 decision SUPERSEDED'
	expect_text 'd-3333 decision'
	expect_text 'f-1111 fact'
	expect_text 'op-007 op'
	expect_text 's-1111 failure 1 done'
	run memrc recall d-3333
	expect_status 0
	expect_text 'older table'
	run memrc recall op-007
	expect_text 'made the table'
	run memrc recall s-1111
	expect_text 'table lock'
}

@test "a million archived lines: an id and words in time, in the same memory" {
	awk 'BEGIN { for (i = 1; i <= 1000000; i++)
		printf "{\"v\":1,\"id\":\"op-%03d\",\"ts\":\"2026-01-01T00:00:00Z\",\"type\":\"test\",\"target\":\"src/a%d.py\",\"summary\":\"word%d and the other words of a summary\",\"task_id\":\"t\"}\n", i, i % 1000, i }' >"$ROOT/state/index.archive.jsonl"
	limited() { (ulimit -v 400000 && "$@"); }
	SECONDS=0
	run limited memrc recall op-500000
	expect_text 'word500000'
	[[ $SECONDS -le 10 ]]
	SECONDS=0
	run limited memrc recall --archived word777777 summary
	expect_text 'op-777777'
	[[ $SECONDS -le 20 ]]
	run limited memrc log --type a --target b c
	expect_equal op-1000001 "$output"
}

@test "damage is passed over" {
	printf '\xef\xbb\xbf{"v":1,"id":"d-1111111111","ts":"1","decision":"one"}\r\nrubbish\n<<<<<<< HEAD\n{"id":7}\n{"v":1,"id":"d-2222222222","ts":["x"],"decision":"two"}\n{"v":1,"id":"d-33' >"$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc recall --type decision
	expect_status 0
	expect_text one
	expect_text two
	expect_no_error
}

@test "usage" {
	for arguments in '-n x' '-n' '--type x' '--tag'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc recall $arguments
		expect_status 2
		expect_one_error_line
	done
}

@test "the path of a log neither steers the terminal nor begins a line" {
	"$JQ" -nc '{v: 1, id: "op-001", ts: "1", type: "a", target: "b", log_path: "logs/\\033[31mRED\\007\\nFAKE LINE",
		summary: ([range(900)] | map("many words \(.)") | join("\n"))}' | put index.jsonl
	run --separate-stderr memrc recall op-001
	expect_status 0
	expect_text 'more lines in logs/\033[31mRED\007\nFAKE LINE)'
	[[ $output != *[$'\033\007']* ]]
	"$JQ" -nc '{v: 1, id: "op-001", ts: "1", type: "a", target: "b", summary: "c", log_path: "etc/\u001b[31mRED\u0007"}' | put index.jsonl
	run --separate-stderr memrc recall op-001
	expect_status 65
	expect_one_error_line
	[[ $stderr$output != *[$'\033\007']* ]]
}
