"""The constraints of a root, as a restore reads them (DESIGN.md 4)."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Optional

from memrc.awk import awk
from memrc.records import lines

FILES = ("identity.md", "constraints.md")


class Rule(NamedTuple):
    """What a constraint in force denies."""

    constraint: str
    """its id"""
    key: str
    """`deny-edit` or `deny-command`"""
    pattern: str
    """a pattern of the shell, or an ERE"""


def constraint_id(text: str) -> str:
    """The id of a constraint: computed, never stored."""
    return "c-" + hashlib.sha256(text.encode()).hexdigest()[:8]


def constraints(state: Path) -> Iterator[tuple[str, Optional[str]]]:
    """Each constraint of STATE: `file:line` and text; None for a conflict marker."""
    with _taken_apart(state, state / ".none") as out:
        texts = (_text(path) for path in sorted(out.glob("c.*")))
        for line in _lines(out / "list"):
            kind, where, _ = line.split("\t", 2)
            yield where, None if kind == "problem" else next(texts)


def rules(state: Path) -> list[Rule]:
    """What the constraints in force deny, those included that vanished since the last seal."""
    with _taken_apart(state, state / ".seal") as out:
        listed = [line.split("\t")[0] for line in _lines(out / "list")]
        states = [kind for kind in listed if kind != "problem"]
        said = (line.split("\t", 2) for line in _lines(out / "data"))
        return [
            Rule(constraint_id(_text(out / f"c.{int(number):06}")), key, pattern)
            for number, key, pattern in said
            if key in ("deny-edit", "deny-command") and states[int(number) - 1] != "retired"
        ]


@contextmanager
def _taken_apart(state: Path, sealed: Path) -> Iterator[Path]:
    """A directory with what constraints.awk makes of STATE and SEALED. StopError 74 if one can't be read."""
    with tempfile.TemporaryDirectory() as name:
        paths = [where / file for where in (state, sealed) for file in FILES]
        for path in paths:
            # to awk a file that it may not read is absent
            next(lines(path), None)
        awk("constraints", name, *map(str, paths))
        yield Path(name)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _lines(path: Path) -> list[str]:
    """The lines of a file; of no file none."""
    return [line for line in _text(path).split("\n") if line] if path.exists() else []
