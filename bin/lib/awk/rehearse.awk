# rehearse.awk - a message as a host delivers it that cuts what is longer than limit units to preview. Needs unicode.awk.
# Usage: awk -v limit=UNITS -v preview=UNITS -f text.awk -f unicode.awk -f rehearse.awk <MESSAGE
# Exit: 0 whole; 1 the host or rc cut something

{
	line[NR] = $0
	total += units($0) + 1
	if ($0 ~ /^  \([0-9]+ more hidden: / || $0 ~ /^  \(whole sections are left out: /) hidden[++cuts] = section ": " substr($0, 3)
	else if ($0 ~ /^\[/) section = substr($0, 1, index($0, "]"))
}

END {
	cut = limit && total - 1 > limit
	for (i = 1; i <= NR; i++) {
		shown += units(line[i]) + 1
		if (cut && shown > preview) break
		print line[i]
	}
	printf "%d units; %s\n", total - 1, cut ? "the host shows only the first " preview " of more than " limit ": set max_chars in state/config below that" : \
		limit ? "the host takes " limit ": delivered whole" : "delivered whole" > "/dev/stderr"
	for (i = 1; i <= cuts; i++) print "cut " hidden[i] > "/dev/stderr"
	exit cut || cuts
}
