"""What a person looks at of sessions that were measured."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Optional

from memrc.measure import Compacted, Row
from memrc.outcome import DETOURS, FAILED
from memrc.projects import Sums, by_project, sums
from memrc.resume import Resumed
from memrc.threshold import advice

# So many compactions of a session are shown.
SHOWN = 20
COUNTS = ("prompts", "calls", "errors", "repeats", "rereads", "compacted", "fullest", "skipped")
NAMES = {
    "commands": "failed commands",
    "errors": "error lines",
    "paths": "edited files",
    "prompts": "prompts",
}
ENDS = {DETOURS: "with detours", FAILED: "failed or taken over"}

# Cells, and the lines below them.
Line = tuple[tuple[str, ...], list[str]]


def table(rows: list[Row], width: Optional[int] = None) -> Iterator[str]:
    """A line a session in the order of time, below it one for each compaction; of several sessions the sums,
    by project too, and what they say of the threshold. The day is left out where a line of cells would have
    more than WIDTH columns.
    """
    lines = [_session(row) for row in sorted(rows, key=lambda row: (not row.first, row.first))]
    several = len(rows) > 1
    all_of_them = sums(rows)
    if several:
        lines.append(((_told(all_of_them), "", "", *_counts(all_of_them), ""), []))
    heads: tuple[str, ...] = ("session", "format", "day", *COUNTS, "outcome")
    if width and sum(_widths([(heads, []), *lines])) + 2 * (len(heads) - 1) > width:
        heads, lines = _dayless(heads), [(_dayless(cells), below) for cells, below in lines]
    yield from _aligned(heads, len(heads) - len(COUNTS) - 1, lines)
    if several:
        found = by_project(rows)
        if len(found) > 1:
            yield ""
            yield from projects(found)
        yield ""
        yield from _ends(all_of_them)


def projects(found: list[Sums]) -> Iterator[str]:
    """A line a project."""
    lines: list[Line] = [
        (
            (_plain(one.project) or "(not told)", f"{one.sessions:,}", f"{one.subagents:,}", *_counts(one)),
            [],
        )
        for one in found
    ]
    yield from _aligned(("project", "sessions", "subagents", *COUNTS), 1, lines)


def _session(row: Row) -> Line:
    name = _plain(row.session or Path(row.file).stem)
    if row.agent:
        name = f"{name[:8]} {_plain(row.agent)}"
    below = [line for found in row.compactions[:SHOWN] for line in _compacted(found)]
    more = row.compactions.total - SHOWN
    below += [f"  … {more:,} more: --json"] if more > 0 else []
    below += _violations(row)
    below += [f"  the rest couldn't be read: {_plain(why)}" for why in row.broken]
    # the sums leave out how full a subagent's context was
    counts = replace(sums([row]), fullest=row.fullest)
    return (name, row.format, _plain(row.first[:10]), *_counts(counts), row.outcome), below


def _dayless(cells: tuple[str, ...]) -> tuple[str, ...]:
    return cells[:2] + cells[3:]


def _told(one: Sums) -> str:
    """How many there are of what."""
    told = "1 session" if one.sessions == 1 else f"{one.sessions:,} sessions"
    if not one.subagents:
        return told
    return f"{told}, {one.subagents:,} file{'' if one.subagents == 1 else 's'} of subagents"


def _counts(one: Sums) -> Iterator[str]:
    for name in COUNTS:
        yield f"{getattr(one, 'compactions' if name == 'compacted' else name):,}"


def _aligned(heads: tuple[str, ...], names: int, lines: list[Line]) -> Iterator[str]:
    """A table whose first columns are NAMES, the others numbers."""
    widths = _widths([(heads, []), *lines])
    for cells, below in [(heads, []), *lines]:
        left = [cell.ljust(width) for cell, width in zip(cells[:names], widths)]
        right = [cell.rjust(width) for cell, width in zip(cells[names:], widths[names:])]
        yield "  ".join(left + right).rstrip()
        yield from below


def _widths(lines: list[Line]) -> list[int]:
    """How wide each column is."""
    return [max(map(len, column)) for column in zip(*(cells for cells, _ in lines))]


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
        kept = (f"{of[0]} of {of[1]} {NAMES[name]}" for name, of in asdict(found.kept).items() if of[1])
        if said := ", ".join(kept):
            yield f"    its summary kept {said}"
    if found.resumed and found.resumed.right is not None:
        yield f"    {_resumed(found.resumed)}"


def _resumed(found: Resumed) -> str:
    after = " after a prompt" if found.prompted else ""
    if found.right:
        return f"first acting step{after} right: tool call {found.latency}"
    if found.latency is None:
        return f"first acting step{after} elsewhere, and none came back to the task"
    return f"first acting step{after} elsewhere, back at the task with tool call {found.latency}"


def _violations(row: Row) -> Iterator[str]:
    """A line for each constraint that actions were against."""
    against: dict[str, list[int]] = {}
    for found in row.violations:
        against.setdefault(found.constraint, []).append(found.line)
    for constraint, lines in against.items():
        first = "the first at line" if len(lines) > 1 else "at line"
        yield f"  against {constraint}: {_actions(len(lines))}, {first} {lines[0]}"


def _actions(count: int) -> str:
    return "1 action" if count == 1 else f"{count:,} actions"


def _ends(one: Sums) -> Iterator[str]:
    ended = (f"{count:,} {ENDS.get(name, name)}" for name, count in one.outcomes.items() if count)
    if one.sessions:
        yield f"How they ended: {', '.join(ended)}."
    if one.resumed:
        came = f"; the first right one was tool call {one.latency} (median)" if one.latency else ""
        right = f"{one.first_right:,} of {one.resumed:,} times"
        yield f"After a compaction the first acting step was right {right}{came}."
    if one.watched:
        told = "1 session" if one.watched == 1 else f"{one.watched:,} sessions"
        yield f"Against constraints: {_actions(one.violations)}, in the {told} whose project has deny rules."
    if one.compactions:
        yield from advice(one.threshold)


def clean(text: str) -> str:
    """A text of somebody else's on one line, without what steers a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _plain(text: str) -> str:
    """The same in a table, which has no room for a long one."""
    return clean(text[:200])
