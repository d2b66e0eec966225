# jsonl.jq - reading files of JSON, whatever state they are in.

# the text of a file, without what can't be JSON: NUL bytes and a byte order mark
def cleaned: (if contains("\u0000") then split("\u0000") | join("") else . end) | ltrimstr("\ufeff");

# one line's object, or empty: exactly one value, and that an object
def object: [fromjson]? | select(length == 1) | .[0] | select(type == "object");

# text of a whole file of lines that are events → {rows, bad}: the objects in the order of the file, and how many
# lines are none. An unterminated last line that doesn't parse is a write in progress: ignored, not counted.
def events: cleaned | split("\n")
	| ([.[-1] // "" | select(. != "") | select([object] == [])] | length) as $torn
	| map(select(. != "" and . != "\r"))
	| {rows: map(object), lines: length}
	| {rows: .rows, bad: (.lines - (.rows | length) - $torn)};

# the lines of one record → what it is: the shallow merge in the order rev, ts, text, so that any merge of two branches
# folds the same. What was said with a change holds for that change alone; who recorded it first, and when, stands in
# `recorded`. Two statuses of equal rank stand in `undecided`, unless the record is out of force by each.
def merged: map(.rev = (if (.rev | type) == "number" then .rev else 1 end))
	| sort_by(.rev, (.ts | tostring), tojson)
	| map(select(has("status"))) as $set
	| ($set | map(select(.rev == $set[-1].rev) | .status) | unique) as $last
	| .[0] as $first | .[-1] as $latest
	| [$first] + (.[1:-1] | map(del(.by, .because, .answer, .session, .commit))) + [$latest] | add
	# The same line twice is no change.
	| if $first == $latest then . else .recorded = ($first | {by, ts, commit}) end
	| if ($last | length) > 1 and $last - ["SUPERSEDED", "INVALID"] != [] then .undecided = $last else . end;

# text of lines that are records and patches of records → {rows, bad}, one row an id, in the order of their last lines:
# of two with the same ts the later one is the newer. (Numbers are grouped, not records: there may be thousands.)
def folded: events | .rows |= (map(select(.id | type == "string")) as $rows
	| [range(0; $rows | length)] | group_by($rows[.].id) | sort_by(.[-1])
	| map(if length == 1 then $rows[.[0]] else map($rows[.]) | merged end));

# text of a file that holds one object → {value, bad}; value is null if it holds anything else
def document: cleaned | [object] | {value: .[0], bad: (1 - length)};
