#!/usr/bin/env bats
# conflicts: what others than memrc changed behind its back stops the agent; what git did, and what is new, doesn't

load helper

setup() {
	project_setup
	put constraints.md <<<$'# Rules\n\n- no Redis\n- never force push\n- no new ports: the firewall is not ours'
	put identity.md <<<$'language: Python\nframework: Flask\nforbidden: pip without a venv'
	memrc decide 'keys in a table' --because 'no new service' >/dev/null
	memrc decide 'retry in the client' --because 'simple' >/dev/null
	memrc fact 'the API listens on 3000' --check 'grep:src/app.py:PORT = 3000' >/dev/null
	memrc fact 'orders have an id' --evidence 'saw it' >/dev/null
	memrc seal --accept --answer 'as it is' >/dev/null
}

state() { printf '%s' "$ROOT/state/$1"; }

# restore [RUNLEVEL] - what the agent gets
restore() { run rc --runlevel "${1:-compact}"; }

# expect_calm - no conflict, nor anything malformed
expect_calm() {
	restore
	expect_status 0
	refute_text '[CONFLICT]'
}

# expect_conflict WAS NOW
expect_conflict() {
	restore
	expect_status 3
	expect_line "    was: $1"
	expect_line "    now: $2"
	expect_order '[SESSION RESTORE]' '[CONFLICT] '
	[[ $(grep -n '^\[' <<<"$output" | sed -n 2p) == *'[CONFLICT]'* ]] || _unexpected 'the conflict stands not behind the header'
	expect_text 'Stop. Change no code. Show this to the user, ask which is right'
}

# --- the founding test --------------------------------------------------------------------------------

@test "an untouched memory is calm on every runlevel" {
	local level
	for level in startup resume clear compact subagent manual; do
		restore "$level"
		expect_status 0
		refute_text '[CONFLICT]'
		refute_text '[CHANGED]'
	done
	run memrc seal
	expect_status 0
	expect_no_output
}

@test "whatever the lock is, what was changed is a conflict" {
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	(flock 9 && exec sleep 60) 9>>"$(state .lock)" 3>&- &
	local holder=$!
	wait_for_lock() { ! flock -n "$(state .lock)" true; }
	wait_for wait_for_lock
	expect_conflict '- no Redis' '- Redis'
	kill "$holder"
	rm "$(state .lock)"
	expect_conflict '- no Redis' '- Redis'
	mkfifo "$(state .lock)"
	expect_conflict '- no Redis' '- Redis'
	rm "$(state .lock)"
	mkdir "$(state .lock)"
	expect_conflict '- no Redis' '- Redis'
}

@test "a line of constraints.md rewritten after rc stop, before it, and with memrc constrain behind it" {
	local way
	cp "$(state constraints.md)" "$BATS_TEST_TMPDIR/constraints.md"
	cp -R "$(state .seal)" "$BATS_TEST_TMPDIR/seal"
	for way in after before constrained; do
		case $way in after) rc stop ;; esac
		sed -i 's/no Redis/Redis is fine/' "$(state constraints.md)"
		case $way in
		before) rc stop ;;
		constrained) memrc constrain 'no cron jobs' >/dev/null ;;
		esac
		expect_conflict '- no Redis' '- Redis is fine'
		# in force until a person says otherwise
		expect_text ' no Redis (gone from constraints.md here; in force until retired)'
		expect_text ' Redis is fine'
		[[ $way != constrained ]] || expect_text ' no cron jobs'
		run memrc seal
		expect_status 3
		expect_line $'constraints.md: was\t- no Redis'
		cp "$BATS_TEST_TMPDIR/constraints.md" "$(state constraints.md)"
		rm -r "$(state .seal)"
		cp -R "$BATS_TEST_TMPDIR/seal" "$(state .seal)"
		expect_calm
	done
}

@test "the last line rewritten, and memrc constrain right behind it: what it wrote is sealed all the same" {
	sed -i 's/no new ports: the firewall is not ours/new ports are fine/' "$(state constraints.md)"
	memrc constrain 'no cron jobs' >/dev/null
	expect_conflict '- no new ports: the firewall is not ours' '- new ports are fine'
	sed -i '/cron/d' "$(state constraints.md)"
	expect_conflict '- no cron jobs' '(gone)'
}

@test "identity, decisions and facts rewritten: the same, and with a writer behind it" {
	sed -i 's/Flask/Django/' "$(state identity.md)"
	expect_conflict 'framework: Flask' 'framework: Django'
	memrc seal --accept --answer 'yes, Django' >/dev/null
	expect_calm
	local old new
	old=$(sed -n 1p "$(state decisions.jsonl)")
	new=${old/in a table/in Redis}
	sed -i '1s/in a table/in Redis/' "$(state decisions.jsonl)"
	expect_conflict "$old" "$new"
	memrc decide another --because x >/dev/null
	expect_conflict "$old" "$new"
	memrc retract "$(memrc decide third --because x)" --because y >/dev/null
	expect_conflict "$old" "$new"
	sed -i '1s/in Redis/in a table/' "$(state decisions.jsonl)"
	expect_calm
	old=$(sed -n 1p "$(state facts.jsonl)")
	sed -i '1s/3000/4000/' "$(state facts.jsonl)"
	expect_conflict "$old" "$(sed -n 1p "$(state facts.jsonl)")"
}

@test "a hand-written new constraint is in force and announced" {
	printf -- '\n- no eval\n' >>"$(state constraints.md)"
	sed -i '1i - first of all: tests' "$(state constraints.md)"
	restore
	expect_status 0
	expect_line "[CHANGED] by other hands than memrc's, and in force:"
	expect_line '  constraints.md: new: - no eval'
	expect_line '  constraints.md: new: - first of all: tests'
	expect_text ' no eval'
	expect_text '[CONSTRAINTS] 6 in force'
	# an empty line alone is nothing to stop for
	memrc seal --accept --answer yes >/dev/null
	sed -i 's/^# Rules/&\n/' "$(state constraints.md)"
	expect_calm
}

@test "a key of the template that gets its value is announced; one that had a value is a conflict" {
	memrc seal --accept --answer x
	memrc init
	printf 'language:\ntest_command: \nframework: Flask\n' >"$(state identity.md)"
	memrc seal --accept --answer x
	printf 'language: Go\ntest_command: make test\nframework: Flask\n' >"$(state identity.md)"
	restore
	expect_calm
	expect_line '  identity.md: new: language: Go'
	expect_line '  identity.md: new: test_command: make test'
	refute_text 'another order'
	printf 'language: Go\ntest_command:\nframework:\n' >"$(state identity.md)"
	restore
	expect_status 3
	expect_line '    was: framework: Flask'
}

@test "a record added by hand is announced" {
	printf '%s\n' '{"v":1,"id":"f-00000000aa","rev":1,"ts":"2026-11-30T00:00:00Z","claim":"by hand","evidence":"x","status":"ACTIVE"}' >>"$(state facts.jsonl)"
	restore
	expect_status 0
	expect_text '  facts.jsonl: new: {"v":1,"id":"f-00000000aa"'
}

@test "a last line that is still being written is not announced; a whole one without its newline is" {
	local whole='{"v":1,"id":"f-00000000aa","rev":1,"ts":"x","claim":"by hand","evidence":"[x]","status":"ACTIVE"}'
	printf '%s' "${whole%??????????}" >>"$(state facts.jsonl)"
	restore
	expect_status 0
	refute_text '[CHANGED]'
	sed -i '$d' "$(state facts.jsonl)"
	printf '%s' "$whole" >>"$(state facts.jsonl)"
	restore
	expect_status 0
	expect_line "  facts.jsonl: new: $whole"
	expect_text 'by hand'
	# where a line means something by itself, an unfinished one is in force
	printf -- '- no ev' >>"$(state constraints.md)"
	restore
	expect_line '  constraints.md: new: - no ev'
}

@test "a constraint that was deleted is a conflict, and stays in force until it is retired" {
	sed -i '/force push/d' "$(state constraints.md)"
	local id
	for _ in 1 2; do
		expect_conflict '- never force push' '(gone)'
		expect_text ' never force push (gone from constraints.md here; in force until retired)'
		expect_text '[CONSTRAINTS] 4 in force'
	done
	id=$(sed -n 's/^  \(c-[0-9a-f]*\) never force push.*/\1/p' <<<"$output")
	run --separate-stderr memrc retire "$id" --because 'the user said so' --answer 'yes'
	expect_status 0
	expect_no_error
	expect_calm
	refute_text 'never force push'
	expect_equal '- never force push {retired: 2026-11-30 the user said so (user: yes)}' "$(tail -n 1 "$(state constraints.md)")"
	run memrc seal
	expect_status 0
}

@test "one of several lines, and the whole file gone: retired one by one" {
	printf -- '- a procedure:\n  first this\n  then that\n' >>"$(state constraints.md)"
	memrc seal --accept --answer yes >/dev/null
	sed -i '/a procedure/,$d' "$(state constraints.md)"
	restore
	expect_status 3
	local id
	id=$(sed -n 's/^  \(c-[0-9a-f]*\) a procedure.*/\1/p' <<<"$output")
	memrc retire "$id" --because x >/dev/null
	expect_calm
	refute_text 'a procedure'
	rm "$(state constraints.md)"
	for id in $(memrc recall --type constraint | sed -n 's/^\(c-[0-9a-f]*\) constraint IN FORCE.*/\1/p'); do
		memrc retire "$id" --because x >/dev/null
	done
	restore
	refute_text '[CONSTRAINTS]'
	# the headings are still gone
	expect_line '    was: # Rules'
	memrc seal --accept --answer yes >/dev/null
	expect_calm
	refute_text '[CONSTRAINTS]'
}

@test "retire, constrain, edit: memrc's own changes are no conflict" {
	local id
	id=$(memrc constrain 'one more')
	expect_calm
	memrc retire "$id" --because x >/dev/null
	expect_calm
	refute_text 'one more'
	# shellcheck disable=SC2016 # the editor's
	printf '#!/bin/sh\nsed -i "s/no Redis/no Redis, no Memcached/; /force push/d" "$1"\n' >"$BATS_TEST_TMPDIR/editor"
	chmod +x "$BATS_TEST_TMPDIR/editor"
	EDITOR=$BATS_TEST_TMPDIR/editor memrc edit constraints.md
	expect_calm
	expect_text 'no Redis, no Memcached'
	refute_text 'force push'
	refute_text '[CHANGED]'
}

@test "the files gone, cut, emptied, unreadable in any way" {
	local file
	for file in identity.md constraints.md decisions.jsonl facts.jsonl; do
		cp "$(state "$file")" "$BATS_TEST_TMPDIR/kept"
		rm "$(state "$file")"
		restore
		expect_status 3
		expect_text "[CONFLICT]"
		case $file in
		constraints.md) expect_text 'no Redis' ;;
		identity.md) expect_text 'pip without a venv' ;;
		esac
		: >"$(state "$file")"
		restore
		expect_status 3
		rm "$(state "$file")"
		mkdir "$(state "$file")"
		restore
		expect_status 3
		rmdir "$(state "$file")"
		ln -s nowhere "$(state "$file")"
		restore
		expect_status 3
		rm "$(state "$file")"
		cp "$BATS_TEST_TMPDIR/kept" "$(state "$file")"
		expect_calm
	done
}

@test "constraints.md gone, and memrc constrain behind it: nothing that was sealed is lost" {
	rm "$(state constraints.md)"
	memrc constrain 'no cron jobs' >/dev/null
	restore
	expect_status 3
	expect_text '    was: - no Redis'
	expect_text ' no Redis (gone from constraints.md here'
	expect_text ' no cron jobs'
	expect_text '[CONSTRAINTS] 5 in force'
}

@test "many lines rewritten at once: three in full, the count of the rest, within a restore's time and size" {
	local n
	for n in {1..300}; do printf -- '- rule number %s of the many\n' "$n"; done >>"$(state constraints.md)"
	memrc seal --accept --answer yes >/dev/null
	sed -i 's/of the many/of the several and of others/' "$(state constraints.md)"
	local start=$SECONDS
	run rc --runlevel compact
	((SECONDS - start <= 10))
	expect_status 3
	expect_text '(300 in all: memrc verify; memrc seal)'
	expect_equal 3 "$(grep -c '^    was: ' <<<"$output")"
	# and all of it can be accepted
	run --separate-stderr memrc seal --accept --answer yes >/dev/null
	expect_status 0
	expect_no_error
	run memrc seal
	expect_status 0
}

@test "CRLF all over, a byte order mark, another order" {
	local change
	for change in 's/$/\r/' '1s/^/\xef\xbb\xbf/' '$s/$/\n  belongs to it/;1{h;d};$G'; do
		cp "$(state constraints.md)" "$BATS_TEST_TMPDIR/kept"
		sed -i "$change" "$(state constraints.md)"
		restore
		expect_status 3
		cp "$BATS_TEST_TMPDIR/kept" "$(state constraints.md)"
	done
	# the same lines, each a constraint of its own: announced
	sed -i '1{h;d};$G' "$(state constraints.md)"
	expect_calm
	expect_line '  constraints.md: its lines are in another order'
	# what records mean doesn't depend on their order
	sed -i '1{h;d};$G' "$(state decisions.jsonl)"
	expect_calm
}

@test "startup announces what compact, resume and a subagent's start stop for" {
	sed -i 's/no Redis/Redis is fine/' "$(state constraints.md)"
	local level
	for level in startup clear manual; do
		restore "$level"
		expect_status 0
		expect_line '  constraints.md: changed since it was sealed: gone from the file, still in force until retired: - no Redis'
		expect_line '    now: - Redis is fine'
		refute_text '[CONFLICT]'
	done
	for level in compact resume subagent; do
		restore "$level"
		expect_status 3
		expect_line '    was: - no Redis'
	done
}

@test "in an unattended session the agent ends with a report" {
	sed -i 's/no Redis/Redis is fine/' "$(state constraints.md)"
	MEMRC_UNATTENDED=1 restore
	expect_status 3
	expect_text 'Stop. Change no code. Nobody is here to ask: end with a report of it.'
	refute_text 'ask which is right'
}

@test "a conflict lasts until none is left" {
	sed -i 's/no Redis/Redis is fine/' "$(state constraints.md)"
	sed -i 's/3000/4000/' src/app.py
	restore
	expect_status 3
	expect_text '[CONFLICT] 2:'
	expect_text 'says: the API listens on 3000'
	expect_text '    code base: src/app.py:1  PORT = 4000   (grep:src/app.py:PORT = 3000)'
	memrc seal --accept --answer 'Redis is fine now' >/dev/null
	restore
	expect_status 3
	expect_text '[CONFLICT] 1:'
	local id
	id=$(sed -n 's/^  \(f-[0-9a-f]*\) says.*/\1/p' <<<"$output")
	memrc supersede "$id" --by 'the API listens on 4000' --check 'grep:src/app.py:PORT = 4000' --answer 'yes, 4000' >/dev/null
	expect_calm
	refute_text 'listens on 3000'
	expect_text 'VERIFIED the API listens on 4000'
}

@test "what is announced as gone is said to be in force only where it is: not a heading, nor what is retired, nor other files' lines" {
	printf -- '- old {retired: 2026-11-01 x}\n- a procedure:\n\n  first this\n<!-- a remark -->\n' >>"$(state constraints.md)"
	memrc seal --accept --answer yes >/dev/null
	: >"$(state constraints.md)"
	printf 'language: Python\n' >"$(state identity.md)"
	restore startup
	expect_status 0
	for line in 'constraints.md: changed since it was sealed: was: # Rules' \
		'constraints.md: changed since it was sealed: gone from the file, still in force until retired: - never force push' \
		'constraints.md: changed since it was sealed: was: - old {retired: 2026-11-01 x}' \
		'constraints.md: changed since it was sealed: gone from the file, still in force until retired:   first this' \
		'constraints.md: changed since it was sealed: was: <!-- a remark -->' \
		'identity.md: changed since it was sealed: was: framework: Flask' \
		'identity.md: changed since it was sealed: gone from the file, still in force until retired: forbidden: pip without a venv'; do
		expect_line "  $line"
	done
}

@test "a record that was dropped: the command that the conflict names puts it back" {
	need_python
	local record
	record=$(sed -n 1p "$(state decisions.jsonl)")
	sed -i 1d "$(state decisions.jsonl)"
	expect_conflict "$record" '(gone)'
	expect_line '    answer with: memrc validate --fix (puts it back) | memrc seal --accept --answer "…" | memrc edit decisions.jsonl'
	memrc validate --fix >/dev/null
	expect_calm
	expect_text ' keys in a table'
	# what it doesn't do isn't named
	sed -i 's/in a table/in Redis/' "$(state decisions.jsonl)"
	sed -i '/no Redis/d' "$(state constraints.md)"
	restore
	expect_status 3
	expect_text '[CONFLICT] 2:'
	refute_text 'validate --fix'
}

# --- required parts -----------------------------------------------------------------------------------

# own_part NAME - stdin is the program of a part of the user's
own_part() {
	mkdir -p "$HOME/.config/memrc/init.d"
	cat >"$HOME/.config/memrc/init.d/$1"
	chmod +x "$HOME/.config/memrc/init.d/$1"
}

@test "S20 that fails, hangs, is killed or prints too much: a conflict with the seal's lines" {
	local program
	for program in 'exit 1' 'exec sleep 60' 'kill -9 $$' 'yes | head -c 200000' 'exit 74'; do
		own_part S20-constraints <<<$'#!/bin/sh\nprintf "[CONSTRAINTS] none\\n"\n'"$program"
		run rc --runlevel compact --deadline 3
		expect_status 3
		expect_text '[CONFLICT] the constraints could not be read: '
		expect_text '; change nothing, ask the user'
		expect_line '    - no Redis'
		expect_line '    - never force push'
		refute_text '[CONSTRAINTS] none'
		expect_text '[END OF RESTORE]'
	done
}

@test "S05 that can't tell is a conflict too" {
	own_part S05-conflicts <<<$'#!/bin/sh\nexit 74'
	restore
	expect_status 3
	expect_text '[CONFLICT] the conflicts could not be read: exit 74'
}

@test "constraints.md that nobody may read" {
	skip_as_root
	chmod 000 "$(state constraints.md)"
	restore
	expect_status 3
	expect_line '    - no Redis'
	chmod 644 "$(state constraints.md)"
}

# --- git ----------------------------------------------------------------------------------------------

# tracked - the memory as `memrc init` has git keep it, in a first commit
tracked() {
	rm .git/info/exclude
	memrc init >/dev/null
	put constraints.md <<<$'- no Redis\n- never force push\n- third rule\n- fourth rule\n- fifth rule\n- sixth rule'
	put identity.md <<<'language: Python'
	commit first
	memrc seal --accept --answer 'as it is' >/dev/null
}

commit() {
	git add -A
	git commit -qm "$1"
}

@test "commit, branch, checkout, merge, rebase, reset, cherry-pick: no conflict, and nothing is lost" {
	tracked
	expect_calm
	git checkout -qb side
	expect_calm
	memrc constrain 'no cron jobs' >/dev/null
	memrc decide 'side decision' --because x >/dev/null
	expect_calm
	commit side
	expect_calm
	git checkout -q main
	expect_calm
	expect_text ' no cron jobs (gone from constraints.md here; in force until retired)'
	memrc constrain 'a rule of main' >/dev/null
	memrc fact 'main fact' --evidence x >/dev/null
	expect_calm
	expect_text ' no cron jobs'
	expect_text ' a rule of main'
	commit main
	expect_calm
	git checkout -q side
	expect_calm
	expect_text ' a rule of main (gone from'
	git checkout -q main
	git merge -q side >/dev/null 2>&1 || {
		# both added at the end: a person takes both
		sed -i '/^[<=>]\{7\}/d' "$(state constraints.md)"
		commit merged
	}
	expect_calm
	expect_text ' no cron jobs'
	expect_text ' a rule of main'
	refute_text '(gone from'
	git checkout -q side
	git reset -q --hard HEAD~1
	expect_calm
	git checkout -q main
	expect_calm
	git checkout -qb older HEAD~1
	expect_calm
	expect_text ' no cron jobs'
	printf 'x\n' >x
	commit x
	git rebase -q main
	expect_calm
	git checkout -q main
	git cherry-pick older >/dev/null
	expect_calm
	git checkout -q "$(git rev-list --max-parents=0 HEAD)"
	expect_calm
	expect_text ' no cron jobs (gone from'
	expect_text '[CONSTRAINTS] 8 in force'
}

@test "stash and stash pop, also on another branch and with a rebase that stashes by itself" {
	tracked
	git checkout -qb side
	printf -- '- rule of side\n' | cat - "$(state constraints.md)" >"$BATS_TEST_TMPDIR/new"
	cp "$BATS_TEST_TMPDIR/new" "$(state constraints.md)"
	memrc seal --accept --answer yes >/dev/null
	commit side
	git checkout -q main
	memrc constrain 'not yet committed' >/dev/null
	expect_calm
	git stash -q
	expect_calm
	expect_text ' not yet committed (gone from'
	git stash pop -q
	expect_calm
	refute_text 'not yet committed (gone'
	git stash -q
	git checkout -q side
	git stash pop -q
	expect_calm
	expect_text ' not yet committed'
	expect_text ' rule of side'
	git stash -q
	git checkout -q main
	printf 'x\n' >x
	commit x
	git stash pop -q
	expect_calm
	expect_text ' rule of side (gone from'
	git stash -q
	memrc constrain 'while it is stashed' >/dev/null
	expect_calm
	expect_text ' not yet committed (gone from'
	commit y
	git checkout -q side
	memrc fact 'not yet committed either' --evidence x >/dev/null
	git rebase -q --autostash main >/dev/null 2>&1
	expect_calm
	expect_text ' not yet committed either'
	expect_text ' while it is stashed'
}

@test "a branch without the lines of another, and a hand or a writer that adds: still no conflict" {
	tracked
	git checkout -qb side
	memrc constrain 'rule of side' >/dev/null
	memrc decide 'side decision' --because x >/dev/null
	commit side
	git checkout -q main
	printf -- '- by hand\n' >>"$(state constraints.md)"
	memrc decide 'main decision' --because x >/dev/null
	expect_calm
	expect_text ' rule of side (gone from'
	expect_text ' by hand'
	# what a hand takes away meanwhile is one
	sed -i '/third rule/d' "$(state constraints.md)"
	expect_conflict '- third rule' '(gone)'
}

@test "a branch without the files: announced, and the constraints are still there" {
	git checkout -q --orphan lonely
	git checkout -q main
	tracked
	git branch before HEAD~1
	git checkout -q before
	[[ ! -e $(state constraints.md) ]]
	mkdir -p "$ROOT/state"
	expect_calm
	expect_text ' no Redis (gone from constraints.md here'
	git checkout -q main
	expect_calm
	# without a commit noted: sealed by writers alone
	rm "$(state .seal)/commit"
	git checkout -q before
	mkdir -p "$ROOT/state"
	expect_calm
	expect_text ' no Redis (gone from constraints.md here'
}

@test "retired on one branch, added on the other, merged both ways" {
	tracked
	local direction id
	id=$(memrc recall --type constraint | sed -n 's/^\(c-[0-9a-f]*\) constraint IN FORCE.*/\1/p' | head -n 1)
	git checkout -qb retiring
	memrc retire "$(printf 'no Redis' | sha256sum | sed 's/\(.\{8\}\).*/c-\1/')" --because x >/dev/null
	expect_calm
	commit retired
	git checkout -qb adding main
	memrc constrain 'rule of adding' >/dev/null
	expect_calm
	expect_text ' no Redis'
	commit added
	for direction in 'adding retiring' 'retiring adding'; do
		git checkout -q "${direction% *}"
		git checkout -qb "merged-${direction% *}"
		git merge -q --no-edit "${direction#* }"
		expect_calm
		expect_text ' rule of adding'
		refute_text ' no Redis'
		refute_text '(gone from'
		# a clone that saw only one branch's files
		rm -r "$(state .seal)"
		expect_calm
		refute_text ' no Redis'
		memrc seal --accept --answer yes >/dev/null
	done
}

@test "what git did is said with its commits; what a hand did on top of it is a conflict" {
	tracked
	local first
	first=$(git rev-parse --short=7 HEAD)
	sed -i 's/no Redis/no Redis at all/' "$(state constraints.md)"
	expect_conflict '- no Redis' '- no Redis at all'
	commit 'a person committed it'
	expect_calm
	expect_line "  constraints.md: changed by git $first..$(git rev-parse --short=7 HEAD): gone from the file, still in force until retired: - no Redis"
	expect_line '    now: - no Redis at all'
}

@test "what was never committed is no work of git's, though the file is what HEAD has: a hand took it out" {
	tracked
	local noted
	for noted in yes moved no; do
		case $noted in
		moved)
			printf 'x\n' >>src/app.py
			git commit -qam 'another file'
			;;
		no) rm "$(state .seal/commit)" ;;
		esac
		memrc constrain 'never touch prod' >/dev/null
		expect_calm
		sed -i '/never touch prod/d' "$(state constraints.md)"
		git diff --quiet
		expect_conflict '- never touch prod' '(gone)'
		expect_text ' never touch prod (gone from constraints.md here; in force until retired)'
		# as checkout -- does: what git has nowhere a person threw away
		memrc seal --accept --answer 'away with it' >/dev/null
		expect_calm
	done
}

@test "a stale save of records that happens to be what HEAD has is a conflict" {
	tracked
	local record
	memrc decide 'not yet committed' --because x >/dev/null
	record=$(tail -n 1 "$(state decisions.jsonl)")
	sed -i '$d' "$(state decisions.jsonl)"
	git diff --quiet
	expect_conflict "$record" '(gone)'
}

@test "a rebase that stopped in the middle, with what it stashed by itself; a branch left many commits ago: no conflict" {
	tracked
	local n
	rm "$(state .seal/commit)"
	git checkout -qb side
	memrc constrain 'rule of side' >/dev/null
	printf 'side\n' >x
	commit side
	git checkout -q main
	printf 'main\n' >x
	commit main
	memrc constrain 'not yet committed' >/dev/null
	run git rebase -q --autostash side
	[[ $status != 0 ]] || _unexpected 'the rebase went through'
	expect_calm
	expect_text ' not yet committed (gone from'
	git rebase --abort
	expect_calm
	refute_text ' not yet committed (gone from'
	memrc retire "$(printf 'not yet committed' | sha256sum | sed 's/\(.\{8\}\).*/c-\1/')" --because x >/dev/null
	commit retired
	for n in {1..51}; do git commit -q --allow-empty -m "$n"; done
	expect_calm
	expect_text ' rule of side (gone from'
}

@test "no git at all: a change is a conflict, a deletion too" {
	rm -rf .git
	mkdir "$BATS_TEST_TMPDIR/path"
	expect_calm
	sed -i '/force push/d' "$(state constraints.md)"
	expect_conflict '- never force push' '(gone)'
}
