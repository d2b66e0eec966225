"""The seal follows what memrc itself writes, and keeps what another hand did visible."""

from pathlib import Path

from memrc import seal
from memrc.files import Replacement, locked


def write(path: Path, text: str) -> None:
    """Replaces PATH as archive and validate do."""
    with locked(path.parent, 5, "test"), Replacement(path) as new:
        new.file.write(text.encode())
        new.commit()


def sealed(path: Path) -> str:
    return (path.parent / ".seal" / path.name).read_text()


def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def test_the_copy_follows_a_write(tmp_path: Path) -> None:
    path = state(tmp_path) / "decisions.jsonl"
    write(path, "a\nb\n")
    assert sealed(path) == "a\nb\n"
    write(path, "b\n")
    assert sealed(path) == "b\n"


def test_another_hand_stays_visible(tmp_path: Path) -> None:
    path = state(tmp_path) / "decisions.jsonl"
    write(path, "a\n1\n2\n3\n4\nz\n")
    path.write_text("A\n1\n2\n3\n4\nz\n")
    write(path, "A\n1\n2\n3\n4\n")
    assert sealed(path) == "a\n1\n2\n3\n4\n"


def test_records_are_found_wherever_they_stand(tmp_path: Path) -> None:
    path = state(tmp_path) / "decisions.jsonl"
    write(path, "a\nb\nc\nc\n")
    path.write_text("new\nc\nA\nb\nc\n")
    # b and one c go, d comes, and so does what the copy has already
    write(path, "new\nA\nc\nd\na\n")
    assert sealed(path) == "a\nc\nd\n"


def test_other_files_have_no_copy(tmp_path: Path) -> None:
    path = state(tmp_path) / "index.jsonl"
    write(path, "a\n")
    assert not (path.parent / ".seal").exists()


def test_killed_between_file_and_copy(tmp_path: Path) -> None:
    path = state(tmp_path) / "facts.jsonl"
    write(path, "a\n")
    following = seal.prepare(path, path)
    assert following is not None
    path.write_text("b\n")
    following.write_text("b\n")
    write(path.parent / "index.jsonl", "x\n")
    assert sealed(path) == "b\n"
    assert not following.exists()
