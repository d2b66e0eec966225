# faults.awk - what is wrong with the lines of identity.md or constraints.md, as the restore reads them.
# Usage: awk -f text.awk -f faults.awk identity|constraints FILE
# Prints for each fault: line (0: the whole file), what is wrong, what stands in, tab between

BEGIN {
	n = slurp(ARGV[2], line)
	for (i = 1; i <= n; i++) {
		if (line[i] !~ /^[ \t]*<!--/) continue
		for (j = i; j <= n && index(line[j], "-->") == 0; j++) continue
		if (j > n) fault(i, "a comment is never closed", "this line alone is hidden")
		else i = j
	}
	if (ARGV[1] == "identity") identity()
	exit 0
}

function identity(    i, text, rest, wide, tokens) {
	prose(line, n)
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^[ \t]*$/ || line[i] ~ /^#/) continue
		if (conflict_marker(line[i])) fault(i, "a merge conflict marker", "both sides are in force")
		else if (!key_value(line[i])) fault(i, "isn't `key: value`", "it isn't shown")
		else {
			text = KEY ": " VALUE
			rest = text
			wide = gsub(/[\300-\377]/, "", rest)
			gsub(/[\200-\277]/, "", rest)
			tokens += length(rest) / 4 + wide
		}
	}
	if (tokens > 200) fault(0, "about " int(tokens) " tokens: above 200 it crowds out the rest", "")
}

function fault(number, what, instead) {
	printf "%d\t%s\t%s\n", number, what, instead
}
