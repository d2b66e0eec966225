# changes.awk - what another hand did to a sealed file. Lines are compared as a set: a merge may move them.
# Usage: awk -f changes.awk FILE SEAL
# Prints a line each: `was` and the sealed line, then `now` and what stands in its place (empty: nothing
# does); `added` and a line that is new; tab between. Empty lines don't count, of others every byte does.

BEGIN {
	while ((getline line < ARGV[1]) > 0) if (line != "") {
		now[++n] = line
		left[line]++
	}
	while ((getline line < ARGV[2]) > 0) if (line != "") {
		if (left[line] > 0) left[line]--
		else gone[++gones] = line
	}
	# What is left over, from the end: of equal lines the last ones are the new ones.
	for (i = n; i > 0; i--) if (left[now[i]] > 0) {
		left[now[i]]--
		fresh[++freshes] = now[i]
	}
	for (i = 1; i <= gones; i++) {
		print "was\t" gone[i]
		print "now\t" partner(gone[i])
	}
	for (i = freshes; i > 0; i--) if (!(i in taken)) print "added\t" fresh[i]
	exit 0
}

# partner - the new line that is most like a gone one, if half of its words stand in it; 200 are looked at
function partner(line,    i, best, at, score) {
	best = 0.5
	for (i = 1; i <= freshes && i <= 200; i++) if (!(i in taken)) {
		score = alike(line, fresh[i])
		if (score < best) continue
		best = score
		at = i
	}
	if (!at) return ""
	taken[at] = 1
	return fresh[at]
}

# alike - the share of a line's words that another has
function alike(a, b,    word, n, i, shared) {
	n = split(a, word, /[ \t,:;{}"]+/)
	shared = 0
	for (i = 1; i <= n; i++) if (index(b, word[i])) shared++
	return shared / n
}
