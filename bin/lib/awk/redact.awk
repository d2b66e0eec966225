# redact.awk - copies stdin with [redacted:KIND] in place of what has the shape of a secret.
# Byte-wise (LC_ALL=C); no intervals such as {20}, which not every awk knows: lengths are counted.

{ line[NR] = $0 }

END {
	for (i = 1; i <= NR; i++) {
		if (line[i] ~ /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/ && key_follows(i)) i = private_key(i)
		else print redacted(line[i])
	}
}

# key_follows(I) - is what stands behind the marker a key, and not prose about keys?
function key_follows(i,    rest) {
	match(line[i], /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/)
	rest = substr(line[i], RSTART + RLENGTH)
	sub(/^(\\r|\\n|[ \t"'\\])+/, "", rest)
	if (rest == "" && i < NR) {
		rest = beside(i, i + 1)
		sub(/^[ \t>|"']+/, "", rest)
		if (rest == "" || rest ~ /^(Proc-Type|DEK-Info|Version|Comment|Charset):/) return 1
	}
	return match(rest, /^[A-Za-z0-9+\/=]+/) && RLENGTH >= 16
}

# beside(I, J) - line J without what begins line I, too: a list of changes, or grep, puts the same before each line
function beside(i, j,    n) {
	for (n = 1; n <= length(line[j]) && substr(line[i], n, 1) == substr(line[j], n, 1); n++) continue
	return substr(line[j], n)
}

# private_key(I) - prints one mark for all from the beginning to the end of a key; returns its last line
function private_key(i,    from, head) {
	from = i
	head = line[i]
	sub(/-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*/, "", head)
	while (i < NR && line[i] !~ /-----END/) i++
	if (line[i] ~ /-----END/) sub(/.*-----END [A-Z0-9 ]*-----/, "", line[i])
	# The end is missing: what still looks like a key goes, and no more.
	else {
		for (i = from + 1; i <= NR && beside(from, i) ~ /^[ \t]*[A-Za-z0-9+\/=]+[ \t]*$/; i++) continue
		i--
		line[i] = ""
	}
	print redacted(head) "[redacted:private-key]" redacted(line[i])
	return i
}

# redacted(TEXT) - a very long line in pieces, cut where no secret is: what matches costs more than its length
function redacted(text,    out, at, size, piece) {
	out = ""
	size = length(text)
	for (at = 1; size - at >= 16384; at += length(piece)) {
		piece = substr(text, at, 8192)
		if (match(piece, /[ \t,;][^ \t,;]*$/)) piece = substr(piece, 1, RSTART)
		out = out redacted_piece(piece)
	}
	return out redacted_piece(substr(text, at))
}

function redacted_piece(text) {
	if (text !~ /[A-Za-z0-9+\/_-][A-Za-z0-9+\/_-][A-Za-z0-9+\/_-]/) return text
	text = mark(text, "aws-key", "A(KIA|SIA|ROA|IDA|GPA|NPA|NVA|IPA)[0-9A-Z]+", 20, 20)
	text = mark(text, "google-key", "AIza[0-9A-Za-z_-]+", 39, 39)
	text = mark(text, "google-token", "ya29\\.[0-9A-Za-z_.-]+", 30)
	text = mark(text, "google-secret", "GOCSPX-[0-9A-Za-z_-]+", 28)
	text = mark(text, "github-token", "gh[pousr]_[0-9A-Za-z_]+", 36)
	text = mark(text, "github-token", "github_pat_[0-9A-Za-z_]+", 40)
	text = mark(text, "gitlab-token", "gl(pat|ptt|dt|rt|cbt|agent|soat|ft|imt)-[0-9A-Za-z_.-]+", 24)
	text = mark(text, "slack-token", "xox[a-z]-[0-9A-Za-z-]+", 24)
	text = mark(text, "slack-token", "xapp-[0-9A-Za-z-]+", 24)
	text = mark(text, "slack-webhook", "hooks\\.slack\\.com/(services|workflows)/[0-9A-Za-z/_]+", 50)
	text = mark(text, "stripe-key", "[sr]k_(live|test)_[0-9A-Za-z]+", 20)
	text = mark(text, "stripe-secret", "whsec_[0-9A-Za-z+/=]+", 24)
	text = mark(text, "npm-token", "npm_[0-9A-Za-z]+", 40, 40)
	text = mark(text, "pypi-token", "pypi-[0-9A-Za-z_-]+", 40)
	text = mark(text, "anthropic-key", "sk-ant-[0-9A-Za-z_-]+", 24)
	text = mark(text, "openai-key", "sk-(proj|svcacct|admin|None|or-v1)-[0-9A-Za-z_-]+", 28)
	text = mark(text, "openai-key", "sk-[0-9A-Za-z]+", 32)
	text = mark(text, "huggingface-token", "hf_[A-Za-z0-9]+", 30)
	text = mark(text, "sendgrid-key", "SG\\.[0-9A-Za-z_-]+\\.[0-9A-Za-z_-]+", 50)
	text = mark(text, "digitalocean-token", "do[opr]_v1_[0-9a-f]+", 70)
	text = mark(text, "shopify-token", "shp(at|ca|pa|ss)_[0-9A-Fa-f]+", 36)
	text = mark(text, "docker-token", "dckr_(pat|oat)_[0-9A-Za-z_-]+", 30)
	text = mark(text, "databricks-token", "dapi[0-9a-f]+", 36, 38)
	text = mark(text, "linear-key", "lin_(api|oauth)_[0-9A-Za-z]+", 40)
	text = mark(text, "vault-token", "hv[sb]\\.[0-9A-Za-z_-]+", 24)
	text = mark(text, "age-key", "AGE-SECRET-KEY-1[0-9A-Z]+", 60)
	text = mark(text, "rubygems-key", "rubygems_[0-9a-f]+", 50)
	if (index(text, ":AA")) text = mark(text, "telegram-token", "[0-9]+:AA[0-9A-Za-z_-]+", 43, 48)
	text = mark(text, "jwt", "eyJ[0-9A-Za-z_-]+\\.eyJ[0-9A-Za-z_-]+\\.[0-9A-Za-z_-]*", 36)
	text = url(text)
	text = bearer(text)
	if (text ~ /(^|[^A-Za-z])(mysql|mariadb)[a-z-]*[ \t]/) text = option(text, "[ \t]-p[^ \t\"';|&-][^ \t\"';|&]*")
	if (text ~ /(^|[^A-Za-z])sshpass[ \t]/) text = option(text, "[ \t]-p[ \t]*[^ \t\"';|&-][^ \t\"';|&]*")
	return assignment(text)
}

# mark(TEXT, KIND, ERE, MIN, MAX) - each match of MIN to MAX bytes that no letter or digit stands before
function mark(text, kind, ere, min, max,    out, before) {
	out = ""
	while (match(text, ere)) {
		before = substr(out substr(text, 1, RSTART - 1), length(out) + RSTART - 1, 1)
		if (RLENGTH >= min && (!max || RLENGTH <= max) && before !~ /[0-9A-Za-z]/)
			out = out substr(text, 1, RSTART - 1) "[redacted:" kind "]"
		else out = out substr(text, 1, RSTART + RLENGTH - 1)
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# url(TEXT) - scheme://user:PASSWORD@host; a variable or a placeholder is no password
function url(text,    out, at, user, word) {
	out = ""
	while ((at = index(text, "://")) > 0) {
		out = out substr(text, 1, at + 2)
		text = substr(text, at + 3)
		if (!match(text, /^[^ \t"'<>\/@:]*:/)) continue
		user = RLENGTH
		word = substr(text, user + 1)
		if (!match(word, /^[^ \t"'\/@]+@/)) continue
		out = out substr(text, 1, user)
		text = substr(word, RLENGTH)
		word = substr(word, 1, RLENGTH - 1)
		out = out (word ~ /^([$<{%*]|\[redacted:|\.\.\.)/ ? word : "[redacted:url-password]")
	}
	return out text
}

# bearer(TEXT) - the credential of an Authorization header
function bearer(text,    out, from, width, word) {
	out = ""
	while (match(text, /([Bb]earer|[Bb]asic) +[0-9A-Za-z._~+\/=-]+/)) {
		from = RSTART
		width = RLENGTH
		word = substr(text, from, width)
		match(word, / +/)
		if (width - RSTART - RLENGTH + 1 >= 16 && substr(word, RSTART + RLENGTH) ~ /[0-9]/ && substr(word, RSTART + RLENGTH) ~ /[A-Za-z]/)
			word = substr(word, 1, RSTART + RLENGTH - 1) "[redacted:credential]"
		out = out substr(text, 1, from - 1) word
		text = substr(text, from + width)
	}
	return out text
}

# option(TEXT, ERE) - the passwords that stand behind -p on a command line
function option(text, ere,    out, word) {
	out = ""
	while (match(text, ere)) {
		word = substr(text, RSTART, RLENGTH)
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		match(word, /-p[ \t]*/)
		out = out substr(word, 1, RSTART + RLENGTH - 1) (substr(word, RSTART + RLENGTH) ~ /^[$<{%]/ ? substr(word, RSTART + RLENGTH) : "[redacted:password]")
	}
	return out text
}

# assignment(TEXT) - NAME=VALUE where the name sounds secret and the value is one
function assignment(text,    out, low, from, width, name, value, rest) {
	out = ""
	low = tolower(text)
	while (match(low, /(pass(word|wd|phrase)?|pwd|secret|token|credentials?|(api|access|private|secret|auth|account|encryption|signing|master|shared|service|ssh|client|app|license)[_.-]?key)s?([_.-][0-9a-z_.-]*|[0-9]*)["']?\]?([ \t]*(:=|=>|=|:)[ \t]*|[ \t]+)["'`]?/)) {
		from = RSTART
		width = RLENGTH
		name = substr(low, from, width)
		rest = substr(text, from + width)
		value = rest
		sub(/[ \t"'`,;].*/, "", value)
		# A blank between name and value assigns nothing, except on a command line.
		if (name !~ /[:=]/ && substr(low, 1, from - 1) !~ /(^|[ \t"'])--?[0-9a-z-]*$/) value = ""
		match(name, /^[0-9a-z_.-]+/)
		name = substr(name, 1, RLENGTH)
		out = out substr(text, 1, from + width - 1)
		if (secret(name, value)) {
			out = out "[redacted:secret]"
			rest = substr(rest, length(value) + 1)
		}
		text = rest
		low = tolower(text)
	}
	return out text
}

# secret(NAME, VALUE) - 12 bytes of 3 classes; or letters among digits, 8 for a password, 16 for another
function secret(name, value,    least) {
	least = name ~ /pass|pwd|secret/ ? 8 : 16
	if (name ~ /[_.-](file|path|dir|url|uri|name|id|type|header|field|env|var|endpoint|length|count|size|hash|version|class|expires?|expiry|ttl|at|ref|arn)s?$/) return 0
	if (length(value) < 8 || value ~ /^[$<{%*(]|[([<{]|:\/\/|^\.?\.?\/|^~\/|\[redacted|\*\*\*/) return 0
	if (value ~ /^[A-Z]+(_[A-Z0-9]+)+$/) return 0
	if (value ~ /^(os|process|settings|config|self|this|env|secrets?|vars?|app|ctx|args|params|cfg|opts|options|req|request|credentials?|local|data)(\.[A-Za-z_][0-9A-Za-z_]*)+$/) return 0
	if (length(value) >= least && value !~ /[\/.]/ && value ~ /[0-9].*[A-Za-z]|[0-9].*[0-9]/ && value ~ /[A-Za-z]/) return 1
	return length(value) >= 12 && (value ~ /[a-z]/) + (value ~ /[A-Z]/) + (value ~ /[0-9]/) + (value ~ /[^0-9A-Za-z]/) >= 3
}
