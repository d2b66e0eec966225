# import-entries.awk - decisions, and facts that are written like them: a heading and labelled texts below it.
# V: the texts of the entry in hand by field, BESIDE the fields whose text began beside the label; FROM its first line, FIELD the one a further line belongs to.

function entries(kind,    i) {
	KIND = kind
	FROM = FACT = 0
	SECTION = SECTION_STATUS = ""
	SKIP = 0
	split("", TABLE)
	for (i = 1; i <= N; i++) {
		if (heading(i)) entry_heading(i, kind)
		else if (L[i] ~ /^[ \t]*$/) {
			if (FROM && FIELD != "") V[FIELD] = V[FIELD] "\037"
			GAP = 1
			split("", TABLE)
			continue
		} else if (!QUIET[i] && L[i] ~ /^ ? ? ?([-*_][ \t]*)+$/ && L[i] ~ /[-*_][ \t]*[-*_][ \t]*[-*_]/) entry_end()
		else if (!FROM && kind == "decision" && entry_item(i)) entry_begin(i, unbullet(L[i]), 7)
		else if (FROM && DEPTH == 7 && indent(L[i]) == 0 && entry_item(i)) {
			entry_close(i - 1, kind)
			entry_begin(i, unbullet(L[i]), 7)
		} else if (FROM) entry_line(i)
		else if (kind == "fact") fact_line(i)
		else KEEP[i] = 1
		GAP = 0
	}
	if (FROM) entry_close(N, kind)
	fact_close(N)
}

# entry_item(I) - is it an item of a list that is an entry by itself: with a number and a status?
function entry_item(i,    rest) {
	if (QUIET[i] || L[i] !~ /^[-*+][ \t]/) return 0
	rest = marks(unbullet(L[i]))
	return STATUS != "" && numbered(rest)
}

function entry_heading(i, kind,    level, title, known) {
	level = LEVEL
	title = TITLE
	known = meaning(title)
	if (FROM && level > DEPTH) {
		if (known != "") {
			field_begin(known, "", -1)
			return
		}
		if (label(title) && meaning(LNAME) != "") {
			field_begin(meaning(LNAME), LVALUE, -1)
			return
		}
	}
	if (!entry_strong(title) && (FROM && level > DEPTH || !entry_weak(i, level, kind))) {
		if (FROM && level > DEPTH) {
			FIELD = ""
			return
		}
		if (FROM) entry_close(i - 1, kind)
		fact_close(i - 1)
		SECTION = level == 1 ? "" : marks(title)
		if (level == 1) marks(title)
		SECTION_STATUS = STATUS
		SKIP = UNSURE || tolower(title) ~ /unverified|not verified|to verify|未验证|待验证|待确认/
		return
	}
	if (FROM) entry_close(i - 1, kind)
	fact_close(i - 1)
	entry_begin(i, title, level)
}

# entry_strong(TITLE) - a number or a status make an entry; not of facts, where `F1: 0.93` may be one and a status a section's
function entry_strong(title) {
	if (KIND == "fact") return 0
	title = marks(title)
	return numbered(title) || STATUS != ""
}

# entry_weak(I, LEVEL, KIND) - so do the labels that stand right below
function entry_weak(i, level, kind,    name) {
	for (i++; i <= N; i++) {
		if (heading(i)) {
			name = meaning(TITLE)
			if (LEVEL <= level || name == "") return 0
		} else {
			if (QUIET[i] || indent(L[i]) > 0 || !label(L[i])) continue
			name = meaning(LNAME)
		}
		if (kind == "decision" ? name ~ /^(decision|reason|premise|rejected)$/ : name ~ /^(claim|check|evidence)$/) return 1
	}
	return 0
}

function entry_begin(i, title, depth) {
	split("", V)
	split("", BESIDE)
	FROM = i
	DEPTH = depth
	FIELD = FORM = ""
	BASE = -1
	title = marks(title)
	ENTRY_STATUS = STATUS
	ENTRY_REF = REF
	ENTRY_DATE = DATE
	ENTRY_UNSURE = UNSURE
	numbered(title)
	ENTRY_NUMBER = NUMBER
	ENTRY_TITLE = KIND == "fact" ? title : REST
	gsub(/^\*\*|\*\*$/, "", ENTRY_TITLE)
}

# entry_end - what comes next belongs to no field
function entry_end() {
	FIELD = ""
}

function entry_line(i,    name, deep, form) {
	name = form = ""
	deep = indent(L[i])
	if (!QUIET[i]) {
		if (L[i] ~ /^[ \t]*\|/ && FIELD != "rejected" && entry_row(i)) return
		form = (L[i] ~ /^[ \t]*[-*+][ \t]/ ? "item" : "") (L[i] ~ /^[ \t]*([-*+][ \t]+)?(\*\*|__|【)/ ? "bold" : "")
		if (label(L[i]) && !(BASE >= 0 && deep > BASE) && !(FIELD == "rejected" && BASE < 0)) {
			name = meaning(LNAME)
			if (name != "") {
				FORM = form
				field_begin(name, LVALUE, deep)
				return
			}
			# It looks like one more label, of a field there isn't.
			if (FORM != "" && form == FORM && FIELD != "" && !EMPTY) FIELD = ""
		}
	}
	# A paragraph of its own behind a list of fields isn't the last field's.
	if (GAP && BASE >= 0 && deep <= BASE && FORM ~ /item/ && form !~ /item/) FIELD = ""
	if (deep > BASE) EMPTY = 0
	if (FIELD == "") KEEP[i] = 1
	else V[FIELD] = (FIELD in V && V[FIELD] != "" ? V[FIELD] "\037" : "") rtrim(L[i])
}

# entry_row(I) - a row `| label | text |`
function entry_row(i,    n, cell) {
	n = cells(L[i], cell)
	if (L[i] ~ /^[ \t]*\|[ \t:|-]+$/ || tolower(cell[1]) ~ /^(field|字段|项|key)?$/) return 1
	if (n != 2 || meaning(cell[1]) == "") return 0
	field_begin(meaning(cell[1]), cell[2], BASE)
	FIELD = ""
	return 1
}

# cells(LINE, CELL) - fills CELL with the cells of a row of a table, returns how many
function cells(line, cell,    n, i) {
	line = trim(line)
	gsub(/\\\|/, "\001", line)
	sub(/^\|/, "", line)
	sub(/\|$/, "", line)
	n = split(line, cell, "|")
	for (i = 1; i <= n; i++) {
		gsub(/\001/, "|", cell[i])
		cell[i] = trim(cell[i])
	}
	return n
}

# field_begin(NAME, TEXT, INDENT) - INDENT is the label's, or -1 where that is a heading
function field_begin(name, text, at) {
	FIELD = name
	EMPTY = text == ""
	BASE = at
	if (at < 0) FORM = ""
	if (V[name] == "" && text != "") BESIDE[name] = 1
	if (V[name] != "" && text != "") text = V[name] "\037" text
	else if (V[name] != "") text = V[name]
	V[name] = text
}

# entry_close(TO, KIND) - the entry is a record, or its lines are kept
function entry_close(to, kind,    name, main, note, out, i, n, part, ok) {
	for (name in V) V[name] = dedent(V[name], name in BESIDE)
	main = kind == "decision" ? "decision" : "claim"
	STATUS = ENTRY_STATUS
	REF = ENTRY_REF
	SUPERSEDES = NOTE = ""
	ok = !ENTRY_UNSURE && shown(FROM, to)
	if (ok && V["status"] != "") ok = field_status(V["status"]) && (ENTRY_STATUS == "" || STATUS == ENTRY_STATUS)
	if (kind == "fact" && V["value"] != "") {
		V["claim"] = (V["claim"] != "" ? V["claim"] : ENTRY_TITLE) ": " V["value"]
		delete V["value"]
	}
	if (V[main] == "") {
		V[main] = ENTRY_TITLE
		ENTRY_TITLE = ""
	}
	if (ENTRY_TITLE == V[main]) ENTRY_TITLE = ""
	n = 0
	for (name in V) if (V[name] != "") {
		n++
		if (length(V[name]) > 4096) ok = 0
	}
	if (!ok || V[main] == "" || n < 2 && ENTRY_NUMBER == "") {
		keep(FROM, to)
		FROM = 0
		return
	}
	out = field("number", ENTRY_NUMBER) field("title", ENTRY_TITLE) field(main, V[main]) field("status", STATUS != "" ? STATUS : "ACTIVE")
	out = out field("identity", ENTRY_NUMBER "\035" (ENTRY_TITLE != "" ? ENTRY_TITLE : V[main]))
	out = out field("premise", V["premise"]) field("reason", V["reason"]) field("target", V["target"])
	out = out field("date", V["date"] != "" ? V["date"] : ENTRY_DATE) rejected(V["rejected"]) proofs(V["check"]) field("evidence", V["evidence"])
	if (V["superseded_by"] != "" && REF == "") REF = reference(V["superseded_by"])
	note = V["because"]
	if (NOTE != "") note = note (note == "" ? "" : "\037") NOTE
	out = out field("superseded_by", REF) field("supersedes", SUPERSEDES) field("because", note)
	REF_REST = V["supersedes"]
	while ((name = reference(REF_REST)) != "") out = out field("supersedes", name)
	printf "entry\t%s\t%s\t%d", kind, NAME, FROM
	print out
	placed++
	FROM = 0
}

function field(name, text) {
	return text == "" ? "" : "\036" name "\t" text
}

# dedent(TEXT, BESIDE) - without the indentation that its lines share, but for the first if it stood beside the label,
# and without empty lines around it
function dedent(text, beside,    n, i, line, least) {
	gsub(/^(\037)+|(\037)+$/, "", text)
	n = split(text, line, "\037")
	if (n < 2) return trim(unbullet(text))
	least = 999
	for (i = 1; i <= n; i++) if (line[i] != "" && indent(line[i]) < least && (i > 1 || !beside)) least = indent(line[i])
	text = ""
	for (i = 1; i <= n; i++) text = text (i > 1 ? "\037" : "") (indent(line[i]) >= least ? substr(line[i], least + 1) : line[i])
	return text
}

function rtrim(text) {
	sub(/[ \t]+$/, "", text)
	return text
}

# proofs(TEXT) - the first check among the lines of a text, and the rest as evidence
function proofs(text,    n, i, line, check, found, rest) {
	n = split(text, line, "\037")
	check = rest = ""
	for (i = 1; i <= n; i++) {
		found = check == "" ? check_in(line[i]) : ""
		if (found != "") check = found
		if (found == "" || CHECK_REST != "") rest = rest (rest == "" ? "" : "\037") line[i]
	}
	return field("check", check) field("evidence", index(rest, "\037") ? rest : unbullet(rest))
}

# rejected(TEXT) - each option with its reason: items of a list, rows of a table, or `A: x; B: y`
function rejected(text,    n, i, line, item, out, cell, count, deep) {
	if (text == "" || nothing(text)) return ""
	n = split(text, line, "\037")
	if (n == 1) {
		gsub(/；|;[ \t]/, "\037", text)
		count = split(text, cell, "\037")
		for (i = 1; i <= count && option(trim(cell[i])) && OPTION_REASON != ""; i++) continue
		if (count > 1 && i > count) n = split(text, line, "\037")
		for (i = 1; i <= n; i++) out = out option_field(line[i])
		return out
	}
	item = out = ""
	deep = -1
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^[ \t]*\|/) {
			count = cells(line[i], cell)
			if (line[i] ~ /^[ \t|:-]+$/ || line[i + 1] ~ /^[ \t|:-]+$/) continue
			for (item = ""; count > 1; count--) item = cell[count] (item == "" ? "" : "; ") item
			out = out "\036rejected\t" cell[1] "\035" item
			item = ""
		} else if (item == "" || line[i] ~ /^[ \t]*([-*+]|[0-9]+[.)])[ \t]/ && indent(line[i]) <= deep) {
			out = out option_field(item)
			item = line[i]
			deep = indent(line[i])
		} else item = item "\037" trim(line[i])
	}
	return out option_field(item)
}

function option_field(text) {
	text = trim(unbullet(text))
	sub(/(\037)+$/, "", text)
	if (text == "") return ""
	option(text)
	return "\036rejected\t" OPTION "\035" OPTION_REASON
}

# option(TEXT) - splits an option from its reason: `A: x`, `A（x）`, `A — x`
function option(text,    at, width, open) {
	OPTION = text
	OPTION_REASON = ""
	at = match(text, /：|:([ \t\037]|[\200-\377]|$)| *(—)+ *| [-–] |（| \(/) ? RSTART : 0
	if (!at) return 1
	width = RLENGTH
	open = substr(text, at, 3) == "（" || substr(text, at, 2) == " ("
	if (open && text !~ /(\)|）)(\.|。)?$/) {
		if (!match(text, /：|:([ \t\037]|[\200-\377]|$)| *—(—)+ *| — /)) return 1
		at = RSTART
		width = RLENGTH
		open = 0
	}
	if (substr(text, at, 1) == ":") width = 1
	OPTION = trim(substr(text, 1, at - 1))
	OPTION_REASON = trim(substr(text, at + width))
	sub(/^(\037)+/, "", OPTION_REASON)
	if (open) sub(/(\)|）)(\.|。)?$/, "", OPTION_REASON)
	gsub(/^(\*\*|~~)|(\*\*|~~)$/, "", OPTION)
	sub(/[ \t]*(，|,|—|-)*[ \t]*(否决理由|拒绝理由|理由|原因|because|reason)$/, "", OPTION)
	return 1
}

# nothing(TEXT) - does it only say that there is none?
function nothing(text) {
	return tolower(trim(unbullet(text))) ~ /^[(*_]*(none|n\/a|nothing|no|-|无|没有|暂无|（无）)[)*_.]*(。)?$/
}
