"""memrc.archive: what the shell tests don't reach: sizes, texts, interruptions at each step."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memrc import archive, files
from memrc.errors import StopError
from memrc.jq import Filter
from memrc.records import only_ends


def run(state: Path) -> list[str]:
    return [result.said(done=True) for result in archive.archive(state)]


def index(state: Path, count: int) -> list[str]:
    """An index of so many operations; the lines."""
    rows = [{"v": 1, "id": f"op-{n:03}", "summary": "ünï"} for n in range(1, count + 1)]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (state / "index.jsonl").write_text("".join(lines), "utf-8")
    return lines


def test_a_half_written_archive_is_completed_from_any_byte(state: Path) -> None:
    lines = index(state, 104)
    whole = "".join(lines[:4]).encode()
    for cut in range(0, len(whole) + 1, 7):
        index(state, 104)
        (state / "index.archive.jsonl").write_bytes(whole[:cut])
        assert run(state) == ["index.jsonl: 4 moved, 100 kept"]
        assert (state / "index.archive.jsonl").read_bytes() == whole
        assert (state / "index.jsonl").read_text("utf-8") == "".join(lines[4:])


def test_chunks_make_no_difference(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = index(state, 1000)
    monkeypatch.setattr(archive, "CHUNK_BYTES", 500)
    assert run(state) == ["index.jsonl: 900 moved, 100 kept"]
    assert (state / "index.archive.jsonl").read_text("utf-8") == "".join(lines[:900])


@pytest.mark.parametrize("step", ["append", "commit"])
def test_an_error_at_each_step_loses_nothing(state: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    lines = index(state, 120)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if step == "append":
            patch.setattr(files, "append", fail)
        else:
            patch.setattr(files.Replacement, "commit", fail)
        with pytest.raises(OSError):
            run(state)
    assert (state / "index.jsonl").read_text("utf-8") == "".join(lines)
    assert not list(state.glob(".*"))
    run(state)
    assert (state / "index.archive.jsonl").read_text("utf-8") == "".join(lines[:20])


def test_a_file_that_was_edited_meanwhile_is_not_overwritten(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(state, 120)
    flush = archive.Archive.flush

    def edit(store: archive.Archive) -> None:
        flush(store)
        (state / "index.jsonl").write_text("edited\n")

    monkeypatch.setattr(archive.Archive, "flush", edit)
    with pytest.raises(StopError, match="again") as stop:
        run(state)
    assert stop.value.code == 75
    assert (state / "index.jsonl").read_text() == "edited\n"


def test_marks_and_line_ends_of_other_systems(state: Path) -> None:
    (state / "config").write_text("archive_keep = 1\n")
    marked = b'\xef\xbb\xbf{"id":"op-1"}\r\n{"id":"op-2"}\r\n{"id":"op-3"}'
    (state / "index.jsonl").write_bytes(marked)
    assert run(state) == ["index.jsonl: 2 moved, 1 kept"]
    stored = b'{"id":"op-1"}\r\n{"id":"op-2"}\r\n'
    assert (state / "index.archive.jsonl").read_bytes() == stored
    assert (state / "index.jsonl").read_bytes() == b'{"id":"op-3"}'


PATCHES = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b", "c", "d"])},
        optional={
            "rev": st.integers(1, 3),
            "status": st.sampled_from(["ACTIVE", "INVALID", "SUPERSEDED"]),
            "decision": st.text(max_size=2),
        },
    ),
    max_size=10,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(live=PATCHES, stored=PATCHES)
def test_live_and_archive_together_always_say_the_same(
    state: Path, live: list[Any], stored: list[Any]
) -> None:
    """Whatever a merge left in either, what they fold to together stays; the live file shows all in force."""
    fold = Filter("folded | .rows", "jsonl")
    for name, rows in (("decisions.jsonl", live), ("decisions.archive.jsonl", stored)):
        (state / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def rows(*names: str) -> dict[str, Any]:
        text = "".join((state / name).read_text() for name in names)
        # a record of one line is as it stands there; rev 1 is what it means
        return {row["id"]: {"rev": 1, **row} for row in fold(text)}

    here = {row["id"] for row in live}
    before = rows("decisions.jsonl", "decisions.archive.jsonl")
    run(state)
    assert rows("decisions.jsonl", "decisions.archive.jsonl") == before
    out = {name for name, row in before.items() if archived(row)}
    for name, row in rows("decisions.jsonl").items():
        # of what is out no more than the line that says so, and that with what a merge may bring back
        assert only_ends(row) if name in out else row == before[name]
    assert here - out <= set(rows("decisions.jsonl")) <= here
    both = (state / "decisions.jsonl", state / "decisions.archive.jsonl")
    again = [path.read_bytes() for path in both]
    run(state)
    assert again == [path.read_bytes() for path in both]


def archived(row: dict[str, Any]) -> bool:
    return row.get("status") in ("SUPERSEDED", "INVALID") and "undecided" not in row
