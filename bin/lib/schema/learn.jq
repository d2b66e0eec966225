# learn.jq - what `memrc learn` proposes of what was said and run in past sessions. Fewer rather than too many: who is
# asked ten times about nothing stops reading. For sentences, as in rules.jq.

# what a person or an agent said in their own words: without fenced code, quotations and lines of a diff
def own: split("```") | to_entries | map(select(.key % 2 == 0) | .value) | join("\n")
	| split("\n") | map(select(test("^[ \t]*[>+]") | not)) | join("\n");

# words that often begin a sentence, before what it says
def lead: "^[ \t]*((and|also|but|so|ok|okay|please|pls|note|remember|important|attention|rules?|convention|policy|btw|bitte|que|请|另外|注意|记住)[ ,:!，：*-]+)*";
# it speaks of the moment: of one edit, one answer, one session, of what somebody thinks or asks, or of what happens
def passing: "\\b(yet|for now|right now|just now|at the moment|this time|again|today|anymore|until (then|i)|anything else|the rest)\\b"
	+ "|\\bthis (whole |entire )?(session|conversation|chat|message|answer|reply|turn|one|line|edit|change|step|plan)\\b|\\b(here|there)[ .,!]*$"
	+ "|\\bi (think|guess|suppose|believe|don['’]?t|didn['’]?t|never|always|cannot|can['’]?t)\\b|\\b(that|this|it) (should|must) (never|always|not)\\b"
	+ "|\\b(why|doesn['’]?t|didn['’]?t|don['’]?t (worry|bother|forget|know|think|understand|see|get|stop|wait))\\b|\\bjust (explain|tell|show|answer|give|say|list|plan)\\b"
	+ "|\\bnever ?mind\\b|\\bnever (works?|worked|happen(s|ed)|seen|saw|heard|got|had|been|was|finish(es|ed)|ends?|returns?)\\b"
	+ "|\\balways (gets?|getting|sees?|seeing|fail|shows?|showing|returns?|crash|been|was|is|has|had|the same)|(error|exception|warning|fatal|assert[a-z]*) ?:"
	+ "|现在|这次|暂时|先不|今天|目前|为什么|怎么|[吗呢]";
# what an order is about that may stand
def acts: "(touch|edit|change|modify|alter|use|add|remove|delete|drop|commit|push|write|create|make|install|run|break|rename|introduce|import|call|mock|skip|hard-?code|put|store|save|log|print|deploy|publish|release|merge|force|rewrite|refactor|move|reformat|upgrade|expose|depend)";

# of what is ruleish in rules.jq: is it an order to be kept as long as nobody takes it back?
def standing: (if utf8bytelength > length then length >= 6 else length >= 12 end)
	and (test("([?？…]|\\.\\.\\.)[ \t\"')]*$") | not) and (test(passing; "i") | not)
	and (test(lead + "(always|never|from now on|under no circumstances|(you )?must (not|never|always)|you must " + acts + "|(you )?mustn['’]?t|you (may|shall) (not|only|never)|hands off|without asking|ask (me )?(first|before))\\b"; "i")
		or test(lead + "(do not|don['’]?t) (you )?(ever |even )?" + acts + "\\b"; "i") and (test(acts + " (it|that|this|them)[ .,!]*$"; "i") | not)
		or test(lead + "(use|prefer|write) .{2,80}(, (not|never) | instead of | rather than | over )"; "i")
		or test(lead + "only (use|write|commit|push|run|merge|deploy)\\b"; "i") and (test("only [a-z]+ (the|this|that|it|one|[0-9]+)\\b"; "i") | not)
		or test("^no (new |more |external |third-party )?[a-z][a-z.-]+( [a-z][a-z.-]+){0,5}[.!]*$"; "i")
			and (test("^no (idea|problem|worries|need|clue|way|rush|longer|thanks|change|changes|one|such|more|matter|i|it|the|that|this|you|we|not|is|just|only|please)\\b|\\b(needed|necessary|required|found|available|errors?|output|response|luck|difference)[.!]*$"; "i") | not)
		or test("\\b(must|should|shall|may) (never|always)\\b|\\bmust not\\b|\\b(is|are) (off limits|forbidden|not allowed|frozen|read-only)\\b|\\bwithout asking\\b|\\bask (me )?(first|before)\\b|\\bunless i (say|ask|tell)\\b|\\bfrom now on\\b"; "i")
		or test(lead + "(nie|niemals|immer|jamais|toujours|nunca|siempre)\\b"; "i")
		or test(lead + "(никогда|всегда|нельзя|不要|不准|不许|不得|禁止|严禁|切勿|必须|务必|永远|一律|总是|只能|只准|以后|绝不|绝对不|别[动改用碰删提加])|绝不能|严禁|禁止|必须|务必|一律|ないでください|必ず|절대|하지 마"));

# how an agent works, and not what it makes
def by_hand: "\\b(use|using|with|run|try) (the |a |an |this )?(bash|sed|grep|rg|awk|perl|cat|find|git|heredoc|debugger|opportunity|(edit|write|read|bash|task|search|glob) tool|(small |simple |short |quick )?(python )?script|sub-?agents?|todo|web ?search|different|simpler|another|absolute|relative)\\b"
	+ "|\\bdecided (to|against) (first |just |now )?(check|look|read|run|runn|try|start|search|test|verify|investigate|skip|wait|ask|see|debug|inspect|examine|continue|proceed|revert|explore|review)"
	+ "|\\bkeep (it|this|that|going|looking|in mind|you|track|trying|digging)\\b|\\bswitch to (the )?\\S+ (branch|directory|folder|mode)\\b";

# may a text hold a decision? Most hold none, and this is cheap.
def cued: test("deci(ded|sion)|chose|opted|settled|agreed|([’']ll|will|let[’']s|going to) (use|keep|store|go with|stick|stay|switch|adopt)|going with|sticking|决定|决策|选择|改用|采用"; "i");
# a sentence of the agent that states a decision → {decision, reason, rejected}; else nothing
def decided: . as $said
	| ([capture("\\b(because|since|so that|in order to|to avoid) (?<is>.{4,})$"; "i"), capture("(因为|由于)(?<is>[^，。；]{2,})")] | .[0].is // "") as $reason
	| ([capture("\\b(instead of|rather than|over|and not) (?<is>.{2,}?)( because| since| so that| to avoid|[,;:.]? *$|, )"; "i"), capture("(而不是|不用)(?<is>[^，。；]{1,})")] | .[0].is // "") as $rejected
	| select(length >= 8 and length <= 400 and (test("([?？:：…]|\\.\\.\\.)[ \t]*$|^(if|when|once|should|would|could|maybe|perhaps)\\b|\\b(or should|would you|do you|you could|we could|i could|alternatively)\\b"; "i") | not))
	| select(split("`") | join("") | test(by_hand; "i") | not)
	| select(test("^[*_ ]*(decision|decided|决定|决策)[*_ ]*[:：][*_ ]*\\S"; "i")
		or test("\\b(i|we)(['’]ve| have)? (decided|chose|opted|settled|agreed) (to|on|for|against|not|that)\\b"; "i")
		or ($reason + $rejected != "" and (test("\\b(i['’]ll|i will|we['’]ll|we will|let['’]s|i['’]m going to|we['’]re going to) (use|keep|store|go with|stick with|stay with|switch to|adopt)\\b|^(going|sticking) with\\b"; "i")
			or test("\\b(i|we) chose\\b"; "i")))
		or test("^(我|我们|最终|因此|所以|于是)?[，, ]*(决定|选择|改用|采用)") and $reason + $rejected != "")
	| {decision: ($said | sub("^[*_ ]*(decision|decided|决定|决策)[*_ ]*[:：][*_ ]*"; ""; "i")), reason: ($reason | sub("[.!]$"; "")), rejected: ($rejected | sub("^ +"; "") | sub("[.!]$"; ""))};

# what a whole command line is: `test`, `lint` or null. Not a run of a single test, nor several commands at once.
def check_kind: if length > 120 or (test("test|spec|tox|nox|bats|mocha|lint|check|ruff|mypy|flake8|tsc|clippy|credo|dialyzer|rubocop|phpstan|phpunit|biome") | not) or test("[\n;&|<>`$]")
		or (test("^((ba|z|da)?sh|python[0-9.]*|node|ruby) [^ ]+$") | not) and test(" [^ -][^ ]*(::|\\.[a-z]{1,4}(:[0-9]+)?( |$))| (-k|-t|-run|--grep|-g|--filter|--only|--failed|--help|--version|--watch)( |=|$)") then null
	elif test("(^|[ /])(py\\.?test|tox|nox|bats|jest|vitest|mocha|rspec|phpunit|ctest|unittest)( |$)")
		or test("^(npm|pnpm|yarn|bun|go|cargo|make|mvn|gradle|\\./gradlew|dotnet|deno|mix|swift|zig|bazel|just|task|rake|uv|poetry|composer) (run |run-script |exec )?[a-z:-]*test[a-z:-]*( |$)")
		or test("^((ba|z|da)?sh |python[0-9.]* |node |ruby )?([^ ]*/)?[^ /]*(test|spec)[^ /]*( |$)") then "test"
	elif test("(^|[ /])(ruff( check)?|mypy|flake8|pylint|eslint|shellcheck|tsc|clippy|credo|dialyzer|rubocop|golangci-lint|phpstan|biome)( |$)")
		or test("^(npm|pnpm|yarn|bun|cargo|make|mvn|gradle|\\./gradlew|just|task|rake|uv|poetry|composer|deno) (run |run-script |exec )?[a-z:-]*(lint|check)[a-z:-]*( |$)")
		or test("^((ba|z|da)?sh |python[0-9.]* |node )?([^ ]*/)?[^ /]*( )?lint[^ /]*( |$)") then "lint"
	else null end;
