"""What a hand dropped: memrc's own copy of a file has it, and the file hasn't, or is gone. A save from a copy
that had become stale does that, and no lock can stop it (DESIGN.md 4).
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from memrc.records import Record, cleaned, lines, parse

FILES = ("decisions.jsonl", "facts.jsonl")
# So many commits that HEAD was at lately, and stashes, are looked at: as seal_git in bin/lib/seal.sh.
COMMITS, STASHES = 50, 20


def dropped(path: Path) -> list[bytes]:
    """The lines of the copy of PATH that are lost. Not a line that was altered, which is a person's word; nor
    one that the archive has, or that git took away, as a checkout does. StopError 74 if a file can't be read.
    """
    if path.name not in FILES or path.parent.name != "state":
        return []
    # Against the order of writing, which is archive, file, copy: what is written meanwhile is never
    # taken for lost.
    sealed = list(_records(path.parent / ".seal" / path.name))
    there = {key for file in (path, path.with_suffix(".archive.jsonl")) for key, _ in _records(file)}
    lost = [line for key, line in sealed if key not in there]
    return [line for line in lost if not _gits(path, line)] if lost else []


def gone(path: Path) -> bool:
    """Was the file there when it was sealed, and is no more, and git didn't take it away?"""
    there = path.exists() or path.is_symlink()
    return not there and (path.parent / ".seal" / path.name).exists() and not _gits(path, None)


def _records(path: Path) -> Iterator[tuple[tuple[str, str], bytes]]:
    """The records of a file with what tells one from another: id and revision."""
    for number, line in enumerate(lines(path), 1):
        clean = cleaned(line, number == 1)
        record = parse(clean)
        if record is not None:
            yield _key(record), clean.rstrip(b"\r\n") + b"\n"


def _key(record: Record) -> tuple[str, str]:
    return f"{record.get('id')}", f"{record.get('rev', 1)}"


def _gits(path: Path, line: Optional[bytes]) -> bool:
    """Did git take the line, or without one the file, away: does HEAD lack it, and a commit have it that
    was here lately?
    """
    if _has(path, "HEAD", line):
        return False
    recent = _git(path, "rev-list", "-g", "-n", f"{COMMITS}", "HEAD").split()
    stashed = _git(path, "rev-list", "-g", "-n", f"{STASHES}", "refs/stash").split()
    return any(_has(path, commit.decode(), line) for commit in [*recent, *stashed])


def _has(path: Path, commit: str, line: Optional[bytes]) -> bool:
    if line is None:
        return _git(path, "cat-file", "-t", f"{commit}:./{path.name}") == b"blob\n"
    return line.rstrip(b"\n") in _git(path, "cat-file", "blob", f"{commit}:./{path.name}").split(b"\n")


def _git(path: Path, *arguments: str) -> bytes:
    """What git prints in the directory of PATH; nothing without git or a repository."""
    try:
        command = ["git", "-C", str(path.parent), *arguments]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout
    except OSError:
        return b""
