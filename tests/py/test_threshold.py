"""memrc.projects and memrc.threshold: the sums of several sessions, and what they say of when to compact."""

from typing import Optional

from made import FAILED, edited, ran, read, together
from memrc.measure import Row
from memrc.projects import COLUMNS, by_project, sums
from memrc.table import table
from memrc.threshold import ENOUGH, Half, advice, threshold
from memrc.transcripts._events import Compaction, Event, Prompt, Say, Session, Usage


def began(cwd: str, agent: str = "") -> list[Event]:
    return [Session(1, "2026-11-30T01:00:00Z", agent, "s", cwd, ""), Prompt(1, "", agent, "Begin.")]


def fill(tokens: int) -> list[Event]:
    return [Usage(1, "", "", tokens)]


def test_a_project_is_a_directory_that_sessions_began_in() -> None:
    rows = [
        together(began("/src/orders"), fill(90_000), ran("ls"), [Say(1, "", "", "Done.")]),
        together(began("/src/orders-worktree"), ran("pytest", FAILED), ran("pytest", FAILED)),
        together(began("/src/orders"), fill(70_000), read("a", "x"), read("a", "x")),
        together(ran("ls")),
    ]
    found = by_project(rows)
    assert [(one.project, one.sessions, one.calls) for one in found] == [
        ("", 1, 1),
        ("/src/orders", 2, 3),
        ("/src/orders-worktree", 1, 2),
    ]
    orders = found[1]
    assert (orders.rereads, orders.repeats, orders.fullest, orders.prompts) == (1, 0, 90_000, 2)
    assert orders.outcomes == {"done": 1, "detours": 0, "failed": 0, "unknown": 1}
    assert (found[2].errors, found[2].repeats) == (2, 1)
    assert dict(zip(COLUMNS, orders.as_csv()))["done"] == 1
    assert dict(zip(COLUMNS, orders.as_csv()))["latency"] == ""
    # all of them are the sum of each
    assert sums(rows).calls == sum(one.calls for one in found)


def test_the_table_has_projects_if_there_are_several() -> None:
    one, other = together(began("/src/orders"), ran("ls")), together(began("/src/x\x1b[2J"), ran("ls"))
    shown = list(table([one, other, other]))
    begin = shown.index("") + 1
    assert [" ".join(line.split()) for line in shown[begin : begin + 3]] == [
        "project sessions subagents prompts calls errors repeats rereads compacted fullest skipped",
        "/src/orders 1 0 1 1 0 0 0 0 0 0",
        "/src/x [2J 2 0 2 2 0 0 0 0 0 0",
    ]
    assert not any(line.startswith("project") for line in table([one, one]))


def compacted(before: Optional[int], again: int, calls: int = 20, trigger: str = "auto") -> Row:
    """A session that was compacted at so many tokens, and whose calls after that were rereads so often."""
    files = [read(f"{number}.py", "x") for number in range(again)]
    others = [edited("x.py") for _ in range(calls - again)]
    compaction: list[Event] = [Compaction(1, "", "", trigger, before, None)]
    after = fill(20_000), *files, *others, fill(80_000)
    return together(began("/src"), *files, fill(before or 9), compaction, *after)


def said(rows: list[Row]) -> list[str]:
    return list(advice(threshold(rows)))


def test_too_few_compactions_are_no_advice() -> None:
    rows = [compacted(100_000, 0)] * (ENOUGH - 1)
    none = (
        "When to compact: that takes 10 compactions that nobody asked for, their tokens known and tool calls"
    )
    assert said(rows) == [f"{none} after them; there are 9."]
    # not counted: asked for by a person; nothing came after it
    more = [compacted(100_000, 0, trigger="manual"), compacted(100_000, 0, calls=0)]
    assert said(rows + more) == said(rows)
    assert len(said([*rows, compacted(100_000, 0)])) > 1


def test_the_figures() -> None:
    calm = together(began("/src"), fill(50_000), read("a", "x"), read("a", "x"))
    calmer = together(began("/src"), fill(40_000), ran("ls"))
    # a subagent's context, and that in which a summary is written, are no sessions
    inner = together(began("/src", "a1"), [Usage(1, "", "a1", 190_000)], ran("ls"))
    nothing = together(began("/src"), fill(180_000))
    rows = [compacted(160_000, 2)] * 6 + [compacted(170_000, 3)] * 4 + [calm, calmer, inner, nothing]
    found = threshold(rows)
    assert (found.compactions, found.before, found.next, found.regrown) == (10, 160_000, 20_000, 60_000)
    # rereads across: 6 * 2 + 4 * 3, each among 20 calls after it; without one between: 1 among all calls
    assert found.across == [24, 200]
    assert found.within == [1, 200 + 24 + 2 + 1 + 1]
    assert (found.calm, found.calm_median, found.calm_fullest) == (2, 40_000, 50_000)
    assert (found.halves, found.cheaper) == ([], "")
    assert said(rows) == [
        "When to compact: 10 compactions that nobody asked for had 160,000 tokens before, 20,000 for the next"
        " answer, grown again by 60,000 (medians).",
        "  2 sessions without one reached 40,000 tokens (median), the fullest 50,000.",
        "  Done again in vain, per 100 tool calls: 12.0 (24 in 200) across a compaction, 0.4 (1 in 228)"
        " without one between.",
        "  All came about equally full, so nothing here says whether earlier is better: let it compact"
        " earlier for a while (memrc install claude --compact-at 70), and measure again.",
    ]


def test_earlier_is_better_where_less_was_done_again() -> None:
    rows = [compacted(110_000, 0)] * 5 + [compacted(140_000, 9)] + [compacted(168_000, 3)] * 5
    found = threshold(rows)
    # of 15 all fell on the later half of the calls: far from 7.5 ± 1.9; the middle one is in neither half
    assert found.halves == [Half(5, 110_000, 0, 100), Half(5, 168_000, 15, 100)]
    assert found.cheaper == "earlier"
    assert said(rows)[-1] == (
        "  The 5 earlier ones, at 110,000, cost 0.0 (0 in 100); the 5 later ones, at 168,000, 15.0 (15 in"
        " 100): compact at about 110,000 tokens (memrc install claude --compact-at 55, if the window has"
        " 200,000)."
    )


def test_later_is_better_or_nothing_is_clear() -> None:
    rows = [compacted(110_000, 3)] * 5 + [compacted(900_000, 0)] * 5
    assert threshold(rows).cheaper == "later"
    assert said(rows)[-1].endswith("leave the threshold where it is, or raise it.")
    # 12 and 8 of 20 could be chance
    rows = [compacted(110_000, 2)] * 4 + [compacted(110_000, 0)] + [compacted(168_000, 2)] * 5
    rows += [compacted(110_000, 0), compacted(168_000, 2)]
    assert threshold(rows).cheaper == ""
    assert said(rows)[-1].endswith("no clear difference, so nothing here says to change the threshold.")
    # few of them say nothing, whichever half they fell on
    assert threshold([compacted(110_000, 0)] * 5 + [compacted(168_000, 1)] * 5).cheaper == ""


def test_a_window_that_isnt_200_000_is_told_no_percentage() -> None:
    rows = [compacted(400_000, 0)] * 5 + [compacted(800_000, 3)] * 5
    assert said(rows)[-1].endswith("compact at about 400,000 tokens.")
