"""memrc.validate and memrc.repair: sizes, interruptions, and what they promise of any file."""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memrc import files, repair, validate
from memrc.errors import StopError

LINE = st.one_of(
    st.sampled_from([b"", b" ", b"=======", b"[1]", b"{} {}", b'{"v":1,"id":"d-00', b"\xff\xfe"]),
    st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")),
    st.builds(
        lambda number, text: json.dumps({"id": f"d-{number:010x}", "decision": text}).encode(),
        st.integers(0, 3), st.text(max_size=3),
    ),
)  # fmt: skip


def run(state: Path) -> list[str]:
    return [str(fault) for fault in validate.validate(state)]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.tuples(LINE, st.sampled_from([b"\n", b"\r\n"]))), ended=st.booleans())
def test_no_repair_loses_a_line(state: Path, lines: list[tuple[bytes, bytes]], ended: bool) -> None:
    """Each line is where it was or set aside; then nothing unreadable is left, and nothing to repair."""
    for old in state.glob("*"):
        if old.is_file():
            old.unlink()
    # what an example before had is no loss of this one
    shutil.rmtree(state / ".seal", ignore_errors=True)
    path = state / "decisions.jsonl"
    data = b"".join(line + end for line, end in lines)
    path.write_bytes(data if ended else data[:-1])

    def texts(*paths: Path) -> list[bytes]:
        found = b"\n".join(p.read_bytes() for p in paths if p.exists()).split(b"\n")
        bare = (re.sub(rb"[\0\r]|^\xef\xbb\xbf", b"", line) for line in found)
        return sorted(line for line in bare if line.strip(b" \t"))

    before = texts(path)
    list(repair.repair(state))
    assert texts(path, state / "decisions.jsonl.rejected") == before
    assert not [fault for fault in run(state) if "JSON object" in fault or "marker" in fault]
    assert list(repair.repair(state)) == []


def test_killed_between_its_two_steps_it_sets_aside_once(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = state / "facts.jsonl"
    path.write_bytes(b"one\n\n{}\ntwo")
    (state / "facts.jsonl.rejected").write_bytes(b"zero")
    commit = files.Replacement.commit

    def killed(new: files.Replacement) -> None:
        if new.path == path:
            raise KeyboardInterrupt
        commit(new)

    with monkeypatch.context() as patch:
        patch.setattr(files.Replacement, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            list(repair.repair(state))
    assert path.read_bytes() == b"one\n\n{}\ntwo"
    assert list(repair.repair(state)) == ["facts.jsonl: 2 set aside in facts.jsonl.rejected"]
    assert path.read_bytes() == b"\n{}\n"
    assert (state / "facts.jsonl.rejected").read_bytes() == b"zero\none\ntwo\n"


def test_a_file_that_was_edited_meanwhile_is_not_overwritten(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (state / "facts.jsonl").write_bytes(b"bad\n")

    def edit(line: bytes, first: bool) -> bytes:
        (state / "facts.jsonl").write_bytes(b"edited\n")
        return line

    monkeypatch.setattr(repair, "tidy", edit)
    with pytest.raises(StopError, match="again"):
        list(repair.repair(state))
    assert (state / "facts.jsonl").read_bytes() == b"edited\n"
    assert not (state / "facts.jsonl.rejected").exists()


def test_a_line_of_5_mb_is_a_line(state: Path) -> None:
    record: dict[str, Any] = {"id": "d-0000000001", "decision": "y" * 5_000_000}
    (state / "decisions.jsonl").write_text("x" * 5_000_000 + "\n" + json.dumps(record) + "\n")
    start = time.process_time()
    assert len(run(state)) == 1
    assert list(repair.repair(state)) == ["decisions.jsonl: 1 set aside in decisions.jsonl.rejected"]
    assert run(state) == []
    assert time.process_time() - start < 10


def test_memory_does_not_grow_with_the_file(state: Path) -> None:
    import tracemalloc

    def peak(count: int) -> int:
        line = '{"v":1,"id":"op-%d","summary":"made the key check idempotent","log_path":"logs/a"}\n'
        with (state / "index.jsonl").open("w") as file:
            file.writelines(line % number for number in range(count))
        tracemalloc.start()
        assert run(state) == []
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(20_000) < peak(1000) + 1_000_000


def test_what_a_line_of_a_fault_says() -> None:
    fault = validate.Fault("a.jsonl", 3, "status", "isn't one of A, B", "A stands in")
    assert str(fault) == "a.jsonl:3: status: isn't one of A, B: A stands in"
    assert str(fault._replace(line=0, field="", warning=True)).startswith("warning: a.jsonl: isn't")
    assert validate.stands_in("") == "an empty text stands in"
    assert validate.stands_in([]) == "an empty list stands in"
    assert validate.stands_in(False) == "false stands in"
