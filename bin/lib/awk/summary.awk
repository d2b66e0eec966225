# summary.awk - what a summary of a conversation must keep word for word, from a restore message. Needs text.awk and unicode.awk.
# Usage: awk -f text.awk -f unicode.awk -f summary.awk <MESSAGE
# Prints at most 2,000 UTF-16 units, whole lines.

BEGIN {
	say("Keep in the summary, word for word, what the user forbade or asked for, every approach that failed with its error line, file names, numbers and ids such as d-3fa9.")
}

/^\[/ {
	wanted = $0 ~ /^\[(CONFLICT|CONSTRAINTS|DO NOT RETRY|DECISIONS)\]/
	if (wanted && !lists++) say("Memory files give back what follows, so it may be shortened, but never contradicted:")
	if (wanted) say($0)
	next
}
wanted { say($0) }
/^\[CURRENT PROGRESS\]/ { say($0) }

END {
	for (i = 1; i <= lines; i++) {
		# A list that is cut isn't all of them.
		if (hidden) sub(/, all of them,/, ",", line[i])
		print line[i]
	}
	if (hidden) print "(" hidden " more lines: the memory files give them back)"
}

# say - takes a line while there is room, with some left to say how much is not said
function say(text,    size) {
	size = units(text) + 1
	if (hidden || total + size > 1930) {
		hidden++
		return
	}
	total += size
	line[++lines] = text
}
