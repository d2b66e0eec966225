"""Names what is wrong in a root: file, line, field, what it is, and which default stands in.

Everything is judged by what reads it in a restore: the schemas by jq, identity.md and constraints.md by
the awk programs of bin/lib, config as config.py. Files are read as streams.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Optional

from memrc import config, records
from memrc.awk import awk
from memrc.constraints import constraint_id, constraints, rules
from memrc.dropped import FILES, dropped, gone
from memrc.jq import Filter
from memrc.records import BOM, Record, Seen, Shape, cleaned, id_of, lines, only_ends, parse, read
from memrc.seal import SEALED
from memrc.violations import expression, readable

CONFLICT_MARKER = re.compile(rb"(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)( |\r?$)")
OPERATION_ID = re.compile(r"op-([0-9]{1,9})")
OUT_OF_FORCE = (*records.OUT_OF_FORCE, "done", "dropped")
PATTERN = re.compile(r"(?:no|tree-no)?grep:[^:]*:(.*[][\\(){}*+?|^$].*)")
PREFIX = re.compile(r"[a-z]-[0-9a-f]{4,9}")
# What constrain refuses, in UTF-16 units.
CONSTRAINT_UNITS = 1000


# what no text file should hold, and what is read instead
KINDS = {
    "utf8": ("isn't UTF-8", "U+FFFD stands in for what isn't"),
    "nul": ("NUL bytes", "they are left out: memrc validate --fix"),
    "bom": ("a byte order mark", "it is left out: memrc validate --fix"),
    "crlf": ("ends in CR LF", "the CR is left out: memrc validate --fix"),
}


class Fault(NamedTuple):
    """Something wrong. LINE 0 is the file as a whole; a warning is no fault that counts."""

    file: str
    line: int
    field: str
    what: str
    default: str = ""
    warning: bool = False

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        parts = [where, self.field, self.what, self.default]
        return ("warning: " if self.warning else "") + ": ".join(part for part in parts if part)


def stands_in(default: Any) -> str:
    """A default in words."""
    if default in ("", []):
        return "an empty text stands in" if default == "" else "an empty list stands in"
    return f"{default if isinstance(default, str) else json.dumps(default)} stands in"


def validate(state: Path) -> Iterator[Fault]:
    """Every fault of a root; STATE is its state directory. Stops with 74 if a file can't be read."""
    missing = [name for name in SEALED if gone(state / name)]
    for name in missing:
        what = "is gone, and was there when it was sealed"
        back = "memrc validate --fix puts it back" if name in FILES else f"put state/.seal/{name} there again"
        yield Fault(name, 0, "", what, f"{back}, or memrc seal --accept lets it go")
    yield from _identity(state)
    yield from _constraints(state)
    yield from _config(state)
    for path in progress_files(state):
        yield from _progress(state, path)
    known = References(state)
    for noun, name in (("decision", "decisions"), ("fact", "facts")):
        for part in (f"{name}.jsonl", f"{name}.archive.jsonl"):
            yield from _records(state, state / part, noun, known)
        if (state / f"{name}.jsonl").is_symlink() and not (state / f"{name}.jsonl").exists():
            yield Fault(f"{name}.jsonl", 0, "", "is a link to nothing", "nothing is read")
        elif f"{name}.jsonl" not in missing and (lost := len(dropped(state / f"{name}.jsonl"))):
            what = f"records of memrc's that another hand dropped: {lost}"
            yield Fault(f"{name}.jsonl", 0, "", what, "memrc validate --fix puts them back")
    numbers = _Numbers(state)
    for part in ("index.jsonl", "index.archive.jsonl"):
        yield from _lines(state, state / part, Shape("operation"), known, numbers)
    yield from numbers.twice()
    for path in trail_files(state):
        yield from _named(state, path, path.name.removesuffix(".jsonl"))
        yield from _lines(state, path, Shape("trail"), known)
    yield from known.missing()
    yield from _documents(state)


def progress_files(state: Path) -> Iterator[Path]:
    """The progress file, the lanes, the parked tasks."""
    if (state / "progress.json").exists():
        yield state / "progress.json"
    for pattern in ("lanes/*.json", "tasks/*.progress.json", "tasks/archive/*.progress.json"):
        yield from sorted(state.glob(pattern))


def record_files(state: Path) -> Iterator[Path]:
    """The files of decisions, facts and operations, with their archives."""
    for name in ("decisions", "facts", "index"):
        for path in (state / f"{name}.jsonl", state / f"{name}.archive.jsonl"):
            if path.exists():
                yield path


def trail_files(state: Path) -> Iterator[Path]:
    """The trails of tasks, those that have ended too."""
    for pattern in ("tasks/*.jsonl", "tasks/archive/*.jsonl"):
        yield from sorted(state.glob(pattern))


def text_files(state: Path) -> Iterator[Path]:
    """What people write: no line of it is ever taken out."""
    for name in ("identity.md", "constraints.md", "config"):
        if (state / name).exists():
            yield state / name
    for path in sorted(state.glob("documents/*")):
        if path.is_file() and not path.is_symlink():
            yield path


class _Bytes:
    """What no text file should hold, noted line by line and told once a file."""

    def __init__(self) -> None:
        self._found: dict[str, list[int]] = {}

    def look(self, number: int, line: bytes) -> None:
        if not line.isascii():
            if number == 1 and line.startswith(BOM):
                self._note("bom", number)
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                self._note("utf8", number)
        if b"\0" in line:
            self._note("nul", number)
        if line.endswith(b"\r\n"):
            self._note("crlf", number)

    def _note(self, kind: str, number: int) -> None:
        found = self._found.setdefault(kind, [number, 0])
        found[1] += 1

    def faults(self, name: str) -> Iterator[Fault]:
        for kind, (first, count) in self._found.items():
            what, default = KINDS[kind]
            more = f" (and {count - 1:,} more lines)" if count > 1 else ""
            yield Fault(name, first, "", what + more, default)


def _text(state: Path, path: Path) -> Iterator[Fault]:
    found = _Bytes()
    for number, line in enumerate(lines(path), 1):
        found.look(number, line)
    yield from found.faults(path.relative_to(state).as_posix())


def _awk_faults(kind: str, path: Path) -> Iterator[Fault]:
    for line in awk("faults", kind, str(path)).splitlines():
        number, what, default = line.split("\t")
        yield Fault(path.name, int(number), "", what, default, warning=number == "0")


def _identity(state: Path) -> Iterator[Fault]:
    path = state / "identity.md"
    if path.exists():
        yield from _text(state, path)
        yield from _awk_faults("identity", path)


def _constraints(state: Path) -> Iterator[Fault]:
    path = state / "constraints.md"
    if path.exists():
        yield from _text(state, path)
        yield from _awk_faults("constraints", path)
    for where, text in constraints(state):
        file, _, number = where.partition(":")
        if text is None:
            if file == path.name:
                yield Fault(file, int(number), "", "a merge conflict marker", "both sides are in force")
            continue
        units = len(text.encode("utf-16-le", "replace")) // 2
        if units > CONSTRAINT_UNITS:
            what = f"a constraint of {units:,} units: above {CONSTRAINT_UNITS:,} it crowds out others"
            yield Fault(file, int(number), "", what, warning=True)
    for rule in rules(state):
        if not readable(rule):
            what = f"{rule.pattern} of {rule.constraint} is none that grep -E can read"
            yield Fault(path.name, 0, rule.key, what, "nothing is counted by it")


def _config(state: Path) -> Iterator[Fault]:
    path = state / "config"
    if not path.exists():
        return
    yield from _text(state, path)
    if path.stat().st_size > config.READ_BYTES:
        yield Fault("config", 0, "", f"longer than {config.READ_BYTES} bytes", "the rest is ignored")
    for number, key, value in config.settings(state):
        if key in config.SETTINGS:
            if not config.fits(key, value):
                setting = config.SETTINGS[key]
                what = f"isn't a number from {setting.least} to {setting.most}"
                yield Fault("config", number, key, what, f"{setting.default} stands in")
        elif key == "project":
            if state.parent.name == ".memrc":
                yield Fault("config", number, key, "is that of this root's own directory", "ignored")
            elif not value.startswith("/") or not Path(value).is_dir():
                what = "isn't the full path of a directory"
                yield Fault("config", number, key, what, "the root itself stands in")
        elif (key or value) and not key.startswith("#"):
            yield Fault("config", number, key, "isn't a setting", "ignored")


def _named(state: Path, path: Path, stem: str) -> Iterator[Fault]:
    """A file named after a task or a session that no command would name so."""
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}", stem):
        what = "isn't 1 to 80 of A-Z a-z 0-9 . _ -, beginning with none of ."
        yield Fault(path.relative_to(state).as_posix(), 0, "name", what, "no command will find it")


def _progress(state: Path, path: Path) -> Iterator[Fault]:
    name = path.relative_to(state).as_posix()
    if path.parent.name != state.name:
        # ID~1 is what task done set aside of an earlier ID
        stem = re.sub("~[0-9]+$", "", path.name.removesuffix(".json").removesuffix(".progress"))
        yield from _named(state, path, stem)
    data = b"".join(lines(path))
    found = _Bytes()
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        found.look(number, line)
    yield from found.faults(name)
    text = cleaned(data, first=True)
    record = parse(text)
    if record is None:
        number, why = _where_broken(text)
        yield Fault(name, number, "", f"isn't one JSON object{why}", "the task is unknown")
        return
    for fault in Shape("progress").faults(record):
        at = re.search(rb'"' + re.escape(fault["field"].encode()) + rb'"\s*:', text)
        number = text.count(b"\n", 0, at.start()) + 1 if at else 0
        yield Fault(name, number, fault["field"], fault["why"], stands_in(fault["default"]))
    yield from _unusable(name, 0, record, "done_when")


@cache
def _check_fault() -> Filter:
    return Filter("check_fault", "checks")


def _unusable(name: str, number: int, record: Record, field: str = "check") -> Iterator[Fault]:
    """A warning, for line NUMBER, if what is in FIELD of a record in force is no check."""
    check = record.get(field)
    if not isinstance(check, str) or check == "" or record.get("status") in OUT_OF_FORCE:
        return
    why = _check_fault()(check)
    pattern = PATTERN.fullmatch(check)
    if not why and pattern and not expression(pattern.group(1)):
        why = "not an extended regular expression"
    if why:
        what = f"{check[:80]} is no check: {why}"
        yield Fault(name, number, field, what, "it stays UNCHECKED", warning=True)


def _where_broken(text: bytes) -> tuple[int, str]:
    """The line on which JSON ends to be JSON, and why."""
    try:
        json.loads(text.decode("utf-8", "replace"))
    except json.JSONDecodeError as error:
        return error.lineno, f" ({error.msg})"
    except (ValueError, RecursionError):
        pass
    return 1, ""


class References:
    """Ids that records name, to find those that name nothing."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._named: dict[str, Fault] = {}

    def note(self, name: str, number: int, record: Record) -> None:
        """Takes what a record names, as line NUMBER of the file NAME."""
        based = record.get("based_on")
        values = list(based) if isinstance(based, list) else []
        for field, texts in (("based_on", values), ("supersedes", [record.get("supersedes")])):
            for text in texts:
                if isinstance(text, str) and text and text not in self._named:
                    what = f"{text[:80]} names no record"
                    self._named[text] = Fault(name, number, field, what, warning=True)

    def missing(self) -> Iterator[Fault]:
        """A warning for each that names nothing."""
        if not self._named:
            return
        left = dict(self._named)
        lengths = {len(text) for text in left if PREFIX.fullmatch(text)}
        for found in self._ids():
            left.pop(found, None)
            for length in lengths:
                left.pop(found[:length], None)
            if not left:
                return
        yield from left.values()

    def _ids(self) -> Iterator[str]:
        for _, text in constraints(self._state):
            if text is not None:
                yield constraint_id(text)
        for path in (*record_files(self._state), *trail_files(self._state)):
            for _, record in read(path):
                found = id_of(record)
                if found is not None:
                    yield found


class _Numbers(Seen):
    """The ids of operations: each number is used once, in the index and its archive together."""

    def __init__(self, state: Path) -> None:
        super().__init__()
        self._state = state
        self._any = False

    def add(self, name: str) -> None:
        super().add(name)
        self._any = self._any or self.again(name)

    def _place(self, name: str) -> tuple[int, int]:
        found = OPERATION_ID.fullmatch(name)
        # Numbers follow each other, so their own order has no collisions where a hash has.
        place = (int(found.group(1)) if found else hash(name)) & ((1 << self.BITS) - 1)
        return place >> 3, 1 << (place & 7)

    def twice(self) -> Iterator[Fault]:
        """A fault for each id that two different lines have."""
        if not self._any:
            return
        first: dict[str, tuple[str, int, bytes]] = {}
        for name in ("index.archive.jsonl", "index.jsonl"):
            for number, (line, record) in enumerate(read(self._state / name), 1):
                found = id_of(record)
                if found is None or not self.again(found):
                    continue
                where, at, other = first.setdefault(found, (name, number, line.rstrip(b"\r\n")))
                # The same line in both is an archiving that was interrupted; the next completes it.
                if other != line.rstrip(b"\r\n"):
                    yield Fault(
                        name, number, "id", f"{found} stands at {where}:{at} already", "both are shown"
                    )


def _records(state: Path, path: Path, noun: str, known: References) -> Iterator[Fault]:
    """A file of records and patches: each line for itself, then what the lines of one id fold to."""
    if not path.exists():
        return
    shape = Shape(noun)
    seen = Seen()
    for _, record in read(path):
        found = id_of(record)
        if found is not None:
            seen.add(found)
    ends = _ends(path)
    folded: dict[str, list[Fault]] = {}
    name = path.relative_to(state).as_posix()
    for row in records.folded([path], seen.again, ("status", "check", *shape.needed)):
        wrong = [
            Fault(name, 0, fault["field"], fault["why"], stands_in(fault["default"]))
            for fault in shape.faults(row)
            if fault["field"] in shape.needed and fault["field"] not in row and row["id"] not in ends
        ]
        if "undecided" in row:
            both = " and ".join(str(status) for status in row["undecided"])
            wrong.append(Fault(name, 0, "status", f"undecided: {both} of equal rev", "both are shown"))
        wrong += _unusable(name, 0, row)
        if wrong:
            folded[row["id"]] = wrong
    last: dict[str, int] = {}
    for fault in _lines(state, path, shape, known, patched=seen, last=last if folded else None, ends=ends):
        yield fault
    for found, faults in folded.items():
        for fault in faults:
            yield fault._replace(line=last.get(found, 0))


def _ends(path: Path) -> set[str]:
    """The ids of which only the line stands here that took them out of force, and the rest in the archive."""
    found = {id_of(record) for _, record in read(path) if record and only_ends(record)}
    archived = read(path.with_suffix(".archive.jsonl")) if found else ()
    return {name for _, record in archived if (name := id_of(record)) and name in found}


def _lines(
    state: Path,
    path: Path,
    shape: Shape,
    known: References,
    numbers: Optional[_Numbers] = None,
    patched: Optional[Seen] = None,
    last: Optional[dict[str, int]] = None,
    ends: Collection[str] = (),
) -> Iterator[Fault]:
    """The lines of a file of records. In PATCHED are ids with several lines, which may lack fields, and in
    ENDS others that may; LAST takes the last line of each of those in PATCHED.
    """
    name = path.relative_to(state).as_posix()
    found = _Bytes()
    for number, line in enumerate(lines(path), 1):
        clean = cleaned(line, number == 1)
        record = parse(clean)
        if record is not None or line.endswith(b"\n"):
            found.look(number, line)
        if record is None:
            yield from _unreadable(name, number, clean)
            continue
        identity = id_of(record)
        several = patched is not None and identity is not None and patched.again(identity)
        for fault in shape.faults(record):
            if fault["field"] in record or (not several and identity not in ends):
                yield Fault(name, number, fault["field"], fault["why"], stands_in(fault["default"]))
        if patched is not None and not several:
            yield from _unusable(name, number, record)
        if several and last is not None and identity is not None:
            last[identity] = number
        if numbers is not None and identity is not None:
            numbers.add(identity)
            if not OPERATION_ID.fullmatch(identity):
                yield Fault(name, number, "id", "isn't op- and a number", "it is shown as it is")
        if "based_on" in record or "supersedes" in record:
            known.note(name, number, record)
    yield from found.faults(name)


def _unreadable(name: str, number: int, line: bytes) -> Iterable[Fault]:
    """A line that is no object; a last one without its newline is being written."""
    bare = line.rstrip(b"\n")
    if bare in (b"", b"\r") or not line.endswith(b"\n"):
        return ()
    what = "a merge conflict marker" if CONFLICT_MARKER.match(bare) else "isn't one JSON object"
    return (Fault(name, number, "", what, "skipped: memrc validate --fix sets it aside"),)


def _documents(state: Path) -> Iterator[Fault]:
    for path in sorted(state.glob("documents/*")):
        name = path.relative_to(state).as_posix()
        if path.name.startswith("."):
            continue
        if not path.is_file():
            yield Fault(name, 0, "", "isn't a file", "it isn't listed")
        elif not re.fullmatch(r"[0-9][0-9]_.*\.md", path.name):
            yield Fault(name, 0, "name", "isn't NN_NAME.md", "it isn't listed")
        else:
            yield from _text(state, path)
