"""memrc.files: the lock both ways, replacing, appending."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HOME
from memrc import files
from memrc.errors import StopError

needs_flock = pytest.mark.skipif(not shutil.which("flock"), reason="not tested: flock(1) isn't installed")


def shell_lock(state: Path, wait: str, path: str = "") -> int:
    """The exit code of a shell writer that takes the lock and ends."""
    code = f'for part in base root seal lock; do . "{HOME}/bin/lib/$part.sh"; done; lock_take'
    env = {**os.environ, "MEMRC_ROOT": str(state.parent), "LOCK_WAIT": wait}
    if path:
        env["PATH"] = path
    return subprocess.run(["/bin/sh", "-c", code], env=env, stderr=subprocess.DEVNULL).returncode


@needs_flock
def test_flock_waits_for_us(state: Path) -> None:
    with files.locked(state, 1, "test"):
        assert subprocess.run(["flock", "-n", str(state / ".lock"), "true"]).returncode == 1
        assert (state / ".lock").read_text() == f"{os.getpid()} memrc-test\n"
    assert subprocess.run(["flock", "-n", str(state / ".lock"), "true"]).returncode == 0


@needs_flock
def test_we_wait_for_flock(state: Path, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    holds = ["flock", str(state / ".lock"), "sh", "-c", 'echo held; read -r end; : >"$0"', str(ended)]
    with subprocess.Popen(holds, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin and holder.stdout and holder.stdout.readline() == b"held\n"
        with pytest.raises(StopError, match="another program") as stop, files.locked(state, 0.05, "x"):
            pass
        assert stop.value.code == 75
        holder.stdin.close()
        with files.locked(state, 60, "test"):
            assert ended.exists()


@pytest.mark.parametrize("helper", ["flock", "perl", "python3"])
def test_each_way_of_the_shell_excludes_us(state: Path, tmp_path: Path, helper: str) -> None:
    program = shutil.which(helper)
    if not program:
        pytest.skip(f"not tested: {helper} isn't installed")
    only = tmp_path / "bin"
    only.mkdir()
    for name in (helper, "rm"):
        (only / name).symlink_to(os.path.realpath(shutil.which(name) or name))
    if helper == "python3":  # a shim would need the PATH we take away
        real = sys.executable
        (only / helper).unlink()
        (only / helper).symlink_to(real)
    with files.locked(state, 1, "test"):
        assert shell_lock(state, "0", str(only)) == 75
        assert shell_lock(state, "0.1", str(only)) == 75
    assert shell_lock(state, "0", str(only)) == 0


def test_the_holder_is_named(state: Path) -> None:
    with (state / ".lock").open("w") as file:
        file.write(f"{os.getpid()} memrc-decide\n")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        named = rf"memrc-decide \(process {os.getpid()}\)"
        with pytest.raises(StopError, match=named), files.locked(state, 0, "test"):
            pass


def test_a_lock_that_was_replaced_is_taken_again(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def still(lock: object, path: Path) -> bool:
        asked.append(path)
        return len(asked) > 1

    monkeypatch.setattr(files, "_still", still)
    with files.locked(state, 1, "test"):
        assert len(asked) == 2


def test_still_sees_a_replaced_file(state: Path) -> None:
    import filelock

    lock = filelock.FileLock(str(state / ".lock"))
    with lock:
        assert files._still(lock, state / ".lock")
        (state / ".lock").rename(state / ".old")
        assert not files._still(lock, state / ".lock")
        (state / ".lock").touch()
        assert not files._still(lock, state / ".lock")


def test_a_link_for_a_lock_is_refused(state: Path, tmp_path: Path) -> None:
    (state / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StopError) as stop, files.locked(state, 0, "test"):
        pass
    assert stop.value.code == 74
    assert not (tmp_path / "elsewhere").exists()


def test_leftovers_are_swept_and_nothing_else(state: Path) -> None:
    left = [".a.jsonl.tmp12", "tasks/.t.jsonl.tmp1", "tasks/archive/.t.tmp9", ".seal/.x.tmp3"]
    left.append("../logs/.op.tmp4")
    kept = [".lock", "a.tmp1", ".a.tmp", ".a.tmpx", "tasks/t.jsonl"]
    for name in left + kept:
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).touch()
    with files.locked(state, 0, "test"):
        pass
    assert not any((state / name).exists() for name in left)
    assert all((state / name).exists() for name in kept)


def test_replacing_keeps_the_mode_and_leaves_nothing(state: Path) -> None:
    path = state / "a.jsonl"
    path.write_bytes(b"old\n")
    path.chmod(0o640)
    with files.Replacement(path) as new:
        new.file.write(b"new\n")
        assert path.read_bytes() == b"old\n"
        assert new.temporary.name == f".a.jsonl.tmp{os.getpid()}"
        new.commit()
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    with files.Replacement(path) as new:
        new.file.write(b"given up")
    assert path.read_bytes() == b"new\n"
    assert sorted(p.name for p in state.iterdir()) == ["a.jsonl"]


def test_only_regular_files_are_written(state: Path) -> None:
    (state / "real").write_bytes(b"x")
    (state / "link").symlink_to(state / "real")
    (state / "directory").mkdir()
    for name in ("link", "directory"):
        with pytest.raises(StopError):
            files.Replacement(state / name)
        with pytest.raises(StopError):
            files.append(state / name, b"y\n")
    assert (state / "real").read_bytes() == b"x"


def test_append_mends_a_missing_newline(state: Path) -> None:
    path = state / "new" / "a.jsonl"
    files.append(path, b"1\n")
    files.append(path, b"2\n3\n")
    assert path.read_bytes() == b"1\n2\n3\n"
    path.write_bytes(b"half")
    files.append(path, b"4\n")
    assert path.read_bytes() == b"half\n4\n"
    path.write_bytes(b"1\nhalf")
    files.append(path, b"4\n", cut=4)
    assert path.read_bytes() == b"1\n4\n"


def test_append_that_fails_leaves_the_file_as_it_was(state: Path) -> None:
    import resource

    path = state / "a.jsonl"
    path.write_bytes(b"1\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError):
            files.append(path, b"x" * 5000 + b"\n")
        with pytest.raises(OSError):
            files.append(state / "other.jsonl", b"x" * 5000 + b"\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"1\n"
    assert not (state / "other.jsonl").exists()


LAST = [b"", b"a\n", b"a\nb", b"b" * 200_000, b"a\n" + b"b" * 65536, b"a\n" * 40000 + b"c"]


@pytest.mark.parametrize("data", LAST)
def test_last_line(state: Path, data: bytes) -> None:
    assert files.last_line(state / "absent") == b""
    (state / "a").write_bytes(data)
    assert files.last_line(state / "a") == data.rpartition(b"\n")[2]


@pytest.mark.parametrize("place", ["state", "state/tasks", "logs", "state/.seal"])
def test_nothing_is_written_behind_a_linked_directory(tmp_path: Path, place: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    state = root / "state"
    (state / ".seal").mkdir(parents=True)
    (state / "tasks").mkdir()
    (root / "logs").mkdir()
    (root / place).rename(outside)
    (root / place).symlink_to(outside)
    left = outside / ".x.tmp1"
    left.touch()
    before = sorted(outside.rglob("*"))
    with pytest.raises(StopError) as stopped, files.locked(state, 1, "test"):
        files.append(root / place / "new.jsonl", b"x\n")
    assert stopped.value.code == 74 and "symbolic link" in str(stopped.value)
    with pytest.raises(StopError):
        files.Replacement(root / place / "new.jsonl")
    assert sorted(outside.rglob("*")) == before
