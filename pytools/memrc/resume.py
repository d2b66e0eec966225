"""How a session went on after a compaction: whether the first thing it did belonged to the task it had been
at, and how many tool calls it took until one did. docs/measures.md defines both; the fields of `Resumed` are
in --json.
"""

import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

from memrc.transcripts._events import EDIT, RUN, Call, Compaction, Event, Prompt, Session

# The task in progress is what the last so many tool calls were about: docs/measures.md says why.
TASK = 50
# What is looked at of a command and of a call's files.
COMMAND, LONG, FILES = 2000, 4096, 20
# A file that a command names: a word that ends in a name with an extension.
WORD = re.compile(r"[\w./~@+-]+")
FILE = re.compile(r"\w\.[A-Za-z]\w{0,9}\Z")
# Between the commands of a line, and where what a command is ends: a pipe, a redirection.
BETWEEN = re.compile(r"&&|\|\||[;\n]")
END = re.compile(r"\||&>|\d?>")


# The command line of a call, and its files.
Touched = tuple[str, tuple[str, ...]]


@dataclass
class Resumed:
    """The first acting step after a compaction: a command or an edit; to read is to look, not to act."""

    line: int
    """where it stands"""
    right: Optional[bool]
    """it touches what the task in progress touched; None if no task was to be seen before"""
    prompted: bool
    """a person had said something since the compaction"""
    latency: Optional[int] = None
    """which tool call after it, from 1, was the first acting one that touches the task; None if none was"""


class Resume:
    """Follows the tool calls of one session's own context."""

    def __init__(self) -> None:
        self._agent = self._cwd = ""
        self._recent: deque[Touched] = deque(maxlen=TASK)
        self._task: set[str] = set()
        self._calls = 0
        self._prompted = False
        self._waiting = False
        self._resumed: Optional[Resumed] = None

    def add(self, event: Event) -> Optional[Resumed]:
        """Takes the next event; of the first acting step after a compaction, what it was. Its latency may be
        set by a later event.
        """
        if isinstance(event, Call):
            return self._call(event) if event.agent == self._agent else None
        if isinstance(event, (Prompt, Compaction, Session)):
            self._turn(event)
        return None

    def _turn(self, event: Event) -> None:
        if isinstance(event, Session):
            self._agent, self._cwd = event.agent, event.cwd.rstrip("/")
        elif isinstance(event, Prompt):
            self._prompted = True
        elif isinstance(event, Compaction) and event.agent == self._agent and not event.micro:
            self._task = set().union(*(things(*touched, self._cwd) for touched in self._recent))
            self._calls, self._prompted, self._waiting, self._resumed = 0, False, True, None

    def _call(self, call: Call) -> Optional[Resumed]:
        # what that is takes longer to find out, and is asked for after a compaction only
        touched = call.command[:COMMAND], tuple(path[:LONG] for path in call.paths[:FILES])
        self._recent.append(touched)
        if not self._waiting:
            return None
        self._calls += 1
        if call.kind not in (RUN, EDIT):
            return None
        right = not self._task.isdisjoint(things(*touched, self._cwd)) if self._task else None
        first = None
        if not self._resumed:
            first = self._resumed = Resumed(call.line, right, self._prompted)
        if right:
            self._resumed.latency = self._calls
        self._waiting = right is False
        return first


# where compactions follow one another closely, the calls before them are much the same
@lru_cache(maxsize=2 * TASK)
def things(line: str, paths: tuple[str, ...], cwd: str) -> frozenset[str]:
    """What a call touches: its files and those that its command line names, below the directory CWD without
    that, and the commands of the line, without `cd`, pipes and redirections.
    """
    named = (word for word in WORD.findall(line) if FILE.search(word[-12:]))
    touched = {_below(path, cwd) for path in (*paths, *named)}
    for command in BETWEEN.split(line):
        words = END.split(command, 1)[0].split()
        if words and words[0] != "cd":
            touched.add(" ".join(words))
    return frozenset(touched)


def _below(path: str, cwd: str) -> str:
    if cwd and path.startswith(cwd + "/"):
        path = path[len(cwd) + 1 :]
    return path[2:] if path.startswith("./") else path
