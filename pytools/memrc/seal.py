"""The seal, as bin/lib/seal.sh keeps it: byte copies of the shared files as memrc's own writers left them."""

import filecmp
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

SEALED = ("identity.md", "constraints.md", "decisions.jsonl", "facts.jsonl")


def prepare(path: Path, new: Path) -> Optional[Path]:
    """Before NEW becomes PATH: the copy as it will be, or None for a file that isn't sealed.

    If another hand was at PATH, the same change is made to the copy, so that what that hand did
    stays visible. Where that can't be done the copy stays: it shows too much, never too little.
    Only under the lock. OSError: nothing was changed.
    """
    if path.name not in SEALED or path.parent.name != "state":
        return None
    seal = path.parent / ".seal" / path.name
    seal.parent.mkdir(exist_ok=True)
    following = seal.with_name(f"{seal.name}.next")
    if not seal.exists() or (path.exists() and filecmp.cmp(path, seal, shallow=False)):
        shutil.copyfile(new, following)
        return following
    if path.suffix == ".jsonl":
        following.write_bytes(b"".join(line + b"\n" for line in _records(path, new, seal)))
        return following
    shutil.copyfile(seal, following)
    # What has all of it and more takes nothing away: the copy stays, so that what is more is announced.
    if _within(seal, new):
        return following
    # Without the file nothing is known of what was taken away: the copy stays as well.
    if path.exists() and not _merge(following, path, new):
        shutil.copyfile(seal, following)
    return following


def finish(following: Optional[Path]) -> None:
    """What `prepare` made is the copy now."""
    if following is not None:
        following.replace(following.with_suffix(""))


def settle(state: Path) -> None:
    """A writer was killed between file and copy: the copy is what fits the file. Only under the lock."""
    for following in (state / ".seal").glob("*.next"):
        file = state / following.stem
        if file.is_file() and filecmp.cmp(file, following, shallow=False):
            finish(following)
        else:
            following.unlink()


def _records(path: Path, new: Path, seal: Path) -> Iterator[bytes]:
    """The lines of the copy as it will be, as seal.awk has them: of those that the writer touched as many
    as NEW has, of all others as many as SEAL. In files of records the order means nothing.
    """
    before, now = Counter(_lines(path)), Counter(_lines(new))
    left = {line: now[line] for line in before.keys() | now.keys() if now[line] != before[line]}
    for line in _lines(seal):
        if left.get(line, 1) > 0:
            yield line
        if line in left:
            left[line] -= 1
    for line, count in left.items():
        yield from [line] * count


def _lines(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _within(seal: Path, new: Path) -> bool:
    """Has NEW each line of SEAL?"""
    return not Counter(seal.read_bytes().split(b"\n")) - Counter(new.read_bytes().split(b"\n"))


def _merge(into: Path, base: Path, new: Path) -> bool:
    try:
        done = subprocess.run(
            ["git", "merge-file", "-q", "--", str(into), str(base), str(new)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0
