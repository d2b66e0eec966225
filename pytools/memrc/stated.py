"""What a sentence says that states a decision, and a rule as it is kept. bin/lib/schema/learn.jq says which
sentences those are; taken apart they are here, since jq 1.5 crashes when it is to say where in a text with
Chinese letters something matches.
"""

import re

# What a rule that is kept doesn't begin with.
SCRAPS = re.compile(r"[ \t]*((and|also|but|so|ok|okay|please|pls|btw)[ ,:!*-]+|no[,:!]+ *)+", re.IGNORECASE)
LABEL = re.compile(r"[*_ ]*(decision|decided|决定|决策)[*_ ]*[:：][*_ ]*", re.IGNORECASE)
REASONS = [
    re.compile(r"\b(?:because(?: of)?|since) (.{4,})$", re.IGNORECASE),
    re.compile(r"\b((?:so that|in order to|to avoid) .{4,})$", re.IGNORECASE),
    re.compile(r"(?:因为|由于)([^，,。；]{2,})"),
]
REJECTED = [
    re.compile(
        r"\b(?:instead of|rather than|over|and not) (.{2,}?)"
        r"(?: because| since| so that| to avoid|[,;:.]? *$|, )",
        re.IGNORECASE,
    ),
    re.compile(r"(?:而不是|不用)([^，,。；]+)"),
]
# The reason, where it is the end of the sentence.
TAIL = re.compile(
    r"[,;，]? *\b(?:because(?: of)?|since|so that|in order to|to avoid) .{4,}$"
    r"|[，,]?(?:因为|由于)[^，,。；]{2,}$",
    re.IGNORECASE,
)
RATIONALE = re.compile(
    r"[*_ ]*(?:rationale|reason|why|理由|原因)[*_ ]*[:：][*_ ]*(.{4,}?)[.!]?$", re.IGNORECASE
)


def rule(said: str) -> str:
    """The user's words without what only leads to them."""
    return SCRAPS.sub("", said, count=1) if SCRAPS.match(said) else said


def decision(said: str, after: str) -> dict[str, str]:
    """`decision`, `reason` and `rejected` of the sentence SAID and the one AFTER it, or empty texts."""
    whole = said[found.end() :] if (found := LABEL.match(said)) else said
    reason, rejected = _first(REASONS, said), _first(REJECTED, said)
    short = TAIL.sub("", whole)
    if not reason and (found := RATIONALE.match(after)):
        reason = found.group(1)
    elif reason and len(short) >= 4:
        # the reason is kept by itself
        whole = short
    return {"decision": whole, "reason": _bare(reason), "rejected": _bare(rejected.lstrip(" "))}


def _first(patterns: "list[re.Pattern[str]]", text: str) -> str:
    return next((found.group(1) for pattern in patterns if (found := pattern.search(text))), "")


def _bare(text: str) -> str:
    return text[:-1] if text.endswith((".", "!")) else text
