# identity.awk - the [IDENTITY] section of identity.md (ARGV[1]). Needs text.awk.

BEGIN {
	n = slurp(ARGV[1], line)
	prose(line, n)
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^[ \t]*$/ || line[i] ~ /^#/) continue
		if (conflict_marker(line[i]) || !key_value(line[i])) {
			bad++
			continue
		}
		# About four ASCII bytes to a token, and a token to any other character.
		text = substr(KEY ": " VALUE, 1, 4000)
		rest = text
		wide = gsub(/[\300-\377]/, "", rest)
		gsub(/[\200-\277]/, "", rest)
		tokens += length(rest) / 4 + wide
		if (VALUE != "" && KEY !~ /^(forbidden|convention)$/) out = out "  " text "\n"
	}
	if (tokens > 200) out = out "  (identity.md is about " int(tokens) " tokens long; above 200 it crowds out the rest: shorten it)\n"
	if (bad) out = out "  (" bad " unreadable " (bad == 1 ? "line" : "lines") " in identity.md: memrc validate)\n"
	if (out != "") printf "[IDENTITY]\n%s", out
	exit bad ? 65 : 0
}
