# shape.jq - what a record must look like, as data: one object per noun, {field: {is, or, needed}}.
# `is` names a kind below, `or` is the default that stands in for a wrong or missing value.
# Taken by jq 1.5 (pyjq), 1.6, 1.7 and jaq: a test runs every schema in each.

# is each character of a text one of these? (Compiling a regular expression costs more than this.)
def made_of($characters): explode - ($characters | explode) == [];

# is this value of the kind?
def fits($is):
	if $is == "text" then type == "string"
	elif $is == "number" then type == "number"
	elif $is == "flag" then type == "boolean"
	elif $is == "texts" then type == "array" and all(.[]; type == "string")
	elif $is == "rejected" then type == "array"
		and all(.[]; type == "object" and (.option | type) == "string" and (.reason | type) == "string")
	elif $is == "id" then type == "string" and length == 12 and .[1:2] == "-"
		and (.[0:1] | made_of("abcdefghijklmnopqrstuvwxyz")) and (.[2:] | made_of("0123456789abcdef"))
	elif $is == "task" then type == "string" and . != "" and length <= 80
		and made_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
	else . as $value | any($is[]; . == $value) end;

# a kind in words, for a person
def kind($is): if ($is | type) == "array" then "one of " + ($is | join(", ")) else
	{text: "a text", number: "a number", flag: "true or false", texts: "a list of texts", rejected: "a list of {option, reason}",
		id: "an id such as d-3fa91c0b77", task: "1 to 80 of A-Z a-z 0-9 . _ -"}[$is] end;

# the record with every field of the shape; a wrong or missing value gives way to its default
def conform($shape): . as $record
	| reduce ($shape | to_entries[]) as $field (.; .[$field.key] =
		($record[$field.key] | if fits($field.value.is) then . else $field.value.or end));

# what is wrong with a record: [{field, why, default}]. A field that is absent is a fault only if needed.
def faults($shape): . as $record
	| [$shape | to_entries[] | .key as $key | .value as $want
		| if $record | has($key) then select($record[$key] | fits($want.is) | not) | "isn't "
		else select($want.needed) | "is missing, must be " end
		| {field: $key, why: (. + kind($want.is)), default: $want.or}];
