# progress.jq - state/progress.json, a lane, or a parked task: the task in hand.
def progress_shape: {
	v: {is: "number", or: 1},
	task_id: {is: "task", or: "unnamed"},
	current_task: {is: "text", or: "unknown"},
	completed: {is: "texts", or: []},
	in_progress: {is: "text", or: ""},
	blocked: {is: "texts", or: []},
	next_steps: {is: "texts", or: []},
	done_when: {is: "text", or: ""},
	status: {is: ["open", "done", "dropped", "parked"], or: "open"},
	session: {is: "text", or: ""},
	last_updated: {is: "text", or: "unknown"},
	updated_at: {is: "text", or: "unknown"},
	commit: {is: "text", or: ""}
};
