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

# a check that is to be recorded, or the end of the program (65)
def check_needed($option): . as $check | check_parts
	| if $check != "" and .[0] == "bad" then
		"\($option) \($check): \(.[2]): give exists:PATH, absent:PATH, grep:PATH:ERE, nogrep:PATH:ERE, sha256:PATH:HEX, json:PATH:.KEY=JSON, tree-nogrep:DIR:ERE or cmd:COMMAND" | halt_error(65)
	else $check end;

# records with a check and in force, in the order in which they are run: the current task's, then the newest
def checkable($task): map(select(.check > "" and .check < [] and .status != "SUPERSEDED" and .status != "INVALID"))
	| sort_by(.task_id == $task, (.ts | tostring)) | reverse;

# what a restore doesn't evaluate itself takes its last result from $last, {check: {verdict, found}}; null: evaluate all
def remembered($check; $last): if $last == null or (.[0] != "cmd" and .[0] != "tree-nogrep") then .
	elif $last[$check] then ["last", ($last[$check] | .verdict, .found | tostring)]
	else ["bad", "", "memrc verify evaluates it"] end;

# [{id, check}] → the lines that checks.sh works on: each path once, then the checks. An id with a tab or a newline is
# nobody's.
def check_lines($last): map(.id as $id | .check as $check | $check | check_parts | remembered($check; $last) | [$id] + .)
	| (map(select(.[1] != "last") | .[2]) | unique[] | select(. != "") | "path\t" + .),
		(.[] | "check\t" + .[0] + "\t" + .[1] + "\t" + .[2] + "\t" + .[3] | select(contains("\n") | not));

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
