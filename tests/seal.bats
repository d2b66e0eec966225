#!/usr/bin/env bats
# seal: copies of the shared files as memrc's writers left them; any other byte is found

load helper

setup() {
	project_setup
	put constraints.md <<<$'# Rules\n- no Redis\n\n- never force push'
	put identity.md <<<$'language: sh\nforbidden: eval'
	put decisions.jsonl <<<'{"v":1,"id":"d-0000000001","rev":1,"ts":"2026-11-01T00:00:00Z","status":"ACTIVE","decision":"a","reason":"b"}'
	put facts.jsonl <<<'{"v":1,"id":"f-0000000001","rev":1,"ts":"2026-11-01T00:00:00Z","status":"ACTIVE","claim":"a","evidence":"b"}'
	memrc seal --accept --answer 'as it is' >/dev/null
}

state() { printf '%s' "$ROOT/state/$1"; }

# sealed FILE - is the copy the file?
sealed() { cmp "$(state "$1")" "$(state ".seal/$1")"; }

# damage FILE AT - the byte at AT gets another value; AT-: the file ends before it
damage() {
	python3 - "$(state "$1")" "$2" <<'END'
import sys
path, at = sys.argv[1:]
data = bytearray(open(path, "rb").read())
if at.endswith("-"):
    data = data[: int(at[:-1])]
else:
    data[int(at)] ^= 1 + (int(at) * 37) % 255
open(path, "wb").write(data)
END
}

# expect_found FILE STEP - each STEP-th byte changed, and the file cut there: rc stops for it at compact
expect_found() {
	local size at kept=$BATS_TEST_TMPDIR/kept cut
	cp "$(state "$1")" "$kept"
	size=$(wc -c <"$kept")
	for ((at = 0; at < size; at += $2)); do
		for cut in '' -; do
			damage "$1" "$at$cut"
			run rc --runlevel compact --only conflicts
			[[ $status == 3 ]] || {
				# a required part that fails counts too, and is another part
				run rc --runlevel compact
			}
			[[ $status == 3 ]] || _unexpected "$1: byte $at$cut: exit $status"
			cp "$kept" "$(state "$1")"
		done
	done
	run rc --runlevel compact
	expect_status 0
}

@test "a byte changed, or the end cut off: found (a sample)" {
	local file
	for file in identity.md constraints.md decisions.jsonl facts.jsonl; do expect_found "$file" 11; done
	# the last byte of each
	for file in identity.md constraints.md decisions.jsonl facts.jsonl; do
		damage "$file" "$(($(wc -c <"$(state "$file")") - 1))-"
		run rc --runlevel compact
		expect_status 3
		cp "$(state ".seal/$file")" "$(state "$file")"
	done
}

# bats test_tags=slow
@test "a byte changed, or the end cut off: found (every one)" {
	local file
	for file in identity.md constraints.md decisions.jsonl facts.jsonl; do expect_found "$file" 1; done
}

@test "every change of a byte, in every awk: changes.awk finds a line taken away" {
	python3 - "$HERE" "$BATS_TEST_TMPDIR" <<'END'
import itertools, os, pathlib, shutil, subprocess, sys
here, tmp = sys.argv[1], pathlib.Path(sys.argv[2])
seal = b"a b\n\nx\n\n\n- yy\nx\n"
(tmp / "s.md").write_bytes(seal)
bad = 0
for awk in ["mawk", "gawk", "busybox awk", "original-awk"]:
    if not shutil.which(awk.split()[0]):
        print("not tested:", awk)
        continue
    changed = [seal[:i] + bytes([c]) + seal[i + 1:] for i in range(len(seal)) for c in b"\nax -\r\xc3" if seal[i] != c]
    changed += [seal[:i] for i in range(len(seal))]
    for data in changed:
        (tmp / "f.md").write_bytes(data)
        r = subprocess.run([*awk.split(), "-f", f"{here}/bin/lib/awk/changes.awk", str(tmp / "f.md"), str(tmp / "s.md")],
                           capture_output=True, env={**os.environ, "LC_ALL": "C"})
        if r.returncode or r.stderr or b"was\t" not in r.stdout:
            bad += 1
            print(awk, data, r.stdout, r.stderr)
    # and additions take nothing away
    lines = seal.split(b"\n")[:-1]
    for at, new in itertools.product(range(len(lines) + 1), [b"", b"new", b"x"]):
        (tmp / "f.md").write_bytes(b"".join(l + b"\n" for l in [*lines[:at], new, *lines[at:]]))
        r = subprocess.run([*awk.split(), "-f", f"{here}/bin/lib/awk/changes.awk", str(tmp / "f.md"), str(tmp / "s.md")],
                           capture_output=True, env={**os.environ, "LC_ALL": "C"})
        if r.returncode or r.stderr or r.stdout != (b"added\t" + new + b"\n" if new else b""):
            bad += 1
            print(awk, at, new, r.stdout, r.stderr)
assert not bad
END
}

@test "every writer leaves file and copy equal" {
	local id
	memrc constrain one >/dev/null
	sealed constraints.md
	memrc retire "$(memrc constrain two)" --because x >/dev/null
	sealed constraints.md
	id=$(memrc decide three --because x)
	sealed decisions.jsonl
	memrc confirm "$id" --evidence x >/dev/null
	sealed decisions.jsonl
	memrc supersede "$id" --by four --because y >/dev/null
	sealed decisions.jsonl
	id=$(memrc fact five --evidence x)
	memrc retract "$id" --because x >/dev/null
	sealed facts.jsonl
	EDITOR='sed -i s/sh/bash/' memrc edit identity.md
	sealed identity.md
	run memrc seal
	expect_status 0
	expect_no_output
}

@test "the first writer seals a file that wasn't; what isn't shared isn't" {
	rm -r "$(state .seal)"
	memrc decide x --because y >/dev/null
	sealed decisions.jsonl
	[[ ! -e $(state .seal/constraints.md) ]]
	memrc step x >/dev/null
	memrc progress --title x >/dev/null
	memrc log --type t --target t x >/dev/null
	expect_equal decisions.jsonl "$(ls "$(state .seal)")"
}

@test "a writer behind another hand changes the copy in the same way, and hides nothing" {
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	printf -- '- by hand\n' >>"$(state constraints.md)"
	local id
	id=$(memrc constrain 'by memrc')
	run memrc seal
	expect_status 3
	expect_equal $'constraints.md: was\t- no Redis\nconstraints.md: now\t- Redis\nconstraints.md: added\t- by hand' "$output"
	memrc retire "$id" --because x >/dev/null
	run memrc seal
	expect_equal $'constraints.md: was\t- no Redis\nconstraints.md: now\t- Redis\nconstraints.md: added\t- by hand' "$output"
	# what neither had at the end of the line is kept apart, too
	printf -- '- no newline' >>"$(state constraints.md)"
	memrc constrain 'again' >/dev/null
	run memrc seal
	expect_equal $'constraints.md: was\t- no Redis\nconstraints.md: now\t- Redis\nconstraints.md: added\t- by hand\nconstraints.md: added\t- no newline' "$output"
}

@test "the same without git" {
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	mkdir "$BATS_TEST_TMPDIR/path"
	printf '#!/bin/sh\nexit 127\n' >"$BATS_TEST_TMPDIR/path/git"
	chmod +x "$BATS_TEST_TMPDIR/path/git"
	PATH=$BATS_TEST_TMPDIR/path:$PATH
	local id
	id=$(memrc constrain 'by memrc')
	run rc --runlevel compact
	expect_status 3
	expect_line '    was: - no Redis'
	memrc retire "$id" --because x >/dev/null
	run rc --runlevel compact
	expect_status 3
	expect_line '    was: - no Redis'
	expect_line '    now: - Redis'
}

@test "rc never writes the seal, whatever the runlevel" {
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	snapshot "$ROOT" >"$BATS_TEST_TMPDIR/before"
	local level
	for level in startup resume clear compact subagent manual; do rc --runlevel "$level" --soft >/dev/null; done
	rc stop
	rm "$ROOT/logs/events.jsonl" # where K parts note that the books were closed
	snapshot "$ROOT" | diff "$BATS_TEST_TMPDIR/before" -
}

# --- accept -------------------------------------------------------------------------------------------

@test "--accept: what is there is sealed; who said so, and what it was, stays on record" {
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	run --separate-stderr memrc seal --accept --answer 'Redis is allowed "now"'
	expect_status 0
	expect_no_error
	expect_line $'constraints.md: was\t- no Redis'
	sealed constraints.md
	run rc --runlevel compact
	expect_status 0
	expect_equal '2 user Redis is allowed "now" 43235a7' \
		"$("$JQ" -rs '"\(length) \(.[-1] | .by + " " + .answer + " " + .commit)"' "$ROOT/logs/seal.jsonl")"
	expect_equal $'constraints.md: was\t- no Redis' "$("$JQ" -rs '.[-1].changes[0]' "$ROOT/logs/seal.jsonl")"
}

@test "seal --accept keeps no secret in its record; the screen and the file have it" {
	local key=AKIA0123456789ABCDEF
	printf 'note: token %s\ncert: -----BEGIN EC PRIVATE'' KEY-----\n%s\n-----END EC PRIVATE'' KEY-----\nlast: x\n' "$key" \
		MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfnygWyF8PbnGy0AHB7 >>"$(state identity.md)"
	run --separate-stderr memrc seal --accept --answer 'mine'
	expect_status 0
	expect_line $'identity.md: added\t'"note: token $key"
	expect_equal $'identity.md: added\tnote: token [redacted:aws-key]\nidentity.md: added\tcert: [redacted:private-key]\nidentity.md: added\tlast: x' \
		"$("$JQ" -rs '.[-1].changes[]' "$ROOT/logs/seal.jsonl")"
	sealed identity.md
}

@test "--accept of a file that is gone for good" {
	rm "$(state facts.jsonl)" "$(state constraints.md)"
	memrc seal --accept --answer 'yes' >/dev/null
	run rc --runlevel compact
	expect_status 0
	[[ ! -e $(state .seal/facts.jsonl) ]]
}

@test "--accept without the user's words, and what else isn't taken" {
	local before
	sed -i 's/no Redis/Redis/' "$(state constraints.md)"
	before=$(snapshot "$(state .seal)")
	for arguments in --accept '--accept --answer' 'word' '--answer'; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr memrc seal $arguments
		expect_status 2
		expect_one_error_line
	done
	run --separate-stderr memrc seal --accept --answer ''
	expect_status 65
	expect_equal "$before" "$(snapshot "$(state .seal)")"
}

# --- killed writers -----------------------------------------------------------------------------------

# kill_at PROGRAM TIMES ARG… - memrc ARG…, which dies by itself before it starts PROGRAM the TIMES-th time
kill_at() {
	local program=$1 times=$2
	shift 2
	rm -rf "$BATS_TEST_TMPDIR/path" "$BATS_TEST_TMPDIR/count"
	mkdir "$BATS_TEST_TMPDIR/path"
	cat >"$BATS_TEST_TMPDIR/path/$program" <<-END
		#!/bin/sh
		printf x >>"$BATS_TEST_TMPDIR/count"
		[ "\$(wc -c <"$BATS_TEST_TMPDIR/count")" -lt $times ] || { kill -9 \$PPID; exit 1; }
		exec "$(command -v "$program")" "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/path/$program"
	PATH=$BATS_TEST_TMPDIR/path:$PATH run memrc "$@"
	[[ $(wc -c <"$BATS_TEST_TMPDIR/count") == "$times" ]]
}

@test "killed at any step, a writer leaves no conflict, and the next one settles the copy" {
	local program times id kills=0
	for program in mv cp sync; do
		for times in 1 2 3 4 5; do
			for what in constrain retire decide retract; do
				case $what in
				constrain) set -- constrain "rule $program $times" ;;
				retire)
					id=$(memrc constrain "old rule $program $times")
					set -- retire "$id" --because x
					;;
				decide) set -- decide "d $program $times" --because x ;;
				retract)
					id=$(memrc decide "old $program $times" --because x)
					set -- retract "$id" --because x
					;;
				esac
				kill_at "$program" "$times" "$@" || continue
				[[ $status == 137 ]] || continue
				kills=$((kills + 1))
				run rc --runlevel compact --max-chars 100000
				expect_status 0
				# another writer, and the same once more
				memrc fact "f $what $program $times" --evidence x >/dev/null
				run rc --runlevel compact --max-chars 100000
				expect_status 0
				memrc "$@" >/dev/null
				run rc --runlevel compact --max-chars 100000
				expect_status 0
				expect_equal '' "$(find "$(state .seal)" -name '*.next*' -o -name '*.tmp*')"
			done
		done
	done
	((kills >= 12)) || _unexpected "only $kills kills"
}

@test "a disk that is full while the copy is written: said, and nothing false afterwards" {
	need_root
	mkdir -p "$BATS_TEST_TMPDIR/path"
	# shellcheck disable=SC2016 # the program's
	printf '#!/bin/sh\ncase "$*" in *.next*) exit 1 ;; esac\nexec "%s" "$@"\n' "$(command -v cp)" >"$BATS_TEST_TMPDIR/path/cp"
	chmod +x "$BATS_TEST_TMPDIR/path/cp"
	local before
	before=$(cat "$(state constraints.md)")
	PATH=$BATS_TEST_TMPDIR/path:$PATH run --separate-stderr memrc constrain 'new'
	expect_status 74
	expect_one_error_line
	expect_equal "$before" "$(cat "$(state constraints.md)")"
	run rc --runlevel compact
	expect_status 0
}
