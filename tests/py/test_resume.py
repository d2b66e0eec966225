"""memrc.resume: the first action after a compaction, and how long it took until one belonged to the task."""

from typing import Optional

import pytest
from conftest import REAL, needs_real
from made import COMPACTION, edited, ran, read, row, together
from memrc import transcripts
from memrc.measure import COLUMNS, measure
from memrc.resume import TASK, Resumed, things
from memrc.table import table
from memrc.transcripts import Source
from memrc.transcripts._events import EDIT, RUN, Call, Compaction, Event, Prompt, Session

BEGIN: list[Event] = [Session(1, "", "", "s", "/src/orders", "")]
PROMPT: list[Event] = [Prompt(1, "", "", "Go on.")]
MICRO: list[Event] = [Compaction(1, "", "", "auto", 1, 1, True)]
TASK_BEFORE = [
    *BEGIN,
    *read("/src/orders/api.py", ""),
    *edited("/src/orders/retry.py"),
    *ran("pytest -q tests"),
]


def resumed(*after: list[Event]) -> tuple[Optional[bool], bool, Optional[int]]:
    """Right, prompted and latency of what came after the task and a compaction."""
    found = together(TASK_BEFORE, COMPACTION, *after).compactions[0].resumed
    assert isinstance(found, Resumed)
    return found.right, found.prompted, found.latency


def test_the_first_action_is_a_command_or_an_edit_of_what_was_touched_before() -> None:
    right = True, False, 1
    assert resumed(edited("/src/orders/retry.py")) == right
    assert resumed(edited("retry.py")) == right
    # read before, edited now; edited before, named in a command now; the same command in another line
    assert resumed(edited("./api.py")) == right
    assert resumed(ran("git diff HEAD -- /src/orders/retry.py")) == right
    assert resumed(ran("cd /src/orders && pytest  -q tests 2>&1 | tail -5")) == right
    assert resumed(ran("pytest -q tests", "Exit code 1")) == right
    # to read is to look: it counts as a tool call, not as an action
    assert resumed(read("api.py", ""), read("other.py", ""), edited("api.py")) == (True, False, 3)


def test_an_action_elsewhere_isnt_right_and_the_way_back_is_counted() -> None:
    elsewhere = edited("orders.py"), ran("pytest -x"), ran("cd /src/orders"), ran("tail -5 api.py.orig")
    assert [resumed(action) for action in elsewhere] == [(False, False, None)] * 4
    assert resumed(*elsewhere, read("api.py", ""), edited("api.py"), edited("api.py")) == (False, False, 6)


def test_a_persons_words_come_first() -> None:
    assert resumed(PROMPT, edited("api.py")) == (True, True, 1)
    assert resumed(edited("x.py"), PROMPT, edited("api.py")) == (False, False, 2)


def test_a_session_that_ended_or_was_compacted_again_says_nothing() -> None:
    assert together(TASK_BEFORE, COMPACTION, read("api.py", "")).compactions[0].resumed is None
    found = together(TASK_BEFORE, COMPACTION, read("x.py", ""), COMPACTION, edited("x.py"), edited("api.py"))
    assert found.compactions[0].resumed is None
    assert found.compactions[1].resumed.latency == 1
    found = together(TASK_BEFORE, COMPACTION, edited("y.py"), COMPACTION, edited("api.py"))
    assert [one.resumed.latency for one in found.compactions] == [None, 1]


def test_without_a_task_before_nothing_is_right_or_wrong() -> None:
    found = together(BEGIN, COMPACTION, edited("api.py"))
    assert found.compactions[0].resumed.right is None
    assert found.as_csv()[COLUMNS.index("resumed")] == 0
    assert "first acting step" not in "\n".join(table([found]))


def test_tool_results_that_were_cleared_are_no_compaction() -> None:
    found = together(TASK_BEFORE, MICRO, edited("api.py"))
    assert found.compactions[0].resumed is None


def test_a_subagents_actions_are_its_own() -> None:
    found = together(TASK_BEFORE, COMPACTION, ran("ls", agent="sidechain"), edited("api.py"))
    assert found.compactions[0].resumed.latency == 1
    # in a file of its own it is followed
    who = "a1"
    events = [*ran("pytest", agent=who), Compaction(9, "", who, "auto", 1, 1), *ran("pytest", agent=who)]
    assert row(Session(1, "", who, "s", "/", ""), *events).compactions[0].resumed.right is True


def test_the_task_is_what_the_last_calls_were_about() -> None:
    calls = [ran(f"make {number}") for number in range(TASK)]
    assert together(ran("old"), *calls[1:], COMPACTION, ran("old")).compactions[0].resumed.right is True
    assert together(ran("old"), *calls, COMPACTION, ran("old")).compactions[0].resumed.right is False


def test_compactions_close_to_one_another_look_at_each_call_once() -> None:
    things.cache_clear()
    together(*(part for number in range(200) for part in (ran(f"make {number}"), COMPACTION)))
    assert things.cache_info().misses <= 200


def test_the_columns_and_the_table() -> None:
    found = together(
        TASK_BEFORE, COMPACTION, edited("x.py"), edited("api.py"), COMPACTION, edited("api.py"), COMPACTION,
        PROMPT, ran("ls"),
    )  # fmt: skip
    values = dict(zip(COLUMNS, found.as_csv()))
    assert [values[name] for name in ("resumed", "first_right", "latency")] == [3, 1, "1"]
    shown = list(table([found, found]))
    assert "    first acting step elsewhere, back at the task with tool call 2" in shown
    assert "    first acting step right: tool call 1" in shown
    assert "    first acting step after a prompt elsewhere, and none came back to the task" in shown
    right = "After a compaction the first acting step was right 2 of 6 times"
    assert f"{right}; the first right one was tool call 1 (median)." in shown


# Real sessions, each looked at: what came first after the compaction.
CHECKED = {
    "4d5611e5-241a-462a-8d15-5122611a9569": (True, 1),  # it edits the component it had been editing
    "8463c716-a2ea-4c14-9efa-87158ebd9f20": (True, 1),  # mix compile, as before
    "258c7280-ae70-4798-800f-63464d01a85d": (True, 2),  # reads the test it had written, and edits it
}


@needs_real
@pytest.mark.parametrize("name", sorted(CHECKED))
def test_first_actions_in_real_sessions_are_those_that_were_checked(name: str) -> None:
    (found,) = measure(REAL / "claude" / "spotter" / f"{name}.jsonl", transcripts.formats()["claude"])
    assert [(one.right, one.latency) for one in found.resumed] == [CHECKED[name]]


@needs_real
def test_the_size_of_a_task_is_what_docs_measures_says_of_real_sessions() -> None:
    """Of the acting steps within a context, how many touch what so many calls before them did."""
    steps = 0
    touching = dict.fromkeys((20, TASK, 100, 200), 0)
    for path in sorted(REAL.rglob("*.jsonl")):
        format = transcripts.format_of(path)
        if path.stat().st_size < 100_000 or not format:
            continue
        events = list(format.events(Source(path)))
        start = next(event for event in events if isinstance(event, Session))
        calls = [event for event in events if isinstance(event, Call) and event.agent == start.agent]
        touched = [things(call.command, tuple(call.paths), start.cwd) for call in calls]
        # the first few calls of a session have no task before them
        for at, call in enumerate(calls[5:], 5):
            if call.kind in (RUN, EDIT):
                steps += 1
                for size in touching:
                    task = set().union(*touched[max(0, at - size) : at])
                    touching[size] += not task.isdisjoint(touched[at])
    assert (steps, touching) == (679, {20: 447, TASK: 490, 100: 513, 200: 523})
