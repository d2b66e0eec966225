#!/usr/bin/env bats
# verify: checks find what changed in the code base, say nothing of what didn't, and run nothing

load helper

# decided CHECK… , fact… - records with a check, without starting a writer for each
records() {
	python3 - "$ROOT/state" "$@" <<'END'
import glob, json, sys
state, checks = sys.argv[1], sys.argv[2:]
names = {"d": "decisions.jsonl", "f": "facts.jsonl"}
have = sum(len(open(f).readlines()) for f in glob.glob(f"{sys.argv[1]}/[df]*s.jsonl"))
for n, check in enumerate(checks, have):
    kind = "df"[n % 2]
    record = {"v": 1, "id": f"{kind}-{n:010x}", "rev": 1, "ts": f"2026-11-{1 + n // 1440 % 28:02}T{n // 60 % 24:02}:{n % 60:02}:00Z",
              "status": "ACTIVE", "check": check, "evidence": "",
              **({"decision": f"decision {n}", "reason": "x"} if kind == "d" else {"claim": f"claim {n}"})}
    with open(f"{state}/{names[kind]}", "a") as out:
        out.write(json.dumps(record) + "\n")
END
}

# verdict CHECK - what verify says of one check alone, the last word of it in FOUND
verdict() {
	rm -f "$ROOT/state/decisions.jsonl"
	records "$1"
	run --separate-stderr memrc verify
	expect_no_error
}

# expect_verdict WORD CHECK [FOUND]
expect_verdict() {
	verdict "$2"
	expect_line "$1 d-0000 $2  ${3-${2#*:}}"
	case $1 in CONFLICT) expect_status 3 ;; *) expect_status 0 ;; esac
}

# by_rc - the results that a restore works with, `id verdict` a line
by_rc() {
	local part=$HOME/.config/memrc/init.d/S85-results
	mkdir -p "${part%/*}"
	# shellcheck disable=SC2016 # the part's
	printf '#!/bin/sh\ncp "$MEMRC_CHECKS" "%s"; cp "$MEMRC_CHECKS.count" "%s"\n' "$BATS_TEST_TMPDIR/results" "$BATS_TEST_TMPDIR/count" >"$part"
	chmod +x "$part"
	rm -f "$BATS_TEST_TMPDIR/results"
	rc --soft >"$BATS_TEST_TMPDIR/message"
	cut -f 1,2 "$BATS_TEST_TMPDIR/results" | tr '\t' ' ' | sort
}

# --- each kind ----------------------------------------------------------------------------------------

@test "exists, absent, grep, nogrep: what holds, and what doesn't" {
	expect_verdict VERIFIED exists:src/app.py
	expect_verdict CONFLICT exists:src/gone.py 'src/gone.py: missing'
	expect_verdict VERIFIED absent:src/gone.py
	expect_verdict CONFLICT absent:src/app.py 'src/app.py: is there'
	expect_verdict VERIFIED 'grep:src/app.py:def create_order' src/app.py:4
	expect_verdict CONFLICT 'grep:src/app.py:def create_order[(]self' 'src/app.py:4  def create_order():'
	expect_verdict CONFLICT 'grep:src/app.py:^xyz' 'src/app.py: no line matches'
	expect_verdict VERIFIED 'nogrep:src/app.py:redis' src/app.py
	expect_verdict CONFLICT 'nogrep:src/app.py:PORT' 'src/app.py:1  PORT = 3000'
}

@test "a colon in the pattern is the pattern's" {
	printf 'url: http://x:80\n' >c.yml
	expect_verdict VERIFIED 'grep:c.yml:http://x:80$' c.yml:1
}

@test "sha256: whole, shortened, in capitals; another sum; many at once" {
	local sum
	sum=$(sha256sum src/app.py)
	sum=${sum%% *}
	expect_verdict VERIFIED "sha256:src/app.py:$sum" src/app.py
	expect_verdict VERIFIED "sha256:src/app.py:${sum:0:12}" src/app.py
	verdict "sha256:src/app.py:${sum^^}"
	expect_text 'VERIFIED d-0000'
	expect_verdict CONFLICT "sha256:src/app.py:00000000" "src/app.py: its SHA-256 is $sum"
	verdict sha256:src/app.py:0
	expect_text 'UNCHECKED d-0000'
	printf 'b\n' >b
	printf 'c\n' >'c\d'
	rm -f "$ROOT"/state/*.jsonl
	records "sha256:b:$(sha256sum <b | cut -c 1-64)" "sha256:c\\d:$(sha256sum <'c\d' | cut -c 1-64)" "sha256:b:11111111" \
		'grep:b:^b{1}$' "sha256:src/app.py:$sum"
	expect_equal $'d-0000000000 VERIFIED\nd-0000000002 CONFLICT\nd-0000000004 VERIFIED\nf-0000000001 VERIFIED\nf-0000000003 VERIFIED' "$(by_rc)"
}

@test "json: by a path of names and numbers, compared as JSON" {
	printf '\357\273\277{"a":{"b":[{"c":"x:y"},2]},"n":null,"e":1.0}\n' >p.json
	expect_verdict VERIFIED 'json:p.json:.a.b[0].c="x:y"' p.json
	expect_verdict VERIFIED 'json:p.json:.a.b[1]=2' p.json
	expect_verdict VERIFIED 'json:p.json:.e=1' p.json
	expect_verdict CONFLICT 'json:p.json:.a.b[1]=3' 'p.json: .a.b[1] is 2'
	expect_verdict CONFLICT 'json:p.json:.x.y=3' 'p.json: .x.y is null'
	expect_verdict CONFLICT 'json:src/app.py:.a=1' 'src/app.py: is no JSON document'
	local filter
	for filter in '.a|env=1' 'env.HOME=""' '.a' '.a=x' '.a.b[0=1' '$ENV=1' '.a[$ENV.HOME]=1' 'input=1' '..=1'; do
		verdict "json:p.json:$filter"
		expect_status 0
		expect_text 'UNCHECKED d-0000'
		refute_text "$HOME"
	done
}

@test "a JSON file of Latin-1 spoils only its own check" {
	printf '{"a":"\351"}\n' >p.json
	rm -f "$ROOT"/state/*.jsonl
	records 'json:p.json:.a="x"' exists:src/app.py
	expect_equal $'d-0000000000 CONFLICT\nf-0000000001 VERIFIED' "$(by_rc)"
}

@test "what is no check is UNCHECKED, and never an error" {
	local check
	for check in exists: exists:/etc/passwd exists:../x exists:src/../../x exists:- foo:bar nothing 'grep:src/app.py:' grep:src/app.py \
		exists:src/app.py:x "grep:src/app.py:$(printf 'a%.0s' {1..501})" 'grep:src/app.py:(' 'grep:src/app.py:[[:foo:]]' \
		$'grep:src/app.py:a\nb' $'exists:src\tapp.py'; do
		rm -f "$ROOT"/state/*.jsonl
		records "$check" exists:src/app.py
		run --separate-stderr memrc verify
		expect_status 0
		expect_no_error
		expect_text 'UNCHECKED d-0000'
		expect_text 'VERIFIED f-0000'
	done
}

@test "what can never be evaluated isn't recorded: 65, one line, nothing written" {
	local check fact before writer
	fact=$(memrc fact A --check exists:src/app.py)
	memrc task start t
	before=$(snapshot "$ROOT/state" | grep -v /.lock)
	for check in nothing foo:bar exists: exists:../x exists:src/app.py:x sha256:src/app.py:xyz 'grep:src/app.py:(' 'nogrep:src/app.py:a[' 'tree-nogrep:src:a(b' \
		json:p.json:.a 'json:p.json:.a=' 'json:p.json:.a.b[1]=x' json:p.json:a=1 'json:p.json:.a=1 2' $'grep:src/app.py:(\nb'; do
		for writer in 'fact B --check' 'decide B --because x --check' "supersede $fact --by B --check" "confirm $fact --evidence x --check" \
			'progress --done-when' 'task start u --done-when'; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr memrc $writer "$check"
			expect_status 65
			expect_no_output
			expect_one_error_line
			expect_error " ${check//$'\n'/ }: "
		done
	done
	expect_equal "$before" "$(snapshot "$ROOT/state" | grep -v /.lock)"
	run --separate-stderr memrc progress --done-when nothing
	expect_error 'memrc-progress: --done-when nothing: no such kind of check: give exists:PATH, '
	# an interval is for grep, and a text in quotes a value; nothing at all takes the check away
	for check in 'grep:src/app.py:^PORT = [0-9]{4}$' 'json:p.json:.a.b[1]="x=y"' cmd:true ''; do
		memrc progress --done-when "$check"
		expect_equal "$check" "$(field progress.json .done_when)"
	done
}

@test "only a regular file of the project: any other kind is a conflict" {
	mkdir -p real "$HOME/outside"
	printf 'secret\n' >"$HOME/outside/f"
	cp src/app.py real/f
	ln -s real inner
	ln -s "$HOME/outside" outer
	ln -s ../app.py src/link.py
	ln -s nowhere dangling
	mkfifo fifo
	expect_verdict VERIFIED grep:inner/f:PORT inner/f:1
	expect_verdict CONFLICT grep:outer/f:secret 'outer/f: outside the project'
	expect_verdict CONFLICT exists:outer/f 'outer/f: outside the project'
	expect_verdict CONFLICT grep:src/link.py:PORT 'src/link.py: is a symbolic link'
	expect_verdict CONFLICT absent:dangling 'dangling: is there'
	expect_verdict CONFLICT exists:src 'src: is a directory'
	expect_verdict CONFLICT nogrep:fifo:x 'fifo: is no regular file'
	expect_verdict CONFLICT nogrep:gone:x 'gone: missing'
}

@test "a file nobody may read is a conflict" {
	skip_as_root
	chmod 000 src/app.py
	expect_verdict CONFLICT nogrep:src/app.py:x 'src/app.py: unreadable'
	chmod 644 src/app.py
}

# --- the whole ----------------------------------------------------------------------------------------

# tree - memrc's own code as the project, and 200 records with checks of it, which are in $CHECKS
tree() {
	cp -R "$HERE/bin" "$HERE/init.d" "$HERE/README.md" "$PROJECT"
	mapfile -t CHECKS < <(
		python3 - <<'END'
import hashlib, pathlib, re
files = sorted(p for d in ("bin", "init.d") for p in pathlib.Path(d).rglob("*") if p.is_file() and p.stat().st_size > 500)
checks = []
def plain(line):
    return re.sub(r"([][.*+?(){}|^$\\/])", r"\\\1", line)
for turn in range(20):
    for n, p in enumerate(files):
        if len(checks) == 200:
            break
        lines = [l for l in p.read_text().split("\n") if 5 < len(l) < 100 and l.isascii() and "\t" not in l]
        line = lines[(n + 7 * turn) % len(lines)]
        checks.append(
            [f"grep:{p}:^{plain(line)}$", f"exists:{p}", f"nogrep:{p}:forbidden_{turn}",
             f"sha256:{p}:{hashlib.sha256(p.read_bytes()).hexdigest()}", f"grep:{p}:{plain(line[:40])}",
             f"absent:{p}.orig", f"grep:{p}:^{plain(line[:-3])}.{{3}}$"][(turn + n) % 7])
print("\n".join(checks))
END
	)
	expect_equal 200 "${#CHECKS[@]}"
	records "${CHECKS[@]}"
}

@test "200 records, 30 mutations: each broken one is found, each intact one VERIFIED" {
	tree
	expect_equal 200 "$(by_rc | grep -c ' VERIFIED$')"
	expect_equal '200 0 0' "$(cat "$BATS_TEST_TMPDIR/count")"
	refute_text CONFLICT <"$BATS_TEST_TMPDIR/message"
	# Another program mutates 30 files, and knows which checks that breaks: it evaluates them its own way.
	printf '%s\n' "${CHECKS[@]}" >"$BATS_TEST_TMPDIR/checks"
	python3 - "$BATS_TEST_TMPDIR/checks" >"$BATS_TEST_TMPDIR/expected" <<'END'
import collections, hashlib, os, pathlib, re, shutil, stat, sys
checks = open(sys.argv[1]).read().split("\n")[:-1]
paths = collections.Counter(c.split(":")[1].removesuffix(".orig") for c in checks)
paths = [p for p, _ in sorted(paths.items(), key=lambda x: (-x[1], x[0]))]
def edit(change):
    return lambda p: p.write_bytes(change(p.read_bytes()))
def instead(make):
    def mutate(p):
        p.unlink()
        make(p)
    return mutate
def copy(p):
    (p.parent / (p.name + ".copy")).write_bytes(p.read_bytes())
    target = p.name + ".copy"
    p.unlink()
    p.symlink_to(target)
mutations = [
    lambda p: p.rename(str(p) + ".orig"), lambda p: p.unlink(), edit(lambda b: b.upper()), copy,
    instead(lambda p: p.mkdir()), instead(lambda p: os.mkfifo(p)), instead(lambda p: p.symlink_to("/etc/passwd")),
    instead(lambda p: p.symlink_to("nowhere")), edit(lambda b: b + b"".join(b"forbidden_%d\n" % n for n in range(20))),
    edit(lambda b: b.replace(b"\n", b"\r\n")), edit(lambda b: b"\xef\xbb\xbf" + b), edit(lambda b: b""),
    edit(lambda b: b[: len(b) // 2]), edit(lambda b: b"\n".join(l + b" " for l in b.split(b"\n"))),
    edit(lambda b: b"\n".join(reversed(b.split(b"\n")))), edit(lambda b: b[:-1]), edit(lambda b: b.replace(b"e", b"E")),
    edit(lambda b: b"\0" + b), lambda p: shutil.copy(p, str(p) + ".orig"), lambda p: (p.unlink(), p.write_bytes(b"x\n")),
    edit(lambda b: b.replace(b"a", b"\xe9")), edit(lambda b: b"\n\n" + b), lambda p: os.utime(p, (0, 0)),
    edit(lambda b: re.sub(rb"(?m)^", b" ", b)), edit(lambda b: b.replace(b"\n", b" \n", 1)), edit(lambda b: b * 2),
    edit(lambda b: b.replace(b"t", b"tt")), lambda p: (p.rename(str(p) + ".moved")), edit(lambda b: b.replace(b"\n", b"\0\n")),
    edit(lambda b: b.replace(b"#", b"-")),
]
assert len(mutations) == 30
for mutate, path in zip(mutations, paths[:30]):
    mutate(pathlib.Path(path))
def holds(check):
    kind, path, arg = (check.split(":", 2) + [""])[:3]
    if kind == "absent":
        return not os.path.lexists(path)
    if not os.path.lexists(path) or not stat.S_ISREG(os.lstat(path).st_mode):
        return False
    data = open(path, "rb").read()
    if kind == "sha256":
        return hashlib.sha256(data).hexdigest() == arg
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").replace("\r\n", "\n").replace("\0", "")
    found = any(re.search(arg, line) for line in text.split("\n"))
    return {"exists": True, "grep": found, "nogrep": not found}[kind]
broken = 0
for n, check in enumerate(checks):
    print(f"{'df'[n % 2]}-{n:010x}", "VERIFIED" if holds(check) else "CONFLICT")
    broken += not holds(check)
assert 30 <= broken <= 150, broken
END
	by_rc >"$BATS_TEST_TMPDIR/got" || :
	sort "$BATS_TEST_TMPDIR/expected" | diff - "$BATS_TEST_TMPDIR/got"
	# memrc verify says the same
	run memrc verify
	expect_status 3
	expect_equal "$(grep -c CONFLICT "$BATS_TEST_TMPDIR/expected")" "$(grep -c '^CONFLICT ' <<<"$output")"
	run rc --runlevel compact
	expect_status 3
	expect_text "[CONFLICT] $(grep -c CONFLICT "$BATS_TEST_TMPDIR/expected"): memory and what is there disagree."
}

@test "an expression means the same in awk and in grep -E" {
	# shellcheck disable=SC2016 # Python's
	python3 - "$HERE" "$BATS_TEST_TMPDIR" <<'END'
import os, pathlib, random, shutil, subprocess, sys
here, tmp = sys.argv[1], pathlib.Path(sys.argv[2], "ere")
lib = f"{here}/bin/lib/awk"
tmp.mkdir()
rng = random.Random(20261130)
atoms = ["a", "b", "ab", "x", ".", "[ab]", "[^a]", "[]a]", "[^]b]", "[a-c]", "[[:digit:]]", "[^[:space:]]", "[.*]", "[-a]", "[a-]", "\\.", "\\*", "\\(",
         "\\)", "\\\\", "\\/", "\\{", "\\}", "\\|", "\\^", "\\$", "\\[", "\\]", "/", " ", "_", "-", ",", "é", "&", "\\w", "\\d", "\\b", "\\<", "a{2}",
         "[a\\]", "{", "}", "(", ")", "[", "[[.a.]]", "[[=a=]]", "\"", "'", "#", "%", "=", "!", "~", "0", "\\n", "\\t", "\\&", "\\1", "\\a", "\\-", "$b", "b^"]
plain = atoms[:38]
def ere(odd, depth=0):
    out = ""
    for _ in range(rng.randint(1, 4)):
        r = rng.random()
        if r < 0.2 and depth < 2:
            out += "(" + ere(odd, depth + 1) + ")"
        elif r < 0.25:
            out += rng.choice(["^", "$", "|", "||", "()", "(|a)"] if odd else ["a|b", "x|"]) + rng.choice(plain)
        else:
            out += rng.choice(atoms if odd else plain)
        if rng.random() < 0.3:
            out += rng.choice(["*", "+", "?", "{1,2}", "**", "*?"] if odd else "*+?")
    if rng.random() < 0.25:
        out = "^" + out
    if rng.random() < 0.25:
        out += "$"
    return out
letters = ["a", "b", "ab", "aab", "x", "c", ".", "*", "(", ")", "\\", "/", "{", "}", "|", "^", "$", "[", "]", " ", "_", "-", ",", "é", "&", "0", "w", "d", "n", "t",
           "\"", "'", "#", "%", "=", "!", "~", "a{2}", "\\n"]
lines = ["", *("".join(rng.choice(letters) for _ in range(rng.randint(0, 6))) for _ in range(250))]
(tmp / "f").write_text("".join(l + "\n" for l in lines))
eres = list(dict.fromkeys(ere(n % 3 == 0) for n in range(2400)))
eres = [e for e in eres if "\n" not in e]
(tmp / "checks.files").write_text("file\tf\n")
(tmp / "checks.todo").write_text("".join(f"check\t{n}\tgrep\tf\t{e}\n" for n, e in enumerate(eres)))
want = {}
for n, e in enumerate(eres):
    r = subprocess.run(["grep", "-nE", "-m", "1", "-e", e, "--", "f"], cwd=tmp, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    want[n] = None if r.returncode == 2 else r.stdout.split(":")[0] if r.returncode == 0 else ""
failed = 0
for awk in ["mawk", "gawk", "busybox awk", "original-awk"]:
    program = awk.split()
    if not shutil.which(program[0]):
        print(f"not tested: {awk}")
        continue
    for f in tmp.glob("checks.rest"):
        f.unlink()
    r = subprocess.run([*program, "-f", f"{lib}/text.awk", "-f", f"{lib}/ere.awk", "-f", f"{lib}/checks.awk", str(tmp)],
                       cwd=tmp, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    assert r.returncode == 0 and not r.stderr, (awk, r.stderr[:500])
    seen = 0
    for line in r.stdout.splitlines():
        n, verdict, found = line.split("\t")
        if "too many patterns" in found:
            continue
        seen += 1
        w = want[int(n)]
        g = found.split(":")[1] if verdict == "VERIFIED" else ""
        if w is None or g != w:
            failed += 1
            print(f"{awk}: {eres[int(n)]!r}: grep says {w!r}, awk {verdict} {found}")
    print(f"{awk}: {seen} of {len(eres)} expressions alike")
    assert seen > len(eres) / 4
assert not failed
END
}

@test "intervals, classes of other tools: by grep, on the lines as awk reads them" {
	printf '\357\273\277PORT = 3000\r\nx\0y\r\n' >w.py
	expect_verdict VERIFIED 'grep:w.py:^PORT = [0-9]{4}$' w.py:1
	expect_verdict VERIFIED 'grep:w.py:^PORT = 3000$' w.py:1
	expect_verdict VERIFIED 'grep:w.py:^xy{1}$' w.py:2
	expect_verdict CONFLICT 'nogrep:w.py:[0-9]{4}' w.py:1
	expect_verdict CONFLICT 'grep:w.py:[0-9]{5}' 'w.py: no line matches'
}

# --- limits -------------------------------------------------------------------------------------------

@test "what is over max_checks is counted as UNCHECKED; the newest come first" {
	put config <<<'max_checks = 3'
	local n checks=()
	for n in {1..10}; do checks+=(exists:src/app.py); done
	records "${checks[@]}"
	by_rc >"$BATS_TEST_TMPDIR/got"
	expect_equal '3 0 7' "$(cat "$BATS_TEST_TMPDIR/count")"
	expect_equal $'d-0000000008 VERIFIED\nf-0000000007 VERIFIED\nf-0000000009 VERIFIED\nover UNCHECKED' "$(cat "$BATS_TEST_TMPDIR/got")"
	expect_equal '  Checks: 3 VERIFIED, 0 CONFLICT, 7 UNCHECKED.' "$(grep Checks: "$BATS_TEST_TMPDIR/message")"
	# also where grep has a part in it
	records exists:x exists:x 'grep:src/app.py:0{3}'
	put config <<<'max_checks = 5'
	by_rc >/dev/null
	expect_equal '3 2 8' "$(cat "$BATS_TEST_TMPDIR/count")"
	# verify knows no limit
	run memrc verify
	expect_equal 13 "$(grep -c 'exists\|grep' <<<"$output")"
}

@test "the task's own checks come before newer ones" {
	put config <<<'max_checks = 1'
	memrc progress --task t --title x >/dev/null
	memrc decide own --because x --check exists:src/app.py >/dev/null
	records exists:gone exists:gone
	sed -i 's/2026-11-01/2026-12-01/' "$ROOT"/state/*.jsonl
	expect_equal '1 0 2' "$(
		by_rc >/dev/null
		cat "$BATS_TEST_TMPDIR/count"
	)"
}

@test "a link out of the project is none, whatever is looked at beside it" {
	mkdir "$BATS_TEST_TMPDIR/outside" inside
	printf 'secret\n' | tee "$BATS_TEST_TMPDIR/outside/f" >inside/f
	ln -s "$BATS_TEST_TMPDIR/outside" out
	ln -s inside within
	records exists:out exists:out/f grep:out/f:secret exists:inside/f exists:within/f grep:within/f:secret
	run --separate-stderr memrc verify
	expect_status 3
	expect_equal 3 "$(grep -c ^CONFLICT <<<"$output")"
	expect_equal 3 "$(grep -c ^VERIFIED <<<"$output")"
}

@test "a file of more than 1 MB waits for verify, whatever is asked of it" {
	python3 -c 'print("x\n" * 600000 + "end")' >big
	local sum
	sum=$(sha256sum <big | cut -c 1-64)
	records grep:big:end "sha256:big:$sum" 'grep:big:end{1}' exists:big 'nogrep:big:y'
	expect_equal $'d-0000000000 UNCHECKED\nd-0000000002 UNCHECKED\nd-0000000004 UNCHECKED\nf-0000000001 UNCHECKED\nf-0000000003 VERIFIED' "$(by_rc)"
	run --separate-stderr memrc verify
	expect_status 0
	expect_equal 5 "$(grep -c '^VERIFIED' <<<"$output")"
	rm -f "$ROOT"/state/*.jsonl
	python3 -c 'print("{\"a\":\"" + "x" * 2000000 + "\",\"b\":1}")' >big.json
	records json:big.json:.b=1
	expect_equal 'd-0000000000 UNCHECKED' "$(by_rc)"
	run --separate-stderr memrc verify
	expect_line 'VERIFIED d-0000 json:big.json:.b=1  big.json'
}

@test "an expression that never ends costs a restore no more than its share" {
	records 'grep:src/app.py:((((x{1,200}){1,200}){1,200}){1,200})y' exists:src/app.py exists:gone
	local start=$SECONDS
	run rc
	expect_text 'Checks: 1 VERIFIED, 1 CONFLICT, 1 UNCHECKED.'
	expect_status 3
	((SECONDS - start <= 10)) || _unexpected "$((SECONDS - start)) s"
}

@test "more than 50 expressions that awk can't judge: the rest waits for verify" {
	local n checks=()
	for n in {1..60}; do checks+=('grep:src/app.py:^PORT = [0-9]{4}$'); done
	records "${checks[@]}"
	by_rc >/dev/null
	expect_equal '50 0 10' "$(cat "$BATS_TEST_TMPDIR/count")"
	run memrc verify
	expect_equal 60 "$(grep -c ^VERIFIED <<<"$output")"
}

@test "checks that can't be evaluated are said not to be, and nothing is VERIFIED" {
	records exists:src/app.py
	mkdir "$BATS_TEST_TMPDIR/path"
	printf '#!/bin/sh\ncase "$*" in *checks.awk*) exit 2 ;; esac\nexec "%s" "$@"\n' "$(command -v awk)" >"$BATS_TEST_TMPDIR/path/awk"
	chmod +x "$BATS_TEST_TMPDIR/path/awk"
	PATH=$BATS_TEST_TMPDIR/path:$PATH run rc
	expect_text 'Checks: not evaluated'
	expect_text 'd-0000 UNCHECKED decision 0'
}

# --- done_when ----------------------------------------------------------------------------------------

@test "done_when: not yet, already reached, malformed; never a conflict" {
	memrc progress --task t --title x --next a --done-when 'grep:src/app.py:idempotency' >/dev/null
	run rc --runlevel compact
	expect_status 0
	expect_line '  done when: grep:src/app.py:idempotency (not yet)'
	refute_text 'already reached'
	printf 'idempotency\n' >>src/app.py
	run rc --runlevel compact
	expect_text 'the end of this task is already reached (src/app.py:6)'
	expect_line '  done when: grep:src/app.py:idempotency (VERIFIED)'
	run memrc verify
	expect_line 'VERIFIED done_when grep:src/app.py:idempotency  src/app.py:6'
	local check
	for check in 'grep:src/app.py:^PORT = [0-9]{5}$' sha256:src/app.py:00000000 exists:gone grep:gone:x; do
		memrc progress --done-when "$check" >/dev/null
		run rc --runlevel compact
		expect_status 0
		expect_line "  done when: $check (not yet)"
		expect_line '  Checks: 0 VERIFIED, 0 CONFLICT, 1 UNCHECKED.'
		run memrc verify
		expect_status 0
		expect_text 'UNCHECKED done_when'
	done
	put progress.json <<<'{"task_id":"t","current_task":"x","next_steps":["a"],"done_when":"when the users\tare happy"}'
	run memrc verify
	expect_status 0
	expect_equal 'UNCHECKED done_when when the users are happy  a newline or a tab' "$output"
	put progress.json <<<'{"task_id":"t","current_task":"x","next_steps":["a"],"done_when":"when the users are happy"}'
	run memrc verify
	expect_equal 'UNCHECKED done_when when the users are happy  no such kind of check' "$output"
	run rc --runlevel compact
	expect_status 0
	expect_line '  done when: when the users are happy (UNCHECKED)'
	memrc task 'done' >/dev/null
	run rc --runlevel compact
	refute_text 'Checks:'
}

@test "a closed task, or one with tabs in its steps, leaves the header alone" {
	memrc progress --task t --title x --next $'step\twith tab' >/dev/null
	run rc --runlevel compact
	expect_text '[SESSION RESTORE] project with space é · main@43235a7 · compact · t → step'
	sed -i 's/"status":"open"/"status":"done"/; s/"status": "open"/"status": "done"/' "$ROOT/state/progress.json"
	run rc --runlevel compact
	expect_line '[SESSION RESTORE] project with space é · main@43235a7 · compact'
}

# --- verify -------------------------------------------------------------------------------------------

@test "verify: by ids, shortened ones, unknown and ambiguous ones" {
	records exists:src/app.py exists:gone exists:src/app.py
	run --separate-stderr memrc verify d-0000000000
	expect_status 0
	expect_equal 'VERIFIED d-0000000000 exists:src/app.py  src/app.py' "$output"
	run --separate-stderr memrc verify f-0000
	expect_status 3
	expect_equal 'CONFLICT f-0000 exists:gone  gone: missing' "$output"
	run --separate-stderr memrc verify d-0000
	expect_status 65
	expect_one_error_line
	expect_no_output
	run --separate-stderr memrc verify d-ffff
	expect_status 65
	expect_one_error_line
}

@test "verify: records out of force aren't checked; without any it is silent" {
	records exists:gone exists:gone
	memrc retract d-0000 --because x >/dev/null
	memrc supersede f-0000 --by y --evidence z >/dev/null
	run --separate-stderr memrc verify
	expect_status 0
	expect_no_output
	run rc
	expect_status 0
	refute_text CONFLICT
}

@test "tree-nogrep and cmd wait for verify; a restore shows the last result with its commit" {
	git add -A
	records 'tree-nogrep:src:redis' 'cmd:touch canary' 'tree-nogrep:src:PORT' 'tree-nogrep:none:x'
	run rc
	expect_status 0
	expect_text '0 VERIFIED, 0 CONFLICT, 4 UNCHECKED.'
	run --separate-stderr memrc verify
	expect_status 3
	expect_line 'VERIFIED d-0000000000 tree-nogrep:src:redis  src'
	expect_line 'UNCHECKED f-0000000001 cmd:touch canary  not allowed by you: memrc allow f-0000000001'
	expect_line 'CONFLICT d-0000000002 tree-nogrep:src:PORT  src/app.py:1:PORT = 3000'
	expect_line 'CONFLICT f-0000000003 tree-nogrep:none:x  none: is no directory'
	[[ ! -e canary ]]
	run rc
	expect_status 3
	expect_text 'code base: src/app.py:1:PORT = 3000 at 43235a7   (tree-nogrep:src:PORT)'
	expect_text '1 VERIFIED, 2 CONFLICT, 1 UNCHECKED.'
	memrc allow f-0000000001 >/dev/null
	memrc verify >/dev/null || :
	[[ -e canary ]]
	run rc
	expect_text '2 VERIFIED, 2 CONFLICT, 0 UNCHECKED.'
}

@test "verify of one record leaves the last results of the others: a conflict stands until it is looked at again" {
	git add -A
	records 'tree-nogrep:src:redis' 'tree-nogrep:src:PORT'
	memrc verify >/dev/null || :
	run --separate-stderr memrc verify d-0000000000
	expect_status 0
	run rc
	expect_status 3
	expect_text '1 VERIFIED, 1 CONFLICT, 0 UNCHECKED.'
	# what isn't readable there is no reason to fail, and is replaced
	printf 'x' >"$ROOT/logs/checks.json"
	run --separate-stderr memrc verify f-0000000001
	expect_status 3
	run rc
	expect_text '0 VERIFIED, 1 CONFLICT, 1 UNCHECKED.'
	# a look at all of them forgets what is out of force
	memrc retract f-0000000001 --because x >/dev/null
	memrc verify >/dev/null
	run cat "$ROOT/logs/checks.json"
	refute_text PORT
}

@test "parts by hand say the same as in rc" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	records exists:src/app.py exists:gone 'grep:src/app.py:0{3}'
	memrc progress --task t --title x --next a --done-when exists:src/app.py >/dev/null
	put constraints.md <<<'- no Redis'
	local part
	rc --runlevel compact >"$BATS_TEST_TMPDIR/whole" || :
	for part in S00-header S05-conflicts S20-constraints S30-progress S45-decisions S70-facts; do
		MEMRC_RUNLEVEL=compact "$HERE/init.d/$part" >"$BATS_TEST_TMPDIR/$part" || :
		[[ -s $BATS_TEST_TMPDIR/$part ]]
		python3 - "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/$part" <<'END'
import sys
whole, part = (open(f).read() for f in sys.argv[1:])
assert part in whole, part
END
	done
	expect_equal "" "$(ls -A "$TMPDIR")"
}
