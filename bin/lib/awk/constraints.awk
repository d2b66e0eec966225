# constraints.awk - what is forbidden, from identity.md and constraints.md. Needs text.awk.
# Usage: awk -f text.awk -f constraints.awk OUT_DIRECTORY IDENTITY CONSTRAINTS [SEALED_IDENTITY SEALED_CONSTRAINTS]
# Any of the files may be absent. Writes OUT_DIRECTORY/list, a line each: state, file:line, text (newlines as
# \037), tab between; state is `force`, `retired`, `gone` or `problem`. For all but problems the bare text is in
# OUT_DIRECTORY/c.NNNNNN, to be hashed. OUT_DIRECTORY/data has what is said of them in braces: number, key, value.
# OUT_DIRECTORY/gone.FILE has the lines of what is gone, as the sealed copy of FILE has them.

BEGIN {
	out = ARGV[1]
	# The copies first: a writer replaces the file and then its copy, so that what one adds meanwhile is never taken
	# for gone.
	a = slurp(ARGV[4], was_identity)
	b = slurp(ARGV[5], was_constraints)
	c = slurp(ARGV[2], now_identity)
	d = slurp(ARGV[3], now_constraints)
	identity(now_identity, c)
	constraints(now_constraints, d)
	sealed = 1
	identity(was_identity, a)
	constraints(was_constraints, b)
	exit 0
}

function identity(line, n,    i, raw) {
	for (i = 1; i <= n; i++) raw[i] = line[i]
	prose(line, n)
	for (i = 1; i <= n; i++) {
		if (conflict_marker(line[i])) problem("identity.md:" i, "a merge conflict marker")
		else if (key_value(line[i]) && VALUE != "" && KEY ~ /^(forbidden|convention)$/) constraint(KEY ": " VALUE, "identity.md:" i, raw[i])
	}
}

function constraints(line, n,    i, raw) {
	for (i = 1; i <= n; i++) raw[i] = line[i]
	prose(line, n)
	text = ""
	for (i = 1; i <= n; i++) {
		if (conflict_marker(line[i])) {
			flush()
			problem("constraints.md:" i, "a merge conflict marker")
		} else if (line[i] ~ /^[ \t]*$/) continue
		else if (line[i] ~ /^#+([ \t]|$)/ || line[i] ~ /^[ \t]*(```|~~~)/ || line[i] ~ /^[ \t]*[-=*_][-=*_ \t]*$/) flush()
		else if (line[i] ~ /^(  |\t)/ && text != "") {
			text = text "\037" trim(line[i])
			lines = lines "\n" raw[i]
		} else {
			flush()
			text = trim(line[i])
			sub(/^([-*+]|[0-9]+[.)])[ \t]+/, "", text)
			where = "constraints.md:" i
			lines = raw[i]
		}
	}
	flush()
}

function flush() {
	if (text != "") constraint(text, where, lines)
	text = ""
}

# constraint - machine data in braces at the end is no part of the text; other braces are
function constraint(text, where, lines,    state, data, known, file) {
	state = "force"
	if (match(text, /[ \t]*\{(source|retired|deny-edit|deny-command):[^\037]*\}$/)) {
		data = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
		if (data ~ /[{;] *retired:/) state = "retired"
	}
	gsub(/[\001-\010\013-\036\177]/, "", text)
	# In force at the last sealing, and here neither in force nor retired.
	if (sealed && state == "force" && !(("force", text) in SEEN) && !(("retired", text) in SEEN)) state = "gone"
	else if (sealed) return
	if (text == "") return
	if (state == "gone") print lines > (out "/gone." substr(where, 1, index(where, ":") - 1))
	known = (state, text) in SEEN
	if (!known) SEEN[state, text] = ++count
	said(SEEN[state, text], data)
	if (known) return
	file = sprintf("%s/c.%06d", out, count)
	shown = text
	gsub(/\037/, "\n", text)
	printf "%s", text > file
	close(file)
	if (length(shown) > 4000) shown = "(a text of " length(shown) " bytes: read " where " whole before acting)"
	printf "%s\t%s\t%s\n", state, where, shown > (out "/list")
}

# said - the data of a constraint
function said(number, data,    key, value) {
	sub(/^[ \t]*\{/, ";", data)
	sub(/\}$/, "", data)
	while (match(data, /; *(source|retired|deny-edit|deny-command): */)) {
		key = substr(data, RSTART, RLENGTH)
		gsub(/[; :]/, "", key)
		data = substr(data, RSTART + RLENGTH)
		value = trim(match(data, /; *(source|retired|deny-edit|deny-command):/) ? substr(data, 1, RSTART - 1) : data)
		if (value != "") printf "%d\t%s\t%s\n", number, key, value > (out "/data")
	}
}

function problem(where, what) {
	if (sealed) return
	printf "problem\t%s\t%s\n", where, what > (out "/list")
}
