# shellcheck shell=sh
# redact.sh - secrets by their shape. Needs base.sh and MEMRC_HOME; the shapes stand in awk/redact.awk.

# redact_may TEXT - could there be a secret? Without a process, so that the usual text costs nothing. Each pattern begins
# with a letter as it is: a shell finds that fast. Whatever redact.awk knows must get through here: tests/redact.bats
# asks for a line of tests/secrets for each of its alternatives.
redact_may() {
	case $1 in
	*A[A-Z][A-Z]A[0-9A-Z]* | *AIza* | *ya29.* | *GOCSPX-* | *gh[a-z]_* | *github_pat_* | *gl[a-z]*-* | *xox[a-z]-* | *xapp-* | \
		*sk_live_* | *rk_live_* | *sk_test_* | *rk_test_* | *whsec_* | *npm_* | *pypi-* | *sk-* | *hf_* | *SG.* | *do[a-z]_v1_* | *shp[a-z]*_* | \
		*dckr_[a-z]at_* | *dapi* | *lin_api_* | *lin_oauth_* | *hv[a-z].* | *AGE-SECRET-* | *rubygems_* | *:AA* | *eyJ* | *://*:*@* | *-----BEGIN* | \
		*hooks.slack.com/* | *Bearer\ * | *bearer\ * | *Basic\ * | *basic\ * | *P[Aa][Ss][Ss]* | *p[Aa][Ss][Ss]* | *P[Ww][Dd]* | *p[Ww][Dd]* | \
		*S[Ee][Cc][Rr][Ee][Tt]* | *s[Ee][Cc][Rr][Ee][Tt]* | *T[Oo][Kk][Ee][Nn]* | *t[Oo][Kk][Ee][Nn]* | *K[Ee][Yy]* | *k[Ee][Yy]* | \
		*mysql* | *mariadb* | *C[Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll]* | *c[Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll]*) ;;
	*) return 1 ;;
	esac
}

# redact TEXT - REDACTED: the text with [redacted:KIND] for each secret
redact() {
	REDACTED=$1
	redact_may "$1" || return 0
	# The last line keeps the newlines before it.
	REDACTED=$(printf '%s\n.\n' "$1" | redact_stream) || die 74 "awk failed: the text can't be searched for secrets"
	REDACTED=${REDACTED%??}
}

# redact_stream - stdin to stdout
redact_stream() {
	awk -f "$MEMRC_HOME/bin/lib/awk/redact.awk"
}
