"""memrc.outcome: how a session ended."""

from typing import Optional

import pytest
from conftest import REAL, needs_real
from made import FAILED, edited, ran, read, together
from memrc import transcripts
from memrc.measure import measure
from memrc.transcripts._events import RUN, Call, Event, Interruption, Prompt, Say, Usage

SAY: list[Event] = [Say(1, "", "", "Done."), Usage(1, "", "", 9)]
PROMPT: list[Event] = [Prompt(1, "", "", "Go on.")]
STOP: list[Event] = [Interruption(1, "", "")]
PENDING: list[Event] = [Call(1, "", "", "c", "Bash", RUN, "sleep 9", [])]


@pytest.mark.parametrize(
    ("expected", "parts"),
    [
        ("done", [PROMPT, ran("pytest"), SAY]),
        ("done", [edited("a.py"), read("a.py", "x"), SAY, PROMPT, SAY]),
        # a failure that was overcome is how work goes
        ("done", [ran("pytest", FAILED), edited("a.py"), ran("pytest"), SAY]),
        ("detours", [ran("pytest", FAILED), ran("pytest", FAILED), edited("a.py"), SAY]),
        ("detours", [ran("ls"), STOP, PROMPT, ran("pytest"), SAY]),
        ("failed", [ran("pytest", FAILED), SAY]),
        ("failed", [edited("a.py", failed=True), read("a.py", "x"), SAY]),
        ("failed", [ran("pytest"), SAY, PROMPT, PENDING, STOP]),
        # what a call gave that was stopped comes behind the interruption
        ("failed", [PROMPT, ran("sleep 9")[:1], STOP, ran("x")[1:]]),
        # never acted; still running, killed, or not answered
        ("unknown", []),
        ("unknown", [PROMPT, read("a.py", "x"), SAY]),
        ("unknown", [PROMPT, STOP]),
        ("unknown", [ran("pytest"), SAY, PENDING]),
        ("unknown", [ran("pytest")]),
        ("unknown", [ran("pytest"), PENDING, SAY]),
        ("unknown", [ran("pytest"), SAY, PROMPT]),
        # a subagent in the same file ends for itself
        ("done", [ran("pytest"), SAY, ran("x", FAILED, "sidechain")]),
    ],
)
def test_how_it_ended(expected: str, parts: list[list[Event]]) -> None:
    assert together(*parts).outcome == expected


def test_interruptions_are_counted() -> None:
    found = together(ran("ls"), STOP, PROMPT, ran("ls"), STOP)
    assert (found.interrupted, found.outcome) == (2, "failed")


@needs_real
@pytest.mark.parametrize(
    ("name", "expected", "interrupted"),
    [
        ("claude/spotter/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl", "done", 0),
        ("claude/spotter/258c7280-ae70-4798-800f-63464d01a85d.jsonl", "detours", None),
        ("claude/spotter/tool_heavy.jsonl", "failed", None),
    ],
)
def test_real_sessions_that_were_looked_at(name: str, expected: str, interrupted: Optional[int]) -> None:
    (found,) = measure(REAL / name, transcripts.formats()["claude"])
    assert found.outcome == expected
    assert interrupted is None or found.interrupted == interrupted
