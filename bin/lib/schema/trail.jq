# trail.jq - a line of state/tasks/<task>.jsonl: what was tried, what failed and why.
def trail_shape: {
	v: {is: "number", or: 1},
	id: {is: "id", or: "unknown", needed: true},
	ts: {is: "text", or: "unknown"},
	session: {is: "text", or: ""},
	step: {is: "text", or: ""},
	type: {is: ["failure", "step", "note"], or: "note", needed: true},
	action: {is: "text", or: ""},
	target: {is: "text", or: ""},
	intent: {is: "text", or: ""},
	summary: {is: "text", or: ""},
	reason: {is: "text", or: ""},
	error: {is: "text", or: ""},
	instead: {is: "text", or: ""},
	based_on: {is: "texts", or: []},
	constraint_ref: {is: "texts", or: []},
	tags: {is: "texts", or: []},
	key: {is: "text", or: ""},
	commit: {is: "text", or: ""},
	branch: {is: "text", or: ""}
};
