# text.awk - reading text files in whatever state a person or a crash left them. Byte-wise (LC_ALL=C).

# slurp(FILE, LINES) - fills LINES[1..n], returns n (0 too where the file can't be read).
# Without byte order mark, carriage returns and NUL bytes.
function slurp(file, lines,    n, i, line, command) {
	n = 0
	if (length(sprintf("%c", 0)) == 1) {
		while ((getline line < file) > 0) {
			if (line !~ /^[ -~]*$/) gsub(/\000/, "", line)
			lines[++n] = line
		}
		close(file)
	} else {
		# This awk keeps lines as C strings and would end one at a NUL.
		command = file
		gsub(/'/, "'\\''", command)
		command = "tr -d '\\000' 2>/dev/null < '" command "'"
		while ((command | getline line) > 0) lines[++n] = line
		close(command)
	}
	for (i = 1; i <= n; i++) sub(/\r$/, "", lines[i])
	if (n) sub(/^\357\273\277/, "", lines[1])
	return n
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
