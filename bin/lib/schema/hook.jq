# hook.jq - what a host tells its hooks, in Claude Code's names, which `any` takes too.

def text: if type == "string" then . else "" end;
def object_or_none: if type == "object" then . else {} end;

# the fields memrc knows, each of its kind whatever the host sent
def fields: object_or_none | {
	session: (.session_id | text), source: (.source | text), prompt: (.prompt | text), tool: (.tool_name | text),
	input: (.tool_input | object_or_none), response: .tool_response, error: (.error | text),
	failed: (.hook_event_name == "PostToolUseFailure"), agent: (.agent_id | text), kind: (.agent_type | text),
	trigger: (.trigger | text), reason: (.reason | text), model: (.model | text),
	tokens: (.context_tokens | numbers // null), transcript: (.transcript_path | text)
};
