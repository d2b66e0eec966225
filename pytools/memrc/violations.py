"""Actions that a deny rule of the project's constraints matches; docs/measures.md says how."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Generic, NamedTuple, Optional, TypeVar

from memrc.constraints import Rule, rules
from memrc.errors import StopError
from memrc.jq import home
from memrc.transcripts._events import EDIT, RUN, Call

EDITS, COMMANDS = "deny-edit", "deny-command"
# As much of commands is looked at in one go, in letters.
BATCH = 1 << 20
PART = re.compile(r";|&&|\|\|?|\n")
UNREADABLE = re.compile(r"[\n\0]")


@dataclass
class Violation:
    """An action that a rule matches."""

    line: int
    """where it stands"""
    constraint: str
    """the id of the first constraint that forbids it"""
    rule: str
    """`deny-edit` or `deny-command`"""


class Denied(NamedTuple):
    """What is denied in a project."""

    project: str
    """the directory that patterns of files begin at"""
    rules: list[Rule]
    """those that can be read"""


Warn = Callable[[str], None]
Mark = TypeVar("Mark")


class Memories:
    """The memories that sessions belong to: ROOT if one is given, else what `memrc root` finds for the
    directory a session was started in.
    """

    def __init__(self, warn: Warn, root: Optional[Path] = None) -> None:
        """WARN is told of rules that can't be read."""
        self._warn = warn
        self._given = root
        self._denied: dict[str, Denied] = {}
        self._rules: dict[Path, list[Rule]] = {}

    def denied(self, cwd: str) -> Denied:
        """What is denied to a session that was started in CWD."""
        if cwd not in self._denied:
            self._denied[cwd] = self._find(cwd)
        return self._denied[cwd]

    def _find(self, cwd: str) -> Denied:
        root, project = _root(cwd) if not self._given else (self._given, _project(self._given, cwd))
        if not root:
            return Denied("", [])
        if root not in self._rules:
            self._rules[root] = self._read(root)
        return Denied(project, self._rules[root])

    def _read(self, root: Path) -> list[Rule]:
        try:
            return [rule for rule in rules(root / "state") if self._readable(rule)]
        except StopError as stop:
            self._warn(f"{stop}: violations of its constraints aren't counted")
            return []

    def _readable(self, rule: Rule) -> bool:
        if readable(rule):
            return True
        text = f"{rule.constraint}: deny-command {rule.pattern}: grep -E can't read it: it isn't counted"
        self._warn(f"{text}: memrc edit constraints.md")
        return False


def readable(rule: Rule) -> bool:
    """Can the pattern be matched at all?"""
    return rule.key == EDITS or expression(rule.pattern)


def expression(ere: str) -> bool:
    """Is it a regular expression that grep -E can read?"""
    return _matching(ere, b"") is not None


def _root(cwd: str) -> tuple[Optional[Path], str]:
    """Root and project of a directory, by the one program that knows; None where there is none, or where
    nobody gets in.
    """
    if not os.path.isdir(cwd):
        return None, ""
    env = {name: value for name, value in os.environ.items() if name != "MEMRC_ROOT"}
    program = home() / "bin" / "memrc-root"
    try:
        done = subprocess.run([program], cwd=cwd, env=env, capture_output=True, check=False)
    except OSError:
        return None, ""
    found = re.fullmatch(r"root: (.*)\nproject: (.*)\nlane: .*\n", os.fsdecode(done.stdout), re.S)
    return (Path(found[1]), found[2]) if found else (None, "")


def _project(root: Path, cwd: str) -> str:
    """The project of a root that was given; for a session from elsewhere, another machine say, its own."""
    project = str(root.parent if root.name == ".memrc" else root)
    return project if not cwd or f"{cwd}/".startswith(f"{project.rstrip('/')}/") else cwd


class Watch(Generic[Mark]):
    """Looks for violations in the calls of one session; several commands at once, for each look at them
    starts a grep.
    """

    def __init__(self, denied: Denied, cwd: str, found: Callable[[Violation, Mark], None]) -> None:
        """FOUND is told each, in order, with the mark that its call was given."""
        self._edits = [rule for rule in denied.rules if rule.key == EDITS]
        self._commands = [rule for rule in denied.rules if rule.key == COMMANDS]
        self._top = f"{denied.project.rstrip('/')}/"
        self._cwd = cwd or denied.project
        self._found = found
        self._waiting: list[tuple[Call, Mark]] = []
        self._letters = 0

    def add(self, call: Call, mark: Mark) -> None:
        """A call, and what FOUND is to know it by."""
        if {EDIT: self._edits, RUN: self._commands}.get(call.kind):
            self._waiting.append((call, mark))
            self._letters += len(call.command) + 1
            if self._letters > BATCH:
                self.flush()

    def flush(self) -> None:
        """Tells of all that was added."""
        if not self._waiting:
            return
        by_command = self._command_rules()
        for place, (call, mark) in enumerate(self._waiting):
            rule = by_command.get(place) if call.kind == RUN else self._edit_rule(call)
            if rule:
                self._found(Violation(call.line, rule.constraint, rule.key), mark)
        self._waiting.clear()
        self._letters = 0

    def _command_rules(self) -> dict[int, Rule]:
        """The first rule that matches, for the places of commands that wait."""
        places: list[int] = []
        lines: list[str] = []
        for place, (call, _) in enumerate(self._waiting):
            for part in _parts(call.command):
                places.append(place)
                lines.append(part)
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        found: dict[int, Rule] = {}
        for rule in self._commands if lines else ():
            for number in _matching(rule.pattern, text) or ():
                found.setdefault(places[number - 1], rule)
        return found

    def _edit_rule(self, call: Call) -> Optional[Rule]:
        for path in call.paths:
            absolute = os.path.normpath(os.path.join(self._cwd, path))
            inside = absolute.removeprefix(self._top) if absolute.startswith(self._top) else ""
            for rule in self._edits:
                if _denies(rule.pattern, absolute if rule.pattern[:1] == "/" else inside):
                    return rule
        return None


def _denies(pattern: str, path: str) -> bool:
    """Is the file, or a directory that it lies in, what PATTERN stands for?"""
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern and any(fnmatchcase(name, pattern) for name in path.split("/")):
        return True
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern}/*")


def _parts(command: str) -> Iterator[str]:
    """A command as a whole, and what `;`, `&&`, `||`, `|` and line ends part in it; each on one line."""
    yield UNREADABLE.sub(" ", command)
    parts = PART.split(command)
    if len(parts) > 1:
        yield from (UNREADABLE.sub(" ", part).strip() for part in parts)


def _matching(ere: str, text: bytes) -> Optional[list[int]]:
    """The numbers of the lines that match, by grep -E; None if it can't read the expression."""
    try:
        done = subprocess.run(
            ["grep", "-nE", "-e", ere], input=text, capture_output=True, check=False,
            env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
        )  # fmt: skip
    except FileNotFoundError:
        raise StopError(69, "no grep: install one") from None
    if done.returncode > 1:
        return None
    return [int(line.split(b":", 1)[0]) for line in done.stdout.split(b"\n") if line]
