# text.awk - reading text files in whatever state a person or a crash left them. Byte-wise (LC_ALL=C).

# slurp(FILE, LINES, LIMIT) - fills LINES[1..n], returns n: 0 too where the file can't be read, -1 where it has
# more than LIMIT bytes (no LIMIT: any number); SLURPED is how many were read. Without byte order mark, carriage returns and NUL bytes.
function slurp(file, lines, limit,    n, line, whole, command) {
	n = SLURPED = 0
	if (file == "") return 0 # gawk would end the program
	# Awks that keep lines as C strings would end one at a NUL.
	whole = length(sprintf("%c", 0)) == 1
	command = file
	gsub(/'/, "'\\''", command)
	command = "tr -d '\\000' 2>/dev/null < '" command "'"
	while ((whole ? (getline line < file) : (command | getline line)) > 0) {
		SLURPED += length(line) + 1
		if (limit && SLURPED > limit) {
			n = -1
			break
		}
		if (line ~ /[^\t -~]/) {
			# Elsewhere \000 may be read as the empty pattern.
			if (whole) gsub(/\000/, "", line)
			sub(/\r$/, "", line)
		}
		n++
		lines[n] = line
	}
	close(whole ? file : command)
	if (n > 0) sub(/^\357\273\277/, "", lines[1])
	return n
}

# swallow(FILE, LINES) - the same for a file that is known to be small, at one go, which takes half the time; SWALLOWED is
# its text, clean
function swallow(file, lines,    n, part, before) {
	if (length(sprintf("%c", 0)) != 1) {
		SWALLOWED = ""
		return slurp(file, lines)
	}
	before = RS
	RS = "\001"
	SWALLOWED = ""
	for (n = 0; (getline part < file) > 0; n++) SWALLOWED = n ? SWALLOWED "\001" part : part
	close(file)
	RS = before
	SLURPED = length(SWALLOWED)
	if (SWALLOWED ~ /[^\n\t -~]/) {
		gsub(/\000/, "", SWALLOWED)
		sub(/^\357\273\277/, "", SWALLOWED)
		gsub(/\r\n/, "\n", SWALLOWED)
		sub(/\r$/, "", SWALLOWED)
	}
	n = split(SWALLOWED, lines, "\n")
	if (n && lines[n] == "") n--
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
