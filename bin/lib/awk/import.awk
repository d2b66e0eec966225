# import.awk - a directory of numbered Markdown memory, as lines for import.jq. Needs text.awk, unicode.awk,
# import-words.awk, import-entries.awk and import-lines.awk.
# Arguments: DIRECTORY NAME…. Reads DIRECTORY/src/NAME; what found no place is in DIRECTORY/part/NAME afterwards,
# word for word and below the headings it stood under. Prints, tab between:
#   file NAME KIND DOCUMENT LEFT      KIND decision, fact, task or document; LEFT lines found no place, or `whole`
#   entry KIND NAME LINE              and behind it, \036 before each, `field TAB text`; a newline in a text is \037
#   propose NAME TEXT                 what sounds like a constraint
# A record's text is as it stands in the file, or it isn't made a record: nothing is shortened or cleaned here.

BEGIN {
	words()
	for (a = 2; a < ARGC; a++) memory(ARGV[a], ARGV[1] "/src/" ARGV[a], ARGV[1] "/part/" ARGV[a])
	exit 0
}

function memory(name, from, to,    kind, left) {
	split("", L)
	split("", KEEP)
	N = slurp(from, L)
	NAME = name
	placed = 0
	kind = kind_of(name)
	quiet()
	rules(kind)
	if (kind == "decision" || kind == "fact") entries(kind)
	else if (kind == "task") task()
	left = placed ? leave(to) : blank_file() ? 0 : "whole"
	printf "file\t%s\t%s\t%s\t%s\n", name, kind, document_name(name, kind), left
}

# kind_of(NAME) - what the file holds, by its name
function kind_of(name,    low) {
	low = tolower(name)
	if (low ~ /[_-]decisions?[._-]|决策|决定/) return "decision"
	if (low ~ /[_-](truth|fact)s?[._-]|[_-]verified[._-]|事实|真相|已验证/) return "fact"
	if (low ~ /[_-](task|progress)[._-]|任务|进度/) return "task"
	return "document"
}

# document_name(NAME, KIND) - 00 to 29 stand before the task: what is left of the task and behind it doesn't belong there
function document_name(name, kind) {
	return kind != "document" && substr(name, 1, 1) < 3 ? (substr(name, 1, 1) + 3) substr(name, 2) : name
}

function blank_file(    i) {
	for (i = 1; i <= N; i++) if (L[i] !~ /^[ \t]*$/) return 0
	return 1
}

# quiet - QUIET: lines in a fence or a comment are content, whatever they look like. One that is never closed is none.
function quiet(    i, j, k, mark, open) {
	split("", QUIET)
	split("", open)
	for (i = 1; i <= N; i++) {
		if (match(L[i], /^[ \t]*(- )?(```+|~~~+)/)) {
			mark = substr(L[i], 1, RLENGTH)
			gsub(/[ \t-]/, "", mark)
		} else if (L[i] ~ /^[ \t]*<!--/) mark = "-->"
		else continue
		if (mark in open) continue
		for (j = mark == "-->" ? i : i + 1; j <= N && !closes(L[j], mark); j++) continue
		if (j > N) {
			open[mark] = 1
			continue
		}
		for (k = i; k <= j; k++) QUIET[k] = 1
		i = j
	}
}

function closes(line, mark) {
	if (mark == "-->") return index(line, mark)
	line = trim(line)
	return index(line, mark) == 1 && (substr(mark, 1, 1) == "`" ? line ~ /^`+$/ : line ~ /^~+$/)
}

# heading(I) - is line I one? Its LEVEL and TITLE
function heading(i) {
	if (QUIET[i] || L[i] !~ /^ ? ? ?#+([ \t]|$)/) return 0
	TITLE = trim(L[i])
	match(TITLE, /^#+/)
	LEVEL = RLENGTH
	TITLE = trim(substr(TITLE, LEVEL + 1))
	sub(/[ \t]+#+$/, "", TITLE)
	return LEVEL <= 6
}

# shown(FROM, TO) - can these lines be shown as they stand, and kept whole?
function shown(from, to,    i, bytes) {
	for (i = from; i <= to; i++) {
		bytes += length(L[i]) + 1
		if (bytes > 30000 || length(L[i]) > 4096 || clean(L[i]) != L[i]) return 0
	}
	return 1
}

function keep(from, to) {
	for (; from <= to; from++) if (L[from] !~ /^[ \t]*$/) KEEP[from] = 1
}

# leave(FILE) - writes what is to be kept, and returns how many lines that is
function leave(file,    i, level, count, last, above) {
	for (i = 1; i <= N; i++) {
		if (heading(i)) {
			for (level = LEVEL; level <= 6; level++) delete above[level]
			if (!KEEP[i]) above[LEVEL] = i
		}
		if (!KEEP[i]) continue
		# A row stays below the head of its table.
		if (last && last < i - 1 && !(L[i] ~ /^[ \t]*\|/ && L[last] ~ /^[ \t]*\|/)) print "" > file
		for (level = 1; level <= 6; level++) if (level in above) {
			print L[above[level]] "\n" > file
			delete above[level]
		}
		print L[i] > file
		last = i
		count++
	}
	close(file)
	return count + 0
}

# rules(KIND) - proposes what is forbidden: the items below a heading or a line that says so, and items that say so
# themselves; RULE: their lines. Among decisions only the former: what was decided isn't a rule of the user's.
function rules(kind,    i, text, depth, under) {
	split("", RULE)
	depth = 0
	under = ""
	for (i = 1; i <= N; i++) {
		if (heading(i)) {
			if (depth && LEVEL > depth) continue
			# A decision against something is no list of what is forbidden.
			depth = forbids(TITLE) && !(kind == "decision" && TITLE ~ /\[|【/) ? LEVEL : 0
			under = depth ? TITLE : ""
			continue
		}
		if (QUIET[i] || L[i] ~ /^[ \t]*$/) continue
		text = L[i]
		if (text !~ /^[ \t]*([-*+]|[0-9]+[.)])[ \t]/) {
			if (!depth) under = ""
			if (label(text) && LVALUE == "" && forbids(LNAME)) under = LNAME
			continue
		}
		text = unbullet(text)
		if (label(text) && forbids(LNAME) && LVALUE == "") {
			under = LNAME
			continue
		}
		if (under == "" && (kind == "decision" || !forbids(text))) continue
		RULE[i] = 1
		if (length(text) > 3000 || !shown(i, i)) continue
		if (!forbids(text)) text = (under ~ /[\200-\377]/ ? "禁止：" : "Forbidden: ") text
		printf "propose\t%s\t%s\n", NAME, text
	}
}

function forbids(text) {
	return tolower(text) ~ /^[][0-9.*#_`() -]*(🚫|⛔|❌)?[ *]*((forbidden|never|do not|don't|don’t|must not)([^a-z]|$)|禁止|不要|严禁|不得|不准|禁忌|绝不)/
}
