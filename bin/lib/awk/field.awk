# field.awk - where the field ARGV[2] of identity.md (ARGV[1]) stands: prints the number of the first line that has its
# name and no value, or `taken` if one has a value, or nothing. Needs text.awk.

BEGIN {
	n = slurp(ARGV[1], line)
	prose(line, n)
	for (i = n; i > 0; i--) {
		if (line[i] ~ /^#/ || !key_value(line[i]) || tolower(KEY) != tolower(ARGV[2])) continue
		at = VALUE == "" && at != "taken" ? i : "taken"
	}
	if (at) print at
	exit 0
}
