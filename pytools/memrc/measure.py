"""What sessions cost and lost: compactions with their tokens, tool calls, errors. docs/measures.md has each
measure's formula and known errors; the fields of `Row` are those of --json.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Optional

from memrc.losses import Again, Kept, Losses
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

# Subagents whose contexts are followed at once.
AGENTS = 10_000
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
)


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
    compactions: list[Compacted] = field(default_factory=list)
    repeats: list[Again] = field(default_factory=list)
    """commands that failed again"""
    rereads: list[Again] = field(default_factory=list)
    """files read again though unchanged"""

    @property
    def skipped(self) -> int:
        """Records that were there and don't count."""
        return self.bad + self.long

    @property
    def whole(self) -> list[Compacted]:
        """Compactions of the conversation, in order."""
        return [found for found in self.compactions if not found.micro]

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"v": 1, **asdict(self)}

    def as_csv(self) -> list[Any]:
        """The values of COLUMNS; `tokens` has trigger and tokens before of each compaction."""
        tokens = ";".join(f"{found.trigger}:{_number(found.before)}" for found in self.whole)
        counts = {
            "compactions": len(self.whole),
            "micro": len(self.compactions) - len(self.whole),
            "repeats": len(self.repeats),
            "rereads": len(self.rereads),
        }
        return [
            {**asdict(self), "skipped": self.skipped, **counts, "tokens": tokens}[name] for name in COLUMNS
        ]


def _number(value: Optional[int]) -> str:
    return "" if value is None else str(value)


def measure(path: Path, format: Format, progress: Optional[Callable[[int], None]] = None) -> Iterator[Row]:
    """The sessions of a transcript, one after the other; memory doesn't grow with the file.

    PROGRESS is told now and then how many bytes were read. StopError 69 or 74 if it can't be opened.
    """
    source = Source(path, progress)
    session: Optional[_Session] = None
    before = Tally()
    for event in format.events(source):
        if session is None or (isinstance(event, Session) and session.row.session):
            if session:
                yield session.end(source.tally, before)
                before = Tally(**asdict(source.tally))
            session = _Session(Row(str(path), format.NAME))
        session.add(event)
    session = session or _Session(Row(str(path), format.NAME))
    yield session.end(source.tally, before)


class _Session:
    """A row that is being counted."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self._fill = Bounded(AGENTS)
        self._open = Bounded(AGENTS)
        self._last: Optional[Compacted] = None
        self._losses = Losses(row.repeats, row.rereads)

    def add(self, event: Event) -> None:
        row = self.row
        kept = self._losses.add(event)
        if kept and self._last:
            self._last.kept = kept
        if event.at:
            row.first = row.first or event.at
            row.last = max(row.last, event.at)
        if isinstance(event, Call):
            row.calls += 1
            row.agent_calls += bool(event.agent)
        elif isinstance(event, Result):
            row.errors += event.failed
        elif isinstance(event, Usage):
            row.fullest = max(row.fullest, event.tokens)
            self._fill.put(event.agent, event.tokens)
            for compacted in self._open.pop(event.agent, ()):
                compacted.next = event.tokens
        elif isinstance(event, Prompt):
            row.prompts += 1
        elif isinstance(event, Compaction):
            self._compaction(event)
        elif isinstance(event, Session):
            row.session, row.agent, row.cwd, row.version = event.id, event.agent, event.cwd, event.version

    def _compaction(self, event: Compaction) -> None:
        before, by = event.before, "host"
        if before is None:
            before = self._fill.get(event.agent)
            by = "usage" if before is not None else ""
        compacted = Compacted(
            event.line, event.at, event.agent, event.micro, event.trigger, before, by, event.after
        )
        self.row.compactions.append(compacted)
        if not event.micro:
            self._last = compacted
        if event.agent in self._open:
            self._open[event.agent].append(compacted)
        else:
            self._open.put(event.agent, [compacted])

    def end(self, tally: Tally, before: Tally) -> Row:
        """The row, with what was read of the file since BEFORE."""
        row = self.row
        row.records = tally.records - before.records
        row.bad = tally.bad - before.bad
        row.long = tally.long - before.long
        row.duplicates = tally.duplicates - before.duplicates
        row.broken = tally.broken[len(before.broken) :]
        if row.agent:
            row.agent_calls = 0
        return row


def table(rows: list[Row]) -> Iterator[str]:
    """What a person looks at: a line a session, below it one for each compaction, then the sums."""
    heads = (
        "session",
        "format",
        "prompts",
        "calls",
        "errors",
        "repeats",
        "rereads",
        "compacted",
        "fullest",
        "skipped",
    )
    lines: list[tuple[tuple[str, ...], list[str]]] = []
    for row in rows:
        *done, skipped = _counts(row)
        counts = (*done, row.fullest, skipped)
        name = _plain(row.session or Path(row.file).stem)
        if row.agent:
            name = f"{name[:8]} {_plain(row.agent)}"
        below = [line for found in row.compactions for line in _compacted(found)]
        below += [f"  the rest couldn't be read: {_plain(why)}" for why in row.broken]
        lines.append(((name, row.format, *(f"{count:,}" for count in counts)), below))
    sums = [sum(values) for values in zip(*(_counts(row) for row in rows))]
    most = max((row.fullest for row in rows), default=0)
    if len(rows) > 1:
        shown = [f"{value:,}" for value in sums]
        lines.append(((f"{len(rows):,} sessions", "", *shown[:-1], f"{most:,}", shown[-1]), []))
    widths = [max(len(cells[at]) for cells, _ in [(heads, []), *lines]) for at in range(len(heads))]
    yield _aligned(heads, widths)
    for cells, below in lines:
        yield _aligned(cells, widths)
        yield from below


def _counts(row: Row) -> tuple[int, ...]:
    again = len(row.repeats), len(row.rereads)
    return (row.prompts, row.calls, row.errors, *again, len(row.whole), row.skipped)


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    names = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
    counts = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
    return "  ".join(names + counts).rstrip()


def _compacted(found: Compacted) -> Iterator[str]:
    kind = "tool results cleared" if found.micro else "compacted"
    parts = [f"  {kind} at line {found.line}: {_plain(found.trigger) or 'no trigger told'}"]
    if found.before is not None:
        parts.append(f"{'about ' if found.before_by == 'usage' else ''}{found.before:,} tokens before")
    if found.after is not None:
        parts.append(f"{found.after:,} after")
    if found.next is not None:
        parts.append(f"{found.next:,} for the next answer")
    if found.agent:
        parts.append(f"of {_plain(found.agent)}")
    yield ", ".join(parts)
    if found.kept:
        names = {
            "commands": "failed commands",
            "errors": "error lines",
            "paths": "edited files",
            "prompts": "prompts",
        }
        kept = (f"{of[0]} of {of[1]} {names[name]}" for name, of in asdict(found.kept).items() if of[1])
        if said := ", ".join(kept):
            yield f"    its summary kept {said}"


def _plain(text: str) -> str:
    """A text of somebody else's on one line, without what steers a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]
