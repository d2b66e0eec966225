# shellcheck shell=sh
# install.sh - a host's settings file, with memrc's entries and without. What the entries are stands in
# host/HOST.install.jq. Of each file the user's state directory keeps, beside the trust list, NAME.before: its bytes
# before memrc, and NAME.json: what memrc made of it. Needs commit.sh, hash.sh, lane.sh, root.sh, seal.sh, trust.sh.

SCOPE=project DRY='' HOST=''

# install_option ARG - the arguments that install and uninstall share
install_option() {
	case $1 in
	--user | --project | --shared) SCOPE=${1#--} ;;
	--dry-run) DRY=yes ;;
	-h | --help) help ;;
	-*) usage_error "$1: not an option" ;;
	*)
		[ -z "$HOST" ] || usage_error "$1: one host at a time"
		HOST=$1
		;;
	esac
}

# install_hosts - those that there are, on a line
install_hosts() {
	local file names
	names=''
	for file in "$MEMRC_HOME"/bin/lib/host/*.install.jq; do
		file=${file##*/}
		names="$names ${file%.install.jq}"
	done
	printf '%s' "${names# }"
}

# install_jq PROGRAM ARG… - jq that knows the host
install_jq() {
	local program
	program=$(cat -- "$MEMRC_HOME/bin/lib/host/$HOST.install.jq" "$MEMRC_HOME/bin/lib/install.jq")
	program="$program $1"
	shift
	run_jq -n "$@" "$program"
}

# install_has FILE - does that settings file call memrc's hooks?
install_has() {
	[ "$(install_jq '$doc[0] | any(host_installed(adding); true)' --slurpfile doc "$1" 2>/dev/null)" = true ]
}

# install_begin - FILE: the settings; RECORD, BEFORE: what is kept of them; WORK: a directory for this run, with
# now: the file's bytes, plain: the same without memrc, doc, record, before: JSON of what the names say;
# UNTOUCHED: is the file as memrc left it?
install_begin() {
	local link links
	jq_need
	case $HOST in
	'') usage_error "HOST is missing: one of $(install_hosts)" ;;
	*[!a-z-]*) usage_error "$HOST: not one of $(install_hosts)" ;;
	esac
	[ -f "$MEMRC_HOME/bin/lib/host/$HOST.install.jq" ] || usage_error "$HOST: not one of $(install_hosts)"
	if [ "$SCOPE" != user ]; then root_need; else root_find || MEMRC_ROOT=/ MEMRC_PROJECT=/; fi
	trust_file
	FILE=$(install_jq 'host_file($scope; $project)' -r --arg scope "$SCOPE" --arg project "$MEMRC_PROJECT") || exit
	# A link into somebody's collection of dotfiles stays one: what is written is the file it leads to.
	links=''
	while [ -L "$FILE" ]; do
		links=$links.
		[ ${#links} -le 40 ] || die 74 "$FILE: symbolic links that lead nowhere: put the file itself there"
		link=$(readlink "$FILE")
		case $link in
		/*) FILE=$link ;;
		*) FILE=${FILE%/*}/$link ;;
		esac
	done
	commit_target "$FILE"
	lane_name "$FILE" || die 69 'no sha256sum, shasum or openssl: install one of them'
	RECORD=${TRUST_FILE%/*}/install/$NAME.json BEFORE=${TRUST_FILE%/*}/install/$NAME.before
	temp_dir
	WORK=$tmp
	_install_read "$FILE" now
	_install_parsed now >"$WORK/doc" ||
		die 65 "$FILE: is no JSON object: correct it and run this again: it was left as it is"
	printf '{}' >"$WORK/before"
	install_recorded || printf '{}' >"$WORK/record"
	UNTOUCHED=false
	if [ -f "$FILE" ] && [ "$(run_jq -r '.sum // ""' "$WORK/record")" = "$(install_sum "$FILE")" ]; then
		UNTOUCHED=true
		_install_read "$BEFORE" plain
	else
		install_jq '$doc[0] | without($record[0]; $before[0])' -c --slurpfile doc "$WORK/doc" \
			--slurpfile record "$WORK/record" --slurpfile before "$WORK/before" >"$WORK/plan"
		install_splice now plain
	fi
}

# install_recorded - is there a record of this file? Then record and before are what it says.
install_recorded() {
	run_jq -ce 'select(.v == 1 and (.sum | type == "string"))' "$RECORD" 2>/dev/null >"$WORK/record" || return
	[ ! -f "$BEFORE" ] || run_jq -c . "$BEFORE" 2>/dev/null >"$WORK/before" || printf '{}' >"$WORK/before"
}

# install_splice FROM TO - the changes of the plan made in the bytes of FROM; that the result is what the plan
# says is checked, as the text may hold what JSON allows and nobody expects: one name twice
install_splice() {
	run_jq -r '.changes[]' "$WORK/plan" >"$WORK/changes"
	{ cat -- "$WORK/$1" && printf '.\n'; } | awk -f "$MEMRC_HOME/bin/lib/awk/splice.awk" "$WORK/changes" - >"$WORK/$2" &&
		run_jq -en --slurpfile made "$WORK/$2" --slurpfile plan "$WORK/plan" '$made[0] == $plan[0].doc' >/dev/null 2>&1 ||
		die 65 "$FILE: can't be changed safely, is a name in it twice? Correct it and run this again: it was left as it is"
}

# install_write - what is in WORK/new becomes the file; nobody ever sees half of it
install_write() {
	commit_open "$FILE"
	{ cat -- "$WORK/new" >"$COMMIT_TMP"; } 2>/dev/null || commit_fail "$FILE"
	commit_close "$FILE"
}

# _install_read FILE NAME - WORK/NAME: the bytes of FILE; of one that isn't there, an empty object
_install_read() {
	if [ -f "$1" ]; then
		cat -- "$1" >"$WORK/$2" || die 74 "$1: can't be read: check its permissions"
	else
		printf '{}\n' >"$WORK/$2"
	fi
}

# _install_parsed NAME - exactly one object
_install_parsed() {
	run_jq -ces 'if length == 1 and (.[0] | type) == "object" then .[0] else null end' "$WORK/$1" 2>/dev/null
}

# install_sum FILE - its SHA-256
install_sum() {
	local sum
	sum=$(hash_files "$1")
	sum=${sum#\\}
	printf '%s' "${sum%% *}"
}
