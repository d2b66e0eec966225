# assemble.awk - the outputs of all parts become one restore message. Needs text.awk.
# Usage: awk -v max=UNITS -v deadline=S -f text.awk -f assemble.awk RUN_DIRECTORY ROOT
# Reads RUN_DIRECTORY/parts, a line a part: name, exit code (or `late`), layer, path of the script, tab
# between; NAME.out and NAME.err beside it; and each script's header: Cap, Floor, Cut, Required, Recall.
# Exit: 0 well; 1 degraded; 3 conflict.

BEGIN {
	run = ARGV[1]
	below = ARGV[2] "/"
	if (index(below, ENVIRON["MEMRC_PROJECT"] "/") == 1) below = substr(below, length(ENVIRON["MEMRC_PROJECT"]) + 2)
	while ((getline entry < (run "/parts")) > 0) {
		split(entry, field, "\t")
		load(field[1], field[2], field[3], field[4])
	}
	for (p = 1; p <= parts; p++) name_section(p)
	fit()
	for (p = 1; p <= parts; p++) {
		show(p)
		if (p == 1) printf "%s%s", left_out, conflicts # before anything that could be acted on
	}
	exit conflict ? 3 : degraded ? 1 : 0
}

# load - one part: what it says of itself, what it printed, how it ended
function load(name, code, layer, path,    p, n, i, line, raw, bytes) {
	p = ++parts
	NAME[p] = name
	LAYER[p] = layer
	CUT[p] = 0
	RECALL[p] = "memrc rc --max-chars 100000 --only " name
	# What replaces a part is as required as the part, and says only what is different.
	if (layer == "own") header(p, ENVIRON["MEMRC_HOME"] "/init.d/" name)
	header(p, path)
	if (code == 76) conflict = 1
	else if (code == 65) degraded = 1
	else if (code != 0) return failed(p, name, code)

	n = slurp(run "/" name ".out", raw)
	for (i = 1; i <= n; i++) {
		bytes += length(raw[i]) + 1
		if (bytes > 16384) {
			add(p, "  (" name " printed more than 16 KiB: the rest is cut)")
			degraded = 1
			break
		}
		line = clean(raw[i])
		if (line !~ /^[ \t]*$/) add(p, line)
	}
}

# header - what a script's header comment says to rc
function header(p, path,    line, at) {
	while ((getline line < path) > 0 && line ~ /^#/) {
		if (line ~ /^# (Cap|Floor|Cut): [0-9]+$/) META[p, substr(line, 3, index(line, ":") - 3)] = substr(line, index(line, ":") + 2) + 0
		if (line ~ /^# Recall: /) {
			RECALL[p] = substr(line, 11)
			# a file of the memory, as it is named from the project's top
			if ((at = index(RECALL[p], " state/"))) RECALL[p] = substr(RECALL[p], 1, at) below substr(RECALL[p], at + 1)
		}
		if (line == "# Required: yes") REQUIRED[p] = 1
	}
	close(path)
}

# failed - a part without a result is a line in the message; without a required one nothing may be done
function failed(p, name, code,    why, err) {
	degraded = 1
	if (code == "late") why = "not finished after " deadline " s"
	else if (code == 153) why = "printed too much"
	else why = "exit " code
	if (slurp(run "/" name ".err", err)) why = why ": " clip(clean(err[1]), 200)
	if (REQUIRED[p]) {
		conflict = 1
		conflicts = conflicts "[CONFLICT] the " substr(name, 5) " could not be read: " why "; change nothing, ask the user\n" sealed(substr(name, 5) ".md")
		spare += 200 + units(why) + units(conflicts)
	} else FAILED[p] = add(p, (name == "S00-header" ? "[SESSION RESTORE] " : "[FAILED PART] ") name ": " why "; what it shows is missing here")
}

# sealed - what a state file said when it was last sealed
function sealed(file,    line, n, i, text) {
	if (ENVIRON["MEMRC_TRUST"] == "") return "" # the repository's, too
	n = slurp(ARGV[2] "/state/.seal/" file, line)
	for (i = 1; i <= n && length(text) < 15000; i++) if (line[i] !~ /^[ \t]*$/) text = text "    " clip(clean(line[i]), 4000) "\n"
	# Some of what is forbidden stands in the other file.
	n = file == "constraints.md" ? slurp(ARGV[2] "/state/.seal/identity.md", line) : 0
	for (i = 1; i <= n; i++) if (line[i] ~ /^([-*] )?[ \t]*(forbidden|convention)[ \t]*(:|\357\274\232)/) text = text "    " clip(clean(line[i]), 4000) "\n"
	return text == "" ? "" : "  when it was last sealed it said:\n" text
}

function add(p, line) {
	LINE[p, ++LINES[p]] = line
	return 1
}

function clip(text, bytes) {
	if (length(text) <= bytes) return text
	text = substr(text, 1, bytes)
	sub(/[\300-\377][\200-\277]*$/, "", text)
	return text "…"
}

# name_section - the first line is the marker, every other line is indented, so that no content can look
# like a marker. A drop-in can't take the marker of another part: it gets one made of its own name.
function name_section(p,    i, first, own) {
	if (!LINES[p]) return
	match(LINE[p, 1], /^\[[A-Z][A-Z0-9 -]*\]/)
	own = RLENGTH > 0 ? substr(LINE[p, 1], 1, RLENGTH) : ""
	if (own != "" && LAYER[p] == "own" && !FAILED[p] && reserved(own, p)) own = ""
	if (own == "") {
		own = toupper(substr(NAME[p], 5))
		gsub(/-/, " ", own)
		if (reserved("[" own "]", p)) own = "LOCAL " own
		for (i = ++LINES[p]; i > 1; i--) LINE[p, i] = LINE[p, i - 1]
		LINE[p, 1] = "[" own "]"
	}
	for (i = 2; i <= LINES[p]; i++) if (LINE[p, i] !~ /^  /) LINE[p, i] = "  " LINE[p, i]
	for (i = 1; i <= LINES[p]; i++) SIZE[p] += UNITS[p, i] = units(LINE[p, i]) + 1
	total += SIZE[p]
}

function reserved(marker, p,    q) {
	if (marker ~ /^\[(SESSION RESTORE|CONFLICT|FAILED PART|UNTRUSTED ROOT|END OF RESTORE)\]$/) return 1
	for (q = 1; q <= parts; q++) if (q != p && index(LINE[q, 1], marker) == 1) return 1
	return 0
}

# fit - sections over their cap lose lines, then those of the lowest Cut rank until the message fits:
# first down to their floors, then to nothing; what is still too long loses whole sections
function fit(    p, rank, pass, last) {
	for (p = 1; p <= parts; p++) if (META[p, "Cap"]) while (SIZE[p] > META[p, "Cap"] && cut(p, 0)) continue
	total += spare
	for (pass = 1; pass <= 3; pass++) {
		last = -1
		while (total > max && (p = next_rank(last)) > 0) {
			last = rank_of(p)
			if (pass == 3) leave_out(p)
			else while (total > max && cut(p, pass == 1 ? META[p, "Floor"] + 0 : 0)) continue
		}
	}
}

# leave_out - takes a whole section, but for the first and the last line of the message
function leave_out(p) {
	if (!LINES[p] || META[p, "Cut"] == 999) return
	if (!left_out) total += units(left_out = "  (whole sections are left out: memrc rc --max-chars 100000)\n")
	total -= SIZE[p]
	LINES[p] = CUT[p] = 0
	degraded = 1
}

function rank_of(p) {
	# The place in the message tells apart what has the same rank.
	return (((p, "Cut") in META) ? META[p, "Cut"] : 5) * 1000 + parts - p
}

function next_rank(last,    p, best) {
	best = 0
	for (p = 1; p <= parts; p++) if (rank_of(p) > last && (!best || rank_of(p) < rank_of(best))) best = p
	return best
}

# cut - takes a section's last item (a line and the deeper ones below it) if more than FLOOR units stay
function cut(p, floor,    i, gone, note) {
	if (LINES[p] < 2) return 0
	gone = 0
	for (i = LINES[p]; i > 1; i--) {
		gone += UNITS[p, i]
		if (LINE[p, i] ~ /^  [^ \t]/ || i == 2) break
	}
	if (SIZE[p] - gone < floor) return 0
	LINES[p] = i - 1
	CUT[p]++
	note = CUT[p] == 1 ? units(hidden(p)) + 4 : 0 # room for a count of four digits
	SIZE[p] += note - gone
	total += note - gone
	if (REQUIRED[p]) degraded = 1
	if (sub(/, all of them,/, ",", LINE[p, 1])) {
		SIZE[p] -= 13
		total -= 13
	}
	return 1
}

function hidden(p) {
	return "  (" CUT[p] " more hidden: " RECALL[p] ")"
}

function show(p,    i) {
	for (i = 1; i <= LINES[p]; i++) print LINE[p, i]
	if (CUT[p]) print hidden(p)
}
