# recall.awk - blocks as recall.jq gives them, within a budget. Needs unicode.awk.
# Usage: awk -v max=UNITS …; the first line of stdin is how many records there are.
# A block is shown whole or not at all, except for the first, of which the rest is in $MEMRC_SOURCE: a text out of a
# record, in which -v would make control characters of what stands behind a backslash.

NR == 1 {
	total = $0 + documents
	next
}

/^[^ ]/ { flush() }

{
	line[++n] = clean($0)
	size += units(line[n]) + 1
}

END {
	flush()
	if (total == 0) print "(nothing found" (archived ? ")" : "; --archived looks into the archives too)")
	else if (total > shown) printf "(%d more: name more words, a --task, --tag or --type%s)\n", total - shown, full ? "" : ", or a larger -n"
}

function flush(    i) {
	if (n && !full && (!shown || used + size <= max)) {
		shown++
		for (i = 1; i <= n && used + units(line[i]) < max; i++) {
			print line[i]
			used += units(line[i]) + 1
		}
		if (i <= n) {
			printf "    (%d more lines in %s)\n", n - i + 1, clean(ENVIRON["MEMRC_SOURCE"])
			full = 1
		}
	} else if (n) full = 1
	n = size = 0
}
