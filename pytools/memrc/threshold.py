"""When to compact, from the user's own sessions: how full contexts were, what was done again in vain across a
compaction and within a context, and whether those that came earlier cost less. docs/measures.md has the
formulas; the fields of `Threshold` are in --json.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import median_low
from typing import Optional

from memrc.measure import Compacted, Row

# Fewer compactions than that say nothing.
ENOUGH = 10
# Two halves came at different fills if one is so many times the other …
SPREAD = 1.2
# … and cost differently if chance would do that less than once in twenty times.
CLEAR = 2.0
# The window that --compact-at is translated for.
WINDOW = 200_000


@dataclass
class Half:
    """The compactions that came earlier, or later, than others."""

    compactions: int
    before: int
    """tokens before, the median"""
    again: int
    """commands that failed again, and files read again, across them"""
    calls: int
    """uses of a tool after them, until the next compaction"""


@dataclass
class Threshold:
    """What sessions say of the fill to compact at."""

    compactions: int
    """of a session's own context, that no person asked for, with tokens before and tool calls after them"""
    before: Optional[int]
    """tokens before, the median, as the two below; None if there is none"""
    next: Optional[int]
    """tokens for the next answer"""
    regrown: Optional[int]
    """tokens that the context grew by again"""
    across: list[int]
    """repeats and rereads across a compaction, and the tool calls in which they could be"""
    within: list[int]
    """the same without a compaction between, and all tool calls"""
    calm: int
    """sessions with tool calls and without a compaction, of which a fill is known; no subagents"""
    calm_median: Optional[int]
    """tokens of the fullest answer of each of these, the median"""
    calm_fullest: Optional[int]
    """… and the most"""
    halves: list[Half]
    """the earlier and the later compactions; none if there are too few, or all came equally full"""
    cheaper: str
    """`earlier` or `later`, if one is clearly"""


def threshold(rows: list[Row]) -> Threshold:
    """The figures of ROWS."""
    found = [compacted for row in rows for compacted in row.own if _counts(compacted)]
    # a subagent's context is no session, nor is that in which Claude Code writes a summary
    calm = [row.fullest for row in rows if row.fullest and row.calls and not row.agent and not row.compacted]
    hits = [again for row in rows for again in (*row.repeats, *row.rereads)]
    halves = _halves(found)
    return Threshold(
        compactions=len(found),
        before=_median(compacted.before for compacted in found),
        next=_median(compacted.next for compacted in found),
        regrown=_median(compacted.regrown for compacted in found if compacted.next is not None),
        across=[_again(found), sum(compacted.calls for compacted in found)],
        within=[sum(not again.across for again in hits), sum(row.calls for row in rows)],
        calm=len(calm),
        calm_median=_median(calm),
        calm_fullest=max(calm, default=None),
        halves=halves,
        cheaper=_cheaper(*halves) if halves else "",
    )


def _counts(compacted: Compacted) -> bool:
    # a person asks for one where little is lost by it: that says nothing of the fill
    return compacted.trigger != "manual" and compacted.before is not None and compacted.calls > 0


def _median(values: Iterable[Optional[int]]) -> Optional[int]:
    known = [value for value in values if value is not None]
    return median_low(known) if known else None


def _again(found: list[Compacted]) -> int:
    return sum(compacted.repeats + compacted.rereads for compacted in found)


def _halves(found: list[Compacted]) -> list[Half]:
    """The earlier and the later half; of an odd number the middle one is in neither."""
    if len(found) < ENOUGH:
        return []
    ordered = sorted(found, key=lambda compacted: compacted.before or 0)
    size = len(ordered) // 2
    earlier, later = (
        Half(
            size,
            _median(compacted.before for compacted in half) or 0,
            _again(half),
            sum(compacted.calls for compacted in half),
        )
        for half in (ordered[:size], ordered[-size:])
    )
    return [earlier, later] if later.before >= SPREAD * earlier.before else []


def _cheaper(earlier: Half, later: Half) -> str:
    """Whether what was done again falls on the halves other than their tool calls do: a binomial test by its
    normal approximation.
    """
    again = earlier.again + later.again
    share = earlier.calls / (earlier.calls + later.calls)
    spread = sqrt(again * share * (1 - share))
    far = earlier.again - again * share
    if again < ENOUGH or abs(far) < CLEAR * spread:
        return ""
    return "later" if far > 0 else "earlier"


def advice(found: Threshold) -> Iterator[str]:
    """What a person is told, with the figures it rests on; lines."""
    if found.compactions < ENOUGH:
        yield (
            f"When to compact: that takes {ENOUGH} compactions that nobody asked for, their tokens known and"
            f" tool calls after them; there {'is' if found.compactions == 1 else 'are'} {found.compactions}."
        )
        return
    left = f", {found.next:,} for the next answer" if found.next is not None else ""
    grown = f", grown again by {found.regrown:,}" if found.regrown is not None else ""
    yield (
        f"When to compact: {found.compactions:,} compactions that nobody asked for had {found.before:,}"
        f" tokens before{left}{grown} (medians)."
    )
    if found.calm:
        yield (
            f"  {found.calm:,} sessions without one reached {found.calm_median:,} tokens (median), the"
            f" fullest {found.calm_fullest:,}."
        )
    yield (
        f"  Done again in vain, per 100 tool calls: {_rate(*found.across)} across a compaction,"
        f" {_rate(*found.within)} without one between."
    )
    yield f"  {_verdict(found)}"


def _rate(again: int, calls: int) -> str:
    return f"{100 * again / calls if calls else 0:.1f} ({again:,} in {calls:,})"


def _verdict(found: Threshold) -> str:
    if not found.halves:
        return (
            "All came about equally full, so nothing here says whether earlier is better: let it compact"
            " earlier for a while (memrc install claude --compact-at 70), and measure again."
        )
    earlier, later = found.halves
    facts = (
        f"The {earlier.compactions:,} earlier ones, at {earlier.before:,}, cost"
        f" {_rate(earlier.again, earlier.calls)}; the {later.compactions:,} later ones, at {later.before:,},"
        f" {_rate(later.again, later.calls)}: "
    )
    if found.cheaper == "earlier":
        return facts + f"compact at about {earlier.before:,} tokens{_percent(earlier.before)}."
    if found.cheaper == "later":
        return facts + "leave the threshold where it is, or raise it."
    return facts + "no clear difference, so nothing here says to change the threshold."


def _percent(tokens: int) -> str:
    if not 0.01 * WINDOW <= tokens <= WINDOW:
        return ""
    return f" (memrc install claude --compact-at {100 * tokens // WINDOW}, if the window has {WINDOW:,})"
