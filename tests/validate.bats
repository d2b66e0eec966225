#!/usr/bin/env bats
# validate: what is named, for each file and each damage; what --fix does, again and beside writers

load helper

setup() {
	need_python
	project_setup
}

# valid - a memory without a fault
valid() {
	cp -R "$HERE/tests/fixtures/memory/." "$ROOT/state/"
}

# damage KIND FILE - as tests/fixtures/damage.py
damage() { python3 "$HERE/tests/fixtures/damage.py" "$1" "$ROOT/state/$2"; }

@test "nothing wrong is no line and 0; an empty memory too" {
	run --separate-stderr memrc validate
	expect_status 0
	expect_no_output
	valid
	run --separate-stderr memrc validate
	expect_status 0
	expect_no_output
	expect_no_error
	run memrc validate --root "$HERE"
	expect_status 0
}

@test "file, line, field, what is wrong and what stands in" {
	put decisions.jsonl <<-'END'
		{"v":1,"id":"d-0000000001","decision":"a","status":"ACTVE","tags":"x","premise":5}
		{"v":1,"id":"d-00","decision":"b","rejected":[{"option":"a"}]}
		{"v":1,"id":"d-0000000003"}
		not JSON
		<<<<<<< HEAD
	END
	run --separate-stderr memrc validate
	expect_status 1
	expect_no_error
	expect_line "decisions.jsonl:1: status: isn't one of ACTIVE, SUPERSEDED, INVALID: ACTIVE stands in"
	expect_line "decisions.jsonl:1: tags: isn't a list of texts: an empty list stands in"
	expect_line "decisions.jsonl:1: premise: isn't a text: an empty text stands in"
	expect_line "decisions.jsonl:2: id: isn't an id such as d-3fa91c0b77: unknown stands in"
	expect_line "decisions.jsonl:2: rejected: isn't a list of {option, reason}: an empty list stands in"
	expect_line 'decisions.jsonl:3: decision: is missing, must be a text: unknown stands in'
	expect_line "decisions.jsonl:4: isn't one JSON object: skipped: memrc validate --fix sets it aside"
	expect_line 'decisions.jsonl:5: a merge conflict marker: skipped: memrc validate --fix sets it aside'
	expect_equal 8 "${#lines[@]}"
}

@test "a patch needs only what it changes; what its record lacks is named; two statuses of equal rev are" {
	put facts.jsonl <<-'END'
		{"v":1,"id":"f-0000000001","rev":2,"status":"INVALID","by":"user"}
		{"v":1,"id":"f-0000000001","rev":1,"claim":"a"}
		{"v":1,"id":"f-0000000002","rev":1,"status":"ACTIVE"}
		{"v":1,"id":"f-0000000002","rev":2,"evidence":"x"}
		{"v":1,"id":"f-0000000003","rev":1,"claim":"c"}
		{"v":1,"id":"f-0000000003","rev":2,"status":"INVALID"}
		{"v":1,"id":"f-0000000003","rev":2,"status":"ACTIVE"}
	END
	run memrc validate
	expect_status 1
	expect_line 'facts.jsonl:4: claim: is missing, must be a text: unknown stands in'
	expect_line 'facts.jsonl:7: status: undecided: ACTIVE and INVALID of equal rev: both are shown'
	expect_equal 2 "${#lines[@]}"
}

@test "progress, lanes and parked tasks: by the line the field stands on" {
	printf '{\n  "v": 1,\n  "task_id": "a b",\n  "completed": "x",\n  "status": "paused"\n}\n' | put progress.json
	printf '[1]\n' | put lanes/s1.json
	printf '{"v":1,\n"task_id":"t",}\n' | put tasks/t.progress.json
	printf '{}\n' | put 'lanes/a b.json'
	run memrc validate
	expect_status 1
	expect_line 'progress.json:3: task_id: isn'"'"'t 1 to 80 of A-Z a-z 0-9 . _ -: unnamed stands in'
	expect_line "progress.json:4: completed: isn't a list of texts: an empty list stands in"
	expect_line "progress.json:5: status: isn't one of open, done, dropped, parked: open stands in"
	expect_line "lanes/s1.json:1: isn't one JSON object: the task is unknown"
	expect_text 'tasks/t.progress.json:2: isn'
	expect_text 'lanes/a b.json: name: isn'
}

@test "identity and constraints: lines the restore doesn't show, markers, comments without end, too long" {
	printf 'language: Python\nno colon here\n<<<<<<< HEAD\n<!-- never closed\n' | put identity.md
	{ printf -- '- a {deny-command: git (}\n=======\n- ' && printf '%01001d\n' 0 && printf '<!-- open\n- b\n'; } | put constraints.md
	run memrc validate
	expect_status 1
	expect_line "identity.md:2: isn't \`key: value\`: it isn't shown"
	expect_line 'identity.md:3: a merge conflict marker: both sides are in force'
	expect_line 'identity.md:4: a comment is never closed: this line alone is hidden'
	expect_line 'constraints.md:2: a merge conflict marker: both sides are in force'
	expect_line 'warning: constraints.md:3: a constraint of 1,001 units: above 1,000 it crowds out others'
	expect_line 'constraints.md: deny-command: git ( of c-ca978112 is none that grep -E can read: nothing is counted by it'
	expect_line 'constraints.md:4: a comment is never closed: this line alone is hidden'
	{ printf 'convention: ' && printf '%0900d\n' 0; } | put identity.md
	: | put constraints.md
	run memrc validate
	expect_status 0
	expect_text 'warning: identity.md: about 228 tokens'
}

@test "config: what is no setting, and what is out of range" {
	printf '# mine\nmax_chars = 5\narchive_keep = 50\ncolour = red\nproject = /nowhere\n' | put config
	run memrc validate
	expect_status 1
	expect_line "config:2: max_chars: isn't a number from 1000 to 100000: 8000 stands in"
	expect_line "config:4: colour: isn't a setting: ignored"
	expect_text 'config:5: project:'
	expect_equal 3 "${#lines[@]}"
}

@test "operations: numbers used twice, ids that are none; trails: names, kinds" {
	put index.jsonl <<-'END'
		{"v":1,"id":"op-001","summary":"a"}
		{"v":1,"id":"op-002","summary":"b"}
		{"v":1,"id":"seven","summary":"c"}
	END
	put index.archive.jsonl <<-'END'
		{"v":1,"id":"op-002","summary":"other"}
		{"v":1,"id":"op-001","summary":"a"}
	END
	put tasks/t.jsonl <<<'{"v":1,"id":"s-0000000001","type":"guess"}'
	put 'tasks/archive/a b.jsonl' <<<'{"v":1,"id":"s-0000000002","type":"note"}'
	put 'tasks/archive/t~1.progress.json' <<<'{"v":1,"task_id":"t"}'
	run memrc validate
	expect_status 1
	expect_line 'index.jsonl:2: id: op-002 stands at index.archive.jsonl:1 already: both are shown'
	expect_line "index.jsonl:3: id: isn't op- and a number: it is shown as it is"
	expect_line "tasks/t.jsonl:1: type: isn't one of failure, step, note: note stands in"
	expect_text 'tasks/archive/a b.jsonl: name:'
	expect_equal 4 "${#lines[@]}"
}

@test "a check that can never be evaluated is a warning, while its record is in force" {
	put decisions.jsonl <<-'END'
		{"v":1,"id":"d-0000000001","rev":1,"status":"ACTIVE","decision":"a","check":"grep:src/app.py:("}
		{"v":1,"id":"d-0000000002","rev":1,"status":"ACTIVE","decision":"b","check":"json:p.json:.a"}
		{"v":1,"id":"d-0000000003","rev":1,"status":"SUPERSEDED","decision":"c","check":"nothing"}
		{"v":1,"id":"d-0000000004","rev":1,"status":"ACTIVE","decision":"d","check":"nothing"}
		{"v":1,"id":"d-0000000004","rev":2,"check":"exists:src/app.py"}
		{"v":1,"id":"d-0000000005","rev":1,"status":"ACTIVE","decision":"e","check":"grep:src/app.py:0{4}"}
	END
	put progress.json <<<'{"task_id":"t","status":"open","done_when":"when the users are happy"}'
	run memrc validate
	expect_status 0
	expect_equal 3 "$(grep -c warning: <<<"$output")"
	expect_line 'warning: progress.json: done_when: when the users are happy is no check: no such kind of check: it stays UNCHECKED'
	expect_line 'warning: decisions.jsonl:1: check: grep:src/app.py:( is no check: not an extended regular expression: it stays UNCHECKED'
	expect_line 'warning: decisions.jsonl:2: check: json:p.json:.a is no check: not of the form .name[0]=JSON, a text in quotes: it stays UNCHECKED'
}

@test "what names no record is a warning; full ids, prefixes, operations and constraints are found" {
	local id
	put constraints.md <<<'- no Redis'
	id=c-$(printf 'no Redis' | sha256sum | cut -c 1-8)
	put index.archive.jsonl <<<'{"v":1,"id":"op-017","summary":"a"}'
	put decisions.jsonl <<-END
		{"v":1,"id":"d-0000000001","decision":"a","based_on":["d-0000000002","d-0000","op-017","$id"]}
		{"v":1,"id":"d-0000000002","decision":"b","based_on":["d-ffff","op-018"],"supersedes":"d-1234567890"}
	END
	run memrc validate
	expect_status 0
	expect_line 'warning: decisions.jsonl:2: based_on: d-ffff names no record'
	expect_line 'warning: decisions.jsonl:2: based_on: op-018 names no record'
	expect_line 'warning: decisions.jsonl:2: supersedes: d-1234567890 names no record'
	expect_equal 3 "${#lines[@]}"
}

@test "documents that no restore lists" {
	mkdir -p "$ROOT/state/documents/50_DIR.md"
	: | put documents/notes.txt
	: | put documents/40_STYLE.md
	run memrc validate
	expect_status 1
	expect_line "documents/notes.txt: name: isn't NN_NAME.md: it isn't listed"
	expect_line "documents/50_DIR.md: isn't a file: it isn't listed"
	expect_equal 2 "${#lines[@]}"
}

# bats test_tags=once
@test "NUL, byte order mark, CR LF and what isn't UTF-8 are named once a file; --fix takes out all but the last" {
	valid
	local file kind
	for file in decisions.jsonl facts.jsonl index.jsonl identity.md constraints.md progress.json documents/40_STYLE.md; do
		for kind in nul bom crlf; do
			cp "$ROOT/state/$file" "$HOME/before"
			damage "$kind" "$file"
			run memrc validate
			expect_status 1
			expect_text "$file:1: "
			memrc validate --fix
			expect_equal "$(cat "$HOME/before")" "$(cat "$ROOT/state/$file")"
			run memrc validate
			expect_status 0
		done
	done
	damage utf8 decisions.jsonl
	cp "$ROOT/state/decisions.jsonl" "$HOME/before"
	run memrc validate --fix
	expect_status 1
	expect_text "isn't UTF-8"
	cmp "$HOME/before" "$ROOT/state/decisions.jsonl"
}

@test "a last line that is being written is no fault; --fix sets it aside" {
	valid
	damage torn decisions.jsonl
	run memrc validate
	expect_status 0
	expect_no_output
	run memrc validate --fix
	expect_status 0
	expect_line 'fixed: decisions.jsonl: 1 set aside in decisions.jsonl.rejected'
	expect_equal '{"v":1,"id":"x-00' "$(cat "$ROOT/state/decisions.jsonl.rejected")"
}

# bats test_tags=once
@test "--fix sets every unreadable line aside, keeps all others to the byte, and ten times is as once" {
	local kind
	valid
	cp "$ROOT/state/decisions.jsonl" "$HOME/good"
	for kind in array prose two-values deep huge conflict; do damage "$kind" decisions.jsonl; done
	grep -vxF -f "$HOME/good" "$ROOT/state/decisions.jsonl" | sort >"$HOME/bad"
	run memrc validate --fix
	expect_status 0
	sort "$ROOT/state/decisions.jsonl" | cmp - <(sort "$HOME/good")
	sort "$ROOT/state/decisions.jsonl.rejected" | cmp - "$HOME/bad"
	snapshot "$ROOT/state" | grep -v '\.lock$' >"$HOME/once"
	for _ in 1 2 3; do memrc validate --fix; done
	snapshot "$ROOT/state" | grep -v '\.lock$' | cmp - "$HOME/once"
	# more of them go behind those
	printf 'another\n' >>"$ROOT/state/decisions.jsonl"
	memrc validate --fix
	expect_equal another "$(tail -n 1 "$ROOT/state/decisions.jsonl.rejected")"
	expect_equal $(($(wc -l <"$HOME/bad") + 1)) "$(wc -l <"$ROOT/state/decisions.jsonl.rejected")"
}

@test "a progress file that is no object is set aside whole; wrong types and constraints are not altered" {
	printf '{"task_id":"x",\n"a"' | put progress.json
	put constraints.md <<<'- a'
	damage conflict constraints.md
	cp "$ROOT/state/constraints.md" "$HOME/before"
	put facts.jsonl <<<'{"v":1,"id":"f-0000000001","claim":5}'
	cp "$ROOT/state/facts.jsonl" "$HOME/facts"
	run memrc validate --fix
	expect_status 1
	expect_line 'fixed: progress.json: set aside whole in progress.json.rejected'
	[[ ! -e $ROOT/state/progress.json ]]
	expect_equal $'{"task_id":"x",\n"a"' "$(cat "$ROOT/state/progress.json.rejected")"
	cmp "$HOME/before" "$ROOT/state/constraints.md"
	cmp "$HOME/facts" "$ROOT/state/facts.jsonl"
}

# bats test_tags=once
@test "--fix puts back records that a stale save dropped; not what was altered, archived, or what git took" {
	git -C "$PROJECT" config --unset core.excludesFile || :
	: >"$PROJECT/.git/info/exclude"
	local first
	first=$(memrc decide one --because x)
	memrc decide two --because x
	memrc fact three --evidence x
	git add -A && git commit -qm memory
	git checkout -q -b other
	memrc decide four --because x
	git commit -qam four
	git checkout -q main
	memrc decide five --because x
	sed -i -e '/"one"/d' -e 's/"two"/"zwei"/' "$ROOT/state/decisions.jsonl"
	run memrc rc --runlevel compact
	expect_status 3
	run memrc validate
	expect_status 1
	expect_line "decisions.jsonl: records of memrc's that another hand dropped: 1: memrc validate --fix puts them back"
	run memrc validate --fix
	expect_status 0
	expect_line 'fixed: decisions.jsonl: 1 put back that a hand had dropped'
	expect_equal $'zwei\nfive\none' "$(field decisions.jsonl .decision)"
	run memrc validate --fix
	expect_no_output
	memrc supersede "$first" --by once --because y
	memrc seal --accept --answer 'zwei it is'
	memrc archive
	run memrc validate --fix
	expect_no_output
	run memrc rc --runlevel compact
	expect_status 0
}

@test "a file that a hand took away whole: named; records come back" {
	git -C "$PROJECT" config --unset core.excludesFile || :
	: >"$PROJECT/.git/info/exclude"
	memrc constrain 'No Redis'
	memrc decide one --because x
	memrc decide two --because x
	rm "$ROOT/state/constraints.md" "$ROOT/state/decisions.jsonl"
	run memrc rc --runlevel compact
	expect_status 3
	expect_text 'state/constraints.md: is gone, and was there when it was sealed; change nothing'
	expect_text 'decisions.jsonl is gone'
	expect_text 'answer with: memrc validate --fix (puts it back)'
	run memrc validate
	expect_status 1
	expect_line 'constraints.md: is gone, and was there when it was sealed: put state/.seal/constraints.md there again, or memrc seal --accept lets it go'
	expect_line 'decisions.jsonl: is gone, and was there when it was sealed: memrc validate --fix puts it back, or memrc seal --accept lets it go'
	run memrc validate --fix
	expect_line 'fixed: decisions.jsonl: put back, a hand had taken it away'
	expect_equal $'one\ntwo' "$(field decisions.jsonl .decision)"
	cp "$ROOT/state/.seal/constraints.md" "$ROOT/state/constraints.md"
	run memrc validate
	expect_status 0
	run memrc rc --runlevel compact
	expect_status 0
	# git goes to where there is none
	printf '.seal\n.lock\n' >"$PROJECT/.git/info/exclude"
	git add "$ROOT/state/decisions.jsonl" && git commit -qm decisions
	git checkout -q -b other
	git add -A && git commit -qm constraints
	git checkout -q main
	[[ ! -e $ROOT/state/constraints.md ]]
	run memrc validate
	expect_status 0
	# nobody remembers when it went, but the branch has it
	git reflog expire --expire=now --all
	run memrc validate --fix
	expect_status 0
	expect_no_output
}

@test "of a file that is gone all comes back, an empty one too; a link to nothing keeps nothing from being mended" {
	memrc decide one --because x
	memrc fact two --evidence x
	memrc retract "$(field facts.jsonl .id)" --because x
	: >"$ROOT/state/facts.jsonl"
	memrc seal --accept --answer ok
	rm "$ROOT/state/facts.jsonl"
	mv "$ROOT/state/decisions.jsonl" "$ROOT/state/decisions.archive.jsonl"
	run memrc validate --fix
	expect_status 0
	run memrc rc --runlevel compact
	expect_status 0
	expect_text one
	rm "$ROOT/state/decisions.jsonl"
	ln -s /nowhere "$ROOT/state/decisions.jsonl"
	put identity.md <<<$'language: sh\r'
	run memrc validate --fix
	expect_status 1
	expect_line 'decisions.jsonl: is a link to nothing: nothing is read'
	[[ $(<"$ROOT/state/identity.md") != *$'\r'* ]]
}

@test "--fix waits for the lock and beside writers loses nothing" {
	local n
	exec 8>"$ROOT/state/.lock"
	flock 8
	run --separate-stderr memrc validate --fix --wait 0.1
	expect_status 75
	expect_one_error_line
	exec 8>&-
	for n in 1 2 3 4 5 6; do printf 'bad %s\n' "$n" >>"$ROOT/state/decisions.jsonl"; done
	memrc validate --fix >/dev/null 3>&- &
	local first=$!
	memrc validate --fix >/dev/null 3>&- &
	local second=$!
	for n in 1 2 3 4 5; do memrc decide "beside $n" --because x >/dev/null; done
	wait "$first" "$second"
	expect_equal 5 "$(wc -l <"$ROOT/state/decisions.jsonl")"
	expect_equal 6 "$(sort -u "$ROOT/state/decisions.jsonl.rejected" | wc -l)"
	expect_equal 6 "$(wc -l <"$ROOT/state/decisions.jsonl.rejected")"
}

@test "--json is an object a line" {
	put decisions.jsonl <<<'{"v":1,"id":"d-0000000001","decision":"a","status":"é"}'
	run memrc validate --json
	expect_status 1
	expect_equal 'decisions.jsonl 1 status false' "$("$JQ" -r '"\(.file) \(.line) \(.field) \(.warning)"' <<<"$output")"
}

# bats test_tags=once
@test "every damage of the fixtures: named or harmless, never a crash" {
	local file kind
	for file in decisions.jsonl identity.md constraints.md progress.json index.jsonl config; do
		for kind in empty blank unended torn conflict utf8 huge huge-record huge-wide array prose two-values deep; do
			rm -rf "$ROOT/state"
			mkdir "$ROOT/state"
			valid
			damage "$kind" "$file"
			run --separate-stderr memrc validate
			[[ $status == [01] ]] || _unexpected "$kind $file: $status"
			expect_no_error
		done
	done
}

@test "no root, wrong options, a file that can't be read: the documented exit and one line" {
	run --separate-stderr memrc validate --root /nowhere
	expect_status 6
	expect_one_error_line
	run --separate-stderr memrc validate --nonsense
	expect_status 2
	expect_one_error_line
	mkdir "$ROOT/state/decisions.jsonl"
	run --separate-stderr memrc validate
	expect_status 74
	expect_one_error_line
}
