# claude.jq - Claude Code: what its hooks are told, and how they answer.
include "hook";

def given: fields;

# A text for the model. Plain output is context at a session's start and on a prompt only.
def envelope($name; $text): {hookSpecificOutput: {hookEventName: $name, additionalContext: $text}} | tojson;
