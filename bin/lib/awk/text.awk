# text.awk - reading text files in whatever state a person or a crash left them. Byte-wise (LC_ALL=C).

# slurp(FILE, LINES) - fills LINES[1..n], returns n (0 too where the file can't be read).
# Without byte order mark, carriage returns and NUL bytes.
function slurp(file, lines,    n, line, command) {
	n = 0
	if (length(sprintf("%c", 0)) == 1) {
		while ((getline line < file) > 0) lines[++n] = tidy(line, n)
		close(file)
		return n
	}
	# This awk keeps lines as C strings and would end one at a NUL.
	command = file
	gsub(/'/, "'\\''", command)
	command = "tr -d '\\000' 2>/dev/null < '" command "'"
	while ((command | getline line) > 0) lines[++n] = tidy(line, n)
	close(command)
	return n
}

function tidy(line, number) {
	if (number == 1) sub(/^\357\273\277/, "", line)
	sub(/\r$/, "", line)
	if (line !~ /^[ -~]*$/) gsub(/\000/, "", line)
	return line
}

# conflict_marker(LINE) - is this what a merge left standing?
function conflict_marker(line) {
	return line ~ /^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)( |$)/
}

# prose(LINES, N) - blanks what is comment in Markdown: <!-- … -->, beginning at the start of a line.
# A comment that is never closed hides its own line only: it must not swallow what stands below it.
function prose(lines, n,    i, j, rest) {
	for (i = 1; i <= n; i++) {
		if (lines[i] !~ /^[ \t]*<!--/) continue
		for (j = i; j <= n && index(lines[j], "-->") == 0; j++) continue
		if (j > n) {
			lines[i] = ""
			continue
		}
		rest = substr(lines[j], index(lines[j], "-->") + 3)
		for (; i < j; i++) lines[i] = ""
		lines[j] = rest ~ /^[ \t]*$/ ? "" : rest
	}
}

# key_value(LINE) - splits `key: value` into KEY and VALUE; 0 if it isn't one
function key_value(line,    at, width) {
	sub(/^[-*] /, "", line)
	at = index(line, ":")
	width = 1
	if (!at) {
		at = index(line, "\357\274\232")
		width = 3
	}
	if (at < 2) return 0
	KEY = trim(substr(line, 1, at - 1))
	VALUE = trim(substr(line, at + width))
	return KEY != ""
}

function trim(text) {
	sub(/^[ \t]+/, "", text)
	sub(/[ \t]+$/, "", text)
	return text
}

# units(TEXT) - its length in UTF-16 code units
function units(text,    n) {
	if (text ~ /^[ -~]*$/) return length(text)
	n = length(text)
	n -= gsub(/[\200-\277]/, "", text)
	return n + gsub(/[\360-\367]/, "", text)
}

# clean(TEXT) - what may be shown: valid UTF-8 without terminal sequences, control characters (TAB stays)
# and characters that reorder or hide text
function clean(text) {
	if (text ~ /^[ -~]*$/) return text
	if (text ~ /[\200-\377]/) text = valid(text)
	gsub(/\033\[[0-9;?]*[@-~]/, "", text)
	gsub(/[\001-\010\012-\037\177]|\302[\200-\237]/, "", text)
	gsub(/\342\200\213|\342\200[\252-\256]|\342\201[\246-\251]|\357\273\277|\363\240[\200\201][\200-\277]/, "", text)
	return text
}

# valid(TEXT) - each byte that isn't part of well-formed UTF-8 becomes U+FFFD
function valid(text,    rest, out) {
	rest = text
	gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", rest)
	if (rest !~ /[\200-\377]/) return text
	out = ""
	while (text != "") {
		if (match(text, /^([\001-\177]|[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])+/)) {
			out = out substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
		} else {
			out = out "\357\277\275"
			text = substr(text, 2)
		}
	}
	return out
}
