"""memrc.focus: how many decisions a task takes."""

import json
from pathlib import Path
from typing import Any

import pytest
from memrc.focus import Focus, focus, lines


def decided(state: Path, *records: dict[str, Any], name: str = "decisions.jsonl") -> None:
    """Appends decisions, each with an id of its own unless it has one."""
    with (state / name).open("a") as file:
        for number, record in enumerate(records):
            file.write(
                json.dumps({"v": 1, "id": f"d-{len(name):04x}{number:06x}", "rev": 1, **record}) + "\n"
            )


def of(task: str, count: int) -> list[dict[str, Any]]:
    return [{"decision": f"{task} {number}", "task_id": task} for number in range(count)]


def test_tasks_by_their_decisions(state: Path) -> None:
    spans = [1, 1, 2, 2, 2, 3, 3, 4, 5, 12]
    decided(state, *(record for number, span in enumerate(spans) for record in of(f"t{number}", span)))
    found = focus(state)
    assert (found.tasks, found.decisions, found.loose) == (10, 35, 0)
    assert found.spans == {1: 2, 2: 3, 3: 2, 4: 1, 5: 1, 12: 1}
    # 8 of 10 took at most 4; 7 of 10 at most 3
    assert (found.median, found.needed, found.set, found.covered) == (2, 4, 3, 70.0)
    assert list(lines(found))[-2:] == [
        "35 decisions in 10 tasks, 2 in each (median).",
        "replay_decisions=3 is all decisions of 70% of the tasks; 80% need 4.",
    ]
    (state / "config").write_text("replay_decisions = 5\n")
    assert (focus(state).set, focus(state).covered) == (5, 90.0)


def test_a_session_stands_in_for_a_task_and_what_has_neither_is_loose(state: Path) -> None:
    decided(
        state,
        {"decision": "a", "session": "s1"},
        {"decision": "b", "session": "s1"},
        {"decision": "c", "session": "s1", "task_id": "t"},
        # another task than a session of that name
        {"decision": "d", "session": "t"},
        {"decision": "e", "task_id": "", "session": ""},
        {"decision": "f", "task_id": 7},
    )
    found = focus(state)
    assert (found.spans, found.decisions, found.loose) == ({1: 2, 2: 1}, 4, 2)
    assert "4 decisions in 3 tasks, 1 in each (median); 2 of no task aren't counted." in lines(found)
    assert list(lines(found))[-1] == "So few tasks say little: 10 would do."


def test_a_change_is_no_decision_and_the_archive_counts(state: Path) -> None:
    decided(state, {"decision": "a", "task_id": "t"}, name="decisions.archive.jsonl")
    one = {"id": "d-00000000aa", "task_id": "t"}
    decided(state, {**one, "decision": "b"}, {**one, "rev": 2, "status": "SUPERSEDED"})
    (state / "decisions.jsonl").open("a").write("no record\n[1]\n")
    assert focus(state).spans == {2: 1}


def test_no_decision_at_all(state: Path) -> None:
    found = focus(state)
    assert found == Focus(0, 0, 0, {}, None, None, 3, None)
    assert list(lines(found)) == ["no decision of any task here: memrc decide records them"]


@pytest.mark.parametrize(
    ("span", "said"), [(50, "80% need 50."), (51, "80% need 51, which is more than the 50 it can be.")]
)
def test_more_than_can_be_set(state: Path, span: int, said: str) -> None:
    decided(state, *of("t", span))
    assert any(line.endswith(said) for line in lines(focus(state)))
