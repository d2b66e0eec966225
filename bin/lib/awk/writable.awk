# writable.awk - prints what keeps the text in $MEMRC_TEXT from being shown as it stands, or nothing. Needs unicode.awk.

BEGIN {
	text = ENVIRON["MEMRC_TEXT"]
	if (valid(text) != text) print "bytes that aren't UTF-8"
	else {
		# A newline is shown as one; all else that a message leaves out is refused.
		n = split(text, line, "\n")
		for (i = 1; i <= n; i++) if (clean(line[i]) != line[i]) {
			print line[i] ~ /[\001-\010\013-\037\177]/ ? "control characters" : "invisible or reordering characters"
			break
		}
	}
	exit 0
}
