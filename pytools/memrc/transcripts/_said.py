"""What of a user's message the user said: hosts put files, hints and tags beside it, and into it."""

import re

from memrc.transcripts._values import joined


def tags(names: str) -> "re.Pattern[str]":
    """Where one of NAMES, a regular expression without groups, begins a line as a tag; for `without`."""
    return re.compile(rf"^[ \t]*<({names})(?:[ \t][^>\n]*)?>", re.MULTILINE)


def without(said: str, opening: "re.Pattern[str]") -> str:
    """A text without the tags that OPENING finds and what is in them; one that doesn't end stays."""
    kept: list[str] = []
    at = 0
    endless: set[str] = set()
    for found in opening.finditer(said):
        name = found.group(1)
        # a text full of tags without an end is searched once for each name
        if found.start() < at or name in endless:
            continue
        end = said.find(f"</{name}>", found.end())
        if end < 0:
            endless.add(name)
            continue
        kept.append(said[at : found.start()])
        at = end + len(name) + 3
    return "".join([*kept, said[at:]]).strip() if kept else said


def between(said: str, start: "re.Pattern[str]", end: str) -> str:
    """A text without what stands from START to the last END behind it, or to its own end."""
    found = start.search(said)
    if not found:
        return said
    last = said.rfind(end, found.end())
    rest = said[last + len(end) :] if last >= 0 else ""
    return (said[: found.start()] + rest).strip()


def words(
    content: object, opening: "re.Pattern[str]", not_said: "re.Pattern[str]", kind: str = "text"
) -> str:
    """The user's words in a message: of each block what is left without the tags of OPENING, if it doesn't
    begin as NOT_SAID. KIND as of `joined`.
    """
    blocks = content if isinstance(content, list) else [content]
    texts = (without(joined([block], kind), opening) for block in blocks)
    return "\n".join(text for text in texts if text.strip() and not not_said.match(text))
