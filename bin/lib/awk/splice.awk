# splice.awk - changes a JSON text and leaves every byte it isn't told to change.
# Usage: awk -f splice.awk CHANGES TEXT
# CHANGES: a line each, fields by TABs, VALUE compact JSON:
#   add VALUE CONTAINER… KEY      a member at the end of an object, or with KEY `-` an element of an array
#   set VALUE CONTAINER… KEY      another value for a member
#   drop - CONTAINER… KEY         a member or (by its number) an element goes
# What is added looks like what stands beside it. TEXT must be valid JSON; who calls this checks the result.

FILENAME == ARGV[1] { change[++changes] = $0; next }
{ text = text $0 "\n" }

# skip(P) - the first place from P on that isn't blank
function skip(p) {
	while (substr(text, p, 1) ~ /[ \t\r\n]/) p++
	return p
}

# after(P) - where the value that begins at P has ended
function after(p,   c, depth) {
	depth = 0
	do {
		c = substr(text, p, 1)
		if (c == "\"") {
			while ((c = substr(text, ++p, 1)) != "\"" && c != "") if (c == "\\") p++
		} else if (c ~ /[{[]/) {
			depth++
		} else if (c ~ /[]}]/) {
			depth--
		} else if (!depth) {
			while (substr(text, p, 1) ~ /[-+.0-9A-Za-z]/) p++
			return p
		}
		p++
	} while (depth && c != "")
	return p
}

# look(P, KEY) - in the container at P: is there a member or element KEY? FROM, VALUE, TO: where it is, PREVIOUS:
# where the one before it ended. If not, or for KEY `-`, FROM and TO are of the last one; COUNT them, CLOSE its end.
function look(p, key,   object, name, e) {
	object = substr(text, p, 1) == "{"
	COUNT = 0
	TO = p + 1
	for (p = skip(p + 1); substr(text, p, 1) !~ /[]}]/ && p <= length(text); p = skip(p)) {
		PREVIOUS = TO
		FROM = VALUE = p
		name = COUNT ""
		if (object) {
			e = after(p)
			name = substr(text, p + 1, e - p - 2)
			VALUE = skip(skip(e) + 1)
		}
		TO = after(VALUE)
		COUNT++
		if (name == key && key != "-") return 1
		p = skip(TO)
		if (substr(text, p, 1) == ",") p++
	}
	CLOSE = p
	return 0
}

# blanks_before(P) - what stands between P and the sign before it
function blanks_before(p,   s) {
	for (s = p; s > 1 && substr(text, s - 1, 1) ~ /[ \t\r\n]/; s--) ;
	return substr(text, s, p - s)
}

# margin(P) - how far the line that P is on is indented
function margin(p,   s) {
	for (s = p; s > 1 && substr(text, s - 1, 1) != "\n"; s--) ;
	match(substr(text, s), /^[ \t]*/)
	return substr(text, s, RLENGTH)
}

# pretty(JSON, PAD) - compact JSON over several lines, each but the first behind PAD; without an NL in PAD, on one
function pretty(json, pad, multi,   i, c, out, string, inner) {
	inner = pad
	for (i = 1; i <= length(json); i++) {
		c = substr(json, i, 1)
		if (string) {
			out = out c
			if (c == "\\") out = out substr(json, ++i, 1)
			else if (c == "\"") string = 0
		} else if (c == "\"") {
			string = 1
			out = out c
		} else if (c ~ /[{[]/ && substr(json, i + 1, 1) !~ /[]}]/ && multi) {
			inner = inner unit
			out = out c eol inner
		} else if (c ~ /[]}]/ && substr(json, i - 1, 1) !~ /[{[]/ && multi) {
			inner = substr(inner, 1, length(inner) - length(unit))
			out = out eol inner c
		} else if (c == ",") {
			out = out c (multi ? eol inner : " ")
		} else {
			out = out c (c == ":" ? " " : "")
		}
	}
	return out
}

function add(p, key, value,   gap, multi, pad) {
	look(p, "-")
	key = key == "-" ? "" : "\"" key "\": "
	if (COUNT) {
		gap = blanks_before(FROM)
		multi = gap ~ /\n/
		pad = multi ? margin(FROM) : ""
		text = substr(text, 1, TO - 1) "," (gap == "" ? " " : gap) key pretty(value, pad, multi) substr(text, TO)
	} else {
		pad = margin(p)
		text = substr(text, 1, p) eol pad unit key pretty(value, pad unit, 1) eol pad substr(text, CLOSE)
	}
}

function drop(   p) {
	p = skip(TO)
	if (COUNT > 1) text = substr(text, 1, PREVIOUS - 1) substr(text, TO)
	else if (substr(text, p, 1) == ",") text = substr(text, 1, FROM - 1) substr(text, skip(p + 1))
	else text = substr(text, 1, PREVIOUS - 1) substr(text, p)
}

END {
	# the last line may be without a newline, which awk can't tell: the caller puts a mark behind the text
	sub(/\.\n$/, "", text)
	eol = text ~ /\r\n/ ? "\r\n" : "\n"
	unit = match(text, /\n[ \t]+[^ \t\r\n]/) ? substr(text, RSTART + 1, RLENGTH - 2) : "  "
	for (n = 1; n <= changes; n++) {
		fields = split(change[n], field, "\t")
		p = skip(1)
		for (f = 3; f < fields; f++) {
			if (!look(p, field[f])) exit 1
			p = VALUE
		}
		if (field[1] == "add") {
			add(p, field[fields], field[2])
			continue
		}
		if (!look(p, field[fields])) exit 1
		if (field[1] == "drop") drop()
		else text = substr(text, 1, VALUE - 1) pretty(field[2], margin(VALUE), text ~ /\n[ \t]/) substr(text, TO)
	}
	printf "%s", text
}
