# constraints.awk - what is forbidden, from identity.md and constraints.md. Needs text.awk.
# Usage: awk -f text.awk -f constraints.awk OUT_DIRECTORY IDENTITY CONSTRAINTS (either may be /dev/null)
# Writes OUT_DIRECTORY/list, a line each: state, file:line, text (newlines as \037), tab between; state is
# `force`, `retired` or `problem`. For all but problems the bare text is in OUT_DIRECTORY/c.NNNNNN, to be hashed.

BEGIN {
	out = ARGV[1]
	n = slurp(ARGV[2], line)
	prose(line, n)
	for (i = 1; i <= n; i++) {
		if (conflict_marker(line[i])) problem("identity.md:" i, "a merge conflict marker")
		else if (key_value(line[i]) && VALUE != "" && KEY ~ /^(forbidden|convention)$/) constraint(KEY ": " VALUE, "identity.md:" i)
	}
	n = slurp(ARGV[3], line)
	prose(line, n)
	text = ""
	for (i = 1; i <= n; i++) {
		if (conflict_marker(line[i])) {
			flush()
			problem("constraints.md:" i, "a merge conflict marker")
		} else if (line[i] ~ /^[ \t]*$/) continue
		else if (line[i] ~ /^#+([ \t]|$)/ || line[i] ~ /^[ \t]*(```|~~~)/ || line[i] ~ /^[ \t]*[-=*_][-=*_ \t]*$/) flush()
		else if (line[i] ~ /^(  |\t)/ && text != "") text = text "\037" trim(line[i])
		else {
			flush()
			text = trim(line[i])
			sub(/^([-*+]|[0-9]+[.)])[ \t]+/, "", text)
			where = "constraints.md:" i
		}
	}
	flush()
	exit 0
}

function flush() {
	if (text != "") constraint(text, where)
	text = ""
}

# constraint - machine data in braces at the end is no part of the text; other braces are
function constraint(text, where,    state, data, file) {
	state = "force"
	if (match(text, /[ \t]*\{(source|retired|deny-edit|deny-command):[^\037]*\}$/)) {
		data = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
		if (data ~ /[{;] *retired:/) state = "retired"
	}
	gsub(/[\001-\010\013-\036\177]/, "", text)
	if (text == "" || (state, text) in SEEN) return
	SEEN[state, text] = 1
	file = sprintf("%s/c.%06d", out, ++count)
	shown = text
	gsub(/\037/, "\n", text)
	printf "%s", text > file
	close(file)
	if (length(shown) > 4000) shown = "(a text of " length(shown) " bytes: read " where " whole before acting)"
	printf "%s\t%s\t%s\n", state, where, shown > (out "/list")
}

function problem(where, what) {
	printf "problem\t%s\t%s\n", where, what > (out "/list")
}
