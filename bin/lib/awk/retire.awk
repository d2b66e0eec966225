# retire.awk - copies constraints.md or identity.md (the one argument); the constraint that begins in `line`
# gets $MEMRC_DATA into the braces at its end. -v part=it copies only that constraint, part=others all but that.

{ text[NR] = $0 }

END {
	# As constraints.awk joins them: deeper lines continue, empty ones don't end it.
	last = line
	for (i = line + 1; FILENAME !~ /identity\.md$/ && i <= NR; i++) {
		if (text[i] ~ /^[ \t\r]*$/) continue
		if (text[i] !~ /^(  |\t)/ || text[i] ~ /^[ \t]*(```|~~~)/ || text[i] ~ /^[ \t]*[-=*_][-=*_ \t]*\r?$/) break
		last = i
	}
	for (i = 1; i <= NR; i++) {
		if (part == ((i >= line && i <= last) ? "others" : "it")) continue
		print (i == last ? retired(text[i]) : text[i])
	}
}

function retired(text,    end) {
	end = ""
	if (match(text, /[ \t\r]+$/)) {
		end = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
		gsub(/[ \t]/, "", end)
	}
	if (text ~ /\{(source|retired|deny-edit|deny-command):.*\}$/) return substr(text, 1, length(text) - 1) "; " ENVIRON["MEMRC_DATA"] "}" end
	return text " {" ENVIRON["MEMRC_DATA"] "}" end
}
