"""The lock, the one way a whole file is replaced, the one way lines are added: as bin/lib does it."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Optional

import filelock

from memrc import seal
from memrc.errors import StopError

# Where a killed writer may have left a temporary file, below state/: as _lock_sweep in lock.sh.
SWEPT = (".", "*", ".seal", "tasks/archive", "../logs")


@contextmanager
def locked(state: Path, wait: float, name: str) -> Iterator[None]:
    """Holds the lock of a root: flock(2) on STATE/.lock, the same that bin/lib/lock.sh takes.

    Waits WAIT seconds at most, then stops with 75 and says who holds it. NAME is what others are
    told. Once it is held, what killed writers left behind is swept away.
    """
    path = state / ".lock"
    end = time.monotonic() + wait
    while True:
        need_regular(path)
        for place in (state / ".seal", *state.glob(".seal/*")):
            if place.is_symlink():
                raise StopError(74, f"{place}: is a symbolic link: put there what it leads to, or remove it")
        holder = _holder(path)  # before filelock, which may empty the file on its way
        lock = filelock.FileLock(str(path))
        try:
            lock.acquire(timeout=max(0.0, end - time.monotonic()), poll_interval=0.01)
        except filelock.Timeout:
            raise StopError(
                75,
                f"{path}: held by {holder} for more than {wait:g} s: try again, or give --wait S",
            ) from None
        except OSError as error:
            raise StopError(
                74, f"{path}: {error.strerror or error}: check the permissions of {state}"
            ) from None
        try:
            if not _still(lock, path):
                continue  # whoever replaced the file meanwhile made another lock of it
            _sign(path, name)
            _sweep(state)
            seal.settle(state)
            yield
            return
        finally:
            lock.release(force=True)


def _still(lock: filelock.BaseFileLock, path: Path) -> bool:
    """Is what we hold still the file at PATH? filelock shows its descriptor only from inside."""
    held: Optional[int] = getattr(getattr(lock, "_context", None), "lock_file_fd", None)
    if held is None:
        return True
    with suppress(OSError):
        return os.path.samestat(os.fstat(held), path.stat())
    return False


def _holder(path: Path) -> str:
    """Who wrote a note into the lock, if that process is still alive."""
    with suppress(OSError, ValueError):
        with path.open("rb") as file:
            pid, name = file.readline(200).decode("utf-8", "replace").split(None, 1)
        os.kill(int(pid), 0)
        return f"{name.strip()} (process {pid})"
    return "another program"


def _sign(path: Path, name: str) -> None:
    with suppress(OSError):
        # as the shell does: over what stands there; a reader takes the first line
        descriptor = os.open(str(path), os.O_WRONLY)
        try:
            os.write(descriptor, f"{os.getpid()} memrc-{name}\n".encode())
        finally:
            os.close(descriptor)


def _sweep(state: Path) -> None:
    for place in SWEPT:
        for path in state.glob(f"{place}/.*.tmp[0-9]*"):
            if path.is_file() and not path.is_symlink() and not _linked(path):
                path.unlink()


def _linked(path: Path) -> Optional[Path]:
    """The link among the directories from a root's state/ or logs/ down to PATH, if there is one."""
    for place in path.parents:
        if place.is_symlink():
            return place
        if place.name in ("state", "logs"):
            break
    return None


def need_regular(path: Path) -> None:
    """Stops with 74 unless PATH is a regular file or nothing yet, and not behind a linked directory of
    its root: only these are written to.
    """
    if link := _linked(path):
        raise StopError(74, f"{link}: is a symbolic link: put the directory itself there")
    if path.is_symlink():
        raise StopError(74, f"{path}: is a symbolic link: put the file itself there")
    if path.exists() and not path.is_file():
        raise StopError(74, f"{path}: is no regular file: move it away")


def fsync_directory(path: Path) -> None:
    """The names in a directory are on the disk, where the system can do that."""
    descriptor = os.open(str(path), os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def stamp(path: Path) -> tuple[int, int, int]:
    """What tells one state of a file from another."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


class Replacement:
    """A new file beside PATH that takes its place on `commit`, and is gone without it.

    Only under the lock. Killed at any moment the old or the new file is there. The mode is kept,
    and the owner where we may: cron's root must not take a person's file away. OSError: PATH is as
    it was.
    """

    def __init__(self, path: Path) -> None:
        need_regular(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.temporary = path.parent / f".{path.name}.tmp{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self.file: BinaryIO = os.fdopen(os.open(str(self.temporary), flags, 0o644), "wb")
        with suppress(FileNotFoundError):
            old = path.stat()
            os.fchmod(self.file.fileno(), stat.S_IMODE(old.st_mode))
            with suppress(PermissionError):
                os.fchown(self.file.fileno(), old.st_uid, old.st_gid)

    def commit(self) -> None:
        """What was written becomes PATH, and the disk has it."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        sealed = seal.prepare(self.path, self.temporary)
        self.temporary.replace(self.path)
        fsync_directory(self.path.parent)
        seal.finish(sealed)

    def __enter__(self) -> "Replacement":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.file.close()
        with suppress(FileNotFoundError):
            self.temporary.unlink()


def last_line(path: Path) -> bytes:
    """What stands behind the last newline of a file: empty if it ends well, or isn't there."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        left = file.seek(0, os.SEEK_END)
        parts: list[bytes] = []
        while left:
            size = min(65536, left)
            left -= size
            file.seek(left)
            block = file.read(size)
            at = block.rfind(b"\n")
            parts.append(block[at + 1 :])
            if at >= 0:
                break
        return b"".join(reversed(parts))
    return b""


def append(path: Path, data: bytes, cut: int = 0) -> None:
    """Adds DATA, whole lines, to PATH; the disk has them, or OSError and PATH is as it was.

    Only under the lock, and to no file that is sealed. CUT bytes at its end, what a killed writer left,
    go first; any other last line without a newline gets one.
    """
    need_regular(path)
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    glue = b"" if cut or not last_line(path) else b"\n"
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END) - cut
        try:
            file.truncate(size)
            left = memoryview(glue + data)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            if new:
                path.unlink()
            raise
    if new:
        fsync_directory(path.parent)
