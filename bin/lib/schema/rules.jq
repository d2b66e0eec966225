# rules.jq - what of a text sounds like a standing rule.

# a text with a mark where a period ends no sentence
def abbreviated: reduce ("e.g.", "i.e.", " etc.", " vs.", "z.B.") as $short (.; split($short + " ") | join($short + "\u0001 "));

# a text without these characters at its beginning, or at its end. By no regular expression: jq 1.5 crashes where it is to
# say at which place of a text with Chinese letters one matches.
def unlead($these): if length > 0 and (.[0:1] | inside($these)) then .[1:] | unlead($these) else . end;
def untrail($these): if length > 0 and (.[-1:] | inside($these)) then .[:-1] | untrail($these) else . end;

# the sentences of a text; no regular expression, which would have to look behind itself
def sentences: [abbreviated | split("\n")[] | split("。")[] | split("；")[] | split("！")[] | split(". ")[] | split("; ")[] | split("! ")[]
	| (split("? ") | (.[:-1][] + "?"), .[-1] | strings) | select(length <= 400) | unlead(" \t>*-") | untrail(" \t\r")
	| split("\u0001") | join("") | select(. != "")];

# does a sentence sound like a standing rule? Too many are caught rather than too few: they are shown as unconfirmed.
def ruleish: (test("[?？]$") | not) and length >= 6 and test(
	"\\b(always|never|don['’]?t|do not|must|mustn['’]?t|shall|shouldn['’]?t|should not|cannot|may not|from now on|make sure|avoid|refrain|no more|no longer|without asking|ask me|ask first|ask before|remember|keep in mind|forbidden|not allowed|off limits|hands off|leave .{1,60} alone|instead of|rather than|prefer|only (use|touch|change|edit|write|run|with|in|when|after)|use only|stop [a-z]+ing|until i say|unless i|is frozen|read[- ]only|not [0-9]+|(use|prefer) .{1,60}, not .+)\\b"
	+ "|^(please |and |also |but )*(only|no|not|stop|leave|keep) "
	+ "|\\b(nie|niemals|immer|nicht|kein[e]?|muss|darfst|bitte nur|ab jetzt|nunca|siempre|debes|jamais|toujours|ne pas|il faut)\\b"
	# to jaq a letter outside ASCII begins no word
	+ "|никогда|Никогда|всегда|Всегда|нельзя|Нельзя|не трогай|Не трогай"
	+ "|不要|不准|不许|不能|不得|别|禁止|严禁|切勿|必须|务必|总是|始终|永远|只能|只准|记住|以后|一律|ないで(ください|下さい)|しないで|ないこと|禁止|必ず|絶対に|절대|항상|지 마"; "i");
