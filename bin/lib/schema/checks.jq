# checks.jq - the checks of a memory, for checks.sh and the parts that show their results.

# Of a thousand records: what is done with each is plain string work, which costs least in every jq. `type` and
# `strings` cost more than a comparison: strings stand behind numbers and before arrays.

# one check's text → [kind, path, arg]; kind is `bad` for what is no check, with the reason in arg
def check_parts:
	def bad($why): ["bad", "", $why];
	(. / ":") as $p | $p[0] as $kind | $p[1] as $path | ($p | length) as $n
	| (if $n == 3 then $p[2] elif $n < 3 then "" else $p[2:] | join(":") end) as $arg
	| ($kind == "exists" or $kind == "absent") as $bare
	| if contains("\n") or contains("\t") then bad("a newline or a tab")
	elif $kind == "cmd" then [$kind, "", ($p[1:] | join(":"))]
	elif ($bare or $kind == "grep" or $kind == "nogrep" or $kind == "sha256" or $kind == "json" or $kind == "tree-nogrep" | not) then
		bad("no such kind of check")
	elif $path == null or $path == "" or $path == "-" or $path[0:1] == "/" or ($path | contains("..")) and ("/" + $path + "/" | contains("/../")) then
		bad("not a path inside the project")
	elif $bare != ($arg == "") then bad("wrong number of colons")
	elif ($arg | length) > 500 then bad("longer than 500 characters")
	elif $kind == "sha256" then ($arg | ascii_downcase) as $hex
		| if ($hex | length) < 8 or ($hex | explode - ("0123456789abcdef" | explode)) != [] then bad("no SHA-256") else [$kind, $path, $hex] end
	else [$kind, $path, $arg] end;

# `.a.b[0]` → ["a","b",0], or null if it is no such path
def json_path: if .[0:1] != "." then null else [split(".")[1:][] | split("[") | .[0], (.[1:][] | if .[-1:] == "]" then .[0:-1] | tonumber? // null else null end)]
	| if all(. != null and . != "" and (numbers // (explode - ("|()$\"'[]{},; " | explode) | length) == length)) then . else null end end;

# `.a.b[0]=VALUE` → {key, path, value}, or null if it is none
def json_asked: (. / "=") as $p | ($p[0] | json_path) as $path | ($p[1:] | join("=")) as $text
	| if $path == null or $text == "" then null else [$text | fromjson?] as $value
		| if ($value | length) == 1 then {key: $p[0], path: $path, value: $value[0]} else null end end;

# why a check can't be evaluated, whatever the project holds; null if it can. (Regular expressions are grep's to judge.)
def check_fault: check_parts | if .[0] == "bad" then .[2]
	elif .[0] == "json" and (.[2] | json_asked) == null then "not of the form .name[0]=JSON, a text in quotes"
	else null end;

# records with a check and in force, in the order in which they are run: the current task's, then the newest
def checkable($task): map(select(.check > "" and .check < [] and .status != "SUPERSEDED" and .status != "INVALID"))
	| sort_by(.task_id == $task, (.ts | tostring)) | reverse;

# what a restore doesn't evaluate itself takes its last result from $last, {check: {verdict, found}}; null: evaluate all
def remembered($check; $last): if $last == null or (.[0] != "cmd" and .[0] != "tree-nogrep") then .
	elif $last[$check] then ["last", ($last[$check] | .verdict, .found | tostring)]
	else ["bad", "", "memrc verify evaluates it"] end;

# [{id, check}] → the lines that checks.sh works on: each path once, then the checks; behind a bad one what stands there. An
# id with a tab or a newline is nobody's.
def check_lines($last): map(.id as $id | .check as $check | $check | check_parts | remembered($check; $last) | [$id] + . + [$check])
	| (map(select(.[1] != "last") | .[2]) | unique[] | select(. != "") | "path\t" + .),
		(.[] | (if .[1] == "bad" then "\t" + (.[4] | split("\n") | join(" ") | split("\t") | join(" ")) else "" end) as $given
			| "check\t" + .[0] + "\t" + .[1] + "\t" + .[2] + "\t" + .[3] | select(contains("\n") | not) | . + $given);

# the json checks among the lines of a checks.rest, against the files in the input ({path: cleaned text})
def json_checks($rest): . as $files | $rest | split("\n")[] | split("\t") | select(.[1] == "json")
	| . as $check | ($check[4:] | join("\t") | json_asked) as $asked
	| [$files[$check[2]] | fromjson?] as $document
	| if $asked == null then [$check[0], "UNCHECKED", "not of the form .name[0]=JSON, a text in quotes"]
	elif ($document | length) != 1 then [$check[0], "CONFLICT", "\($check[2]): is no JSON document"]
	else [$document[0] | getpath($asked.path)?][0] as $found
		| if $found == $asked.value then [$check[0], "VERIFIED", $check[2]]
		else [$check[0], "CONFLICT", "\($check[2]): \($asked.key) is \($found | tojson | .[0:160])"] end
	end | join("\t");

# the results file → {id: {verdict, found}}
def verdicts: split("\n") | map(split("\t") | select(length > 1) | {key: .[0], value: {verdict: .[1], found: (.[2] // "")}}) | from_entries;
