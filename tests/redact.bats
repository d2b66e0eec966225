#!/usr/bin/env bats
# redact: what has the shape of a secret is not kept; what only looks like one is

load helper

corpus() { sed 's/~//g' "$BATS_TEST_DIRNAME/secrets/$1"; }

# redacted TEXT - what a record would hold of it, both its ways through
redacted() {
	MEMRC_HOME=$HERE sh -c '. "$1/lib/base.sh"; . "$1/lib/redact.sh"; redact "$2"; printf "%s\n" "$REDACTED"' sh "$BIN" "$1"
}

@test "each of 120 shapes is caught" {
	local text missed=''
	[[ $(corpus shapes | wc -l) -ge 120 ]]
	while IFS= read -r text; do
		[[ $(redacted "$text") == *'[redacted:'* ]] || missed+=$text$'\n'
	done < <(corpus shapes)
	expect_equal '' "$missed"
}

@test "the corpus has a line for each alternative that redact.awk knows" {
	corpus shapes >"$BATS_TEST_TMPDIR/shapes"
	awk -f "$BIN/lib/awk/redact.awk" <"$BATS_TEST_TMPDIR/shapes" >"$BATS_TEST_TMPDIR/redacted"
	python3 - "$BIN/lib/awk/redact.awk" "$BATS_TEST_TMPDIR/shapes" "$BATS_TEST_TMPDIR/redacted" <<'END'
import re, sys
program, shapes, redacted = (open(f).read() for f in sys.argv[1:])
lines = list(zip(shapes.splitlines(), redacted.splitlines()))

def alternatives(ere):
    """Each way through its groups and its classes of single letters."""
    choice = re.search(r"\(([^()]*)\)(\??)|\[([A-Za-z]+)\](?![+*])", ere)
    if not choice:
        return {ere}
    ways = list(choice[3]) if choice[3] else choice[1].split("|") + [""] * bool(choice[2])
    return set().union(*(alternatives(ere[:choice.start()] + way + ere[choice.end():]) for way in ways))

marks = re.findall(r'mark\(text, "([a-z-]+)", "(.*?)", [0-9]', program)
names = re.search(r"match\(low, /(.*?)s\?\(\[_\.-\]", program)[1]
assert len(marks) > 25 and "credentials" in names
wanted = [(kind, one, one.replace(r"\\", "\\")) for kind, ere in marks for one in alternatives(ere)]
wanted += [("secret", one, "(?i)" + one + r"[\"']?\]?[ \t]*[:= ]") for one in alternatives(names)]
missing = [f"{kind}: {one}" for kind, one, ere in wanted
           if not any(re.search(ere, line) and f"[redacted:{kind}]" in out for line, out in lines)]
assert not missing, "no line in tests/secrets/shapes for\n" + "\n".join(sorted(missing))
END
}

@test "what redact.awk finds gets through the shell's filter before it" {
	local text missed=''
	while IFS= read -r text; do
		[[ $(printf '%s\n' "$text" | awk -f "$BIN/lib/awk/redact.awk") != "$text" ]] || continue
		sh -c '. "$1/lib/base.sh"; . "$1/lib/redact.sh"; redact_may "$2"' sh "$BIN" "$text" || missed+=$text$'\n'
	done < <(corpus shapes && corpus alike)
	expect_equal '' "$missed"
}

@test "of 60 look-alikes at most 2 are taken for one" {
	local text taken=0
	[[ $(corpus alike | wc -l) -ge 60 ]]
	while IFS= read -r text; do
		[[ $(redacted "$text") == "$text" ]] || taken=$((taken + 1))
	done < <(corpus alike)
	[[ $taken -le 2 ]] || _unexpected "$taken taken for secrets"
}

@test "in every awk" {
	local awk
	for awk in mawk gawk 'gawk --posix' 'busybox awk' original-awk; do
		command -v "${awk%% *}" >/dev/null || continue
		# shellcheck disable=SC2086 # a command and its option
		expect_equal '' "$(corpus shapes | LC_ALL=C $awk -f "$BIN/lib/awk/redact.awk" | grep -vn '\[redacted:')"
		# shellcheck disable=SC2086
		[[ $(corpus alike | LC_ALL=C $awk -f "$BIN/lib/awk/redact.awk" | grep -c '\[redacted:') -le 2 ]]
	done
}

@test "the rest of the text stays, to the byte" {
	local key=AKIA0123456789ABCDEF
	expect_equal "$(printf 'a\n\n  é [redacted:aws-key]\\n, "x" .\n\n.')" "$(redacted "$(printf 'a\n\n  é %s\\n, "x" .\n\n.' "$key")")"
	expect_equal 'a [redacted:aws-key] and [redacted:aws-key]' "$(redacted "a $key and $key")"
	expect_equal "x$key" "$(redacted "x$key")"
	expect_equal 'password="[redacted:secret]", user=me' "$(redacted 'password="abcDEF123456", user=me')"
}

@test "a private key goes whole, also when its end is missing" {
	local lines
	lines=$(printf '%s\n' 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7' 'MhgwkIUBnbkIUyMTbW2xyFH3CYA=')
	expect_equal $'key:\n[redacted:private-key]\nafter' \
		"$(redacted $'key:\n-----BEGIN EC PRIVATE'" KEY-----"$'\n'"$lines"$'\n-----END EC PRIVATE KEY-----\nafter')"
	expect_equal $'[redacted:private-key]\nafter it, text' \
		"$(redacted "-----BEGIN PRIVATE"" KEY-----"$'\n'"$lines"$'\nafter it, text')"
	# also where each line has the same before it, as in a list of changes
	expect_equal $'f: was\tkey [redacted:private-key]\nf: was\tafter it' \
		"$(redacted $'f: was\tkey -----BEGIN EC PRIVATE'" KEY-----"$'\nf: was\t'"${lines/$'\n'/$'\n'f: was$'\t'}"$'\nf: was\tafter it')"
}
