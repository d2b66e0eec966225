# claude.jq - Claude Code: how a hook answers.

# a text for the model, where plain output isn't one
def envelope($name; $text): {hookSpecificOutput: {hookEventName: $name, additionalContext: $text}} | tojson;
