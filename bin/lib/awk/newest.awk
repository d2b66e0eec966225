# newest.awk - the id of the newest record of session $MEMRC_SESSION on stdin, if it equals $MEMRC_LINE in all
# but id, ts and commit, which log_path and verified_at repeat. By the text of the lines: what repeats a record wrote it in the same way. A quote
# inside a text is escaped, so that `"id":` is a field wherever it stands.

{
	session = match($0, /"session": *"[^"]*"/) ? substr($0, RSTART, RLENGTH) : ""
	gsub(/^"session": *"|"$/, "", session)
	if (session == ENVIRON["MEMRC_SESSION"]) newest = $0
}

END {
	if (newest != "" && bare(newest) == bare(ENVIRON["MEMRC_LINE"]) && match(newest, /"id": *"[^"]*"/)) {
		newest = substr(newest, RSTART, RLENGTH - 1)
		sub(/.*"/, "", newest)
		print newest
	}
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
