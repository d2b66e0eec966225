# changes.awk - what another hand did to a sealed file, line by line.
# Usage: awk -v most=N -f changes.awk FILE SEAL       either may be absent
# Prints a line each: `was` and the sealed line, then `now` and what stands in its place (empty: nothing
# does); `added` and a line that is new; `moved`: the same lines in another order, where that means nothing; tab
# between. With `most` no more than N of the first two, then `more` or `further` and how many there are besides. Lines
# that are only added, empty ones too, take nothing away, nor does a value for a key of identity.md that had none.
# A record stands in place of another only if it has the same id.

BEGIN {
	# The copy first, since writers are done with it last: what one adds meanwhile is never taken for gone.
	while ((getline line < ARGV[2]) > 0) was[++m] = line
	while ((getline line < ARGV[1]) > 0) now[++n] = line
	for (i = 1; i <= n; i++) left[now[i]]++
	if (ARGV[1] ~ /identity\.md$/) without_filled()
	# Is the seal what stays if lines are taken out of the file? Then whatever the file has more is new.
	j = 1
	for (i = 1; i <= n && j <= m; i++) if (now[i] == was[j]) j++
	kept = j > m && n > m
	for (i = 1; i <= m; i++) {
		if (was[i] == "") continue
		if (left[was[i]] > 0) {
			left[was[i]]--
			before = was[i]
			place = 0
		} else {
			gone[++gones] = was[i]
			at[gones] = before SUBSEP (++place)
		}
	}
	# What is left over, from the end: of equal lines the last ones are the new ones.
	for (i = n; i > 0; i--) if (left[now[i]] > 0) {
		left[now[i]]--
		if (now[i] != "") new[i] = 1
	}
	before = place = ""
	for (i = 1; i <= n; i++) if (i in new) {
		fresh[++freshes] = now[i]
		stands[before SUBSEP (++place)] = freshes
	} else if (now[i] != "") {
		before = now[i]
		place = 0
	}
	# The first ones are shown; to look at more would cost the time of a restore.
	for (i = 1; i <= gones && i <= 20; i++) partner(i)
	for (i = 1; i <= gones; i++) {
		# What isn't like any stands for the one in its place.
		if (most && i > most) {
			print "more\t" gones - most
			break
		}
		if (!(i in mate) && (at[i] in stands) && may_pair(i, stands[at[i]])) pair(i, stands[at[i]])
		print "was\t" gone[i]
		print "now\t" ((i in mate) ? fresh[mate[i]] : "")
	}
	if (!gones && !kept) order()
	for (i = 1; i <= freshes; i++) if (!(i in taken) && !known_better(fresh[i])) {
		if (!most || ++added <= most) print "added\t" fresh[i]
	}
	if (most && added > most) print "further\t" added - most
	exit 0
}

# without_filled - was, less the keys without a value that have one now
function without_filled(    i, k, key, filled) {
	for (i = 1; i <= n; i++) if (now[i] ~ /^[a-z_]+:[ \t]*[^ \t\r]/) filled[substr(now[i], 1, index(now[i], ":"))]
	for (i = 1; i <= m; i++) {
		key = was[i]
		sub(/[ \t]+$/, "", key)
		if (left[was[i]] || !(key in filled)) was[++k] = was[i]
	}
	m = k + 0
}

# order - no line is gone, and yet not all are where they were. In files of records the order means nothing.
function order() {
	if (n == m && same()) print "was\tits last byte, or what isn't text\nnow\tother bytes"
	else if (ARGV[1] ~ /\.jsonl$/) return
	else if (moved()) print "moved"
	else print "was\tthe order of the lines, and the empty ones\nnow\tanother order"
}

# moved - do lines stand in another order, each of which means the same wherever it stands? None belongs to the one above,
# or to a comment or fence of several lines.
function moved(    i, j) {
	j = 1
	for (i = 1; i <= n; i++) {
		if (now[i] ~ /^(  |\t)/ || now[i] ~ /^[ \t]*(```|~~~)/ || (now[i] ~ /<!--/) != (now[i] ~ /-->/)) return 0
		while (j <= m && was[j] == "") j++
		if (now[i] != "" && now[i] == was[j]) j++
	}
	while (j <= m && was[j] == "") j++
	return j <= m
}

# same - do the lines stand in the same order? Then what differs is between or behind them.
function same(    i) {
	for (i = 1; i <= n; i++) if (now[i] != was[i]) return 0
	return 1
}

# partner - the new line that is most like a gone one, if half of its words stand in it; 200 are looked at
function partner(g,    i, best, found, score) {
	best = 0.5
	for (i = 1; i <= freshes && i <= 200; i++) if (may_pair(g, i)) {
		score = alike(gone[g], fresh[i])
		if (score < best || found && score == best) continue
		best = score
		found = i
	}
	if (found) pair(g, found)
}

# may_pair - is the new line still free, and no other record than the gone one?
function may_pair(g, f,    one, other) {
	if (f in taken) return 0
	one = id(gone[g])
	other = id(fresh[f])
	return one == "" || other == "" || one == other
}

# known_better - is it a line of a record of which a later change was sealed? A merge with a branch that didn't archive
# brings such lines back, and they are in force no more for that.
function known_better(line,    name, i) {
	name = id(line)
	if (name == "") return 0
	if (!sealed_revs++) for (i = 1; i <= m; i++) if (rev(was[i]) > highest[id(was[i])]) highest[id(was[i])] = rev(was[i])
	return (name in highest) && rev(line) < highest[name]
}

function rev(line) {
	if (!match(line, /"rev" *: *[0-9]+/)) return 1
	line = substr(line, RSTART, RLENGTH)
	sub(/.*[: ]/, "", line)
	return line + 0
}

# id - the id of a record, empty where there is none
function id(line) {
	if (ARGV[1] !~ /\.jsonl$/ || !match(line, /"id" *: *"[^"]*"/)) return ""
	line = substr(line, RSTART, RLENGTH)
	sub(/^"id" *: */, "", line)
	return line
}

function pair(g, f) {
	mate[g] = f
	taken[f] = 1
}

# alike - the share of a line's words that another has
function alike(a, b,    word, n, i, shared) {
	n = split(a, word, /[ \t,:;{}"]+/)
	if (n > 500) n = 500
	shared = 0
	for (i = 1; i <= n; i++) if (index(b, word[i])) shared++
	return shared / n
}
