# shellcheck shell=sh
# seal.sh - byte copies of the shared files as memrc's own writers left them, in state/.seal/. What differs
# from its copy was changed by somebody else. Needs base.sh; the writing functions commit.sh, and the lock.

# seal_of FILE - SEAL: where the copy of a sealed file lies, empty for any other
seal_of() {
	SEAL=''
	case $1 in
	"$MEMRC_ROOT"/state/identity.md | "$MEMRC_ROOT"/state/constraints.md | \
		"$MEMRC_ROOT"/state/decisions.jsonl | "$MEMRC_ROOT"/state/facts.jsonl)
		SEAL=$MEMRC_ROOT/state/.seal/${1##*/}
		;;
	esac
}

# seal_prepare FILE NEW - before NEW becomes FILE: SEAL.next is the copy as it will be. If another hand was at
# FILE, the same change is made to the copy, so that what that hand did stays visible.
seal_prepare() {
	seal_of "$1"
	[ -n "$SEAL" ] || return 0
	_seal_directory
	if [ -n "${SEAL_WHOLE:-}" ] || [ ! -f "$SEAL" ] || cmp -s -- "$1" "$SEAL"; then
		cp -- "$2" "$SEAL.next"
	elif ! into "$SEAL.next" awk -f "$MEMRC_HOME/bin/lib/awk/seal.awk" "$1" "$2" "$SEAL"; then
		# Where both hands were at one line the copy stays: that shows too much, never too little.
		cp -- "$SEAL" "$SEAL.next"
	fi || die 74 "$SEAL: can't be written: check permissions and space: nothing was changed"
}

# seal_finish - what seal_prepare made is the copy now
seal_finish() {
	[ -z "$SEAL" ] || mv -f -- "$SEAL.next" "$SEAL" || die 74 "$SEAL: can't be written: check its permissions"
}

# seal_append FILE LINE - FILE got LINE at its end
seal_append() {
	seal_of "$1"
	[ -n "$SEAL" ] || return 0
	_seal_directory
	if [ -f "$SEAL" ]; then
		{ append_whole "$SEAL" || printf '\n' >>"$SEAL"; } && printf '%s\n' "$2" >>"$SEAL"
	else
		cp -- "$1" "$SEAL.next" && mv -f -- "$SEAL.next" "$SEAL"
	fi 2>/dev/null || die 74 "$SEAL: can't be written: check permissions and space: the record itself was added"
}

# seal_drop FILE LINE - the constraint that begins in that line of FILE's copy goes out of the copy
seal_drop() {
	seal_of "$1"
	into "$SEAL.next" awk -v line="$2" -v part=others -f "$MEMRC_HOME/bin/lib/awk/retire.awk" "$SEAL" && mv -f -- "$SEAL.next" "$SEAL" ||
		die 74 "$SEAL: can't be written: check its permissions"
}

# seal_settle - a writer was killed between file and copy: the copy is what fits the file
seal_settle() {
	local next file
	for next in "$MEMRC_ROOT"/state/.seal/*.next; do
		[ -f "$next" ] || continue
		file=${next##*/}
		if cmp -s -- "$MEMRC_ROOT/state/${file%.next}" "$next"; then
			mv -f -- "$next" "${next%.next}"
		else
			rm -f -- "$next"
		fi
	done
}

# seal_still DIR SECONDS NAME… - DIR/now and DIR/was get the sealed files and their copies as they are between two writes, so
# that what a writer is about to seal isn't taken for another hand's. A writer is waited for so long at most; one that takes
# longer may be taken for another hand. A part calls it, without the lock, and writes nothing here.
seal_still() {
	local dir file copy
	dir=$1
	mkdir -p -- "$dir/now" "$dir/was" || return
	# The files may be larger than what a part may print.
	# shellcheck disable=SC3045 # -S: in every shell of tests/matrix
	ulimit -S -f unlimited 2>/dev/null || :
	. "$MEMRC_HOME/bin/lib/lock.sh"
	lock_look "$2"
	shift 2
	for file; do
		copy=$MEMRC_ROOT/state/.seal/$file
		cp -- "$copy" "$dir/was/$file" && cp -- "$MEMRC_ROOT/state/$file" "$dir/now/$file" || return
		# A writer that was killed has put the file there and its copy not yet.
		! cmp -s -- "$copy.next" "$dir/now/$file" || cp -f -- "$dir/now/$file" "$dir/was/$file" || return
	done 2>/dev/null
	exec 9<&-
}

# seal_changes NAME - prints what another hand did to a sealed file: NAME: was|now|added, tab, the line
seal_changes() {
	local file
	file=$MEMRC_ROOT/state/$1
	[ -f "$MEMRC_ROOT/state/.seal/$1" ] || return 0
	[ -f "$file" ] || file=/dev/null
	! cmp -s -- "$file" "$MEMRC_ROOT/state/.seal/$1" || return 0
	awk -f "$MEMRC_HOME/bin/lib/awk/changes.awk" "$file" "$MEMRC_ROOT/state/.seal/$1" | sed "s/^/$1: /"
}

# seal_all - the files as they are now are what is sealed
seal_all() {
	seal_files identity.md constraints.md decisions.jsonl facts.jsonl
}

# seal_files NAME… - the same of these
seal_files() {
	local file
	_seal_directory
	for file; do
		if [ -f "$MEMRC_ROOT/state/$file" ]; then
			cp -- "$MEMRC_ROOT/state/$file" "$MEMRC_ROOT/state/.seal/$file.next" &&
				mv -f -- "$MEMRC_ROOT/state/.seal/$file.next" "$MEMRC_ROOT/state/.seal/$file"
		else
			rm -f -- "$MEMRC_ROOT/state/.seal/$file"
		fi || die 74 "$MEMRC_ROOT/state/.seal: can't be written: check its permissions"
	done
	printf '%s\n' "$(git -C "$MEMRC_ROOT" rev-parse -q --verify HEAD 2>/dev/null)" >"$MEMRC_ROOT/state/.seal/commit"
}

# seal_by NAME - SEAL_BY: who may have changed a sealed file without a conflict, empty for nobody: git, where the
# file is what HEAD has, and the commit noted in the seal had another; or anyone while no session was under way
seal_by() {
	local blob
	SEAL_BY=''
	case $MEMRC_RUNLEVEL in
	compact | resume | subagent) ;;
	*) SEAL_BY='changed since it was sealed' ;;
	esac
	_seal_noted
	if [ -e "$MEMRC_ROOT/state/$1" ]; then
		[ -n "$SEAL_NOTED" ] && blob=$(_seal_blob HEAD "$1") || return 0
		[ "$blob" = "$(git hash-object --no-filters -- "$MEMRC_ROOT/state/$1" 2>/dev/null)" ] || return 0
		# A hand that takes out what was never committed leaves HEAD's bytes, too.
		[ "$blob" != "$(_seal_blob "$SEAL_NOTED" "$1")" ] || return 0
	else
		seal_git "$1" '' || return 0
	fi
	SEAL_BY="changed by git${SEAL_NOTED:+ ${SEAL_NOTED%"${SEAL_NOTED#???????}"}..$MEMRC_COMMIT}"
}

# seal_git NAME LINE - did git take the line away (an empty one: the file)? HEAD doesn't have it, and a commit that
# HEAD was at lately, or at the last sealing, or a branch or a stash has. Not asked before something is amiss.
seal_git() (
	cd -- "$MEMRC_ROOT" || return
	_seal_noted
	# A restore asks no network, in a partial clone neither.
	export GIT_NO_LAZY_FETCH=1
	_seal_committed "$1" "$2" HEAD && return 1
	# shellcheck disable=SC2046,SC2086 # a hash each
	set -- "$1" "$2" $(git rev-list -g -n 50 HEAD 2>/dev/null) $(git rev-list -g -n 20 refs/stash 2>/dev/null) $(_seal_autostash) \
		$(git for-each-ref --count=50 --sort=-committerdate --format='%(objectname)' refs/heads refs/remotes 2>/dev/null) $SEAL_NOTED
	[ $# -gt 2 ] && _seal_committed "$@"
)

# _seal_noted - SEAL_NOTED: the commit that HEAD was at the last sealing, empty if nobody knows
_seal_noted() {
	SEAL_NOTED=''
	IFS= read -r SEAL_NOTED 2>/dev/null <"$MEMRC_ROOT/state/.seal/commit" || :
	case $SEAL_NOTED in *[!0-9a-f]*) SEAL_NOTED='' ;; esac
}

# _seal_blob COMMIT NAME - prints the hash of a sealed file in that commit
_seal_blob() {
	(cd -- "$MEMRC_ROOT" && GIT_NO_LAZY_FETCH=1 git rev-parse -q --verify "$1:./state/$2" 2>/dev/null)
}

# _seal_autostash - prints what a rebase or a merge that isn't finished has stashed
_seal_autostash() {
	local git
	git=$(git rev-parse --git-dir 2>/dev/null) || return 0
	cat -- "$git"/rebase-merge/autostash "$git"/rebase-apply/autostash "$git"/MERGE_AUTOSTASH 2>/dev/null || :
}

# _seal_committed NAME LINE COMMIT… - does one of the commits have the line in that file? By no command whose answer a
# setting of git's changes.
_seal_committed() {
	local name line
	name=$1 line=$2
	shift 2
	printf "%s:./state/$name\n" "$@" | git cat-file --batch 2>/dev/null |
		if [ -n "$line" ]; then grep -qxF -e "$line"; else grep -q ' blob [0-9]*$'; fi
}

# seal_gone NAME - is a sealed file gone, and not because git went to a commit that doesn't have it?
seal_gone() {
	[ -f "$MEMRC_ROOT/state/.seal/$1" ] && [ ! -e "$MEMRC_ROOT/state/$1" ] && [ ! -L "$MEMRC_ROOT/state/$1" ] || return 1
	! seal_git "$1" ''
}

_seal_directory() {
	[ -d "$MEMRC_ROOT/state/.seal" ] || mkdir -- "$MEMRC_ROOT/state/.seal" ||
		die 74 "$MEMRC_ROOT/state/.seal: can't be made: check the permissions of ${MEMRC_ROOT}/state"
}
