"""Moves what is out of force or old from the live files into the archives beside them.

The order is: the archive has the lines, on the disk; then the live file is replaced. Killed in
between, lines stand in both, and the next run, which adds to an archive only what isn't in it byte
for byte, completes the move. A line that can't be read as a record stays where it is.
"""

from collections import deque
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Optional

from memrc import config, files
from memrc.errors import StopError
from memrc.records import BOM, OUT_OF_FORCE, Seen, cleaned, folded, id_of, lines, only_ends, parse, read

# Lines on their way into an archive that are held in memory at once.
CHUNK_BYTES = 32 << 20
# Of how many records that left the line stays that took them out of force: a merge with a branch that
# didn't archive brings their first lines back, and with that line beside them they are out all the same.
ENDS = 100


class Moved(NamedTuple):
    """What became of a file: lines that left it, that stayed, that came back into force."""

    name: str
    moved: int
    kept: int
    back: int = 0

    def said(self, *, done: bool) -> str:
        """In words, of what was DONE or would be."""
        would = "would move", "would stay", "would be back"
        moved, kept, back = ("moved", "kept", "back") if done else would
        text = f"{self.name}: {self.moved:,} {moved}, {self.kept:,} {kept}"
        return f"{text}, {self.back:,} {back} in force" if self.back else text


class Archive:
    """An archive that lines are added to, unless they stand in it already."""

    def __init__(self, path: Path, write: bool) -> None:
        self.path = path
        self._write = write
        self._lines: list[bytes] = []
        self._bytes = 0
        self._torn = files.last_line(path)
        if self._torn and parse(cleaned(self._torn)) is not None:
            self._torn = b""

    def add(self, line: bytes) -> None:
        """Takes a line; the disk has it after `flush`. OSError: the archive is as it was, but for
        whole lines.
        """
        if not line.endswith(b"\n"):
            line += b"\n"
        self._lines.append(line)
        self._bytes += len(line)
        if self._bytes >= CHUNK_BYTES:
            self.flush()

    def flush(self) -> None:
        """What was added is on the disk."""
        new = dict.fromkeys(self._lines)
        for line in lines(self.path):
            new.pop(line if line.endswith(b"\n") else line + b"\n", None)
        if new and self._write:
            # A half line that a killed run left goes; one that isn't ours is kept, as a line of
            # its own.
            cut = any(line.startswith(self._torn) for line in new) if self._torn else False
            files.append(self.path, b"".join(new), len(self._torn) if cut else 0)
            self._torn = b""
        self._lines, self._bytes = [], 0


class Live:
    """A live file that is read while its replacement is written; nothing is written where `write`
    is false.
    """

    def __init__(self, path: Path, archive: Path, write: bool) -> None:
        self.path = path
        self._archive = Archive(archive, write)
        self._new = files.Replacement(path) if write else None
        self._before = files.stamp(path)
        self.moved = self.kept = self.back = 0

    def move(self, line: bytes) -> None:
        """A line leaves for the archive, without a byte order mark, which only a file's first may
        have.
        """
        self._archive.add(line[len(BOM) :] if line.startswith(BOM) else line)
        self.moved += 1

    def keep(self, line: bytes) -> None:
        """A line stays."""
        self._put(line)
        self.kept += 1

    def keep_copy(self, line: bytes) -> None:
        """A line stays, and stands in the archive too."""
        self._archive.add(line)
        self.keep(line)

    def bring_back(self, line: bytes) -> None:
        """A line of the archive comes into force again."""
        self._put(line)
        self.back += 1

    def _put(self, line: bytes) -> None:
        if self._new:
            self._new.file.write(line)

    def finish(self) -> Moved:
        """Archive first, then the live file."""
        if self._new and (self.moved or self.back):
            self._archive.flush()
            # No lock stops an editor; what it saved meanwhile must not be overwritten.
            if files.stamp(self.path) != self._before:
                raise StopError(75, f"{self.path}: was changed while it was read: run memrc archive again")
            self._new.commit()
        return Moved(self.path.name, self.moved, self.kept, self.back)

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: object) -> None:
        if self._new:
            self._new.__exit__()


def archive(state: Path, write: bool = True) -> Iterator[Moved]:
    """Archives a root whose lock is held; STATE is its state directory. Yields a result a file.

    With WRITE false it only counts, and needs no lock. Raises OSError; what was done until then
    stands.
    """
    if (state / "index.jsonl").exists():
        yield operations(state, config.number(state, "archive_keep"), write)
    for name in ("decisions", "facts"):
        if (state / f"{name}.jsonl").exists():
            yield out_of_force(state / f"{name}.jsonl", state / f"{name}.archive.jsonl", write)
    yield from trails(state, write)


def operations(state: Path, keep: int, write: bool) -> Moved:
    """index.jsonl keeps its newest KEEP operations; memory holds those and no more."""
    with Live(state / "index.jsonl", state / "index.archive.jsonl", write) as live:
        newest: deque[tuple[bytes, bool]] = deque()
        operations = 0
        for line, record in read(live.path):
            newest.append((line, record is not None))
            operations += record is not None
            while operations > keep:
                old, is_operation = newest.popleft()
                if is_operation:
                    live.move(old)
                    operations -= 1
                else:
                    live.keep(old)
        for line, _ in newest:
            live.keep(line)
        return live.finish()


def out_of_force(path: Path, store: Path, write: bool) -> Moved:
    """A file of records: those that are SUPERSEDED or INVALID leave with all their patches; of the
    newest ENDS the line that made them so stays, too.

    What a record is, is what its lines here and in the archive fold to together: a merge with a
    branch that didn't archive, or that patched what this one archived, may leave it in both. If it
    is in force after all, its lines come back.
    """
    with Live(path, store, write) as live:
        return _out_of_force(path, store, live)


def _out_of_force(path: Path, store: Path, live: Live) -> Moved:
    seen, both, ended = Seen(), Seen(), Seen()
    for _, record in read(path):
        name = id_of(record)
        if name is not None and record is not None:
            seen.add(name)
            if record.get("status") in OUT_OF_FORCE:
                ended.add(name)
    for _, record in read(store):
        name = id_of(record)
        if name is not None and seen.once(name):
            seen.add(name)
            both.add(name)
    out: set[str] = set()
    force: set[str] = set()
    for record in folded(
        (path, store), lambda name: seen.again(name) and (ended.once(name) or both.once(name)), ["status"]
    ):
        if record.get("status") in OUT_OF_FORCE and "undecided" not in record:
            out.add(record["id"])
        elif both.once(record["id"]):
            force.add(record["id"])
    ends = _ends(path, out)
    here: set[str] = set()
    last = b"\n"
    for line, record in read(path):
        name = id_of(record)
        if name is None or record is None:
            leaves = False
        elif seen.again(name):
            leaves = name in out
            if name in force:
                here.add(name)
        else:
            leaves = record.get("status") in OUT_OF_FORCE
        if line in ends:
            ends.remove(line)
            live.keep_copy(line)
            last = line
        elif leaves:
            live.move(line)
        else:
            live.keep(line)
            last = line
    if here:
        back = list(_missing(path, store, here))
        if back and not last.endswith(b"\n"):
            back[0] = b"\n" + back[0]
        for line in back:
            live.bring_back(line)
    return live.finish()


def _ends(path: Path, out: Collection[str]) -> set[bytes]:
    """The lines that took the newest ENDS of the records in OUT out of force."""
    newest: dict[str, tuple[tuple[float, str], bytes]] = {}
    for line, record in read(path):
        name = id_of(record)
        if record is None or name is None or name not in out or not only_ends(record):
            continue
        if line.endswith(b"\n") and not line.startswith(BOM):
            rev = record.get("rev")
            order = (rev if isinstance(rev, (int, float)) else 1.0, str(record.get("ts")))
            newest[name] = max(newest.pop(name, (order, line)), (order, line))
            if len(newest) > ENDS:
                del newest[next(iter(newest))]
    return {line for _, line in newest.values()}


def _missing(path: Path, store: Path, names: set[str]) -> Iterator[bytes]:
    """The lines of the archive about records in force that the live file hasn't got."""
    there = {line.rstrip(b"\r\n") for line, record in read(path) if id_of(record) in names}
    for line, record in read(store):
        bare = line.rstrip(b"\r\n")
        if id_of(record) in names and bare not in there:
            there.add(bare)
            yield bare + b"\n"


def trails(state: Path, write: bool) -> Iterator[Moved]:
    """The trails of tasks that every progress file naming them calls done or dropped, if left
    behind. That of `unnamed` is no task's: what failed outside any holds in each.
    """
    ended: dict[str, bool] = {}
    for file in chain(
        [state / "progress.json"], state.glob("lanes/*.json"), state.glob("tasks/*.progress.json")
    ):
        task = _document(file)
        name = task.get("task_id") if task else None
        if isinstance(name, str) and task is not None:
            ended[name] = ended.get(name, True) and task.get("status") in ("done", "dropped")
    for name in sorted(name for name in ended if ended[name]):
        trail = state / "tasks" / f"{name}.jsonl"
        if name == "unnamed" or "/" in name or not trail.is_file():
            continue
        count = 0
        store = Archive(state / "tasks" / "archive" / trail.name, write)
        for line in lines(trail):
            store.add(line)
            count += 1
        store.flush()
        if write:
            files.need_regular(trail)
            trail.unlink()
            files.fsync_directory(trail.parent)
        yield Moved(f"tasks/{trail.name}", count, 0)


def _document(path: Path) -> Optional[dict[str, object]]:
    return parse(cleaned(b"".join(lines(path)), first=True))
