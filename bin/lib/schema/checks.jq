# checks.jq - the checks of a memory, for checks.sh and the parts that show their results.

# one check's text → {kind, path, arg}; kind is `bad` for what is no check, with the reason in arg
def check_parts:
	split(":") as $p | $p[0] as $kind
	| {kind: $kind, path: ($p[1] // ""), arg: ($p[2:] | join(":"))} as $check
	| if explode | any(. < 32) then "control characters"
	elif $kind == "cmd" then {kind: $kind, path: "", arg: ($p[1:] | join(":"))}
	elif any("exists", "absent", "grep", "nogrep", "sha256", "json", "tree-nogrep"; . == $kind) | not then "no such kind of check"
	elif $check.path == "" or $check.path == "-" or ($check.path | startswith("/")) or ($check.path | split("/") | any(. == "..")) then "not a path inside the project"
	elif ($kind == "exists" or $kind == "absent") != ($check.arg == "") then "wrong number of colons"
	elif $check.arg | length > 500 then "longer than 500 characters"
	elif $kind == "sha256" then ($check.arg | ascii_downcase) as $hex
		| if ($hex | length) < 8 or ($hex | explode - ("0123456789abcdef" | explode)) != [] then "no SHA-256" else $check | .arg = $hex end
	else $check end
	| if type == "string" then {kind: "bad", path: "", arg: .} else . end;

# records with a check and in force, in the order in which they are run: the current task's, then the newest
def checkable($task): map(select((.check | type) == "string" and .check != "" and (.id | explode | all(. > 31)) and .status != "SUPERSEDED" and .status != "INVALID"))
	| sort_by([.task_id == $task, (.ts | tostring)]) | reverse | map({id, check});

# what a restore doesn't evaluate itself takes its last result from $last, {check: {verdict, found}}; null: evaluate all
def remembered($last): if $last == null or (.kind != "cmd" and .kind != "tree-nogrep") then .
	elif $last[.check] then .kind = "last" | .path = $last[.check].verdict | .arg = $last[.check].found
	else .kind = "bad" | .path = "" | .arg = "memrc verify evaluates it" end;

# [{id, check}] → the lines that checks.sh works on, as lists: each path once, then the checks
def check_lines($last): map(. + (.check | check_parts) | remembered($last))
	| (map(select(.kind != "last") | .path | select(. != "")) | unique[] | ["path", .]),
	(.[] | ["check", .id, .kind, .path, .arg]);

# `.a.b[0]` → ["a","b",0], or null if it is no such path
def json_path: if .[0:1] != "." then null else [split(".")[1:][] | split("[") | .[0], (.[1:][] | if .[-1:] == "]" then .[0:-1] | tonumber? // null else null end)]
	| if all(. != null and . != "" and (numbers // (explode - ("|()$\"'[]{},; " | explode) | length) == length)) then . else null end end;

# the json checks among the lines of a checks.rest, against the files in the input ({path: cleaned text})
def json_checks($rest): . as $files | $rest | split("\n")[] | split("\t") | select(.[1] == "json")
	| . as $check | ($check[4:] | join("\t")) as $arg | ($arg | index("=")) as $at
	| (if $at then $arg[0:$at] | json_path else null end) as $path
	| (if $at then [$arg[$at + 1:] | fromjson?] else [] end) as $value
	| [$files[$check[2]] | fromjson?] as $document
	| if $path == null or ($value | length) != 1 then [$check[0], "UNCHECKED", "not of the form .name[0]=JSON"]
	elif ($document | length) != 1 then [$check[0], "CONFLICT", "\($check[2]): is no JSON document"]
	else [$document[0] | getpath($path)?][0] as $found
		| if $found == $value[0] then [$check[0], "VERIFIED", $check[2]]
		else [$check[0], "CONFLICT", "\($check[2]): \($arg[0:$at]) is \($found | tojson | .[0:160])"] end
	end | join("\t");

# the results file → {id: {verdict, found}}
def verdicts: split("\n") | map(split("\t") | select(length > 1) | {key: .[0], value: {verdict: .[1], found: (.[2] // "")}}) | from_entries;
