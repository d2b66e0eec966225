# import.jq - what import.awk found in a directory, against what the memory has already.
# An entry is known again by its key, which is made of its number and title (a fact: its heading and name), so that
# the same entry is one record however often it is imported. Lines with a `source` are an import's own: an entry
# that differs from what they say was changed in the directory, and gets a patch with that change and no other, so
# that what memrc itself has changed meanwhile stays. Nothing that is out of force comes back.
include "jsonl";
include "shape";
include "decision";
include "fact";
include "progress";
include "task";
include "checks";

# whole number → hex
def hex: [recurse(if . >= 16 then (. / 16 | floor) else empty end) | . % 16] | reverse | map("0123456789abcdef"[.:. + 1]) | join("");

# text → 22 digits that name it (they prove nothing: jq has no SHA)
def digest: explode as $characters
	| [131, 257] | map(. as $factor | reduce $characters[] as $c (7; (. * $factor + $c) % 17592186044399) | hex | "0000000000" + . | .[-11:])
	| join("");

# a line `entry …` → {kind, file, line, fields: [{key, value}]}
def import_entry: split("\u001e") | (.[0] | split("\t")) as $head
	| {kind: $head[1], file: $head[2], line: $head[3],
		fields: [.[1:][] | split("\t") | {key: .[0], value: (.[1:] | join("\t") | split("\u001f") | join("\n"))}]};

def all_of($name): [.fields[] | select(.key == $name) | .value];
def text_of($name): all_of($name) | join("\n");

# what is in the record by the entry's words; empty values too, so that one that was taken out is a change
def content: . as $entry
	| text_of("check") as $check
	| ($check != "" and ($check | check_fault) == null) as $good
	| ([if $good then empty else $check end, text_of("evidence")] | map(select(. != "")) | join("\n")) as $evidence
	| {status: text_of("status"), claim: text_of("claim"), premise: text_of("premise"), decision: text_of("decision"),
		reason: text_of("reason"), rejected: (all_of("rejected") | map(split("\u001d") | {option: .[0], reason: (.[1:] | join(" "))})),
		check: (if $good then $check else "" end), evidence: $evidence, target: text_of("target"),
		tags: [text_of("number"), text_of("section") | select(. != "")], title: text_of("title"), because: text_of("because"),
		superseded_by: text_of("superseded_by"), supersedes: (all_of("supersedes") | join(" ")),
		verified_at: (if $entry.kind == "fact" then text_of("date") else "" end)};

# a label such as D03 → its number, or null
def label_number: explode | map(select(. >= 48 and . <= 57)) | if . == [] then null else implode | tonumber end;

def filled: with_entries(select(.value != "" and .value != [] and .value != null));

def plural($n; $one): "\($n) \($one)" + (if $n == 1 then "" else "s" end);

# the entries of one kind, each once and with its key
def keyed($kind): map(select(.kind == $kind) | . + {content: content})
	| reduce .[] as $entry ({list: [], seen: {}};
		($entry | text_of("identity")) as $identity
		| (.seen[$identity] // []) as $before
		# The same name for other content is another entry.
		| if any($before[]; . == $entry.content) then . else
			.list += [$entry + {key: ("import:" + ($kind + "\n" + $identity + "\n" + ($before | length | tostring) | digest))}]
			| .seen[$identity] = $before + [$entry.content] end)
	| .list;

# records of one kind, with those that were archived → {entries, gone}: each entry with its `fate`, new, changed or
# there, and the record or patch to be written; and what earlier imports made of entries that aren't there now
def records($text; $archived; $entries; $letter; $ids; $by):
	($text | events | .rows | map(select((.id | type) == "string"))) as $lines
	| ($text + "\n" + $archived | folded | .rows) as $now
	| ($now | map(select((.key | type) == "string" and (.key | startswith("import:"))) | {key: .key, value: .}) | from_entries) as $known
	| ($lines | map(select(has("source"))) | group_by(.id) | map(sort_by(.rev, tojson) | add | {key: .id, value: .}) | from_entries) as $imported
	| ($ids | map($letter + "-" + .) - ($now | map(.id)) | sort) as $free
	| ($entries | map(select($known[.key] | not) | .key)) as $fresh
	| ($entries | map(.key as $key | . + {id: ($known[$key].id // $free[$fresh | index($key)])})) as $entries
	| ([$entries[] | {id, number: (text_of("number") | label_number)} | select(.number != null)]
		| group_by(.number) | map(select(length == 1) | .[0] | {key: (.number | tostring), value: .id}) | from_entries) as $named
	| ($entries | map(
		def resolved: split(" ") | map(. as $name | if . == "" then empty else $named[label_number | tostring] // $name end) | join(" ");
		.content.superseded_by |= resolved | .content.supersedes |= resolved)) as $entries
	# Said on one side only, it holds for both.
	| ([$entries[] | .id as $id | .content.superseded_by | select(. != "") | {by: ., old: $id}]) as $links
	| ($entries | map(.id as $id
		| if .content.supersedes == "" then .content.supersedes = ([$links[] | select(.by == $id) | .old] | join(" ")) else . end)) as $entries
	| ([$entries[] | .id as $id | .content.supersedes | split(" ")[] | {old: ., by: $id}]) as $links
	| ($entries | map(.id as $id
		| if .content.status == "SUPERSEDED" and .content.superseded_by == "" then
			.content.superseded_by = ([$links[] | select(.old == $id) | .by][0] // "") else . end)) as $entries
	| ($entries | map(. as $entry | "\(.file):\(.line)" as $source | "imported from \($source)" as $from
		| (.content | if $letter == "f" then .evidence = $from + (if .evidence == "" then "" else ": " + .evidence end) else . end) as $content
		| if $known[.key] | not then
			{v: 1, id: .id, rev: 1, ts: ((if $letter == "d" then text_of("date") else "" end) | if . == "" then $by.at else . + "T00:00:00Z" end)}
				+ ($content + {key: .key, session: $by.session, commit: $by.commit, source: $source} | filled)
			| $entry + {fate: "new", record: .}
		else
			$known[.key] as $record
			| ($imported[.id] // $record) as $was
			| ($was.evidence // "" | ltrimstr("imported from \($was.source // "")")) as $evidence
			| ($content | with_entries(.key as $key
				| select(.value != ($was[$key] // (if (.value | type) == "array" then [] else "" end)))
				# Where it stands may change without a change of what it says.
				| select($key != "evidence" or $letter != "f" or (.value | ltrimstr($from)) != $evidence))) as $changed
			| if $changed == {} or ($imported[.id] | not) or ($content.status == "ACTIVE" and $record.status != "ACTIVE") then $entry + {fate: "there"} else
				$entry + {fate: "changed", record: ({v: 1, id: .id, rev: (([$lines[] | select(.id == $entry.id) | .rev | numbers] | max // 1) + 1),
					ts: $by.at} + $changed + (if $letter == "f" then {evidence: $content.evidence} else {} end) + {session: $by.session, commit: $by.commit, source: $source})} end
		end)) as $entries
	| ($entries | map(.key)) as $keys
	| {entries: $entries, gone: [$now[] | select((.key | type) == "string" and (.source | type) == "string")
		| select((.key | startswith("import:")) and (.key as $key | $keys | index($key) | not) and .status == "ACTIVE")
		| {id, file: (.source | split(":") | .[:-1] | join(":")), text: (.title // .decision // .claim | tostring)}]};

# what is said of the entries of a file
def account($entries; $noun): if $entries == [] then [] else
	[plural($entries | length; $noun)
		+ ([($entries | map(select(.fate == "changed")) | length | select(. > 0) | "\(.) changed"),
			($entries | map(select(.fate == "there")) | length | select(. > 0) | "\(.) there already")]
			| if . == [] then "" else " (" + join(", ") + ")" end)] end;

# the task of an entry → a progress document
def task_document($id; $by): {task_id: $id, current_task: text_of("current_task"), completed: all_of("completed"),
		in_progress: text_of("in_progress"), blocked: all_of("blocked"), next_steps: all_of("next_steps"),
		done_when: (text_of("done_when") | if . == "" or check_fault != null then "" else . end)}
	| stamped($by) | filed;

# $in: plan (the lines of import.awk), decisions, facts (and each _archived), lane, tasks (lines of progress files that name an imported task),
# ids (random digits) → what is to be written and said, a line each: `write FILE JSON`, `task JSON`,
# `keep NAME part|whole DOCUMENT TEXT`, `say TEXT`
def import_plan($in; $by): ($in.plan | split("\n")) as $plan
	| ($plan | map(select(startswith("entry\t")) | import_entry)) as $entries
	| ($in.ids | explode | map(select(. > 47)) | implode | [range(0; length; 10) as $i | .[$i:$i + 10]]) as $ids
	| ($entries | keyed("decision")) as $d
	| ($entries | keyed("fact")) as $f
	| records($in.decisions; $in.decisions_archived; $d; "d"; $ids[:($d | length) + 5]; $by) as $decisions
	| records($in.facts; $in.facts_archived; $f; "f"; $ids[($d | length) + 5:]; $by) as $facts
	| ($entries | map(select(.kind == "task"))[0]) as $task
	| (if $task then "import-" + ($task.fields | map("\(.key)\t\(.value)") | join("\n") | digest | .[3:11]) else "" end) as $id
	| ($in.lane | task_of(.)) as $lane
	| (if $task == null then "none"
		elif $in.tasks | contains("\"" + $id + "\"") then "there"
		elif $lane == null or ($lane != {} and ($lane.status // "open" | . != "done" and . != "dropped")) then "busy"
		else "new" end) as $fate
	| ($decisions.entries[] | select(.record) | "write\tdecisions.jsonl\t\(.record | tojson)"),
	($facts.entries[] | select(.record) | "write\tfacts.jsonl\t\(.record | tojson)"),
	(select($fate == "new") | "task\t" + ($task | task_document($id; $by) | tojson)),
	($plan[] | select(startswith("file\t")) | split("\t") | .[1] as $file | .[2] as $kind | .[3] as $document | .[4] as $left
		| ($kind == "task" and ($fate == "busy" or $task.file != $file) and $left != "0") as $whole
		| (account($decisions.entries | map(select(.file == $file)); "decision")
			+ account($facts.entries | map(select(.file == $file)); "fact")
			+ (if $kind == "task" and $left != "whole" and ($whole | not) then
				["the task in hand" + (if $fate == "there" then " (there already)" else "" end)] else [] end)) as $placed
		| (if $kind == "task" and $fate == "busy" and $task.file == $file then " (another task is open: \($lane.task_id // "unreadable"))" else "" end) as $why
		| (if $left == "whole" or $whole then "keep\t\($file)\twhole\t\($document)\t\($why)"
			elif $left == "0" then "say\t\($file): \($placed | if . == [] then "nothing in it" else join(", ") end)"
			else "keep\t\($file)\tpart\t\($document)\t\($placed + [plural($left | tonumber; "line")] | join(", "))" end),
		(($decisions.gone + $facts.gone)[] | select(.file == $file)
			| "say\t  no longer in it, still in force: \(.id) \(.text | split("\n") | join(" ") | .[0:80])"),
		($plan[] | select(startswith("propose\t\($file)\t")) | ltrimstr("propose\t\($file)\t") | "say\t  memrc constrain \(@sh)"));
