# shellcheck shell=sh
# patch.sh - changing a decision or a fact: a line more, never a line less. Needs record.sh.

# patch_find ID - PATCH_ID, PATCH_FILE, PATCH_REV and PATCH_STATUS of the one record that ID is short for, or it dies;
# PATCH_CHECKED: its check, and what checks_run takes of it
patch_find() {
	local found
	case $1 in
	d-????*) PATCH_FILE=$MEMRC_ROOT/state/decisions.jsonl ;;
	f-????*) PATCH_FILE=$MEMRC_ROOT/state/facts.jsonl ;;
	c-????*) die 65 "$1: is a constraint: memrc retire $1 --because REASON" ;;
	s-????*) die 65 "$1: is a failure or a step of a task: take its line out: memrc edit tasks/TASK.jsonl" ;;
	*) die 65 "$1: is no id of a decision or a fact, such as d-3fa9: memrc recall shows what there is" ;;
	esac
	commit_target "$PATCH_FILE"
	[ -f "$PATCH_FILE" ] || patch_none "$1"
	found=$(run_jq -nr --arg id "$1" --rawfile records "$PATCH_FILE" 'include "jsonl"; include "checks";
		$records | folded | .rows | map(select(.id | startswith($id)))
		| if length > 1 then "more \(map(.id) | join(" "))" else .[]
			| "\(.id) \((.rev | numbers | floor) // 1) \(if .undecided then "UNDECIDED" else .status // "ACTIVE" end)",
				(select(.check > "" and .check < []) | (.check | split("\n") | join(" ")), ([.] | check_lines(null))) end') || die 74 "$PATCH_FILE: can't be read: memrc validate"
	PATCH_CHECKED=''
	case $found in
	'') patch_none "$1" ;;
	'more '*) die 65 "$1: is short for more than one: ${found#more }" ;;
	*"$NL"*) PATCH_CHECKED=${found#*"$NL"} found=${found%%"$NL"*} ;;
	esac
	PATCH_ID=${found%% *} PATCH_REV=${found#* }
	PATCH_STATUS=${PATCH_REV#* } PATCH_REV=${PATCH_REV%% *}
}

# patch_none ID - dies: PATCH_FILE has no such record; memrc archive may have moved it away
patch_none() {
	local store
	store=${PATCH_FILE%.jsonl}.archive.jsonl
	[ ! -f "$store" ] || ! grep -qF -e "\"id\":\"$1" -e "\"id\": \"$1" -- "$store" ||
		die 65 "$1: is archived, out of force: record what holds now, with memrc decide or memrc fact"
	die 65 "$1: no such record: memrc recall shows what there is"
}

# patch_in_force ID - dies unless the record that patch_find found is in force
patch_in_force() {
	case $PATCH_STATUS in
	SUPERSEDED | INVALID) die 65 "$1: is $PATCH_STATUS: record what holds now, with memrc decide or memrc fact" ;;
	esac
}

# patch_write FIELD TEXT … - adds the change to the record that patch_find found; an empty text is none. Under the lock.
# Of what is in force then the check is looked at, the one it had where none is given.
patch_write() {
	local lines left check status filter
	left=$# check='' status='' filter=''
	while [ "$left" -gt 0 ]; do
		case $1 in
		check) check=$2 ;;
		status) status=$2 ;;
		esac
		[ -z "$2" ] || set -- "$@" "$1" "$2"
		shift 2
		left=$((left - 2))
	done
	check_need --check "$check"
	[ -z "$check" ] || filter=".check |= check_needed(\"${0##*/}: --check\") | tojson, ([.] | check_lines(null))"
	lines=$(run_jq -nr --arg now "${MEMRC_NOW:-}" "include \"record\"; include \"patch\"; ${check:+include \"checked\"; include \"checks\";}
		\$ARGS.positional | record(patch_shape; \$now) | ${filter:-tojson}" --args -- v 1 id "$PATCH_ID" rev "$((PATCH_REV + 1))" \
		session "$MEMRC_SESSION" commit "$MEMRC_COMMIT" "$@") || jq_refused $?
	append "$PATCH_FILE" "${lines%%"$NL"*}"
	if [ -z "$check" ] && [ "$status" = ACTIVE ]; then
		check=${PATCH_CHECKED%%"$NL"*} lines=$PATCH_CHECKED
	fi
	record_checked "$PATCH_ID" "$check" "$lines"
}

# patch_main FIELD TEXT … - ID in field `id`; the rest is checked as what a person or an agent wrote, and
# becomes the change. A user's answer makes it the user's. What is out of force stays so, unless PATCH_ANY is set.
patch_main() {
	local left id by
	id='' by=agent
	left=$#
	while [ "$left" -gt 0 ]; do
		case $1 in
		id) id=$2 ;;
		*) set -- "$@" "$1" "$2" ;;
		esac
		[ "$1" != answer ] || by=user
		shift 2
		left=$((left - 2))
	done
	[ -n "$id" ] || usage_error 'ID is missing'
	writer_begin
	git_head
	lock_take
	patch_find "$id"
	[ -n "${PATCH_ANY:-}" ] || patch_in_force "$id"
	patch_write by "$by" "$@"
	printf '%s\n' "$PATCH_ID"
}
