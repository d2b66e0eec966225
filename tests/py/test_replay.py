"""memrc.replay and memrc.retention: what the shell tests don't reach, and the aims in real sessions."""

import json
from pathlib import Path

import pytest
from conftest import HOME, REAL, needs_real
from made import Made
from memrc.losses import Kept, Wanted
from memrc.replay import Replayed, replay, units
from memrc.reports import Refusals, transcripts
from memrc.retention import ARMS, LIMIT, table
from memrc.transcripts._events import (
    EDIT,
    OTHER,
    RUN,
    Call,
    Compaction,
    Event,
    Prompt,
    Result,
    Session,
    Summary,
)

# One after the other: a second of every event.
AT = iter(
    f"2026-11-30T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.5Z" for second in range(80_000)
)


def used(kind: str, what: str, output: str = "", exit: int = 0, agent: str = "") -> list[Event]:
    """A tool call and its result: a command, or an edit of a file."""
    at = next(AT)
    command, paths = (what, []) if kind == RUN else ("", [what])
    call = Call(1, at, agent, at, "their_tool", kind, command, paths)
    return [call, Result(1, at, agent, at, exit != 0, exit or None, output)]


def said(text: str) -> list[Event]:
    return [Prompt(1, next(AT), "", text)]


def compacted(summary: str = "") -> list[Event]:
    at = next(AT)
    return [Compaction(7, at, "", "", None, None)] + ([Summary(8, at, "", summary)] if summary else [])


def begun(name: str = "s1", cwd: str = "/src/orders") -> list[Event]:
    return [Session(1, next(AT), "", name, cwd, "")]


def played(place: Path, *parts: "list[Event]") -> list[Replayed]:
    """What comes of these events."""
    made = Made(*(event for part in parts for event in part))
    return list(replay(Path("x"), made, place))  # type: ignore[arg-type]


def recorded(place: Path) -> list[dict[str, object]]:
    """The lines of the flight recorder of the first session."""
    lines = (place / "1" / "project" / ".memrc" / "logs" / "flight.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_what_a_text_has_to_keep_counts_word_for_word_but_for_blanks() -> None:
    wanted = Wanted(["make\n  lint", "pytest"], ["E  1"], ["src/app.py"], [])
    assert wanted.kept_by("ran make lint: E 1 in\nsrc/app.py") == Kept([1, 2], [1, 1], [1, 1], [0, 0])
    assert wanted.kept_by("") == Kept([0, 2], [0, 1], [0, 1], [0, 0])


# Each of these the restore leaves out, a summary too.
HIDDEN = [
    chr(code)
    for code in (*range(32), *range(127, 160), 0x200B, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
]


def test_what_does_not_show_makes_no_difference(tmp_path: Path) -> None:
    wanted = Wanted(["\x1b[1;31mmake\x1b[0m lint"], [], [], [])
    assert wanted.kept_by("ran make lint").commands == [1, 1]
    (found,) = played(
        tmp_path,
        begun(),
        used(
            RUN,
            f"echo {'x'.join(sorted({*HIDDEN} - {chr(0)}))} \U000e0041 \x1b[2Kend",
            "\x1b[31mError: bad\x1b[0m",
            1,
        ),
        compacted(),
    )
    assert found.restore == Kept([1, 1], [1, 1], [0, 0], [0, 0])


def test_units_are_utf_16() -> None:
    assert (units("a"), units("试"), units("👍"), units("\ud83d")) == (1, 1, 2, 1)


def test_whatever_the_host_failures_are_told_as_claude_code_does(tmp_path: Path) -> None:
    (found,) = played(
        tmp_path,
        begun(),
        used(RUN, "pytest -q", "E   KeyError: id\nCommand exited with code 3", 3),
        used(RUN, "ls", "a.py"),
        used(EDIT, "/src/orders/app.py"),
        used(EDIT, "/src/orders-2/app.py"),
        used(OTHER, ""),
        compacted("app.py"),
    )
    assert [(line.get("tool"), line.get("target"), line.get("exit")) for line in recorded(tmp_path)] == [
        ("Bash", None, 3),
        ("Bash", None, None),
        ("Edit", f"{tmp_path}/1/project/app.py", None),
        ("Edit", "/src/orders-2/app.py", None),
        ("their_tool", "", None),
    ]
    assert found.summary == Kept([0, 1], [0, 1], [1, 2], [0, 0])
    assert found.restore == Kept([1, 1], [1, 1], [2, 2], [0, 0])
    assert found.faults == []


def test_subagents_begin_and_end_and_their_failures_are_not_the_sessions(tmp_path: Path) -> None:
    (found,) = played(
        tmp_path,
        begun(),
        used(RUN, "grep x", "no such file", 1, agent="a1"),
        used(RUN, "ls", "a", agent="a1"),
        compacted(),
        used(RUN, "ls", "a", agent="a2"),
    )
    assert [line["event"] for line in recorded(tmp_path)] == [
        "subagent-start", "tool", "tool", "subagent-stop",
        "subagent-start", "tool", "subagent-stop",
    ]  # fmt: skip
    assert found.restore == Kept([0, 0], [0, 0], [0, 0], [0, 0])


def test_a_secret_is_lost_and_so_it_should(tmp_path: Path) -> None:
    secret = "curl -H 'Authorization: Bearer " + "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345' api"
    (found,) = played(tmp_path, begun(), used(RUN, secret, "error: denied", 1), compacted())
    assert found.restore.commands == [0, 1]
    assert found.restore.errors == [1, 1]


def test_each_session_of_a_file_has_a_memory_of_its_own(tmp_path: Path) -> None:
    found = played(
        tmp_path,
        begun("one"), said("Do one."), compacted(),
        begun("none"), said("Nothing was compacted."),
        begun("two"), said("Do two."), compacted(), said("And three."), compacted("Do two."),
    )  # fmt: skip
    assert [(one.session, one.restore.prompts, one.summary.prompts) for one in found] == [
        ("one", [1, 1], [0, 1]),
        ("two", [1, 1], [0, 1]),
        ("two", [2, 2], [1, 2]),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "3"]


def test_a_session_without_name_or_with_one_that_is_no_argument(tmp_path: Path) -> None:
    for number, start in enumerate([[], begun("a\0b\n\ud83d"), begun("-x"), begun("x" * 9000, "")]):
        (found,) = played(tmp_path / f"{number}", start, said("Go on."), compacted())
        assert found.restore.prompts == [1, 1]
        assert found.faults == []


def test_time_only_goes_on(tmp_path: Path) -> None:
    events = [
        Session(1, "", "", "s1", "", ""),
        Prompt(2, "2026-11-30T02:00:00.123Z", "", "one"),
        Prompt(3, "2026-11-30T01:00:00Z", "", "two"),
        Prompt(4, "tomorrow", "", "three"),
        Compaction(5, "", "", "", None, None),
    ]
    (found,) = played(tmp_path, events)
    assert {line["ts"] for line in recorded(tmp_path)} == {"2026-11-30T02:00:00Z"}
    assert found.restore.prompts == [2, 2]


def test_only_compactions_of_the_sessions_own_context_count(tmp_path: Path) -> None:
    others = [Compaction(3, "", "", "auto", 2, 1, True), Compaction(4, "", "a1", "auto", 2, 1)]
    assert played(tmp_path, begun(), said("Go on."), others) == []
    assert list(tmp_path.iterdir()) == []


@needs_real
def test_aims_in_real_sessions_and_the_table_of_the_readme(tmp_path: Path) -> None:
    """100% of failed commands and error lines, 98% of edited files, 100% of prompts, within the limit."""
    sources = transcripts([REAL], None, False, Refusals(pytest.fail))
    rows = [
        row
        for number, (path, format) in enumerate(sources)
        for row in replay(path, format, tmp_path / f"{number}")
    ]
    assert [row.faults for row in rows if row.faults] == []
    assert max(row.units for row in rows) <= LIMIT
    kept = {
        name: [sum(getattr(row.restore, name)[at] for row in rows) for at in (0, 1)]
        for name in ("commands", "errors", "paths", "prompts")
    }
    assert all(of for _, of in kept.values())
    assert kept["commands"][0] == kept["commands"][1]
    assert kept["errors"][0] == kept["errors"][1]
    assert kept["paths"][0] >= 0.98 * kept["paths"][1]
    assert kept["prompts"][0] == kept["prompts"][1]
    shown = [line.split("  ") for line in list(table(rows))[-len(ARMS) :]]
    cells = [[cell.strip() for cell in line if cell][1:] for line in shown]
    readme = (HOME / "README.md").read_text("utf-8")
    for kind in zip(*cells):
        assert " | ".join(kind) in readme
    assert f"{len(rows)} compactions in {len({row.file for row in rows})} sessions" in readme


def test_nothing_to_keep_is_no_share() -> None:
    nothing = Kept([0, 0], [0, 0], [0, 0], [0, 0])
    row = Replayed("x", "made", "a\x1b[2J", 1, "", 1, 9, 9, nothing, nothing, nothing, nothing, [])
    lines = list(table([row]))
    assert lines[1].startswith("a [2J    made")
    assert lines[-1].split("  ")[-1].strip() == "0 of 0"
    assert "1 compaction " in lines[3]


@pytest.mark.parametrize("arm", list(ARMS))
def test_each_arm_is_in_the_json(arm: str) -> None:
    nothing = Kept([0, 0], [0, 0], [0, 0], [0, 0])
    row = Replayed("x", "made", "s", 1, "", 1, 9, 9, nothing, nothing, nothing, nothing, [])
    assert row.as_json()[arm] == {"commands": [0, 0], "errors": [0, 0], "paths": [0, 0], "prompts": [0, 0]}
