# import-words.awk - what headings, labels and marks mean, in Chinese and English. Byte-wise, so no multi-byte
# character stands in a bracket expression.

function words() {
	mean("decision", "premise", "premise premises context 前提 前提条件 背景")
	mean("decision", "decision", "decision decided 决策 决定 决策内容 决定内容 结论")
	mean("decision", "reason", "reason reasons rationale why because 理由 原因 依据 决策理由")
	mean("decision", "rejected", "rejected rejected_options rejected_alternatives options_rejected 否决 拒绝 被否决 被拒绝 已否决 否决方案 被否决方案 被否决的方案 否决的方案 被拒绝的方案 被否决的选项 否决项")
	mean("fact", "claim", "claim fact truth 事实 陈述")
	mean("fact", "value", "value 值 取值 当前值")
	mean("decision fact", "check", "verification verification_condition verified_by verify check 验证 验证条件 验证方法 验证方式")
	mean("decision fact", "evidence", "evidence proof 证据")
	mean("decision fact task", "status", "status state 状态")
	mean("decision fact", "because", "invalid_because superseded_because 失效原因 作废原因 无效原因 取代原因")
	mean("decision fact", "date", "date decided decided_on verified_on 日期 时间 决策日期 决策时间 验证时间 验证日期")
	mean("decision fact", "superseded_by", "superseded_by replaced_by 被取代 取代者")
	mean("decision fact", "supersedes", "supersedes replaces 取代 替代")
	mean("decision fact", "target", "file files target 文件 涉及文件 影响文件")
	mean("task", "current_task", "current_task task title 当前任务 任务 任务名称 标题")
	mean("task", "current_task", "goal objective 目标")
	mean("task", "completed", "completed done finished 已完成 完成 完成的步骤")
	mean("task", "in_progress", "in_progress doing current_step 进行中 正在做 正在进行 当前步骤")
	mean("task", "blocked", "blocked blockers blocked_by 阻塞 卡住 阻塞项 受阻")
	mean("task", "next_steps", "next next_steps next_step to_do todo 下一步 后续 后续步骤 待办 待办事项")
	mean("task", "done_when", "done_when definition_of_done acceptance 完成条件 完成标准 验收条件 验收标准")
}

# mean(KINDS, FIELD, WORDS) - the labels of a field in entries of these kinds, _ for a blank
function mean(kinds, name, list,    n, i, m, j, word, kind) {
	n = split(list, word, " ")
	m = split(kinds, kind, " ")
	for (i = 1; i <= n; i++) {
		gsub(/_/, " ", word[i])
		for (j = 1; j <= m; j++) MEANS[kind[j], word[i]] = name
	}
}

# meaning(WORDS) - the field they name in an entry of KIND, or nothing
function meaning(text) {
	if (length(text) > 80) return ""
	text = tolower(text)
	gsub(/【|】|[*_`]/, "", text)
	sub(/(\(|（).*$/, "", text)
	text = trim(text)
	return (KIND, text) in MEANS ? MEANS[KIND, text] : ""
}

# label(TEXT) - splits `label: text`, in bold or 【】 or not: LNAME and LVALUE; 0 if it has none
function label(text,    at) {
	text = trim(unbullet(text))
	at = index(text, "】")
	if (index(text, "【") == 1 && at) {
		LNAME = substr(text, 1, at - 1)
		LVALUE = substr(text, at + 3)
		sub(/^(:|：)/, "", LVALUE)
	} else if (text ~ /^\*\*[^*:]+\*\*$/) {
		LNAME = text
		LVALUE = ""
	} else if (match(text, /：|:([ \t*_`]|[\200-\377]|$)/)) {
		at = RSTART
		LNAME = substr(text, 1, at - 1)
		LVALUE = substr(text, at + (substr(text, at, 1) == ":" ? 1 : 3))
		if (LNAME ~ /^(\*\*|__)/ && LVALUE ~ /^(\*\*|__)/) LVALUE = substr(LVALUE, 3)
	} else return 0
	gsub(/【|】|[*_`]/, "", LNAME)
	LNAME = trim(LNAME)
	LVALUE = trim(LVALUE)
	return LNAME != "" && length(LNAME) <= 80
}

# unbullet(TEXT) - without the mark of a list's item
function unbullet(text) {
	sub(/^[ \t]*([-*+]|[0-9]+[.)])[ \t]+/, "", text)
	return text
}

function indent(text) {
	match(text, /^[ \t]*/)
	return RLENGTH
}

# marks(TEXT, EDGES) - TEXT without the marks in brackets, where EDGES is set only those at its ends; STATUS, REF
# and DATE from them, and UNSURE where one says that this is no record
function marks(text, edges,    out, from, width, inner, low, was) {
	STATUS = REF = DATE = out = ""
	UNSURE = 0
	gsub(/【/, "\001", text)
	gsub(/】/, "\002", text)
	gsub(/（/, "\003", text)
	gsub(/）/, "\004", text)
	while (match(text, /\[[^]]*\]|\001[^\002]*\002|\([^()]*\)|\003[^\003\004]*\004/)) {
		from = RSTART
		width = RLENGTH
		inner = substr(text, from + 1, width - 2)
		low = tolower(trim(inner))
		was = STATUS
		if (edges && trim(out substr(text, 1, from - 1)) != "" && trim(substr(text, from + width)) != "") low = ""
		else if (low ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) DATE = low
		else if (low ~ /^(un ?verified|not verified|draft|proposed|pending|deprecated|tbd|todo|未验证|待验证|待确认|待定|草案|提议)$/) UNSURE = 1
		else if (trim(out substr(text, 1, from - 1)) == "" && inner == " ") UNSURE = 1
		else if (low ~ /^(verified|已验证)$/ || trim(out substr(text, 1, from - 1)) == "" && low == "x") low = "x"
		else if (!status(inner)) low = ""
		else if (was != "" && was != STATUS) UNSURE = 1
		if (low == "" && inner != " ") {
			out = out substr(text, 1, from + width - 1)
			text = substr(text, from + width)
		} else {
			out = trim(out substr(text, 1, from - 1))
			text = trim(substr(text, from + width))
			if (out != "") out = out " "
		}
	}
	out = trim(out text)
	gsub(/\001/, "【", out)
	gsub(/\002/, "】", out)
	gsub(/\003/, "（", out)
	gsub(/\004/, "）", out)
	return out
}

# status(TEXT) - is TEXT a status, and nothing else? STATUS, and REF: what took its place
function status(text,    low, ref) {
	low = tolower(text)
	gsub(/[][*_`~]|【|】|✅|❌|⚠️|🟢|🔴/, "", low)
	low = trim(low)
	if (low ~ /^(active|in force|有效|当前有效|生效|生效中|已生效)$/) STATUS = "ACTIVE"
	else if (low ~ /^(invalid|无效|(已)?失效|(已)?作废|(已)?废弃|(已)?撤销)$/) STATUS = "INVALID"
	else {
		ref = reference(low)
		# Without a passive it would be the one that takes another's place.
		if (low !~ /superseded|replaced|被/ && (ref != "" || low !~ /^已/)) return 0
		low = only(low, ref)
		if (low !~ /superseded|replaced|取代|替代|替换/ || bare(low) != "") return 0
		STATUS = "SUPERSEDED"
		REF = ref
	}
	return 1
}

# only(TEXT, REF) - the text without blanks and the record it names
function only(text, ref,    at) {
	text = squeezed(text)
	at = index(text, tolower(ref))
	return ref == "" ? text : substr(text, 1, at - 1) substr(text, at + length(ref))
}

# bare(TEXT) - what such a text says besides that one record took another's place
function bare(text) {
	gsub(/superseded|supersedes|replaced|replaces|by|已|被|由|取代|替代|替换|→|>/, "", text)
	return text
}

# field_status(TEXT) - the same with a remark behind it, which is NOTE; 0 if it is no status that a record has
function field_status(text,    ref) {
	NOTE = ""
	if (status(text)) return 1
	if (!match(text, /[(,;:]|—|（|，|；|：|。|\037/)) return 0
	NOTE = substr(text, RSTART)
	if (!status(trim(substr(text, 1, RSTART - 1)))) return 0
	sub(/^([(,;: \t-]|—|（|，|；|：|。|\037)+/, "", NOTE)
	sub(/(\)|）)$/, "", NOTE)
	NOTE = trim(NOTE)
	ref = reference(NOTE)
	if (ref == "" || bare(only(tolower(NOTE), ref)) != "") return 1
	if (STATUS == "SUPERSEDED" && REF == "") REF = ref
	else if (STATUS == "ACTIVE" && NOTE !~ /被|[Bb][Yy]/) SUPERSEDES = ref
	else return 1
	NOTE = ""
	return 1
}

# reference(TEXT) - the first record that a text names by its number, as `D3`; REF_REST: what stands behind it
function reference(text,    low, before, ref) {
	low = tolower(text)
	while (match(low, /(d|dec|adr|decision|t|f|fact|truth|决策|决定|事实|#)[-_ #]*[0-9]+/)) {
		before = RSTART > 1 ? substr(low, RSTART - 1, 1) : " "
		ref = substr(low, RSTART, RLENGTH)
		low = substr(low, RSTART + RLENGTH)
		REF_REST = low
		if (before !~ /[a-z]/) return toupper(squeezed(ref))
	}
	return ""
}

function squeezed(text) {
	gsub(/[ \t#_-]/, "", text)
	return text
}

# numbered(TITLE) - does it begin with a record's number? NUMBER, and what stands behind it: REST
function numbered(text,    after) {
	NUMBER = ""
	REST = text
	if (!match(tolower(text), /^[*_`]*(\[|【)?(d|dec|adr|decision|t|f|fact|truth|决策|决定|事实)[-_ #]*[0-9]+/)) return 0
	after = substr(text, RLENGTH + 1)
	if (after !~ /^($|[] \t:|)(*]|—|–|·|：|、|】|（|-[ \t]|\.([ \t]|$))/) return 0
	NUMBER = substr(text, 1, RLENGTH)
	gsub(/[][ \t*_`#]|【/, "", NUMBER)
	sub(/^([] \t:|*.-]|：|、|】|—|–|·)+/, "", after)
	REST = trim(after)
	return 1
}

# check_in(TEXT) - the check that a text is, or has in backticks; CHECK_REST: what is left of the text
function check_in(text,    kinds) {
	kinds = "(exists|absent|grep|nogrep|sha256|json|tree-nogrep|cmd):"
	text = trim(unbullet(text))
	CHECK_REST = ""
	if (text ~ /^`[^`]+`$/) text = substr(text, 2, length(text) - 2)
	if (text ~ ("^" kinds "[^ \t]")) return text
	CHECK_REST = text
	if (match(text, "`" kinds "[^`]+`")) return substr(text, RSTART + 1, RLENGTH - 2)
	return ""
}
