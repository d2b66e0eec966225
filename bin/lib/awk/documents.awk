# documents.awk - a section of documents: name, title and length of each, or its text where the first
# line says `inline`. Arguments: MARKER DIRECTORY UNREADABLE FILE… where UNREADABLE is how many were left
# out. Needs text.awk.

BEGIN {
	for (a = 4; a < ARGC; a++) document(ARGV[a])
	if (ARGV[3]) {
		head()
		printf "  (%d unreadable in %s)\n", ARGV[3], ARGV[2]
	}
	exit ARGV[3] ? 65 : 0
}

# head - the marker, once there is something to stand below it
function head() {
	if (!started++) printf "[%s] in %s, read one before touching what it speaks of\n", ARGV[1], ARGV[2]
}

function document(file,    line, n, i, inline, title, name, from) {
	name = file
	sub(/.*\//, "", name)
	n = slurp(file, line)
	if (!n) return
	head()
	inline = line[1] ~ /^[ \t]*(<!--[ \t]*)?inline([ \t]*-->)?[ \t]*$/
	from = inline ? 2 : 1
	for (i = from; i <= n && title == ""; i++) if (line[i] ~ /^#+[ \t]/) title = line[i]
	for (i = from; i <= n && title == ""; i++) title = trim(line[i])
	sub(/^#+[ \t]+/, "", title)
	printf "  %s \"%s\" (%d %s)\n", name, shorten(title), n, (n == 1 ? "line" : "lines")
	if (inline) show_text(line, from, n)
	for (i = 1; i <= n; i++) delete line[i]
}

# show_text - the lines of an inline document; where headings are marked only those of active sections
function show_text(line, from, n,    i, marked, level, depth, active) {
	for (i = from; i <= n; i++) if (line[i] ~ /^#+[ \t].*\[(ACTIVE|SUPERSEDED|INVALID)/) marked = 1
	active = !marked
	depth = 0
	for (i = from; i <= n; i++) {
		if (marked && line[i] ~ /^#+[ \t]/) {
			match(line[i], /^#+/)
			level = RLENGTH
			# A heading without a mark belongs to the marked section it stands in.
			if (line[i] ~ /\[(ACTIVE|SUPERSEDED|INVALID)/) {
				active = line[i] ~ /\[ACTIVE/
				depth = level
			} else if (level <= depth) active = 0
		}
		if (active && line[i] !~ /^[ \t]*$/) printf "    %s\n", shorten(line[i])
	}
}

# shorten - to what a line of the message can hold
function shorten(text) {
	if (length(text) <= 600) return text
	text = substr(text, 1, 600)
	sub(/[\300-\377][\200-\277]*$/, "", text)
	return text "…"
}
