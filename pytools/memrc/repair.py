"""What `memrc validate --fix` may do: set unreadable lines aside, take out bytes that no text should hold,
put back records that a hand dropped.

Only under the lock. Wrong values are a person's to correct: nothing here alters a line that can be read.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Optional

from memrc import files
from memrc.dropped import FILES, dropped, gone
from memrc.errors import StopError
from memrc.records import cleaned, lines, parse
from memrc.validate import progress_files, record_files, text_files, trail_files


def repair(state: Path) -> Iterator[str]:
    """Repairs a root; a line for a person for each file that was changed. Raises OSError."""
    for name in FILES:
        if gone(state / name):
            yield from _told(state, state / name, back(state / name))
    for path in (*record_files(state), *trail_files(state)):
        yield from _told(state, path, records(path))
    for path in text_files(state):
        yield from _told(state, path, text(path))
    for path in progress_files(state):
        yield from _told(state, path, document(path))


def _told(state: Path, path: Path, done: str) -> Iterator[str]:
    if done:
        yield f"{path.relative_to(state).as_posix()}: {done}"


def tidy(line: bytes, first: bool) -> bytes:
    """A line with a newline, without NUL, CR before its end and, if first, a byte order mark."""
    line = cleaned(line, first)
    if line and not line.endswith(b"\n"):
        line += b"\n"
    while line.endswith(b"\r\n"):
        line = line[:-2] + b"\n"
    return line


class Aside:
    """What goes to FILE.rejected: all of it on `commit`, or none."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".rejected")
        self._new: Optional[files.Replacement] = None
        self._start = self.count = 0

    def add(self, data: bytes) -> None:
        """Takes bytes, ended by a newline."""
        if self._new is None:
            self._new = files.Replacement(self.path)
            last = b"\n"
            for last in lines(self.path):
                self._new.file.write(last)
            if not last.endswith(b"\n"):
                self._new.file.write(b"\n")
            self._start = self._new.file.tell()
        self._new.file.write(data if data.endswith(b"\n") else data + b"\n")
        self.count += 1

    def commit(self) -> None:
        """The disk has what was added behind what was there."""
        if self._new is not None and not self._there(self._new):
            self._new.commit()

    def _there(self, new: files.Replacement) -> bool:
        """Does the file end with it already? A run that was killed between its two steps did that."""
        new.file.flush()
        size = new.file.tell() - self._start
        if not self.path.exists() or self.path.stat().st_size < size:
            return False
        with new.temporary.open("rb") as fresh, self.path.open("rb") as old:
            fresh.seek(self._start)
            old.seek(-size, os.SEEK_END)
            while True:
                block = fresh.read(1 << 20)
                if block != old.read(1 << 20):
                    return False
                if not block:
                    return True

    def __enter__(self) -> "Aside":
        return self

    def __exit__(self, *_: object) -> None:
        if self._new is not None:
            self._new.__exit__()


def back(path: Path) -> str:
    """A file that was taken away whole is what its copy is. What was done."""
    with files.Replacement(path) as new:
        new.file.writelines(lines(path.parent / ".seal" / path.name))
        new.commit()
    return "put back, a hand had taken it away"


def records(path: Path) -> str:
    """A file of records: lines that are none go to its .rejected, those that were dropped come back. What was
    done, or "".
    """
    return _rewrite(path, of_records=True, lost=dropped(path))


def text(path: Path) -> str:
    """A file that people write: only NUL, CR, byte order mark and a missing last newline."""
    return _rewrite(path, of_records=False)


def document(path: Path) -> str:
    """A file of one JSON object; any other goes whole to its .rejected."""
    data = b"".join(lines(path))
    if parse(cleaned(data, first=True)) is not None:
        return text(path)
    files.need_regular(path)
    with Aside(path) as aside:
        aside.add(data)
        aside.commit()
    path.unlink()
    files.fsync_directory(path.parent)
    return f"set aside whole in {aside.path.name}"


def _rewrite(path: Path, of_records: bool, lost: Sequence[bytes] = ()) -> str:
    """Tidies each line; of records those that are none are set aside as they stand, blank ones emptied. LOST
    lines are added.
    """
    before = files.stamp(path)
    changed = 0
    with files.Replacement(path) as new, Aside(path) as aside:
        for number, line in enumerate(lines(path), 1):
            clean = tidy(line, number == 1)
            if of_records and not clean.strip(b" \t\r\n"):
                clean = b"\n"
            elif of_records and parse(clean) is None:
                aside.add(line)
                continue
            changed += clean != line
            new.file.write(clean)
        new.file.writelines(lost)
        if not aside.count and not changed and not lost:
            return ""
        # No lock stops an editor; what it saved meanwhile must not be overwritten.
        if files.stamp(path) != before:
            raise StopError(75, f"{path}: was changed while it was read: run memrc validate --fix again")
        aside.commit()
        new.commit()
    said = {
        f"{aside.count:,} set aside in {aside.path.name}": aside.count,
        f"{changed:,} lines tidied": changed,
        f"{len(lost):,} put back that a hand had dropped": len(lost),
    }
    return ", ".join(text for text, count in said.items() if count)
