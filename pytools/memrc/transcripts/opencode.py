"""OpenCode: ~/.local/share/opencode/opencode.db; before 1.2 storage/{session,message,part}/…/ID.json.

The database holds all sessions, in tables `session`, `message` and `part`; the `data` of the last two is
the JSON that the files were. A compaction is an answer with `summary: true`; what asked for it is a part
`compaction {auto}` of the message before. Descriptions of 1.1 and 1.2; runs of 1.18.33.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Optional

from memrc.errors import StopError
from memrc.records import Record
from memrc.transcripts._events import (
    EDIT,
    READ,
    RUN,
    Compaction,
    Event,
    Interruption,
    Prompt,
    Result,
    Say,
    Session,
    Summary,
    Usage,
)
from memrc.transcripts._source import LONGEST, Head, Source, parsed
from memrc.transcripts._values import call, code, moment, table, text, total

NAME = "opencode"
KINDS = {"bash": RUN, "read": READ, "edit": EDIT, "write": EDIT, "multiedit": EDIT, "patch": EDIT}
# What a damaged database raises; its messages, too, may not be text.
BROKEN = (sqlite3.Error, ValueError, MemoryError)
# How often a database that changes is copied.
COPIES = 5
MAGIC = "SQLite format 3\0"
TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')"
SESSIONS = "SELECT id, directory, version, time_created, parent_id FROM session ORDER BY time_created, id"
# The record of a message comes with its first part, or alone; what is too long stays where it is.
ROWS = """
SELECT m.id,
	CASE WHEN length(m.data) <= :longest THEN m.data END,
	p.id,
	CASE WHEN length(p.data) <= :longest THEN p.data END
FROM message m LEFT JOIN part p ON p.message_id = m.id
WHERE m.session_id = CAST(:session AS TEXT)
ORDER BY m.time_created, m.id, p.id
"""

# A session's record of itself, then its messages, each followed by its parts: None where one is unreadable.
Rows = Iterator[tuple[bool, Optional[Record]]]


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """The databases of OPENCODE_DB or of XDG_DATA_HOME, else ~/.local/share; without one, the older files."""
    top = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    given = env.get("OPENCODE_DB")
    found = [top / given] if given else sorted(top.glob("opencode*.db"))
    # the first start of 1.2 put all of the older files into the database, and left them
    yield from found or sorted((top / "storage" / "session").glob("*/*.json"))


def recognises(head: Head) -> bool:
    """A database with its tables, or the file of a session with its messages beside it."""
    if head.start.startswith(MAGIC):
        # one that is new may have its tables in the log only
        return _has_tables(head.path, False) or (_beside(head.path).exists() and _has_tables(head.path, True))
    return (
        head.path.parent.parent.name == "session" and re.search(r'"id"\s*:\s*"ses_', head.start) is not None
    )


def _has_tables(path: Path, log: bool) -> bool:
    try:
        with _opened(path, log) as database:
            return bool(database.execute(TABLES).fetchone()[0] == 3)
    except BROKEN:
        return False


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`. Times of the database are milliseconds."""
    if source.path.suffix == ".json":
        yield from _session(source, _tree(source))
        return
    tally = source.tally
    try:
        with _opened(source.path) as database:
            # all of it as it is now, whoever writes meanwhile
            database.execute("BEGIN")
            sessions = database.execute(SESSIONS).fetchall()
            size = source.path.stat().st_size
            for done, row in enumerate(sessions, 1):
                yield from _session(source, _table(database, row))
                source.reached(size * done // len(sessions))
    except BROKEN as error:
        tally.broken.append(" ".join(str(error).split()) or type(error).__name__)


@contextmanager
def _opened(path: Path, log: bool = True) -> Iterator[sqlite3.Connection]:
    """A database to be read; nothing is written beside it. What its write-ahead log has is left out if LOG is
    false. StopError 74 if it can't be read or copied.
    """
    with ExitStack() as stack:
        try:
            with path.open("rb") as file:
                logged = file.read(20)[18:20] == b"\2\2"
            # of one with a log SQLite would make it anew, and its index, even to read
            mode = "immutable=1" if logged else "mode=ro"
            if logged and log and _beside(path).exists():
                place = stack.enter_context(TemporaryDirectory(prefix="memrc-opencode-"))
                path, mode = _copy(path, Path(place)), "mode=rw"
        except OSError as error:
            what = error.filename or path
            raise StopError(74, f"{what}: {error.strerror}: it must be read, and copied to TMPDIR") from None
        yield stack.enter_context(closing(_connect(path, mode)))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    database.text_factory = bytes
    return database


def _beside(path: Path) -> Path:
    """The write-ahead log of a database."""
    return path.with_name(f"{path.name}-wal")


def _copy(path: Path, place: Path) -> Path:
    """Copies a database with its log, which SQLite can't read without an index that it writes beside it.

    A host that writes meanwhile adds to the log, of which what isn't whole doesn't count; if it moved the log
    into the database in between, the two don't fit, and are copied again.
    """
    copy = place / "copy.db"
    for _ in range(COPIES):
        before = _state(path)
        copyfile(path, copy)
        try:
            copyfile(_beside(path), _beside(copy))
        except FileNotFoundError:
            # its last user closed it: all of it is in the database now
            _beside(copy).unlink(missing_ok=True)
        if before == _state(path):
            break
    return copy


def _state(path: Path) -> tuple[int, int, bytes]:
    """What changes with the database, or when its log begins anew."""
    found = path.stat()
    try:
        with _beside(path).open("rb") as log:
            head = log.read(32)
    except FileNotFoundError:
        head = b""
    return found.st_mtime_ns, found.st_size, head


def _data(value: object) -> Optional[Record]:
    return parsed(value) if isinstance(value, bytes) else None


def _table(database: sqlite3.Connection, row: tuple[object, ...]) -> Rows:
    """The rows of a session of the database."""
    name, directory, version, created, parent = (
        value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row
    )
    told = {"id": name, "directory": directory, "version": version, "parentID": parent}
    yield True, {**told, "time": {"created": created}}
    last = None
    for message, data, part, inner in database.execute(ROWS, {"session": row[0], "longest": LONGEST}):
        if message != last:
            last = message
            yield True, _data(data)
        if part is not None:
            yield False, _data(inner)


def _tree(source: Source) -> Rows:
    """The rows of a session in files of their own; `message` and `part` stand beside `session`."""
    yield True, _file(source.path)
    storage = source.path.parents[2]
    messages = sorted((storage / "message" / source.path.stem).glob("*.json"))
    for message in messages:
        yield True, _file(message)
        for part in sorted((storage / "part" / message.stem).glob("*.json")):
            yield False, _file(part)


def _file(path: Path) -> Optional[Record]:
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except OSError:
        return None
    return parsed(data, first=True) if len(data) <= LONGEST else None


def _session(source: Source, rows: Rows) -> Iterator[Event]:
    message: Record = {}
    agent = trigger = ""
    line = 0
    for line, (whole, found) in enumerate(rows, 1):
        record = found or {}
        at = moment(table(record.get("time")).get("created"))
        if line == 1:
            name = text(record.get("id"))
            agent = name if text(record.get("parentID")) else ""
            yield Session(line, at, agent, name, text(record.get("directory")), text(record.get("version")))
        # after the event, for what is counted from there on is the session's
        if found is None:
            source.tally.bad += 1
        else:
            source.tally.records += 1
        if line == 1:
            continue
        if whole:
            yield from _stopped(line - 1, agent, message)
            message = {**record, "at": at}
            if record.get("summary") is True:
                # one that failed shortened nothing
                if not record.get("error"):
                    yield Compaction(line, at, agent, trigger, None, None)
                trigger = ""
            elif tokens := _fill(table(record.get("tokens"))):
                yield Usage(line, at, agent, tokens)
        elif record.get("type") == "compaction":
            trigger = "auto" if record.get("auto") is True else "manual"
        else:
            yield from _part(line, agent, message, record)
    yield from _stopped(line, agent, message)


def _stopped(line: int, agent: str, message: Record) -> Iterator[Event]:
    """What a message says that ended before its time; behind its parts."""
    if table(message.get("error")).get("name") == "MessageAbortedError":
        yield Interruption(line, message.get("at", ""), agent)


def _fill(tokens: Record) -> int:
    return total(tokens, "input") + total(table(tokens.get("cache")), "read", "write")


def _part(line: int, agent: str, message: Record, part: Record) -> Iterator[Event]:
    at, role = message.get("at", ""), message.get("role")
    said = text(part.get("text"))
    if part.get("type") == "text" and said.strip() and part.get("synthetic") is not True:
        if message.get("summary") is True:
            if not message.get("error"):
                yield Summary(line, at, agent, said)
        elif role == "assistant":
            yield Say(line, at, agent, said.strip())
        elif role == "user" and not agent:
            yield Prompt(line, at, agent, said)
    elif part.get("type") == "tool":
        state, name = table(part.get("state")), text(part.get("callID"))
        time = table(state.get("time"))
        at = moment(time.get("start")) or at
        yield call(line, at, agent, name, text(part.get("tool")), KINDS, state.get("input"))
        status = state.get("status")
        if status in ("completed", "error"):
            exit = code(table(state.get("metadata")).get("exit"))
            said = text(state.get("output")) or text(state.get("error"))
            failed = status == "error" or bool(exit)
            yield Result(line, moment(time.get("end")) or at, agent, name, failed, exit, said)
