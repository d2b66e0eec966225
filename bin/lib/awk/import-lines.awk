# import-lines.awk - facts that are items of a list, `key: value` or rows of a table, and the task in hand.
# FACT is the first line of the fact in hand, V its texts.

function fact_line(i,    deep, item, row, text) {
	if (L[i] ~ /^[ \t]*\|/ && !QUIET[i]) {
		fact_close(i - 1)
		fact_row(i)
		return
	}
	deep = indent(L[i])
	item = L[i] ~ /^[ \t]*([-*+]|[0-9]+[.)])[ \t]/
	if (QUIET[i] || RULE[i] || SKIP) {
		fact_close(i - 1)
		KEEP[i] = 1
	} else if (FACT && deep > FACT_INDENT) fact_more(i)
	else if (FACT && !item && !GAP && !label(L[i])) V["claim"] = V["claim"] "\037" trim(L[i])
	else {
		fact_close(i - 1)
		text = unbullet(L[i])
		if (item || label(text) && LVALUE != "" && text !~ /^[ \t]*>/) fact_begin(i, text, deep)
		else KEEP[i] = 1
	}
}

# fact_more(I) - a deeper line: how the fact is verified, or more of its text
function fact_more(i,    name) {
	name = label(L[i]) ? meaning(LNAME) : ""
	if (name ~ /^(check|evidence|status|date|because)$/ && LVALUE != "") V[name] = V[name] (V[name] == "" ? "" : "\037") LVALUE
	else V["claim"] = V["claim"] "\037" trim(L[i])
}

function fact_begin(i, text, deep,    at) {
	split("", V)
	FACT = i
	FACT_INDENT = deep
	text = fact_proof(text)
	text = marks(text, 1)
	V["status"] = STATUS
	V["superseded_by"] = REF
	if (DATE != "") V["date"] = DATE
	if (UNSURE) V["unsure"] = 1
	numbered(text)
	V["number"] = NUMBER
	V["claim"] = text
	V["key"] = label(text) && LVALUE != "" ? LNAME : text
	# When it was written isn't what is true.
	if (tolower(V["key"]) ~ /^(last[ _-]updated?|updated|note|notes|最后更新|更新时间|说明|备注|注意|注)$/) V["unsure"] = 1
}

# fact_proof(TEXT) - without the remark at its end on how it was verified, which goes into V
function fact_proof(text,    low, proof) {
	low = tolower(text)
	if (!match(low, /[ \t]*(\(|（)(un ?verified|not verified|verified|checked|evidence|未验证|待验证|已验证|验证|证据)/) || low !~ /(\)|）)[.]?(。)?$/) return text
	proof = substr(text, RSTART)
	text = substr(text, 1, RSTART - 1)
	sub(/^[ \t]*(\(|（)/, "", proof)
	sub(/(\)|）)[.]?(。)?$/, "", proof)
	if (tolower(proof) ~ /^(un|not|未|待)/) V["unsure"] = 1
	if (match(proof, /[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]/)) V["date"] = substr(proof, RSTART, RLENGTH)
	V["evidence"] = proof
	low = proof
	sub(/^(verified|checked|evidence|已验证|验证|证据)( by|于)?[ \t]*(:|：)?[ \t]*/, "", low)
	V["check"] = check_in(low) == low ? low : check_in(proof)
	if (V["check"] == low) V["evidence"] = ""
	return text
}

# fact_close(TO) - the fact in hand is a record, or its lines are kept
function fact_close(to,    out) {
	if (!FACT) return
	while (to > FACT && L[to] ~ /^[ \t]*$/) to--
	if (V["status"] == "" || status_word(V["status"])) out = V["status"] == "" ? SECTION_STATUS : V["status"]
	else V["unsure"] = 1
	if (V["unsure"] || V["claim"] == "" || length(V["claim"]) > 4096 || !shown(FACT, to)) keep(FACT, to)
	else {
		placed++
		printf "entry\tfact\t%s\t%d", NAME, FACT
		print field("number", V["number"]) field("claim", V["claim"]) field("identity", SECTION "\035" V["key"]) \
			field("status", out == "" ? "ACTIVE" : out) field("superseded_by", V["superseded_by"]) field("section", SECTION) \
			field("date", V["date"]) proofs(V["check"]) field("evidence", V["evidence"]) field("because", V["because"])
	}
	FACT = 0
}

# status_word(TEXT) - makes V["status"] one word; 0 if it isn't understood
function status_word(text) {
	REF = ""
	if (text ~ /^(ACTIVE|SUPERSEDED|INVALID)$/) return 1
	if (!field_status(text)) return 0
	V["status"] = STATUS
	if (REF != "") V["superseded_by"] = REF
	if (NOTE != "") V["because"] = V["because"] (V["because"] == "" ? "" : "\037") NOTE
	return 1
}

# fact_row(I) - a row of a table: its first two columns are the claim, others by their heads
function fact_row(i,    n, j, cell, claims, name, text) {
	if (!("n" in TABLE)) {
		TABLE["n"] = L[i + 1] ~ /^[ \t]*\|[ \t:|-]+$/ && L[i + 1] ~ /-/ ? cells(L[i], cell) : 0
		for (j = 1; j <= TABLE["n"]; j++) TABLE[j] = cell[j]
		TABLE["row"] = i
		if (TABLE["n"]) return
	}
	if (TABLE["n"] && i == TABLE["row"] + 1) return
	n = cells(L[i], cell)
	if (!TABLE["n"] || n != TABLE["n"] || RULE[i] || SKIP) {
		fact_row_kept(i)
		return
	}
	text = ""
	claims = 0
	split("", V)
	FACT = i
	for (j = 1; j <= n; j++) {
		name = meaning(TABLE[j])
		if (cell[j] == "") continue
		if (name ~ /^(check|evidence|date|because)$/) V[name] = cell[j]
		else if (name == "status") V["status"] = verified(cell[j]) ? "" : cell[j]
		else if (++claims < 3) text = text (claims == 1 ? "" : ": ") cell[j]
		else text = text "; " TABLE[j] ": " cell[j]
		if (claims == 1 && V["key"] == "") V["key"] = cell[j]
	}
	V["claim"] = text
	fact_close(i)
	if (KEEP[i]) fact_row_kept(i)
}

# fact_row_kept(I) - below the head of its table
function fact_row_kept(i) {
	KEEP[i] = 1
	if (TABLE["n"]) KEEP[TABLE["row"]] = KEEP[TABLE["row"] + 1] = 1
}

function verified(text) {
	return tolower(text) ~ /^(verified|yes|ok|已验证|是|✅|✔|✓)$/
}

# task - the task in hand: one entry, or none if the file doesn't say which task
function task(    i, name, text, item, field_name, out) {
	KIND = "task"
	split("", V)
	name = ""
	for (i = 1; i <= N; i++) {
		if (L[i] ~ /^[ \t]*$/) continue
		if (heading(i)) {
			text = marks(TITLE)
			sub(/^[0-9]+[ ._-]+/, "", text)
			name = meaning(text)
			if (name == "" && label(text) && meaning(LNAME) != "") {
				name = meaning(LNAME)
				task_add(name, LVALUE, i)
			} else if (name == "" && LEVEL < 3 && V["current_task"] == "" && !forbids(text)) V["current_task"] = text
			continue
		}
		item = L[i] ~ /^[ \t]*([-*+]|[0-9]+[.)])[ \t]/
		text = trim(unbullet(L[i]))
		if (QUIET[i] || RULE[i]) KEEP[i] = 1
		else if (text ~ /^\[[xX]\] /) task_add("completed", substr(text, 5), i)
		else if (text ~ /^\[ \] /) task_add("next_steps", substr(text, 5), i)
		else if (label(text) && meaning(LNAME) != "") {
			field_name = meaning(LNAME)
			if (LVALUE == "") name = field_name
			task_add(field_name, LVALUE, i)
		} else if (name == "") KEEP[i] = 1
		else if (indent(L[i]) > 0 && V[name] != "" && !item) V[name] = V[name] "\037" text
		else task_add(name, text, i)
	}
	if (length(V["current_task"]) > 4096 || length(V["in_progress"]) > 4096 || V["closed"] || V["current_task"] == "" || !shown(1, N)) {
		split("", KEEP)
		return
	}
	placed++
	printf "entry\ttask\t%s\t1", NAME
	out = field("current_task", V["current_task"]) field("in_progress", V["in_progress"]) field("done_when", V["done_when"])
	print out task_list("completed") task_list("next_steps") task_list("blocked")
}

# task_add(FIELD, TEXT, I) - one more text of it; what a task has no place for is kept
function task_add(name, text, i) {
	if (text == "" || nothing(text)) return
	if (name == "status") {
		if (tolower(text) ~ /^[^a-z]*(done|closed|finished|completed|dropped|cancelled)|已完成|已关闭|已取消/) V["closed"] = 1
		else if (tolower(text) !~ /^(open|active|in progress|进行中|blocked|阻塞)$/) KEEP[i] = 1
	} else if (name == "done_when") {
		if (V[name] == "" && check_in(text) != "" && CHECK_REST == "") V[name] = check_in(text)
		else KEEP[i] = 1
	} else if (name == "completed" || name == "next_steps" || name == "blocked") V[name] = V[name] (V[name] == "" ? "" : "\035") text
	else V[name] = V[name] (V[name] == "" ? "" : "\037") text
}

function task_list(name,    n, i, part, out) {
	n = split(V[name], part, "\035")
	for (i = 1; i <= n; i++) out = out field(name, part[i])
	return out
}
