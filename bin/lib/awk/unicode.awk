# unicode.awk - lengths and cleaning of UTF-8 text, byte-wise (LC_ALL=C).

# units(TEXT) - its length in UTF-16 code units
function units(text,    n) {
	if (text ~ /^[ -~]*$/) return length(text)
	n = length(text)
	n -= gsub(/[\200-\277]/, "", text)
	return n + gsub(/[\360-\367]/, "", text)
}

# clean(TEXT) - what may be shown: valid UTF-8 without terminal sequences, control characters (TAB stays)
# and characters that reorder or hide text or begin a line of their own (U+2028, U+2029)
function clean(text) {
	if (text ~ /^[ -~]*$/) return text
	if (text ~ /[\200-\377]/) text = valid(text)
	gsub(/\033\[[0-9;?]*[@-~]/, "", text)
	gsub(/[\001-\010\012-\037\177]|\302[\200-\237]/, "", text)
	gsub(/\342\200\213|\342\200[\250-\256]|\342\201[\246-\251]|\357\273\277|\363\240[\200\201][\200-\277]/, "", text)
	return text
}

# valid(TEXT) - each byte that isn't part of well-formed UTF-8 becomes U+FFFD
function valid(text,    rest, out) {
	rest = text
	gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", rest)
	if (rest !~ /[\200-\377]/) return text
	out = ""
	while (text != "") {
		if (match(text, /^([\001-\177]|[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])+/)) {
			out = out substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
		} else {
			out = out "\357\277\275"
			text = substr(text, 2)
		}
	}
	return out
}
