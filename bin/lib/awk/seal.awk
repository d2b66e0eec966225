# seal.awk - makes the change that turned FILE into NEW in SEAL, which another hand's changes to FILE left behind.
# Usage: awk -f seal.awk FILE NEW SEAL       prints what SEAL is then; FILE may be absent
# Exit: 1 if the lines that were changed are none of SEAL's: then that hand had changed them before

BEGIN {
	while ((getline line < ARGV[1]) > 0) old[++n] = line
	while ((getline line < ARGV[2]) > 0) new[++m] = line
	while ((getline line < ARGV[3]) > 0) seal[++s] = line
	# One piece was changed: what lies between the same beginning and the same end.
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
	exit 0
}
