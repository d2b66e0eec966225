# open.awk - which sessions are open: of the last day, and not ended.
# Usage: tail -c 65536 events.jsonl | awk -v now=2026-11-30T01:00:00Z -f open.awk
# By the text of the lines, as the hooks write them; the first one may have lost its beginning.
# Prints their ids in the order they began, blanks between.

/^\{/ {
	session = text("session")
	if (session !~ /^[A-Za-z0-9._-]+$/) next
	if (!(session in seen)) order[++n] = session
	seen[session] = text("event") == "end" ? "" : text("ts")
}

END {
	for (i = 1; i <= n; i++) {
		session = order[i]
		if (seen[session] != "" && seconds(now) - seconds(seen[session]) <= 86400) list = list (list == "" ? "" : " ") session
	}
	print list
}

# text - the text of a field of this line
function text(name,    at, rest) {
	at = index($0, "\"" name "\":\"")
	if (!at) return ""
	rest = substr($0, at + length(name) + 4)
	return substr(rest, 1, index(rest, "\"") - 1)
}

# seconds - of a time, counted from a day long ago
function seconds(time,    year, month, days) {
	year = substr(time, 1, 4) + 0
	month = substr(time, 6, 2) + 0
	if (month < 3) {
		year--
		month += 12
	}
	days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * (month - 3) + 2) / 5) + substr(time, 9, 2)
	return days * 86400 + substr(time, 12, 2) * 3600 + substr(time, 15, 2) * 60 + substr(time, 18, 2)
}
