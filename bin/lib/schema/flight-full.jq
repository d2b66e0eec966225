# flight-full.jq - the unusual lines of the flight recorder: what failed, long texts, secrets.
# A text is kept longer than it is ever shown. Secrets are gone before it is cut; where it is cut, no word is.
include "rules";
include "error";

# a word at the end or the start, where a text was cut; what isn't ASCII is no secret
def ascii_only: utf8bytelength == length;
def token_end: (split(" ") | .[-1] | split("\n") | .[-1] // "") as $word | if $word | ascii_only then .[0:length - ($word | length)] else . end;
def token_start: (split(" ") | .[0] | split("\n") | .[0] // "") as $word | if $word | ascii_only then .[$word | length:] else . end;

# the first $n characters
def head($n): if type != "string" then "" elif length > $n then (.[0:$n] | token_end) + "…" else . end;

# what an unusual call is kept as. A text that only begins with an E is no failure.
def ended: if has("codes") | not then . else
	.output |= (if length > 12000 then .[0:6000] + "\n" + .[-6000:] else . end)
	| (([.codes[] | numbers] | .[0]) // (.output[0:40] | [capture("^(Error: )?Exit code (?<n>[0-9]+)")] | .[0].n // "" | [tonumber?] | .[0])) as $exit
	| (.output | split("\n") | map(select(test("[^ \t\r]"))) | .[-1] // "" | .[-300:]) as $last
	| (if .codes == [] and ($exit // 0) == 0 and (.output | startswith("Error: ") | not)
		then if has("command") then {last: $last} else {} end
		else {ok: false, exit: $exit, error: (.output | error_line), last: $last} end) as $how
	| del(.output, .codes) + $how end;

# a prompt, with what of it sounds like a rule
def heard: if .event == "prompt" and (.text | type) == "string"
	then .rules = [(.text[0:200000] | sentences | unique | .[] | select(length <= 300 and ruleish))][0:4] else . end;

# a prompt that was heard: whole, or its beginning and end and at most $n rules; all divided by $d
def said($d; $n): (1000 / $d | floor) as $head | (270 / $d | floor) as $tail
	| if .event != "prompt" or (.text | type) != "string" then .
	elif .text | length <= $head + $tail then del(.rules)
	else .rules |= (.[0:$n] | map(head(250 / $d | floor))) | .tail = (.text[-$tail:] | token_start) | .text |= (.[0:$head] | token_end) end;

# the line as it is kept, at most 3,900 bytes. Of a prompt whose letters take three bytes 800 are worth more than a fourth
# rule, and the first rule more than half of them.
def fitted: ended | heard | . as $line
	| first(([1, 4], [1.22, 4], [1.22, 3], [1.22, 2], [1.22, 1], [2, 4], [4, 4], [12, 4]) as $step | $step[0] as $d | $line | said($d; $step[1])
	| with_entries(if .key == "command" then .value |= head(700 / $d | floor)
		elif .key == "error" then .value |= head(500 / $d | floor)
		elif .key == "last" or .key == "target" or .key == "tool" or .key == "session" or .key == "agent" then .value |= head(300 / $d | floor) else . end)
	| select(tojson | utf8bytelength <= 3900)) // ($line | {v, ts, event, host});

# the texts of a line that might hold a secret, to be searched: each ends with a line of its own
def names: ["command", "target", "output", "last", "text", "tool", "agent"];
def texts: . as $line | names[] | ($line[.] // "" | if type == "string" then split("\u0000") | join("") else . end), "\u001e";

# the line, a mark, and its texts as they came back
def redacted: split("\n\u001e\n") | (.[0] | fromjson) as $line | .[1:] as $texts | $line
	| if ($texts | length) != (names | length) + 1 then with_entries(.key as $key | if names | index($key) then .value = "[redacted]" else . end)
	else reduce range(0; names | length) as $i (.; names[$i] as $name | if .[$name] then .[$name] = $texts[$i] else . end) end
	| fitted;
