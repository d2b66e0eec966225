# ere.awk - which regular expressions mean the same in every awk and in grep -E.

# plain_ere(ERE) - 1 if awk may match it: well formed, and without what awks read differently from POSIX
# (intervals, a backslash before anything but punctuation or inside brackets, collating elements)
function plain_ere(ere,    i, n, c, depth, before) {
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
			depth++
			before = ""
		} else if (c == ")") {
			if (--depth < 0 || before == "") return 0
			before = "a"
		} else if (c == "|") {
			if (before == "") return 0
			before = ""
		} else if (c ~ /[*+?]/) {
			if (before != "a") return 0
			before = "q"
		} else if (c ~ /[{}]/) return 0
		else if (c == "^" || c == "$") before = before == "" ? "" : "q"
		else before = "a"
	}
	return depth == 0 && before != ""
}
