# operation.jq - a line of state/index.jsonl: the agent's own account of a larger operation.
def operation_shape: {
	v: {is: "number", or: 1},
	id: {is: "text", or: "op-?", needed: true},
	ts: {is: "text", or: "unknown"},
	session: {is: "text", or: ""},
	step: {is: "text", or: ""},
	type: {is: "text", or: "unknown"},
	target: {is: "text", or: ""},
	summary: {is: "text", or: "unknown", needed: true},
	log_path: {is: "text", or: ""},
	checksum: {is: "text", or: ""},
	task_id: {is: "text", or: ""},
	based_on: {is: "texts", or: []},
	constraint_ref: {is: "texts", or: []},
	tags: {is: "texts", or: []},
	key: {is: "text", or: ""},
	commit: {is: "text", or: ""}
};
