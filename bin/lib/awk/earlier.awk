# earlier.awk - failures of closed tasks at a target that the task in hand names, too.
# Usage: printf '%s\n' ARCHIVED_TRAIL… | awk -f earlier.awk TRAIL
# Prints the newest 4, the oldest first: task, tab, line. By the text of the lines, as a writer wrote them.

BEGIN {
	while ((getline line < ARGV[1]) > 0) if ((name = target(line)) != "") named[name] = any = 1
	ARGC = 1
	if (!any) exit
}

{
	task = $0
	sub(/.*\//, "", task)
	sub(/\.jsonl$/, "", task)
	while ((getline line < $0) > 0)
		if (line ~ /"type": *"failure"/ && length(line) < 16000 && (target(line) in named)) newest(task "\t" line)
	close($0)
}

END { for (i = n; i > 0; i--) print found[i] }

# target - the text of a line's target, as it stands there
function target(line) {
	return match(line, /"target": *"([^"\\]|\\.)+"/) ? substr(line, RSTART + 9, RLENGTH - 9) : ""
}

# newest - keeps a line if it is one of the 4 newest, the newest first
function newest(entry,    i, when) {
	when = match(entry, /"ts": *"[^"]*"/) ? substr(entry, RSTART + 5, RLENGTH - 5) : ""
	if (n < 4) n++
	else if (when < at[4]) return
	for (i = n; i > 1 && at[i - 1] < when; i--) {
		at[i] = at[i - 1]
		found[i] = found[i - 1]
	}
	at[i] = when
	found[i] = entry
}
