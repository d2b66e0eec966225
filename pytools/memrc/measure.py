"""What sessions cost and lost: compactions with their tokens, tool calls, errors. docs/measures.md has each
measure's formula and known errors; the fields of `Row` are those of --json.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median_low
from typing import Any, Optional

from memrc.losses import Kept, Losses
from memrc.outcome import UNKNOWN, Ending
from memrc.resume import Resume, Resumed
from memrc.transcripts import Format, Source, Tally
from memrc.transcripts._events import (
    Call,
    Compaction,
    Event,
    Prompt,
    Result,
    Session,
    Usage,
)
from memrc.transcripts._values import Bounded
from memrc.violations import Denied, Violation, Watch

# Subagents whose contexts are followed at once.
AGENTS = 10_000
# Of what a session has a list of, so many are listed; all are counted.
LISTED = 10_000
# The columns of --csv, which has a line for each session.
COLUMNS = (
    "file",
    "format",
    "session",
    "agent",
    "version",
    "cwd",
    "first",
    "last",
    "records",
    "skipped",
    "duplicates",
    "prompts",
    "calls",
    "errors",
    "agent_calls",
    "fullest",
    "compactions",
    "micro",
    "repeats",
    "rereads",
    "tokens",
    "outcome",
    "interrupted",
    "resumed",
    "first_right",
    "latency",
    "rules",
    "violations",
)


class Listed(list[Any]):
    """The first LISTED of what was appended."""

    total = 0
    """how many were appended"""

    def append(self, item: Any) -> None:
        """As of a list."""
        self.total += 1
        if len(self) < LISTED:
            super().append(item)


@dataclass
class Compacted:
    """One compaction."""

    line: int
    """where it stands"""
    at: str
    """when, as ISO 8601; empty if unknown"""
    agent: str
    """whose context; empty for the session's own"""
    micro: bool
    """only results of tools were cleared"""
    trigger: str
    """as the host says; empty if it doesn't"""
    before: Optional[int]
    """tokens in the context before"""
    before_by: str
    """`host`: its own count; `usage`: what the last answer before was given; empty if unknown"""
    after: Optional[int]
    """tokens after, by the host's own count"""
    next: Optional[int] = None
    """tokens that the first answer after it was given: system prompt, tools and restore included"""
    regrown: int = 0
    """tokens that the fullest answer was given later, before the next compaction, less `next`"""
    calls: int = 0
    """uses of a tool in its context, after it and before the next"""
    repeats: int = 0
    """of these, commands that failed again as before it"""
    rereads: int = 0
    """of these, files read again that had been read before it"""
    violations: int = 0
    """of these, actions that a deny rule matches"""
    resumed: Optional[Resumed] = None
    """the first acting step after it; nothing if none came, or for a subagent in a session's own file"""
    kept: Optional[Kept] = None
    """what the host's own summary kept; nothing if it wrote none, or for a subagent's"""


@dataclass
class Row:
    """A session, or what one file has of it."""

    file: str
    format: str
    session: str = ""
    """the host's id"""
    agent: str = ""
    """the subagent whose file it is"""
    version: str = ""
    """of the host"""
    cwd: str = ""
    """where it was started"""
    first: str = ""
    """time of the first event that has one, ISO 8601"""
    last: str = ""
    """the latest time"""
    records: int = 0
    """JSON objects read"""
    bad: int = 0
    """lines that aren't one JSON object: skipped"""
    long: int = 0
    """lines too long: skipped"""
    duplicates: int = 0
    """records that came before: dropped"""
    broken: list[str] = field(default_factory=list)
    """why the rest of the file couldn't be read"""
    prompts: int = 0
    """by a person"""
    calls: int = 0
    """uses of a tool"""
    errors: int = 0
    """results that failed"""
    agent_calls: int = 0
    """of the calls, those of subagents in a session's own file"""
    fullest: int = 0
    """most tokens that one answer was given"""
    outcome: str = UNKNOWN
    """how it ended: `done`, `detours`, `failed` or `unknown`; empty for a subagent"""
    interrupted: int = 0
    """how often a person stopped the agent"""
    compacted: int = 0
    """compactions of the conversation"""
    micro: int = 0
    """times that only results of tools were cleared"""
    compactions: Listed = field(default_factory=Listed)
    """`Compacted`, of both kinds"""
    repeats: Listed = field(default_factory=Listed)
    """`Again`: commands that failed again"""
    rereads: Listed = field(default_factory=Listed)
    """`Again`: files read again though unchanged"""
    rules: int = 0
    """deny rules of the project's constraints"""
    violations: Listed = field(default_factory=Listed)
    """`Violation`: actions that one of them matches"""

    @property
    def unlisted(self) -> int:
        """What the lists have no room for."""
        lists = (self.compactions, self.repeats, self.rereads, self.violations)
        return sum(found.total - len(found) for found in lists)

    @property
    def skipped(self) -> int:
        """Records that were there and don't count."""
        return self.bad + self.long

    @property
    def whole(self) -> list[Compacted]:
        """Compactions of the conversation that are listed, in order."""
        return [found for found in self.compactions if not found.micro]

    @property
    def own(self) -> list[Compacted]:
        """Of these, those of the session's own context."""
        return [found for found in self.whole if found.agent == self.agent]

    @property
    def resumed(self) -> list[Resumed]:
        """The first acting steps after them that can be right or wrong."""
        return [found.resumed for found in self.own if found.resumed and found.resumed.right is not None]

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"v": 1, **asdict(self), "unlisted": self.unlisted}

    def as_csv(self) -> list[Any]:
        """The values of COLUMNS; `tokens` has trigger and tokens before of each compaction."""
        tokens = ";".join(f"{found.trigger}:{_number(found.before)}" for found in self.whole)
        shown = {
            **asdict(self),
            "skipped": self.skipped,
            "compactions": self.compacted,
            "repeats": self.repeats.total,
            "rereads": self.rereads.total,
            "violations": self.violations.total,
            "tokens": tokens,
            "resumed": len(self.resumed),
            "first_right": sum(found.right is True for found in self.resumed),
            "latency": _number(latency(self.resumed)),
        }
        return [shown[name] for name in COLUMNS]


def latency(resumed: list[Resumed]) -> Optional[int]:
    """The median of the latencies that there are; of two the lower one."""
    found = [one.latency for one in resumed if one.latency is not None]
    return median_low(found) if found else None


def _number(value: Optional[int]) -> str:
    return "" if value is None else str(value)


def measure(
    path: Path,
    format: Format,
    progress: Optional[Callable[[int], None]] = None,
    denied: Callable[[str], Denied] = lambda _: Denied("", []),
) -> Iterator[Row]:
    """The sessions of a transcript, one after the other; memory doesn't grow with the file.

    PROGRESS is told now and then how many bytes were read; DENIED gives what a session is denied that was
    started in a directory. StopError 69 or 74 if it can't be opened.
    """
    source = Source(path, progress)
    session: Optional[_Session] = None
    before = Tally()
    for event in format.events(source):
        if session is None or (isinstance(event, Session) and session.row.session):
            if session:
                yield session.end(source.tally, before)
                before = Tally(**asdict(source.tally))
            session = _Session(Row(str(path), format.NAME), denied)
        session.add(event)
    session = session or _Session(Row(str(path), format.NAME), denied)
    yield session.end(source.tally, before)


class _Session:
    """A row that is being counted."""

    def __init__(self, row: Row, denied: Callable[[str], Denied]) -> None:
        self.row = row
        self._denied = denied
        self._watch: Optional[Watch[Optional[Compacted]]] = None
        self._fill = Bounded(AGENTS)
        self._open = Bounded(AGENTS)
        self._latest = Bounded(AGENTS)
        self._own: Optional[Compacted] = None
        self._losses = Losses()
        self._resume = Resume()
        self._ending = Ending()

    def add(self, event: Event) -> None:
        row = self.row
        self._follow(event)
        if event.at:
            row.first = row.first or event.at
            row.last = max(row.last, event.at)
        if isinstance(event, Call):
            row.calls += 1
            row.agent_calls += bool(event.agent)
            latest = self._latest.get(event.agent)
            if latest:
                latest.calls += 1
            if not self._watch:
                # the first call, not the session's beginning: many a file has none
                watched = self._denied(row.cwd)
                row.rules = len(watched.rules)
                self._watch = Watch(watched, row.cwd, self._violation)
            self._watch.add(event, latest)
        elif isinstance(event, Result):
            row.errors += event.failed
        elif isinstance(event, Usage):
            self._usage(event)
        elif isinstance(event, Prompt):
            row.prompts += 1
        elif isinstance(event, Compaction):
            self._compaction(event)
        elif isinstance(event, Session):
            row.session, row.agent, row.cwd, row.version = event.id, event.agent, event.cwd, event.version

    def _follow(self, event: Event) -> None:
        """What needs to know more than this event."""
        self._ending.add(event)
        kept = self._losses.add(event)
        resumed = self._resume.add(event)
        if kept and self._own:
            self._own.kept = kept
        if resumed and self._own:
            self._own.resumed = resumed
        if self._losses.repeats or self._losses.rereads:
            self._again(event.agent)

    def _again(self, agent: str) -> None:
        """Takes over what was done again, so that it is held only as far as it is listed."""
        repeats, rereads = self._losses.repeats, self._losses.rereads
        if latest := self._latest.get(agent):
            latest.repeats += sum(again.across for again in repeats)
            latest.rereads += sum(again.across for again in rereads)
        for again in repeats:
            self.row.repeats.append(again)
        for again in rereads:
            self.row.rereads.append(again)
        repeats.clear()
        rereads.clear()

    def _violation(self, violation: Violation, after: Optional[Compacted]) -> None:
        self.row.violations.append(violation)
        if after:
            after.violations += 1

    def _usage(self, event: Usage) -> None:
        self.row.fullest = max(self.row.fullest, event.tokens)
        self._fill.put(event.agent, event.tokens)
        for compacted in self._open.pop(event.agent, ()):
            compacted.next = event.tokens
        latest = self._latest.get(event.agent)
        if latest and latest.next is not None:
            latest.regrown = max(latest.regrown, event.tokens - latest.next)

    def _compaction(self, event: Compaction) -> None:
        row = self.row
        before, by = event.before, "host"
        if before is None:
            before = self._fill.get(event.agent)
            by = "usage" if before is not None else ""
        compacted = Compacted(
            event.line, event.at, event.agent, event.micro, event.trigger, before, by, event.after
        )
        row.compactions.append(compacted)
        row.micro += event.micro
        row.compacted += not event.micro
        if not event.micro:
            self._latest.put(event.agent, compacted)
            if event.agent == row.agent:
                self._own = compacted
        if event.agent in self._open:
            self._open[event.agent].append(compacted)
        else:
            # a file may have nothing but compactions
            self._open.put(event.agent, deque([compacted], LISTED))

    def end(self, tally: Tally, before: Tally) -> Row:
        """The row, with what was read of the file since BEFORE."""
        row = self.row
        if self._watch:
            self._watch.flush()
        row.records = tally.records - before.records
        row.bad = tally.bad - before.bad
        row.long = tally.long - before.long
        row.duplicates = tally.duplicates - before.duplicates
        row.broken = tally.broken[len(before.broken) :]
        row.interrupted = self._ending.interrupted
        row.outcome = self._ending.outcome(row.repeats.total)
        if row.agent:
            row.agent_calls = 0
            row.outcome = ""
        return row
