# shellcheck shell=sh
# code.sh - code that a root brings, as memrc allow and deny name it. Needs record.sh, patch.sh and trust.sh.

# code_of PATH|ID|done_when - CODE: the line of the trust file for a part of the root, or the command of the check of a
# record or of the end of the task in hand
code_of() {
	local sum text here
	here=$PWD
	writer_begin
	case $1 in
	[df]-????*)
		patch_find "$1"
		text=$(run_jq -nr --arg id "$PATCH_ID" --rawfile records "$PATCH_FILE" 'include "jsonl";
			$records | folded | .rows[] | select(.id == $id) | .check | strings') || die 74 "$PATCH_FILE: can't be read: memrc validate"
		_code_command "$1"
		;;
	done_when)
		[ -f "$LANE" ] || LANE=/dev/null
		text=$(run_jq -nr --rawfile task "$LANE" 'include "jsonl"; $task | document | .value | objects | .done_when | strings') ||
			die 74 "$LANE: can't be read: memrc validate"
		_code_command "$1"
		;;
	*)
		# Named as it is from where the caller stands, and listed so that it says the same from everywhere.
		case $1 in /*) text=$1 ;; *) text=$here/$1 ;; esac
		[ -f "$text" ] || die 65 "$1: no such file"
		sum=$(hash_files "$text") || die 69 'no program for SHA-256: install coreutils, perl or openssl'
		;;
	esac
	sum=${sum#\\}
	CODE="code ${sum%% *} $text"
}

# _code_command NAME - sum: of the command in text, which is the check of NAME
_code_command() {
	case $text in cmd:*) ;; *) die 65 "$1: has no cmd: check" ;; esac
	sum=$(printf '%s' "${text#cmd:}" | hash_files -) || die 69 'no program for SHA-256: install coreutils, perl or openssl'
}
