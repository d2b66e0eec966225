# decisions.jq - the decision log as Markdown.
include "jsonl";
include "shape";
include "decision";
include "show";

# text that stays text: no line of it begins a heading, a list, a quote, a fence, a table or a rule; no HTML
def inert: split("<") | join("\\<") | split("\n")
	| map((explode | map(select(. != 32 and . != 9)) | .[0:1] | implode) as $first
		| if $first != "" and ($first | inside("#>|=~`-+*_")) then (index($first)) as $at | .[0:$at] + "\\" + .[$at:] else . end)
	| join("\n");

# further lines stand deeper than the item they belong to
def item($depth): inert | split("\n") | join("\n" + $depth + "  ");

# a labelled item of the list, or nothing
def entry($name): if . == "" then empty else "- \($name): \(item(""))" end;

# a text in backticks, which stays one line
def code: flat | split("`") | join("'") | "`" + . + "`";

# the status in words
def standing($clashes):
	if .undecided or .rivals then mark
	elif .status == "SUPERSEDED" and (.superseded_by | type) == "string" and .superseded_by != "" then
		"SUPERSEDED by " + (.superseded_by | split(" ") | map(short($clashes)) | join(" "))
	else .status end;

def decision($clashes): (.because | if type == "string" then . else "" end) as $because
	| (.title | if type == "string" then . else "" end) as $title
	| conform(decision_shape)
	| "", "## \(.id | short($clashes)) \(standing($clashes) | flat | inert)", "",
	($title | entry("Title")),
	(.premise | entry("Premise")),
	(.decision | entry("Decision")),
	(.reason | entry("Reason")),
	(select(.rejected != []) | "- Rejected:",
		(.rejected[] | "  - " + ((.option + (.reason | labelled(": "))) | item("  ")))),
	(select(.check != "") | "- Verification: " + (.check | code)),
	(.evidence | entry("Evidence")),
	(.status as $status | $because | entry(if $status == "ACTIVE" then "Remark" else "\($status) because" end)),
	# A change has a day and an author of its own.
	(. + ((.recorded | objects) // {}) | conform(decision_shape)
		| [("by " + .by), .ts, (.task_id | labelled("task ")), (.commit | labelled("at ")), (.source | strings | labelled("from "))]
		| map(select(. != "")) | join(", ") | flat | "- Recorded: " + item(""));

# the text of the files → the page; ends with 65 if there are lines that are no records
def decisions: folded as $read
	| ($read.rows | map(.id) | clashes) as $clashes
	| ($read.rows | unarchived | with_rivals | sort_by(.ts | tostring) | map(. + {out: ended})) as $all
	| "# Decisions: \($all | map(select(.out | not)) | length) in force, \($all | map(select(.out)) | length) out of force",
	(($all | map(select(.out | not))) + ($all | map(select(.out))) | .[] | decision($clashes)),
	(if $read.bad > 0 then "", "(\($read.bad) unreadable lines: memrc validate)", ("" | halt_error(65)) else empty end);
