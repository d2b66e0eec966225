# claude-doctor.jq - what a transcript of Claude Code says of the last compaction. The lines come one by one, so that a
# transcript of any length is read in the same memory.
# Usage: jq -nRr --arg mark WORD -L … 'include "claude-doctor"; verdict(inputs; $mark)'

def told: [fromjson]? | select(length == 1) | .[0] | select(type == "object");
def units: length + ([explode[] | select(. > 65535)] | length);
def strings_of: [.. | strings] | join("\n");

# one hook's run, if it is ours: its command holds the mark, or it printed a restore message
def run($mark): .attachment | select(type == "object") | select((.type // "" | tostring) | startswith("hook_"))
	| select((.command // "" | tostring | contains($mark)) or ([.content, .stdout] | strings_of | contains("[SESSION RESTORE]") or contains("memory unchanged since")));

# how a text reached the model: delivered whole, or cut (n of m)
def arrived($all): (.content | strings_of) as $text | (.stdout // "" | tostring | sub("\\s+$"; "")) as $out
	| if $text | contains("<persisted-output>") then
		"cut (\($text | split("Preview (first")[1] // $text | split(":\n")[1:] | join(":\n") | split("\n...")[0] // "" | units) of \(if $out | contains("<persisted-output>") then ([$text | capture("Output too large \\((?<size>[^)]*)\\)") | .size][0] // "unknown") else $out | units end))"
	elif ($text | contains("[SESSION RESTORE]")) and ($text | contains("[END OF RESTORE]") | not) then "cut (\($text | units) of \(if $all == "" then "unknown" else $all end))"
	elif $text == "" then "not at all: the hook printed nothing"
	else "delivered whole (\($text | units) units)" end;

# {n, trigger, before, after, at, verdict, told}: all about the last compaction
def verdict(lines; $mark; $all): reduce (lines | told) as $line ({n: 0, told: {}};
	if $line.subtype == "compact_boundary" then
		.n += 1 | ([$line.compactMetadata | objects][0]) as $meta | .trigger = ($meta.trigger // "unknown") | .before = $meta.preTokens | .after = $meta.postTokens
		| .at = ($line.timestamp // "unknown") | .verdict = null | .late = false | .told.compact = true
	elif $line.type == "assistant" then
		.late = true | .told.prompt = true
		| if [$line.message | objects | .content | arrays | .[] | objects | select(.type == "tool_use")] != [] then .told.tool = true else . end
	else ([$line | run($mark) | select((.hookName // "" | tostring) == "SessionStart:compact" or ((.hookEvent // "") == "SessionStart" and (.hookName // "") == ""))][0]) as $run
		| if $run == null or .n == 0 then .
		else .verdict = (if $run.type == "hook_cancelled" then "cancelled after \($run.durationMs // "unknown") ms"
			elif $run.type == "hook_non_blocking_error" or $run.type == "hook_blocking_error" then "failed: \($run.stderr // "" | tostring | split("\n")[0] | .[0:200])"
			else (if .late then "late, after the model had gone on; " else "" end) + ($run | arrived($all)) end) end end)
	| if .n == 0 then . else .verdict = (.verdict // "not at all: no hook of memrc ran after it") end;
