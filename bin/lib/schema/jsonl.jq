# jsonl.jq - reading files of JSON, whatever state they are in.

# the text of a file, without what can't be JSON: NUL bytes and a byte order mark
def cleaned: (if contains("\u0000") then split("\u0000") | join("") else . end) | ltrimstr("\ufeff");

# one line's object, or empty: exactly one value, and that an object
def object: [fromjson]? | select(length == 1) | .[0] | select(type == "object");

# text of a whole file → {rows, bad}: the objects, and how many lines are none. `order` arranges the lines.
# An unterminated last line that doesn't parse is a write in progress: ignored, not counted.
def rows(order): cleaned | split("\n")
	| ([.[-1] // "" | select(. != "") | select([object] == [])] | length) as $torn
	| map(select(. != "" and . != "\r")) | order
	| {rows: map(object), lines: length}
	| {rows: .rows, bad: (.lines - (.rows | length) - $torn)};

# lines that are events: in the order of the file
def events: rows(.);

# lines that are records and patches of records → {rows, bad}, one row an id: the shallow merge in the
# order rev, ts, text of the line, so that any merge of two branches folds the same. Two statuses of
# equal rank stand in `undecided`.
def folded: rows(sort) | .rows |= (map(select(.id | type == "string")) | group_by(.id)
	| map(if length == 1 then .[0] else
		map(.rev = (if (.rev | type) == "number" then .rev else 1 end))
		| sort_by(.rev, (.ts | tostring))
		| map(select(has("status"))) as $set
		| ($set | map(select(.rev == $set[-1].rev) | .status) | unique) as $last
		| add
		| if ($last | length) > 1 then .undecided = $last else . end
		end));

# text of a file that holds one object → {value, bad}; value is null if it holds anything else
def document: cleaned | [object] | {value: .[0], bad: (1 - length)};
