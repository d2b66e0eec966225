# checked.jq - what may be recorded as a check.
include "checks";

# a check that is to be recorded, or the end of the program (65); an empty one is none
def check_needed($option): . as $check | if $check == "" then . else check_fault as $why
	| if $why == null then $check else
		"\($option) \($check | split("\n") | join(" ")): \($why): give exists:PATH, absent:PATH, grep:PATH:ERE, nogrep:PATH:ERE, sha256:PATH:HEX, json:PATH:.KEY=JSON, tree-nogrep:DIR:ERE or cmd:COMMAND" | halt_error(65)
	end end;
