# seal.awk - makes the change that turned FILE into NEW in SEAL, which another hand's changes to FILE left behind.
# Usage: awk -f seal.awk FILE NEW SEAL       prints what SEAL is then; FILE may be absent
# Exit: 1 if the lines that were changed are none of SEAL's: then that hand had changed them before
# In files of records the order means nothing, so there each line is found wherever it stands.

BEGIN {
	while ((getline line < ARGV[1]) > 0) old[++n] = line
	while ((getline line < ARGV[2]) > 0) new[++m] = line
	while ((getline line < ARGV[3]) > 0) seal[++s] = line
	if (ARGV[1] ~ /\.jsonl$/) records()
	else piece()
	exit 0
}

# records - of the lines that the writer touched the copy has as many as NEW, of all others as many as before
function records(    i) {
	for (i = 1; i <= n; i++) touched[old[i]]--
	for (i = 1; i <= m; i++) {
		touched[new[i]]++
		left[new[i]]++
	}
	for (i = 1; i <= s; i++) if (!touched[seal[i]] || left[seal[i]]-- > 0) print seal[i]
	for (i = 1; i <= m; i++) if (touched[new[i]] && left[new[i]]-- > 0) print new[i]
}

# piece - one was changed: what lies between the same beginning and the same end
function piece(    first, last, gone, at, i) {
	while (first < n && first < m && old[first + 1] == new[first + 1]) first++
	while (last < n - first && last < m - first && old[n - last] == new[m - last]) last++
	gone = n - last - first
	# Where something is only added it follows the same line, or all others.
	if (!gone && (!last || !first)) at = last ? 0 : s
	else {
		for (at = 0; at < s; at++) {
			if (!gone && seal[at + 1] == old[first]) break
			for (i = 1; i <= gone && seal[at + i] == old[first + i]; i++) continue
			if (gone && i > gone) break
		}
		if (at == s && gone) exit 1
		if (!gone && at < s) at++
	}
	for (i = 1; i <= at; i++) print seal[i]
	for (i = first + 1; i <= m - last; i++) print new[i]
	for (i = at + gone + 1; i <= s; i++) print seal[i]
}
