# learn.jq - what `memrc learn` proposes of what was said and run in past sessions. Fewer rather than too many: who is
# asked ten times about nothing stops reading. For sentences, as in rules.jq.
include "rules";

# a line with fences in it: does it begin or end a block of code? One in the middle is only spoken of.
def turns($fence): (split($fence) | length) % 2 == 0 and test("^[ \t>]*" + $fence + "|" + $fence + "[a-z]*[ \t\r]*$");
# is a line code, a quotation, of a diff, of a terminal, or JSON?
def foreign: test("^[ \t]*([>+]|[$] |[{\\[]+[ \t]*[\"{\\[]|\"[^\"]*\"[ \t]*:)") or test("^(    | ? ? ?\t)[ \t]*[^ \t*0-9-]");
# a line in which no sentence ends between two quotation marks, as `sentences` has it
def quoting: split("\"") | to_entries
	| map(if .key % 2 == 1 then reduce (". ", "; ", "! ", "? ") as $stop (.value; split($stop) | join($stop[0:1] + "\u0001 ")) else .value end) | join("\"");
# what a person or an agent said in their own words: without blocks of code, what is `foreign`, and inline code in three ticks
def own: [foreach split("\n")[] as $line ({fence: ""};
		.fence as $open | .shown = "" | if $open != "" then (if $line | turns($open) then .fence = "" else . end)
		elif $line | turns("```") then .fence = "```" | .shown = ($line | split("```") | .[0])
		elif $line | turns("~~~") then .fence = "~~~"
		else .shown = ($line | split("```") | if length % 2 == 0 then join("```") else to_entries | map(select(.key % 2 == 0) | .value) | join(" ") end) end;
		.shown | select(foreign | not) | quoting)] | join("\n");
# at most 200 sentences of it, the first and the last
def own_sentences: own | sentences | .[0:100] + .[100:][-100:];

# words that often begin a sentence, before what it says
def lead: "^[ \t]*((and|also|but|so|ok|okay|please|pls|note|remember|important|attention|rules?|convention|policy|btw|bitte|que)[ ,:!，：*-]+|no[,:!]+ *|(请|另外|注意|记住)[ ,:!，：*-]*)*";
# it speaks of the moment: of one edit, one answer, one session, of what somebody thinks or asks, or of what happens
def passing: "\\b(yet|for now|right now|just now|at the moment|this time|again|today|anymore|until (then|i)|anything else|the rest)\\b"
	+ "|\\bthis (whole |entire )?(session|conversation|chat|message|answer|reply|turn|one|line|edit|change|step|plan)\\b"
	+ "|\\bi (think|guess|suppose|believe|don['’]?t|didn['’]?t|never|always|cannot|can['’]?t)\\b|\\b(that|this|it) (should|must) (never|always|not)\\b"
	+ "|\\b(why|doesn['’]?t|didn['’]?t|don['’]?t (worry|bother|forget|know|think|understand|see|get|stop|wait))\\b|\\bjust (explain|tell|show|answer|give|say|list|plan)\\b"
	+ "|\\bnever ?mind\\b|\\bnever (works?|worked|happen(s|ed)|seen|saw|heard|got|had|been|was|finish(es|ed)|ends?|returns?)\\b"
	+ "|\\balways (gets?|getting|sees?|seeing|fail|shows?|showing|returns?|crash|been|was|is|has|had|the same)|(error|exception|warning|fatal|assert[a-z]*) ?:"
	+ "|现在|这次|暂时|先不|今天|目前|为什么|怎么|[吗呢]";
# somebody else says it, it is to go, or it is asked of what is made
def reported: "\\b(says|claims|states|complains|according to)\\b|\\b(tool|it|he|she|they|bot|agent|model|readme|docs?|documentation|linter|compiler|error|message|output|log|you) (said|told|wrote|printed|prints|reads|suggested)\\b"
	+ "|\\b(remove|delete|drop|change|fix|rephrase|reword|rewrite) (the|this|that|your|any) [a-z ]{0,20}(rule|line|sentence|constraint|note|comment|paragraph)s?\\b"
	+ "|\\b(users?|customers?|visitors?|players?) (must|should|shall|may|can) (never|not|always)\\b";
# what an order is about that may stand
def acts: "(touch|edit|change|modify|alter|use|add|remove|delete|drop|commit|push|write|create|make|install|run|break|rename|introduce|import|call|mock|skip|hard-?code|put|store|save|log|print|deploy|publish|release|merge|force|rewrite|refactor|move|reformat|upgrade|expose|depend)";

# of what is ruleish in rules.jq: is it an order to be kept as long as nobody takes it back?
def standing: (length >= if test("[^ -~]") then 6 else 12 end)
	and ((split("\"") | length) % 2 == 1) and (test(reported; "i") | not)
	and ((test("\\b(here|there)[ .,!]*$"; "i") | not) or test(lead + "(never|always)\\b"; "i"))
	and (test("([?？…]|\\.\\.\\.)[ \t\"')]*$") | not) and (test(passing; "i") | not)
	and (test(lead + "(always|never|from now on|under no circumstances|(you )?must (not|never|always)|you must " + acts + "|(you )?mustn['’]?t|you (may|shall) (not|only|never)|hands off|without asking|ask (me )?(first|before))\\b"; "i")
		or test(lead + "(do not|don['’]?t) (you )?(ever |even )?" + acts + "\\b"; "i") and (test(acts + " (it|that|this|them)[ .,!]*$"; "i") | not)
		or test(lead + "stop (adding|putting|using|writing|committing|pushing|mocking|importing|hard-?coding) .{4,}"; "i") and (test("\\b(it|that|this|them)[ .,!]*$"; "i") | not)
		or test(lead + "(we |you )?(use|prefer|write) .{2,80}(, (not|never) | instead of | rather than | over )"; "i")
		or test(lead + "only (use|write|commit|push|run|merge|deploy)\\b"; "i") and ((test("only [a-z]+ (the|this|that|it|one|[0-9]+)\\b"; "i") | not) or test("only use the [a-z_-]+( (library|module|wrapper|package))?[.!]*$"; "i"))
		or test("^no (new |more |external |third-party )?[a-z][a-z.-]+( [a-z][a-z.-]+){0,5}[.!]*$"; "i")
			and (test("^no (idea|problem|worries|need|clue|way|rush|longer|thanks|change|changes|one|such|more|matter|i|it|the|that|this|you|we|not|is|just|only|please)\\b|\\b(needed|necessary|required|found|available|errors?|output|response|luck|difference)[.!]*$"; "i") | not)
		or test("\\b(must|should|shall|may) (never|always)\\b|\\bmust not\\b|\\b(is|are) (off limits|forbidden|not allowed|frozen|read-only)\\b|\\bwithout asking\\b|\\bask (me )?(first|before)\\b|\\bunless i (say|ask|tell)\\b|\\bfrom now on\\b"; "i")
		or test(lead + "(nie|niemals|immer|jamais|toujours|nunca|siempre|[^ ]+ (nie|niemals|immer)|(ne |n['’])[^ ]+ jamais|no [^ ]+ nunca)\\b"; "i")
		or test(lead + "([Нн]икогда|[Вв]сегда|[Нн]ельзя|不要|不准|不许|不得|禁止|严禁|切勿|必须|务必|永远|一律|总是|始终|只能|只准|以后|绝不|绝对不|别[动改用碰删提加])|绝不能|严禁|禁止|必须|务必|一律|ないで(ください|下さい)|ないこと[ .!！]*$|必ず|절대|지 마|항상 .*(세요|십시오|해라|할 것)"));

# a text without what stands between these two
def without($from; $to): split($from) | .[0] + ([.[1:][] | split($to) | if length > 1 then "_" + (.[1:] | join($to)) else $from + .[0] end] | join(""));
# a sentence without what stands between quotation marks
def unquoted: without("“"; "”") | without("«"; "»") | without("「"; "」")
	| split("\"") | if length > 1 then to_entries | map(if .key % 2 == 0 then .value else "_" end) | join("") else .[0] // "" end;
# what a text lays down: rules as they stand in it, each with the exception that follows
def laid_down: . as $said | own_sentences as $all | [range($all | length) as $at | $all[$at] | select(ruleish and standing and (unquoted | ruleish and standing))
	| if ($all[$at + 1] // "") | test("^(unless|except|but|however|although|außer|sauf|salvo|除非|但)"; "i") then . + ". " + $all[$at + 1] | select(. as $both | $said | contains($both)) else . end];

# how an agent works, and not what it makes
def by_hand: "\\b(use|using|with|run|try) (the |a |an |this )?(bash|sed|grep|rg|awk|perl|cat|find|git|heredoc|debugger|opportunity|(edit|write|read|bash|task|search|glob) tool|(small |simple |short |quick )?(python )?script|sub-?agents?|todo|web ?search|different|simpler|another|absolute|relative)\\b"
	+ "|\\bdecided (to|against) (first |just |now )?(check|look|read|run|runn|try|start|search|test|verify|investigate|skip|wait|ask|see|debug|inspect|examine|continue|proceed|revert|explore|review)"
	+ "|\\bkeep (it|this|that|going|looking|in mind|you|track|trying|digging)\\b|\\bswitch to (the )?\\S+ (branch|directory|folder|mode)\\b";

# may a text hold a decision? Most hold none, and this is cheap.
def cued: test("deci(ded|sion)|chose|opted|settled|agreed|([’']ll|will|let[’']s|going to) (use|keep|store|go with|stick|stay|switch|adopt)|going with|sticking|决定|决策|选择|改用|采用"; "i");
# why, and against what, as pytools/memrc/stated.py takes it apart
def reasoned: test("\\b(because|since|so that|in order to|to avoid) .{4,}$|\\b(instead of|rather than|over|and not) .{2,}"; "i") or test("(因为|由于)[^，,。；]{2,}|(而不是|不用)[^，,。；]");
# is it a sentence of the agent that states a decision?
def decided: length >= 8 and length <= 400 and (test("([?？:：…]|\\.\\.\\.)[ \t]*$|^(if|when|once|should|would|could|maybe|perhaps)\\b|\\b(or should|would you|do you|you could|we could|i could|alternatively)\\b"; "i") | not)
	and (split("`") | join("") | test(by_hand; "i") | not)
	and (test("^[*_ ]*(decision|decided|决定|决策)[*_ ]*[:：][*_ ]*\\S"; "i")
		or test("\\b(i|we)(['’]ve| have)? (decided|chose|opted|settled|agreed) (to|on|for|against|not|that)\\b"; "i")
		or (test("\\b(i['’]ll|i will|we['’]ll|we will|let['’]s|i['’]m going to|we['’]re going to) (use|keep|store|go with|stick with|stay with|switch to|adopt)\\b|^(going|sticking) with\\b"; "i")
			or test("\\b(i|we)(['’]ve| have)? chosen?\\b"; "i")
			or test("^(我|我们|最终|因此|所以|于是)?[，, ]*(决定|选择|改用|采用)")) and reasoned);
# the sentences of a text that state decisions, each with the one behind it, which may have its reason
def decisions: [select(cued) | own_sentences as $all | range($all | length) as $at | $all[$at] | select(decided) | {said: ., after: ($all[$at + 1] // "")}];

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
