"""What a hand dropped: memrc's own copy of a file has it, and the file hasn't, or is gone. A save from a copy
that had become stale does that, and no lock can stop it (DESIGN.md 4).
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from memrc.jq import home
from memrc.records import Record, cleaned, lines, parse

FILES = ("decisions.jsonl", "facts.jsonl")


def dropped(path: Path) -> list[bytes]:
    """The lines of the copy of PATH that are lost. Not a line that was altered, which is a person's word; nor
    one that the archive has, or that git took away, as a checkout does. StopError 74 if a file can't be read.
    """
    if path.name not in FILES or path.parent.name != "state":
        return []
    seal = path.parent / ".seal" / path.name
    # Against the order of writing, which is archive, file, copy: what is written meanwhile is never
    # taken for lost.
    lost = {key for key, _ in _records(seal)}
    for file in (path, path.with_suffix(".archive.jsonl")):
        lost.difference_update(key for key, _ in _records(file))
    return [line for key, line in _records(seal) if key in lost and not _gits(path, line)] if lost else []


def gone(path: Path) -> bool:
    """Was the file there when it was sealed, and is no more, and git didn't take it away?"""
    there = path.exists() or path.is_symlink()
    return not there and (path.parent / ".seal" / path.name).exists() and not _gits(path, b"")


def _records(path: Path) -> Iterator[tuple[tuple[str, str], bytes]]:
    """The records of a file with what tells one from another: id and revision."""
    for number, line in enumerate(lines(path), 1):
        clean = cleaned(line, number == 1)
        record = parse(clean)
        if record is not None:
            yield _key(record), clean.rstrip(b"\r\n") + b"\n"


def _key(record: Record) -> tuple[str, str]:
    return f"{record.get('id')}", f"{record.get('rev', 1)}"


def _gits(path: Path, line: bytes) -> bool:
    """Did git take the line away, or for an empty one the file? By seal_git, as a restore asks."""
    program = '. "$MEMRC_HOME/bin/lib/base.sh"; . "$MEMRC_HOME/bin/lib/seal.sh"; seal_git "$1" "$2"'
    done = subprocess.run(
        [b"sh", b"-c", program.encode(), b"memrc-validate", path.name.encode(), line.rstrip(b"\n")],
        stdin=subprocess.DEVNULL, check=False,
        env={**os.environ, "MEMRC_HOME": str(home()), "MEMRC_ROOT": str(path.parent.parent)},
    )  # fmt: skip
    return done.returncode == 0
