# patch.jq - a change to a decision or a fact: a line with the id, a higher rev, and the fields that change.
def patch_shape: {
	v: {is: "number", or: 1},
	id: {is: "id", or: "unknown", needed: true},
	rev: {is: "number", or: 1, needed: true},
	ts: {is: "text", or: "unknown"},
	by: {is: ["user", "agent"], or: "agent"},
	status: {is: ["ACTIVE", "SUPERSEDED", "INVALID"], or: "ACTIVE"},
	superseded_by: {is: "text", or: ""},
	because: {is: "text", or: ""},
	answer: {is: "text", or: ""},
	check: {is: "text", or: ""},
	evidence: {is: "text", or: ""},
	verified_at: {is: "text", or: ""},
	session: {is: "text", or: ""},
	commit: {is: "text", or: ""}
};
