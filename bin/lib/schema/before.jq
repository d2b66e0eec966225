# before.jq - what the flight recorder knows of a session, for the restore message.
include "show";

# a file's name from the project's top
def inside($project): if startswith($project + "/") then .[($project | length) + 1:] else . end;

# what stands first in a command that runs tests, a linter or a benchmark
def measures: test("(^|[;&|(]|\\s)(\\S*/)?(py\\.?test|tox|nox|bats|jest|vitest|mocha|rspec|phpunit|ctest|unittest|ruff|mypy|flake8|pylint|eslint|shellcheck|tsc|clippy|hyperfine)(\\s|$|[;&|])"
	+ "|(^|[;&|(]\\s*|&&\\s*)(npm|pnpm|yarn|bun|go|cargo|make|mvn|gradle|\\./gradlew|dotnet|deno|mix|swift|zig|bazel|just|task|rake|uv|poetry|composer)\\s+(\\S+\\s+)*?\\S*(test|check|lint|bench|verify)"
	+ "|(^|[;&|(]\\s*|&&\\s*)(\\S+=\\S*\\s+)*((ba|z|da)?sh\\s+|python[0-9.]*\\s+(-m\\s+)?|node\\s+|ruby\\s+)?\\S*(test|bench|lint|spec)[^\\s;&|]+");

# one prompt as it was said
def words: (.text | strings) + (.tail | strings | " … " + .) // (.text | strings);

# what of it sounded like a rule when it was said
def rules: [.rules | arrays | .[] | strings];

# at most 1,000 characters, else the first 800 and the last 200
def quoted: if length > 1000 then .[0:800] + " … " + .[-200:] else . end | block;

def typed: (.text | type) == "string" and (.text | test("^\\s*(<(task-notification|command-|local-command|bash-|system-reminder)|\\[Request interrupted|/[a-z:-]+\\s*$|$)") | not);

# the lines of one session → what a reader wants of them
def before($rows; $project):
	($rows | map(select(.event == "tool"))) as $calls
	| ($calls | map(select(.command | type == "string"))) as $commands
	| {
		calls: $calls,
		# the latest run of each command, the newest first; what subagents ran only where there is room, for they report themselves
		failed: ([$commands | to_entries[] | .value + {at: .key}] | group_by(.agent, .command) | map(.[-1] | select(.ok == false)) | sort_by(.agent == null, .at) | .[-12:] | reverse),
		edited: ([$calls[] | select(.ok != false and (.target | type == "string") and (.tool | tostring | test("edit|write|patch|create|replace"; "i"))) | .target | inside($project)]
			| to_entries | group_by(.value) | map(.[-1]) | sort_by(.key) | map(.value)),
		# of as many as can still matter: what measures is not found fast
		results: ([$commands[-300:] | to_entries[] | .value + {at: .key} | select((.last | type == "string") and (.command | measures))]
			| group_by(.command) | map(.[-1]) | sort_by(.at) | .[-6:] | reverse),
		open: (reduce ($rows[] | select(.event == "subagent-start" or .event == "subagent-stop")) as $row ([];
			map(select(.agent != $row.agent)) + if $row.event == "subagent-start" then [$row] else [] end)),
		prompts: ($rows | map(select(.event == "prompt" and typed)))
	};
