# shellcheck shell=sh
# options.sh - one way to read a command line. Needs base.sh, text.sh and redact.sh.

# options ARG… - calls `main FIELD TEXT …`, in the order given. Fields stand in OPTIONS: ` name=field ` for an option that
# takes a text, once, as a second one would be lost, ` name+field ` for one that takes a text each time it is given, and
# ` name!field ` for one that takes none, ` name?field ` for one that takes a text once, and whose field an empty text
# clears: any other empty text is a variable that wasn't set, and refused; what is no option is field TEXT_FIELD, and is given at most TEXTS times.
# Texts are checked and without secrets, unless TEXT_RAW is set.
# --root, --session and --wait are understood by all; also --name=TEXT, and -- before texts that begin with -.
options() {
	local left name text once
	home_find "$0"
	: "${TEXTS:=1}"
	left=$# once=' '
	OPTIONS=" $OPTIONS root= session= wait= "
	while [ "$left" -gt 0 ]; do
		case $1 in
		--)
			shift
			left=$((left - 1))
			while [ "$left" -gt 0 ]; do
				text=$1
				shift
				left=$((left - 1))
				_option_text "$text"
				set -- "$@" "$TEXT_FIELD" "$text"
			done
			break
			;;
		-h | --help) help ;;
		--*=*)
			name=${1%%=*}
			text=${1#*=}
			shift
			set -- "$name" "$text" "$@"
			left=$((left + 1))
			continue
			;;
		-?*)
			name=${1#-}
			name=${name#-}
			case $OPTIONS in
			*" $name!"*)
				shift
				left=$((left - 1))
				name=${OPTIONS#*" $name!"}
				set -- "$@" "${name%% *}" 1
				continue
				;;
			*" $name="* | *" $name?"*)
				case $once in *" $name "*) usage_error "$1: given twice: it takes one text" ;; esac
				once="$once$name "
				;;
			*" $name+"*) ;;
			*)
				[ "$TEXTS" -eq 0 ] || usage_error "$1: not an option: a text that begins with - comes behind --"
				usage_error "$1: not an option"
				;;
			esac
			[ "$left" -ge 2 ] || usage_error "$1: needs a value"
			text=$2
			shift 2
			left=$((left - 2))
			_option_size "$text"
			case $name in
			root) MEMRC_ROOT=$text ;;
			session) MEMRC_SESSION=$text ;;
			wait) LOCK_WAIT=$text ;;
			*)
				case $OPTIONS in *" $name?"*) ;; *) _option_need "--$name" "$text" ;; esac
				name=${OPTIONS#*" $name"[=+?]}
				set -- "$@" "${name%% *}" "$text"
				;;
			esac
			;;
		*)
			text=$1
			shift
			left=$((left - 1))
			_option_text "$text"
			set -- "$@" "$TEXT_FIELD" "$text"
			;;
		esac
	done
	[ -n "${TEXT_RAW:-}" ] || text_need "$*"
	left=$#
	[ -z "${TEXT_RAW:-}" ] || left=0
	while [ "$left" -gt 0 ]; do
		redact "$2"
		set -- "$@" "$1" "$REDACTED"
		shift 2
		left=$((left - 2))
	done
	main "$@"
}

# _option_size TEXT - no text of a record is longer than 4 KiB
_option_size() {
	[ ${#1} -le 4096 ] || die 65 "a text of ${#1} bytes: at most 4096 can be kept: shorten it, or keep it as evidence: memrc log --evidence FILE"
}

# _option_need NAME TEXT - dies where there is nothing but blanks in it
_option_need() {
	case $2 in *[!"$TAB$NL "]*) ;; *) die 65 "${1:+$1: }the text is empty: give one, or leave it out" ;; esac
}

# _option_text TEXT - one that is no option's
_option_text() {
	TEXTS=$((TEXTS - 1))
	[ "$TEXTS" -ge 0 ] || usage_error "$1: one text too many, quote it if it is part of the one before"
	[ -n "${TEXT_RAW:-}" ] || _option_need '' "$1"
	_option_size "$1"
}
