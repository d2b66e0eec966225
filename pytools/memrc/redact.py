"""Texts without secrets, as bin/lib/redact.sh gives them back; bin/lib/awk/redact.awk knows the shapes."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence

from memrc.errors import StopError
from memrc.jq import home, whole

# What would steer a terminal, or hide in a text; newline and TAB stay, and joiners that some scripts need.
HIDDEN = re.compile(
    "\x1b\\[[0-9;?]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
FOUND = re.compile(r"\[redacted:[a-z-]+\]")
# Stands between two texts, on a line of its own; HIDDEN, so in no text.
MARK = "\x1e"


def redacted(texts: Sequence[str]) -> list[str]:
    """The texts with [redacted:KIND] for each secret, and without what is hidden; one start of awk for all.

    A secret is found whether what is hidden stands inside it or before it. StopError 74 if awk fails.
    """
    texts = [whole(text) for text in texts]
    found = _search([HIDDEN.sub("", text) for text in texts])
    if any(map(HIDDEN.search, texts)):
        parted = _search([HIDDEN.sub(" ", text) for text in texts])
        found = [_safer(*pair) for pair in zip(found, parted)]
    return found


def _safer(joined: str, parted: str) -> str:
    """Of two ways to read a text the one in which all secrets are found."""
    of_joined, of_parted = (Counter(FOUND.findall(text)) for text in (joined, parted))
    if not of_parted - of_joined:
        return joined
    return "[redacted]" if of_joined - of_parted else parted


def _search(texts: Sequence[str]) -> list[str]:
    if not any(texts):
        return list(texts)
    command = ["awk", "-f", str(home() / "bin" / "lib" / "awk" / "redact.awk")]
    given = "".join(f"{text}\n{MARK}\n" for text in texts).encode()
    done = subprocess.run(command, input=given, capture_output=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise StopError(74, "awk failed: the texts can't be searched for secrets")
    found = done.stdout.decode("utf-8", "replace").split(f"\n{MARK}\n")[:-1]
    # a key without an end took in what stands after it
    return found if len(found) == len(texts) else ["[redacted]"] * len(texts)
