# task.jq - changing the task in hand: the document of a progress file.
include "jsonl";
include "shape";
include "progress";

# the document of a text: {} for no text, null for a text that is none
def task_of($text): if $text == "" then {} else $text | document | .value end;

# a text, a list of texts, whatever a hand made of it: what is of another kind stays as its text
def as_text: if type == "string" then . elif . then tojson else null end;
def as_texts: if type == "array" then map(as_text // empty) else [as_text // empty | select(. != "")] end;

# every field in its place, those that are missing with their defaults, foreign ones behind
def filed: . as $task
	| reduce (progress_shape | to_entries[]) as $field ({}; $field.value.is as $is | .[$field.key] = ($task[$field.key]
		| if $is == "text" then as_text elif $is == "texts" then as_texts elif fits($is) then . else null end
		| . // $field.value.or))
	| . + ($task | with_entries(select(.key as $key | progress_shape | has($key) | not)));

def once($text): if any(.[]; . == $text) then . else . + [$text] end;
def without($text): map(select(. != $text));

# one option of `memrc progress`, on a document that is filed. A step that is done again counts again only if it was
# due again.
def change($field; $text):
	if $field == "done" then
		(.next_steps + [.in_progress] | any(.[]; . == $text)) as $due
		| .completed |= (if $due then . + [$text] else once($text) end)
		| .next_steps |= without($text)
		| if .in_progress == $text then .in_progress = "" else . end
	elif $field == "next" or $field == "next_only" then .next_steps |= once($text)
	elif $field == "blocked" then .blocked |= once($text)
	elif $field == "unblock" then .blocked |= without($text)
	else .[$field] = $text end;

# all options of one command, a flat list of field and text
def changes($given): (if any($given[]; . == "next_only") then .next_steps = [] else . end)
	| reduce range(0; $given | length; 2) as $i (.; change($given[$i]; $given[$i + 1]));

# the time: $at, or now where that is empty
def time($at): if $at == "" then now | floor | todate else $at end;

# who wrote it last, and when
def stamped($by): . + {session: $by.session, updated_at: $by.at, commit: $by.commit,
	last_updated: ([$by.session, ($by.step | select(. != "") | "step-" + .)] | map(select(. != "")) | join("-") | if . == "" then $by.at else . end)};

# is it another session's that still works on it: written within two hours, with no end in $log?
def busy($by; $log): (.status // "open") == "open" and (.session | type) == "string" and .session != "" and .session != $by.session
	and (.updated_at | type) == "string" and .updated_at > ($by.at | fromdate - 7200 | todate)
	and (.session as $session | [$log | events | .rows[] | select(.session == $session)] | .[-1]
		| (.event // .type // "") as $last | $last != "end" and $last != "session-end");
