# ere.awk - which regular expressions mean the same in every awk and in grep -E.

# plain_ere(ERE) - 1 if awk may match it: well formed, and without what awks read differently from POSIX
# (intervals, a backslash before anything but punctuation or inside brackets, collating elements, anchors but at both ends)
function plain_ere(ere,    i, n, c, depth, before, many) {
	depth = 0
	n = length(ere)
	before = "" # what stands before: "" nothing to repeat, "a" an atom, "q" a repeated one
	for (i = 1; i <= n; i++) {
		c = substr(ere, i, 1)
		if (c == "\\") {
			c = substr(ere, ++i, 1)
			if (c == "" || !index("][.*+?(){}|^$\\/", c)) return 0
			before = "a"
		} else if (c == "[") {
			if (substr(ere, ++i, 1) == "^") i++
			if (substr(ere, i, 1) == "]") i++
			for (; i <= n && (c = substr(ere, i, 1)) != "]"; i++) {
				if (c == "\\") return 0
				if (c != "[") continue
				if (!match(substr(ere, i), /^\[:(alpha|digit|alnum|upper|lower|space|blank|punct|print|graph|cntrl|xdigit):\]/)) return 0
				i += RLENGTH - 1
			}
			if (i > n) return 0
			before = "a"
		} else if (c == "(") {
			many[++depth] = 0
			before = ""
		} else if (c == ")") {
			if (depth < 1 || before == "") return 0
			# A repetition in a repeated group: mawk 1.3.4 gets some of them wrong.
			before = many[depth] ? "q" : "a"
			if (many[depth--]) many[depth] = 1
		} else if (c == "|") {
			if (before == "") return 0
			before = ""
		} else if (c ~ /[*+?]/) {
			if (before != "a") return 0
			before = "q"
			many[depth] = 1
		} else if (c ~ /[{}]/) return 0
		else if (c == "^") {
			if (depth || before != "" || i > 1 && substr(ere, i - 1, 1) != "|") return 0
		} else if (c == "$") {
			if (depth || substr(ere, i + 1, 1) !~ /^[|]?$/) return 0
			if (before != "") before = "q"
		}
		else {
			before = "a"
			if (match(substr(ere, i), /^[^][\\(){}|*+?^$]+/)) i += RLENGTH - 1
		}
	}
	return depth == 0 && before != ""
}
