# recall.jq - records as recall shows them: a block each, the first line its head, all others deeper.
include "jsonl";
include "shape";
include "decision";
include "fact";
include "trail";
include "operation";
include "progress";
include "show";

# lines of `task <tab> record`
def trails: split("\n") | map(select(. != "") | split("\t") | .[0] as $task | .[1:] | join("\t")
	| object | . + {kind: (.type | if . == "failure" or . == "step" then . else "note" end), task_id: $task});

# lines of `id <tab> state <tab> place <tab> text`, a newline in the text as \u001f; and of `number <tab> key <tab> value`, what
# is said of each
def constraints($data):
	(reduce ($data | split("\n")[] | select(. != "") | split("\t")) as $line ({};
		.[$line[0]] |= ((. // {}) | .[$line[1]] += [$line[2:] | join("\t")]))) as $said
	| split("\n") | map(select(. != "") | split("\t")) | to_entries
	| map(("\(.key + 1)" | $said[.] // {}) as $of | .value | {kind: "constraint", id: .[0],
		mark: (if .[1] == "retired" then "RETIRED" else "IN FORCE" end), text: (.[3:] | join("\t") | split("\u001f") | join("\n")),
		where: (if .[1] == "gone" then "gone from \(.[2] | split(":")[0]), in force until retired" else .[2] end)} + $of);

# files of one object: the tasks that sessions have in hand, and those that are parked
def tasks: map(document | .value | select(. != null) | conform(progress_shape)
	| {kind: "progress", id: .task_id, mark: .status, ts: .updated_at} + del(.task_id, .status, .updated_at));

# does the record fit?
def fits_all($want):
	(.id | type) == "string"
	and ($want.id == "" or ((.id | startswith($want.id)) and (.kind != "op" or .id == $want.id)))
	and ($want.type == "" or .kind == $want.type)
	and ($want.task == "" or (if .kind == "progress" then .id else .task_id end) == $want.task)
	and ($want.tag == "" or ([.tags | arrays | .[]] | any(.[]; . == $want.tag)))
	and ($want.words == [] or (([del(.kind) | .. | strings] | join("\n") | ascii_downcase) as $text
		| all($want.words[]; . as $word | $text | contains($word))));

# the value of a field in lines
def lines: if type == "array" then map(if type == "object" then .option + ": " + .reason else tostring end) | join("\n") else tostring end;

# a record as a block
def shown($clashes):
	([(if .kind == "decision" or .kind == "fact" or .kind == "failure" or .kind == "step" or .kind == "note" then .id | short($clashes) else .id end),
		.kind, (if .kind == "decision" or .kind == "fact" then mark else .mark end), .ts, .task_id, (.commit | select(. != null and . != "") | "@" + .)]
		| map(select(. != null and . != "")) | join(" ") | flat),
	(["decision", "claim", "text", "action", "type", "current_task", "target", "summary", "intent", "reason", "error", "instead",
		"premise", "rejected", "in_progress", "next_steps", "blocked", "done_when", "completed", "check", "evidence",
		"source", "deny-edit", "deny-command", "retired", "where"] as $first
		| (if .by == "agent" then del(.by) else . end)
		| (if (.recorded | type) == "object" then .recorded |= ([("by " + (.by // "agent" | tostring)), (.ts | strings)] | join(", ")) else . end)
		| del(.kind, .id, .mark, .ts, .task_id, .commit, .v, .rev, .status, .undecided, .rivals, .checksum, .last_updated)
		# Nothing is verified here: the field says with which commit it was recorded.
		| (if .verified_at == "no commit" then . else ."recorded at" = .verified_at end) | del(.verified_at)
		| . as $record
		| [$first[] | select(. as $key | $record | has($key)) | {key: ., value: $record[.]}] + (to_entries | map(select(.key as $key | $first | index($key) | not)))
		| .[] | select(.value != "" and .value != [] and .value != null and .value != false)
		| "  \(.key | flat): \(.value | lines | block)");

# with every field of its shape
def filed_as: .kind as $kind
	| (if $kind == "decision" then conform(decision_shape) elif $kind == "fact" then conform(fact_shape)
		elif $kind == "op" then conform(operation_shape) elif $kind == "constraint" or $kind == "progress" then .
		else .task_id as $task | conform(trail_shape) | del(.type) | .task_id = $task end);

# all that was gathered → how many fit, and a block for each of the newest $n; an id that fits several is said so
def recall($in; $want):
	# A record is filed by its shape only once it is chosen: there may be thousands.
	(($in.decisions | folded | .rows | unarchived | with_rivals | map(.kind = "decision"))
		+ ($in.facts | folded | .rows | unarchived | with_rivals | map(.kind = "fact"))
		+ ($in.trails | trails)
		+ ($in.operations | events | .rows | map(.kind = "op"))
		+ ($in.constraints | constraints($in.data))
		+ ([$in | to_entries[] | select(.key | startswith("task ")) | .value] | tasks)) as $all
	| ($all | map(select(.kind != "op" and .kind != "progress" and .kind != "constraint") | .id | strings) | unique | clashes) as $clashes
	| ($all | map(select(fits_all($want)))) as $found
	| ($found | map(select(.id == $want.id))) as $exact
	| ($found | map(.id) | unique) as $ids
	| if $want.id != "" and $exact == [] and ($ids | length) > 1 then "ambiguous \($ids | map(short($clashes)) | join(" "))"
	else (if $exact != [] then $exact else $found end) | length, (sort_by(.ts | tostring) | reverse | .[:$want.most][] | filed_as | shown($clashes)) end;
