# record.jq - a new record from what a command line gave.

# a flat list of field and text → the record, its fields in the order of the shape; a list takes every
# text given for it; a rejected option is `OPTION: REASON`, or with a full-width colon. (A parameter $now would hide the builtin.)
def record($shape; $at): . as $given
	| reduce range(0; length; 2) as $i ({ts: (if $at != "" then $at else now | floor | todate end)};
		$given[$i] as $field | $given[$i + 1] as $text | $shape[$field].is as $is
		| .[$field] = (if $is == "texts" then (.[$field] // []) + [$text]
			elif $is == "rejected" then (.[$field] // [])
				+ [($text | split(": ")) as $part | if $part[1] then {option: $part[0], reason: ($part[1:] | join(": "))}
					else ($text | split("：")) as $part | {option: $part[0], reason: ($part[1:] | join("："))} end]
			elif $is == "number" then $text | tonumber
			elif $is == "flag" then true
			else $text end))
	| . as $new | reduce ($shape | keys_unsorted[]) as $field ({}; if $new | has($field) then .[$field] = $new[$field] else . end);
