# valid.awk - copies text, each byte that isn't UTF-8 as U+FFFD. Needs unicode.awk.
# In short pieces, cut between characters: what valid() does to a long line of rubbish is quadratic.

{
	size = length($0)
	for (at = 1; size - at >= 1024; at += length(piece)) {
		piece = substr($0, at, 512)
		if (match(piece, /[\302-\364][\200-\277]*$/) && RSTART > 508) piece = substr(piece, 1, RSTART - 1)
		printf "%s", valid(piece)
	}
	print valid(substr($0, at))
}
