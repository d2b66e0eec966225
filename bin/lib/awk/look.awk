# look.awk - all that a writer must know of a file before it adds $MEMRC_LINE, in one pass.
# stdin is the end of the file and a dot, so that a missing last newline shows; further arguments are files
# whose ids count too. By the text of the lines: a quote inside a text is escaped, so that `"id":` is a field
# wherever it stands, and what repeats a record wrote it in the same way.
# Prints, blanks between: `whole`, or `open` where the file may not end with a newline; how many bytes were read
# of it; the highest number of an operation; the shortest unique prefix of the id of the line, or of the record that it repeats;
# `new`, `taken` if another has that id, or the id of the record it repeats: one with $MEMRC_KEY, or
# else the newest of $MEMRC_SESSION if it equals the line in all but id, ts and commit, which log_path and
# verified_at repeat.

BEGIN {
	line = ENVIRON["MEMRC_LINE"]
	session = ENVIRON["MEMRC_SESSION"]
	key = ENVIRON["MEMRC_KEY"]
	own = id_of(line)
	end = "whole"
}

FILENAME == "-" || FILENAME == "" {
	bytes += length($0) + 1
	id = id_of($0)
	seen[id] = 1
	if (key != "" && known == "" && (index($0, "\"key\":\"" key "\"") || index($0, "\"key\": \"" key "\""))) known = id
	if (of_session($0) == session && $0 != ".") newest = $0
	# A number of more than 9 digits is nobody's: a shell can't count on from it.
	if (id ~ /^op-[0-9]+$/ && length(id) <= 12 && substr(id, 4) + 0 > highest) highest = substr(id, 4) + 0
	# For busybox awk a NUL byte, as a power cut leaves them, ends a line: who sees no record before the dot can't tell.
	end = $0 == "." && (NR == 1 || before ~ /}$/) ? "whole" : "open"
	before = $0
	next
}

{ seen[id_of($0)] = 1 }

END {
	if (known == "" && newest != "") {
		sub(/\.$/, "", newest)
		if (bare(newest) == bare(line)) known = id_of(newest)
	}
	state = known != "" ? known : own in seen ? "taken" : "new"
	if (known != "") own = known
	for (n = 6; n < length(own); n++) {
		unique = 1
		for (id in seen) if (id != own && substr(id, 1, n) == substr(own, 1, n)) unique = 0
		if (unique) break
	}
	print end, bytes + 0, highest + 0, substr(own, 1, n), state
}

function id_of(line) {
	if (!match(line, /"id": *"[^"]*"/)) return ""
	line = substr(line, RSTART, RLENGTH - 1)
	sub(/.*"/, "", line)
	return line
}

function of_session(line) {
	if (!match(line, /"session": *"[^"]*"/)) return ""
	line = substr(line, RSTART, RLENGTH - 1)
	sub(/.*"/, "", line)
	return line
}

function bare(line) {
	sub(/"id": *"[^"]*", */, "", line)
	sub(/"ts": *"[^"]*",? */, "", line)
	sub(/"log_path": *"[^"]*",? */, "", line)
	sub(/"(commit|verified_at)": *"[^"]*",? */, "", line)
	sub(/"(commit|verified_at)": *"[^"]*",? */, "", line)
	gsub(/,}$/, "}", line)
	return line
}
