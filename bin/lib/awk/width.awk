# width.awk - columns of a terminal. Text is valid UTF-8, read byte-wise (LC_ALL=C).

function width_init(    i) {
	for (i = 1; i < 256; i++) ORD[sprintf("%c", i)] = i
}

# fit_columns(TEXT, COLUMNS) - TEXT if it fits, else cut with a mark; sets WIDTH to its columns
function fit_columns(text, columns,    i, n, size, w, at) {
	WIDTH = length(text)
	if (text ~ /^[ -~]*$/) {
		if (WIDTH <= columns) return text
		WIDTH = columns
		return substr(text, 1, columns - 1) "…"
	}
	WIDTH = at = 0
	n = length(text)
	for (i = 1; i <= n; i += size) {
		size = char_bytes(text, i)
		w = char_width(text, i, size)
		if (WIDTH + w <= columns - 1) at = i + size - 1 # the last place where the mark still fits
		WIDTH += w
	}
	if (WIDTH <= columns) return text
	text = substr(text, 1, at)
	fit_columns(text, columns)
	WIDTH++
	return text "…"
}

function char_bytes(text, i,    b) {
	b = ORD[substr(text, i, 1)]
	return b < 192 ? 1 : b < 224 ? 2 : b < 240 ? 3 : 4
}

# char_width - 2 for what East Asian terminals draw wide, 0 for what combines
function char_width(text, i, size,    code, j) {
	code = ORD[substr(text, i, 1)]
	if (size == 1) return 1
	code -= size == 2 ? 192 : size == 3 ? 224 : 240
	for (j = 1; j < size; j++) code = code * 64 + ORD[substr(text, i + j, 1)] - 128
	if (code >= 768 && code <= 879 || code == 8205 || code >= 65024 && code <= 65039) return 0
	if (code < 4352) return 1
	return code <= 4447 || code >= 11904 && code <= 42191 && code != 12351 || code >= 44032 && code <= 55203 ||
		code >= 63744 && code <= 64255 || code >= 65072 && code <= 65135 || code >= 65280 && code <= 65376 ||
		code >= 65504 && code <= 65510 || code >= 127744 && code <= 129791 || code >= 131072 && code <= 262141 ? 2 : 1
}
