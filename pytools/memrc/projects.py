"""The sums of several sessions: of a project, or of all. docs/measures.md has the figures; the fields of
`Sums` are those of --json.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Optional

from memrc.measure import Row, latency
from memrc.outcome import OUTCOMES
from memrc.threshold import Threshold, threshold

# The columns of --csv: what of `Sums` is one value, outcomes and all.
COLUMNS = (
    "project",
    "sessions",
    "subagents",
    "first",
    "last",
    "prompts",
    "calls",
    "errors",
    "repeats",
    "rereads",
    "compactions",
    "fullest",
    "skipped",
    *OUTCOMES,
    "interrupted",
    "resumed",
    "first_right",
    "latency",
    "watched",
    "violations",
)


@dataclass
class Sums:
    """What sessions have in sum."""

    project: str
    """the directory they were started in; empty if their host didn't tell"""
    sessions: int
    subagents: int
    """those with a file or a session of their own; what they did is in the counts, but not in `fullest` and
    `outcomes`
    """
    first: str
    """ISO 8601"""
    last: str
    prompts: int
    calls: int
    errors: int
    repeats: int
    rereads: int
    compactions: int
    """of conversations"""
    fullest: int
    """tokens, of the fullest one"""
    skipped: int
    outcomes: dict[str, int]
    """how many sessions ended in which way"""
    interrupted: int
    resumed: int
    """compactions with an acting step after them"""
    first_right: int
    """of these, with a right one first"""
    latency: Optional[int]
    """tool calls until a right one, the median"""
    watched: int
    """sessions, subagents' too, of projects with deny rules"""
    violations: int
    """actions in them that one matches"""
    threshold: Threshold

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"v": 1, **asdict(self)}

    def as_csv(self) -> list[Any]:
        """The values of COLUMNS."""
        values = {**asdict(self), **self.outcomes}
        return ["" if values[name] is None else values[name] for name in COLUMNS]


def sums(rows: list[Row], project: str = "") -> Sums:
    """The sums of ROWS."""
    own = [row for row in rows if not row.agent]
    resumed = [found for row in rows for found in row.resumed]
    return Sums(
        project=project,
        sessions=len(own),
        subagents=len(rows) - len(own),
        first=min((row.first for row in rows if row.first), default=""),
        last=max((row.last for row in rows), default=""),
        prompts=sum(row.prompts for row in rows),
        calls=sum(row.calls for row in rows),
        errors=sum(row.errors for row in rows),
        repeats=sum(row.repeats.total for row in rows),
        rereads=sum(row.rereads.total for row in rows),
        compactions=sum(row.compacted for row in rows),
        fullest=max((row.fullest for row in own), default=0),
        skipped=sum(row.skipped for row in rows),
        outcomes={name: sum(row.outcome == name for row in rows) for name in OUTCOMES},
        interrupted=sum(row.interrupted for row in rows),
        resumed=len(resumed),
        first_right=sum(found.right is True for found in resumed),
        latency=latency(resumed),
        watched=sum(row.rules > 0 for row in rows),
        violations=sum(row.violations.total for row in rows),
        threshold=threshold(rows),
    )


def by_project(rows: Iterable[Row]) -> list[Sums]:
    """The sums of each directory that sessions were started in, in the order of their paths. A subagent,
    which may be started in a directory of its own, counts where its session was.
    """
    rows = list(rows)
    own = [row for row in rows if not row.agent]
    started = {row.session: row.cwd for row in own}
    places = {row.cwd for row in own}
    found: dict[str, list[Row]] = {}
    for row in rows:
        cwd = row.cwd
        if row.agent:
            cwd = started.get(row.session, cwd if cwd in places else "")
        found.setdefault(cwd, []).append(row)
    return [sums(found[cwd], cwd) for cwd in sorted(found)]
