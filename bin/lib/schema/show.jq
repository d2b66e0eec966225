# show.jq - how records are shown, the same in the restore message, recall and status.

# at most $n characters, the cut marked
def clip($n): if length > $n then .[0:$n - 1] + "…" else . end;

# in one line
def flat: split("\n") | join(" ");

# as an item: further lines stand deeper, so that they stay part of it
def block: split("\n") | join("\n    ");

# ids that share their first four digits with another → {id: shortest prefix that is unique}
def clashes: group_by(.[0:6]) | map(select(length > 1) | . as $group | .[] | . as $id
	| {key: ., value: ([range(7; 12) | $id[0:.] | select(. as $p | [$group[] | select(startswith($p))] | length == 1)][0] // $id)})
	| from_entries;

# an id as it is shown, and taken by recall
def short($clashes): $clashes[.] // .[0:6];

# a text as a sentence, so that another can follow
def sentence: if . == "" or (.[-1:] | inside(".!?。！？…")) then . else . + "." end;

# is a record out of force? One about which two branches disagree isn't
def ended: (.status == "SUPERSEDED" or .status == "INVALID") and (.undecided | not);

# records → the same without those of which only the end is left, and the rest in the archive
def unarchived: map(select((ended | not) or has("decision") or has("claim")));

# records → the same; where two branches put different ones in the place of one, each names the others in `rivals`.
# (An entry of an imported log may well have been split in two.)
def rivalled: map(select((.supersedes | type) == "string" and .supersedes != "" and (ended | not) and (has("source") | not)))
	| group_by(.supersedes) | map(select(map(.decision // .claim) | unique | length > 1));
def with_rivals: rivalled as $groups | if $groups == [] then . else
	(map(.id) | clashes) as $clashes
	| ([$groups[] | map(.id) as $ids | .[] | {key: .id, value: ($ids - [.id] | map(short($clashes)) | join(" or "))}] | from_entries) as $rivals
	| map(if $rivals[.id] then .rivals = $rivals[.id] else . end) end;

# how far a record can be trusted
def mark:
	if .undecided then "UNDECIDED (" + (.undecided | map(tostring) | join(" or ")) + ": two branches disagree)"
	elif .rivals then "UNDECIDED (this or \(.rivals): two branches superseded \(.supersedes[0:6]))"
	elif .status == "SUPERSEDED" or .status == "INVALID" then .status
	elif .check == "" and .evidence == "" then "UNVERIFIED"
	else "UNCHECKED" end;

# the text of a results file (checks.sh) → what it says of one id: {verdict, found}, or null. Only a few of what may
# be a thousand lines are shown, so that they aren't all taken apart.
def verdict($id): ("\n" + .) / ("\n" + $id + "\t") | .[1] // null
	| if . == null then . else .[0:1000] / "\n" | .[0] / "\t" | {verdict: .[0], found: (.[1] // "")} end;

# the same once the checks have been run; $checks is the text of their results
def mark($checks): .id as $id | mark | if . == "UNCHECKED" then ($checks | verdict($id).verdict) // . else . end;

# since when a fact is known: verified is only what holds now; $mark says whether it does
def known($mark): if . == "" or . == "no commit" then "" else (if $mark == "VERIFIED" then "verified at " else "recorded at " end) + . end;

# a label and a text, or nothing for an empty text
def labelled($before): if . == "" then "" else $before + . end;

# as many of the items as a part may print (16 KiB, with room for the rest), and how to see the others; $all is their number
def within(items; $all; $recall): [items]
	| reduce .[] as $item ({left: 12000, shown: []}; (.left - ($item | utf8bytelength)) as $left
		| if $left < 0 then .left = -1 else .left = $left | .shown += [$item] end)
	| .shown | .[], (if $all > length then "  (\($all - length) older: \($recall))" else empty end);

# the last line of a section whose file is malformed in places; the part then ends with 65
def degraded($bad; $file):
	if $bad > 0 then
		"  (\($bad) unreadable in \($file): memrc validate)",
		("\($file): \($bad) unreadable\n" | halt_error(65))
	else empty end;
