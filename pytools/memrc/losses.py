"""What a session forgot: commands that failed again in the same way, files read again, and what of the past
the host's own summary kept. docs/measures.md defines each; the fields of `Again` and `Kept` are in --json.
"""

import re
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple, Optional

from memrc.jq import Filter
from memrc.transcripts._events import (
    EDIT,
    READ,
    RUN,
    Call,
    Compaction,
    Event,
    Prompt,
    Result,
    Session,
    Summary,
)
from memrc.transcripts._values import Bounded

# How much is remembered of a session: newest first to stay. More than any session needs, and bounded.
CALLS, COMMANDS, FILES, PARTS = 10_000, 2000, 5000, 20
# A command is kept by its first characters, so is any other text; a summary is searched so far.
COMMAND, LONG, SUMMARY = 2000, 4096, 200_000
# What a summary is searched for: so many of the newest failed commands, and so much of each text.
FAILED, HEAD, PROMPT = 12, 300, 800
# What the flight recorder looks at of a longer output, at each end.
ENDS = 6000
# What no restore shows, and no summary repeats: clean in bin/lib/awk/unicode.awk.
UNSHOWN = re.compile(
    "\x1b\\[[0-9;?]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


@dataclass
class Again:
    """Something was done again in vain."""

    line: int
    """where it stands"""
    of: int
    """where it was done before"""
    across: bool
    """a compaction of the same context lies between"""


@dataclass
class Kept:
    """What a summary has of each kind, and of how many: word for word but for blanks and what isn't shown."""

    commands: list[int]
    errors: list[int]
    paths: list[int]
    prompts: list[int]


class Wanted(NamedTuple):
    """What of a session a text has to keep."""

    commands: list[str]
    """of the session itself, the newest FAILED whose latest run failed, their first HEAD characters"""
    errors: list[str]
    """their error lines"""
    paths: list[str]
    """files that were edited: below the session's directory, or whole"""
    prompts: list[str]
    """the last two, their first PROMPT characters"""

    def kept_by(self, text: str) -> Kept:
        """How much of each stands in a text."""
        there = _joined(text)
        return Kept(*([sum(_joined(part) in there for part in parts), len(parts)] for parts in self))


class Use(NamedTuple):
    """What is remembered of a Call until its Result comes."""

    kind: str
    line: int
    agent: str
    command: str
    length: int
    """of the whole command, in characters"""
    paths: list[str]
    part: str


class Run(NamedTuple):
    """The latest run of a command."""

    line: int
    command: str
    error: Optional[str]
    """the line that says what went wrong; None if nothing did"""
    changes: int
    """how many edits and successful commands there had been"""
    compactions: int
    """how many compactions of its context there had been"""


@cache
def _patterns() -> tuple["re.Pattern[str]", "re.Pattern[str]"]:
    words, noise = Filter("[error_words, error_noise]", "error")(None)
    return re.compile(words, re.IGNORECASE), re.compile(noise)


def error_line(output: str) -> str:
    """The line that says what went wrong, empty if there is none; as error_line of bin/lib/schema/error.jq,
    which takes milliseconds for it (a test compares).
    """
    words, noise = _patterns()
    trimmed = (line.lstrip(" \t").rstrip(" \t\r") for line in output.split("\n"))
    lines = [line for line in trimmed if line and not noise.search(line)]
    return next((line for line in lines if words.search(line)), lines[-1] if lines else "")


@dataclass
class Losses:
    """Follows the events of one session."""

    repeats: list[Again] = field(default_factory=list)
    """commands that failed again, with the same error line, and nothing had changed"""
    rereads: list[Again] = field(default_factory=list)
    """reads that gave what the agent had been given, and hadn't edited since"""

    def __post_init__(self) -> None:
        self._calls = Bounded(CALLS)
        self._runs = Bounded(COMMANDS)
        self._reads = Bounded(FILES)
        self._edited = Bounded(FILES)
        self._prompts: deque[str] = deque(maxlen=2)
        self._changes = 0
        self._compactions = Bounded(CALLS)
        self._cwd = ""

    def add(self, event: Event) -> Optional[Kept]:
        """Takes the next event; of a summary of the session itself, what it kept."""
        if isinstance(event, Call):
            if event.kind in (RUN, READ, EDIT) and event.id:
                self._calls.put(event.id[:LONG], _use(event))
        elif isinstance(event, Result):
            use = self._calls.pop(event.id[:LONG], None)
            if use:
                {RUN: self._ran, READ: self._read, EDIT: self._edit}[use.kind](use, event)
        elif isinstance(event, Prompt):
            self._prompts.append(event.text[:PROMPT])
        elif isinstance(event, Compaction):
            if not event.micro:
                self._compactions.put(event.agent, self._compactions.get(event.agent, 0) + 1)
        elif isinstance(event, Summary):
            return None if event.agent else self.wanted().kept_by(event.text[:SUMMARY])
        elif isinstance(event, Session):
            self._cwd = event.cwd.rstrip("/")
        return None

    def _ran(self, use: Use, result: Result) -> None:
        if not use.command:
            return
        now = self._compactions.get(use.agent, 0)
        error = error_line(_ends(result.text))[:LONG] if result.failed else None
        key = (use.agent, use.command, use.length)
        last = self._runs.get(key)
        if error is None:
            self._changes += 1
        elif last and last.error == error and last.changes == self._changes:
            self.repeats.append(Again(result.line, last.line, last.compactions != now))
        self._runs.put(key, Run(result.line, use.command, error, self._changes, now))

    def _read(self, use: Use, result: Result) -> None:
        if result.failed or not use.paths:
            return
        now = self._compactions.get(use.agent, 0)
        parts = self._reads.get(use.paths[0]) or {}
        key = (use.agent, use.part)
        # commands change files, too: only what came out tells
        content = blake2b(result.text.encode("utf-8", "replace"), digest_size=8).digest()
        line, then, before = parts.get(key, (0, 0, b""))
        if content == before:
            self.rereads.append(Again(use.line, line, then != now))
        # so that a file read in ever new parts takes no more than others
        kept = dict(list(parts.items())[-PARTS:])
        self._reads.put(use.paths[0], {**kept, key: (use.line, now, content)})

    def _edit(self, use: Use, result: Result) -> None:
        if result.failed:
            return
        self._changes += 1
        for path in use.paths:
            self._reads.pop(path, None)
            if not use.agent:
                self._edited.put(path, True)

    def wanted(self) -> "Wanted":
        """What a text has to keep now."""
        newest = (
            run for (agent, *_), run in reversed(self._runs.items()) if run.error is not None and not agent
        )
        failed = list(islice(newest, FAILED))
        short = [
            path[len(self._cwd) + 1 :] if path.startswith(self._cwd + "/") else path for path in self._edited
        ]
        commands = [run.command[:HEAD] for run in failed]
        return Wanted(commands, [run.error for run in failed if run.error], short, list(self._prompts))


def _use(call: Call) -> Use:
    """A Call, cut to what can be remembered of many."""
    command = call.command.strip()
    paths = [path[:LONG] for path in call.paths[:PARTS]]
    return Use(call.kind, call.line, call.agent, command[:COMMAND], len(command), paths, call.part[:LONG])


def _ends(output: str) -> str:
    """What is looked at of an output."""
    return f"{output[:ENDS]}\n{output[-ENDS:]}" if len(output) > 2 * ENDS else output


def _joined(text: str) -> str:
    return " ".join(UNSHOWN.sub("", text).split())
