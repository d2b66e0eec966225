# decision.jq - a line of state/decisions.jsonl, once folded.
def decision_shape: {
	v: {is: "number", or: 1},
	id: {is: "id", or: "unknown", needed: true},
	rev: {is: "number", or: 1},
	ts: {is: "text", or: "unknown"},
	status: {is: ["ACTIVE", "SUPERSEDED", "INVALID"], or: "ACTIVE"},
	premise: {is: "text", or: ""},
	decision: {is: "text", or: "unknown", needed: true},
	reason: {is: "text", or: "unknown"},
	rejected: {is: "rejected", or: []},
	check: {is: "text", or: ""},
	evidence: {is: "text", or: ""},
	task_id: {is: "text", or: ""},
	target: {is: "text", or: ""},
	based_on: {is: "texts", or: []},
	constraint_ref: {is: "texts", or: []},
	tags: {is: "texts", or: []},
	supersedes: {is: "text", or: ""},
	by: {is: ["user", "agent"], or: "agent"},
	session: {is: "text", or: ""},
	commit: {is: "text", or: ""}
};
