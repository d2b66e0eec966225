"""How many decisions one task takes, and so how many of them a restore should show in full. docs/measures.md
has the formulas; the fields of `Focus` are those of --json.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from memrc.config import SETTINGS, number
from memrc.records import folded

# The share of tasks, in percent, that is to be covered.
COVERED = 80
# Fewer tasks than that say little.
ENOUGH = 10
# In this order, since archive moves lines from the one to the other.
FILES = ("decisions.jsonl", "decisions.archive.jsonl")


@dataclass
class Focus:
    """The tasks of a root by the decisions they took."""

    decisions: int
    """of a task or a session"""
    loose: int
    """of neither: not counted further"""
    tasks: int
    """a task, or a session without one, with a decision"""
    spans: dict[int, int]
    """how many tasks took so many decisions"""
    median: Optional[int]
    """decisions that a task took; None if there is no task"""
    needed: Optional[int]
    """the least replay_decisions that is all decisions of COVERED percent of the tasks"""
    set: int
    """replay_decisions of the root"""
    covered: Optional[float]
    """percent of the tasks of which that is all decisions"""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"v": 1, **asdict(self)}


def focus(state: Path) -> Focus:
    """The tasks of STATE. StopError 74 if a file can't be read, 69 without jq; OSError as `folded`."""
    tasks: Counter[tuple[str, str]] = Counter()
    loose = 0
    for record in folded([state / name for name in FILES], lambda _: True, ("task_id", "session")):
        task = _task(record)
        if task:
            tasks[task] += 1
        else:
            loose += 1
    spans = dict(sorted(Counter(tasks.values()).items()))
    shown = number(state, "replay_decisions")
    return Focus(
        decisions=sum(tasks.values()),
        loose=loose,
        tasks=len(tasks),
        spans=spans,
        median=_covering(spans, 50),
        needed=_covering(spans, COVERED),
        set=shown,
        covered=round(100 * _within(spans, shown) / len(tasks), 1) if tasks else None,
    )


def _task(record: dict[str, Any]) -> Optional[tuple[str, str]]:
    for name in ("task_id", "session"):
        found = record.get(name)
        if isinstance(found, str) and found:
            return name, found
    return None


def _within(spans: dict[int, int], most: int) -> int:
    return sum(count for span, count in spans.items() if span <= most)


def _covering(spans: dict[int, int], percent: int) -> Optional[int]:
    """The least number of decisions that PERCENT of the tasks don't exceed."""
    tasks = sum(spans.values())
    return next((span for span in spans if 100 * _within(spans, span) >= percent * tasks), None)


def lines(found: Focus) -> Iterator[str]:
    """What a person looks at."""
    if not found.tasks:
        yield "no decision of any task here: memrc decide records them"
        return
    yield "decisions  tasks"
    for span, count in found.spans.items():
        yield f"{span:>9,}  {count:>5,}"
    loose = f"; {found.loose:,} of no task aren't counted" if found.loose else ""
    tasks = "task" if found.tasks == 1 else "tasks"
    sums = f"{found.decisions:,} decisions in {found.tasks:,} {tasks}"
    yield f"{sums}, {found.median:,} in each (median){loose}."
    yield (
        f"replay_decisions={found.set} is all decisions of {found.covered:g}% of the tasks;"
        f" {COVERED}% need {found.needed:,}{_beyond(found)}."
    )
    if found.tasks < ENOUGH:
        yield f"So few tasks say little: {ENOUGH} would do."


def _beyond(found: Focus) -> str:
    most = SETTINGS["replay_decisions"].most
    return f", which is more than the {most} it can be" if (found.needed or 0) > most else ""
