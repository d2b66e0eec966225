# checks.awk - evaluates checks, file by file. Needs text.awk and ere.awk.
# Usage: awk -f … DIRECTORY
# Reads DIRECTORY/checks.files (state, tab, path), DIRECTORY/checks.todo (lines of check_lines, checks.jq).
# Prints a line a check: id, VERIFIED or CONFLICT or UNCHECKED, what was found. What needs another program
# goes to DIRECTORY/checks.rest: id, kind, path, argument.

BEGIN {
	FS = "\t"
	limit = 1048576 # of one file
	room = 33554432 # of all: a restore has two seconds
	dir = ARGV[1]
	while ((getline < (dir "/checks.files")) > 0) {
		PATH[++paths] = $2
		STATE[$2] = $1
	}
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
	print COUNT["VERIFIED"] + 0, COUNT["CONFLICT"] + 0, COUNT["UNCHECKED"] + 0 > (dir "/checks.count")
	exit 0
}

# verdict - a line of the result; a task whose end isn't reached is no conflict
function verdict(c, word, found) {
	if (word == "CONFLICT" && ID[c] == "done_when") word = "UNCHECKED"
	COUNT[word]++
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
	if (kind ~ /grep$/ && plain_ere(ARG[c])) return 0
	print ID[c] "\t" kind "\t" path "\t" ARG[c] > (dir "/checks.rest")
	return 1
}

# scan - all patterns of one file, which is read once
function scan(path, list,    line, n, i, k, m, c, wanted) {
	m = split(list, wanted, " ")
	n = room > 0 ? slurp(path, line, limit) : -1
	for (i = 1; i <= n; i++) room -= length(line[i])
	for (k = 1; k <= m; k++) {
		c = wanted[k]
		if (n < 0) {
			verdict(c, "UNCHECKED", path ": too much to read in a restore: memrc verify")
			continue
		}
		for (i = 1; i <= n; i++) if (line[i] ~ ARG[c]) break
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
	return substr(trim(text), 1, 160)
}
