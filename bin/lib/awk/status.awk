# status.awk - a restore message becomes the page a person looks at. Needs text, unicode and width.awk.
# Usage: awk -v max=UNITS -v code=EXIT -v colour=0|1 -f … MESSAGE WRITES ROOT
# MESSAGE is what rc printed; WRITES has a line a file: name, tab, time of its last record.

BEGIN {
	width_init()
	none = "none"
	bold = colour ? "\033[1m" : ""
	alarm = colour ? "\033[31m" : ""
	plain = colour ? "\033[0m" : ""
	n = slurp(ARGV[1], line)
	for (i = 1; i <= n; i++) {
		size = units(line[i]) + 1
		total += size
		if (match(line[i], /^\[[A-Z][A-Z ]*\]/)) {
			section = substr(line[i], 2, RLENGTH - 2)
			rest = trim(substr(line[i], RLENGTH + 1))
			if (!(section in SIZE)) ORDER[++sections] = section
			if (section == "SESSION RESTORE") title = rest
			else if (section == "CURRENT PROGRESS") task[++tasks] = rest
			# how many tool calls since progress was written
			else if (section == "BEFORE THE COMPACTION" && rest != "") task[++tasks] = rest
			else if (section == "CONSTRAINTS") in_force = rest
			else if (section == "UNTRUSTED ROOT") {
				none = "not shown"
				fault[++faults] = "memrc allow: nobody here has confirmed this memory"
			}
			else if (section ~ /^(CONFLICT|FAILED PART)$/) fault[++faults] = tolower(section) ": " rest
		} else if (section == "CURRENT PROGRESS") task[++tasks] = substr(line[i], 3)
		else if (section == "CONSTRAINTS" && line[i] !~ /^  \(/) constraint[++constraints] = substr(line[i], 3)
		SIZE[section] += size
		if (line[i] ~ /^  \(.*(memrc validate|memrc edit|more hidden).*\)$/) fault[++faults] = tolower(section) ": " substr(line[i], 4, length(line[i]) - 4)
	}
	sub(/ · [a-z]+( · .*)?$/, "", title)
	row("memory", title)
	row("", ARGV[3])
	for (i = 1; i <= tasks; i++) row(i == 1 ? "task" : "", task[i])
	if (!tasks) row("task", none)
	sub(/,.*/, "", in_force)
	row("constraints", in_force == "" ? none : in_force)
	for (i = 1; i <= constraints; i++) row("", constraint[i])
	n = slurp(ARGV[2], line)
	for (i = 1; i <= n; i++) {
		split(line[i], part, "\t")
		row(i == 1 ? "last writes" : "", sprintf("%-22s %s", part[1], clean(part[2])))
	}
	if (!n) row("last writes", "none")
	row("size", total " of " max " units after a compaction")
	for (i = 1; i <= sections; i++) bar(ORDER[i], SIZE[ORDER[i]])
	for (i = 1; i <= faults; i++) row(i == 1 ? "faults" : "", fault[i], alarm)
	if (!faults) row("faults", code == 0 ? "none" : "rc ended with " code, code == 0 ? "" : alarm)
	exit 0
}

# row - a label in its column, a text in what is left of 80
function row(label, text, how) {
	printf "%s%-12s%s ", bold, label, plain
	text = fit_columns(text, 67)
	print (how == "" ? text : how text plain)
}

function bar(name, size,    i, marks) {
	marks = ""
	for (i = 0; i < size * 30 / max && i < 30; i++) marks = marks "#"
	row("", sprintf("%-22s %5d %s", tolower(name), size, marks))
}
