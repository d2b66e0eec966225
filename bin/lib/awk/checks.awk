# checks.awk - evaluates checks, file by file. Needs text.awk and ere.awk.
# Usage: awk -v all=1 [-v sized=1] -f … DIRECTORY       without `all` what a restore has no time for is UNCHECKED
# Reads DIRECTORY/checks.files (state, tab, path), DIRECTORY/checks.large (./path; with `sized` all that have more than
# 1 MB), DIRECTORY/checks.todo (lines of check_lines, checks.jq).
# Prints a line a check: id, VERIFIED or CONFLICT or UNCHECKED (PENDING: a task's end that isn't reached), what was
# found. What needs another program goes to DIRECTORY/checks.rest: id, kind, path, the file to look at (for
# patterns a copy as this program reads it), argument.

BEGIN {
	FS = "\t"
	limit = all ? 0 : 1048576 # of one file
	room = all ? 1e15 : 33554432 # of all: a restore has two seconds
	greps = all ? 1e15 : 50 # programs to start for patterns
	dir = ARGV[1]
	while ((getline < (dir "/checks.files")) > 0) {
		PATH[++paths] = $2
		STATE[$2] = $1
	}
	while ((getline line < (dir "/checks.large")) > 0) LARGE[substr(line, 3)] = 1
	while ((getline line < (dir "/checks.todo")) > 0) {
		if (line !~ /^check\t/) continue
		split(line, field, "\t")
		c = ++checks
		ID[c] = field[2]
		KIND[c] = field[3]
		ARG[c] = field[5]
		if (!quick(c, field[4])) OF[field[4]] = OF[field[4]] " " c
	}
	for (p = 1; p <= paths; p++) if (PATH[p] in OF) scan(PATH[p], OF[PATH[p]])
	print COUNT["VERIFIED"] + 0, COUNT["CONFLICT"] + 0, COUNT["UNCHECKED"] + COUNT["PENDING"] + 0 > (dir "/checks.count")
	exit 0
}

# verdict - a line of the result; a task whose end isn't reached is no conflict
function verdict(c, word, found) {
	if (word == "CONFLICT" && ID[c] == "done_when") word = "PENDING"
	COUNT[word] += ID[c] == "over" ? found : 1 # a number of checks, and words
	print ID[c] "\t" word "\t" found
	if (word == "CONFLICT") print ID[c] > (dir "/checks.conflict")
	return 1
}

# quick - what needs no look into a file; 0 if it does
function quick(c, path,    kind, state) {
	kind = KIND[c]
	state = STATE[path]
	if (kind == "bad") return verdict(c, "UNCHECKED", ARG[c])
	if (kind == "last") return verdict(c, path ~ /^(VERIFIED|CONFLICT)$/ ? path : "UNCHECKED", ARG[c])
	if (kind == "cmd" || kind == "tree-nogrep") return 1 # memrc verify does these
	if (kind == "absent") {
		if (state == "missing") return verdict(c, "VERIFIED", path)
		return verdict(c, "CONFLICT", path ": is there")
	}
	if (state != "file") return verdict(c, "CONFLICT", path ": " (state ~ /^(a|no) /  ? "is " : "") state)
	if (kind == "exists") return verdict(c, "VERIFIED", path)
	return 0
}

function later(c, path, file) {
	print ID[c] "\t" KIND[c] "\t" path "\t" file "\t" ARG[c] > (dir "/checks.rest")
}

# scan - all that is wanted of one file, which is read once
function scan(path, list,    line, n, i, k, m, c, wanted, copy, ere, whole) {
	m = split(list, wanted, " ")
	for (k = 1; k <= m; k++) if (KIND[wanted[k]] ~ /grep$/) break
	# However large it is, a file that no pattern is looked for in isn't read here.
	SLURPED = 0
	if (all && k > m) n = 0
	else if (room <= 0 || path in LARGE) n = -1
	else n = sized ? swallow(path, line) : slurp(path, line, limit)
	room -= SLURPED
	whole = sized && n > 0 ? SWALLOWED : ""
	for (k = 1; k <= m; k++) {
		c = wanted[k]
		if (n < 0) {
			verdict(c, "UNCHECKED", path ": too much to read in a restore: memrc verify")
			continue
		}
		if (KIND[c] !~ /grep$/) {
			later(c, path, path)
			continue
		}
		if (!plain_ere(ARG[c])) {
			if (greps-- <= 0) {
				verdict(c, "UNCHECKED", path ": too many patterns for a restore: memrc verify")
				continue
			}
			if (!copy) {
				copy = dir "/checks.text." ++copies
				printf "" > copy
				for (i = 1; i <= n; i++) print line[i] > copy
				close(copy)
			}
			later(c, path, copy)
			continue
		}
		ere = ARG[c]
		# What isn't in the whole text is in no line; only where that needs no thinking back.
		if (whole != "" && ere !~ /[*+?{^$]/ && whole !~ ere) i = n + 1
		else for (i = 1; i <= n; i++) if (line[i] ~ ere) break
		if (KIND[c] == "grep") {
			if (i <= n) verdict(c, "VERIFIED", path ":" i)
			else verdict(c, "CONFLICT", nearest(path, line, n, ARG[c]))
		} else if (i <= n) verdict(c, "CONFLICT", path ":" i "  " shown(line[i]))
		else verdict(c, "VERIFIED", path)
	}
}

# nearest - what stands where the pattern was expected: the first line with the longest word of it
function nearest(path, line, n, ere,    word, best, i) {
	while (match(ere, /[A-Za-z_][A-Za-z0-9_]+/)) {
		word = substr(ere, RSTART, RLENGTH)
		if (length(word) > length(best)) best = word
		ere = substr(ere, RSTART + RLENGTH)
	}
	for (i = 1; best != "" && i <= n; i++) if (index(line[i], best)) return path ":" i "  " shown(line[i])
	return path ": no line matches"
}

function shown(text) {
	gsub(/[\001-\037]+/, " ", text)
	text = trim(text)
	if (length(text) <= 160) return text
	text = substr(text, 1, 160)
	sub(/[\300-\377][\200-\277]*$/, "", text)
	return text "…"
}
