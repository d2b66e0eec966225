# flight.jq - what a hook saw of a prompt or a tool call, as one line of logs/flight.jsonl. This is run on every call, so
# the usual case alone stands here, without a regular expression, whose mere mention costs jq 1.6 5 ms. For the others
# (something failed, a long text) the line begins with `!`, and flight-full.jq makes of it what is kept.

def flight_base($host; $event; $at): {v: 1, ts: (if $at == "" then now | floor | todate else $at end), session: .session, host: $host, event: $event}
	+ (if .agent == "" then {} else {agent: .agent} end);

# as it is, if it is short enough in bytes, or marked
def flight_line($most): tojson | if utf8bytelength > $most then "!" + . else . end;

# what a tool wrote
def flight_output: [(.error, (.response | strings, (objects | .stderr, .stdout, .output, .error, .content))) | strings | select(. != "")] | join("\n");

# the codes by which tools say that they failed
def flight_codes: .response | objects | .exit_code, .exitCode, .code, .returncode, .is_error, .isError, .interrupted, (.success | select(. == false) | true);

def flight_tool($host; $at): flight_base($host; "tool"; $at) + {tool: .tool} + (.input
		| if .command | type == "string" then {command} else {target: (.file_path // .notebook_path // .path // .pattern // .url // .description // "")} end)
	+ if .failed or .error != "" or (.response | type == "string" and startswith("E")) or ([flight_codes] | any(. != null and . != 0 and . != false))
		then {output: flight_output, codes: [flight_codes]}
		elif .input.command == null then {}
		else {last: (flight_output | .[-300:] | split("\n") | map(select(. != "")) | .[-1] // "")} end
	| if .output then "!" + tojson else flight_line(1200) end;

def flight_prompt($host; $at): .prompt as $text | flight_base($host; "prompt"; $at) + {text: $text} | flight_line(3000);
