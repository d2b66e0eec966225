#!/usr/bin/env bats
# redact: what has the shape of a secret is not kept; what only looks like one is

load helper

corpus() { sed 's/~//g' "$BATS_TEST_DIRNAME/secrets/$1"; }

# redacted TEXT - what a record would hold of it, both its ways through
redacted() {
	MEMRC_HOME=$HERE sh -c '. "$1/lib/base.sh"; . "$1/lib/redact.sh"; redact "$2"; printf "%s\n" "$REDACTED"' sh "$BIN" "$1"
}

@test "each of 60 shapes is caught" {
	local text missed=''
	[[ $(corpus shapes | wc -l) -ge 60 ]]
	while IFS= read -r text; do
		[[ $(redacted "$text") == *'[redacted:'* ]] || missed+=$text$'\n'
	done < <(corpus shapes)
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
}
