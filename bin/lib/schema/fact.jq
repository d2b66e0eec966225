# fact.jq - a line of state/facts.jsonl, once folded: a verified truth with its value.
def fact_shape: {
	v: {is: "number", or: 1},
	id: {is: "id", or: "unknown", needed: true},
	rev: {is: "number", or: 1},
	ts: {is: "text", or: "unknown"},
	status: {is: ["ACTIVE", "SUPERSEDED", "INVALID"], or: "ACTIVE"},
	claim: {is: "text", or: "unknown", needed: true},
	check: {is: "text", or: ""},
	evidence: {is: "text", or: ""},
	verified_at: {is: "text", or: ""},
	task_id: {is: "text", or: ""},
	target: {is: "text", or: ""},
	based_on: {is: "texts", or: []},
	constraint_ref: {is: "texts", or: []},
	tags: {is: "texts", or: []},
	step: {is: "text", or: ""},
	key: {is: "text", or: ""},
	supersedes: {is: "text", or: ""},
	by: {is: ["user", "agent"], or: "agent"},
	session: {is: "text", or: ""},
	commit: {is: "text", or: ""}
};
