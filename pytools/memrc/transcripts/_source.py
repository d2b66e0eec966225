"""Reading files that somebody else wrote, and may still be writing: as streams, whatever is in them."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import import_module
from io import BufferedReader, FileIO, TextIOWrapper
from mmap import mmap
from os import fstat
from pathlib import Path
from typing import Any, Optional, cast

from memrc.errors import StopError
from memrc.records import Record, cleaned

# A longer line or value is skipped; one with other letters than ASCII at half of it, for in Python's memory
# each of its letters may take four bytes, in the line, in what was made of it, and in the one before.
LONGEST = 16 << 20
# How much of a file, and how many of its records, tell its format.
HEAD_BYTES = 1 << 20
HEAD_RECORDS = 64
# Read at once; lines are a few KB.
BUFFER = 1 << 18
# Records between two calls of the progress function.
STEP = 1000

BETWEEN = re.compile(r"[ \t\r\n,]*")
# A longer id is known by its hash.
ID = 100

_scan = json.JSONDecoder().raw_decode


@dataclass
class Tally:
    """What was read of a file, and what was not."""

    records: int = 0
    """JSON objects that were read, duplicates included"""
    bad: int = 0
    """lines that aren't one JSON object: skipped"""
    long: int = 0
    """lines or records longer than LONGEST bytes: skipped"""
    duplicates: int = 0
    """records that came before, under the same id: dropped"""
    broken: list[str] = field(default_factory=list)
    """why the rest of the file couldn't be read"""


class Once:
    """Which ids came already, in about 65 MB however many they are.

    The first EXACT are kept. Those after them are in a Bloom filter of four hashes, which may take a new id
    for an old one: one of a hundred million where 700,000 came, one of 40,000 where 5 million did.
    """

    EXACT = 250_000
    BITS = 28

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._bits: Optional[mmap] = None

    def __call__(self, name: str) -> bool:
        """Is it the first time that NAME comes?"""
        known = self._known
        if len(name) > ID:
            name = _digest(name).hex()
        if name in known:
            return False
        if len(known) < self.EXACT:
            known.add(name)
            return True
        return self._filtered(name)

    def _filtered(self, name: str) -> bool:
        if self._bits is None:
            # the system gives its pages when they are written
            self._bits = mmap(-1, 1 << (self.BITS - 3))
        digest = int.from_bytes(_digest(name), "big")
        new = False
        for _ in range(4):
            place = digest & ((1 << self.BITS) - 1)
            digest >>= 32
            bit = 1 << (place & 7)
            if not self._bits[place >> 3] & bit:
                self._bits[place >> 3] |= bit
                new = True
        return new


def _digest(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "replace"), digest_size=16).digest()


class Source:
    """A transcript that is being read."""

    def __init__(self, path: Path, progress: Optional[Callable[[int], None]] = None) -> None:
        self.path = path
        self.tally = Tally()
        self.once = Once()
        self._progress = progress

    def first(self, name: str) -> bool:
        """Is NAME, the id of a record, new or empty? If not, it is counted as a duplicate."""
        if not name or self.once(name):
            return True
        self.tally.duplicates += 1
        return False

    def objects(self) -> Iterator[tuple[int, Record]]:
        """The objects of a file of JSON lines, each with the number of its line.

        StopError 69 if it is compressed and nothing here can open it, 74 if it can't be read at all.
        """
        tally = self.tally
        with opened(self.path) as (file, raw):
            for number, line in enumerate(self._lines(file), 1):
                if number % STEP == 0:
                    self.reached(raw.tell())
                if line is None:
                    tally.long += 1
                elif (record := parsed(line, number == 1)) is not None:
                    tally.records += 1
                    yield number, record
                elif not line.isspace():
                    tally.bad += 1

    def elements(self, key: str) -> Iterator[tuple[int, Record]]:
        """The objects of the list KEY of a file that is one JSON object, each with its number from 1."""
        tally = self.tally
        with opened(self.path) as (file, raw):
            start = re.compile(rf'"{key}"\s*:\s*\[')
            text, number = "", 0
            decoder = TextIOWrapper(file, "utf-8", "replace")
            while not (found := start.search(text)):
                more = decoder.read(HEAD_BYTES)
                if not more or len(text) > LONGEST:
                    tally.bad += 1
                    return
                text += more
            at, want = found.end(), HEAD_BYTES
            while True:
                at = BETWEEN.match(text, at).end()  # type: ignore[union-attr]
                try:
                    value, end = _scan(text, at)
                    # a number may go on in what wasn't read yet
                    whole = end < len(text)
                except (ValueError, RecursionError):
                    whole = False
                if whole:
                    number, at, want = number + 1, end, HEAD_BYTES
                    if isinstance(value, dict):
                        tally.records += 1
                        yield number, value
                    else:
                        tally.bad += 1
                elif text[at : at + 1] == "]":
                    return
                else:
                    more = decoder.read(want)
                    self.reached(raw.tell())
                    if not more or len(text) - at > LONGEST // 2:
                        tally.bad += 1
                        tally.broken.append(f"{key} {number + 1} isn't JSON or is too long")
                        return
                    text, at, want = text[at:] + more, 0, want * 2

    def reached(self, position: int) -> None:
        """Says that POSITION bytes of the file were read."""
        if self._progress:
            self._progress(position)

    def _lines(self, file: BufferedReader) -> Iterator[Optional[bytes]]:
        """Its lines; None for one that is too long."""
        try:
            while line := file.readline(LONGEST):
                if len(line) == LONGEST and not line.endswith(b"\n"):
                    while (rest := file.readline(LONGEST)) and not rest.endswith(b"\n"):
                        pass
                    yield None
                elif len(line) > LONGEST // 2 and not line.isascii():
                    yield None
                else:
                    yield line
        except Exception as error:  # each way to decompress has errors of its own
            self.tally.broken.append(" ".join(str(error).split()) or type(error).__name__)


class _Begun(FileIO):
    """A file as long as it was when it was opened, for one that grows as fast as it is read has no end."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._left = fstat(self.fileno()).st_size

    def readinto(self, buffer: Any) -> int:
        """As of FileIO."""
        with memoryview(buffer) as whole, whole[: self._left] as part:
            count = super().readinto(part) or 0
        self._left -= count
        return count


@contextmanager
def opened(path: Path) -> Iterator[tuple[BufferedReader, BufferedReader]]:
    """A file to be read, decompressed if its name ends in .zst, and the file itself, which knows how far
    reading is. StopError as `Source.objects`.
    """
    try:
        raw = cast(BufferedReader, BufferedReader(_Begun(path), BUFFER))
    except OSError as error:
        raise StopError(74, f"{path}: {error.strerror}: give the path of a transcript") from None
    with raw:
        try:
            yield (zstd(raw) if path.suffix == ".zst" else raw), raw
        except ImportError:
            text = "is compressed with zstd, which Python reads from 3.14: pip install backports.zstd"
            raise StopError(69, f"{path}: {text}") from None


def zstd(raw: BufferedReader) -> BufferedReader:
    """What a file that zstd compressed holds, by Python itself from 3.14, else by its backport.

    ImportError if there is neither.
    """
    try:
        module = import_module("compression.zstd")
    except ImportError:
        module = import_module("backports.zstd")
    return cast(BufferedReader, module.ZstdFile(raw))


def parsed(line: bytes, first: bool = False) -> Optional[Record]:
    """The one JSON object that a line holds, or None; FIRST: it may begin with a byte order mark."""
    text = cleaned(line, first).strip().decode("utf-8", "replace")
    try:
        value, end = _scan(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) and isinstance(value, dict) else None


@dataclass
class Head:
    """The beginning of a file, from which its format is recognised."""

    path: Path
    start: str
    """its first characters, at most HEAD_BYTES bytes of it"""
    records: list[Record]
    """the objects that its first lines are"""


def head(path: Path) -> Head:
    """Reads the beginning of a file. StopError as `Source.objects`."""
    with opened(path) as (file, _):
        data = b""
        try:
            # read1 gives what came before a file breaks off
            while len(data) < HEAD_BYTES and (more := file.read1(HEAD_BYTES)):
                data += more
        except Exception as error:  # as in _lines
            if not data and path.suffix != ".zst":
                raise StopError(74, f"{path}: {error}: give the path of a transcript") from None
    lines = data.split(b"\n", HEAD_RECORDS)[:HEAD_RECORDS]
    found = (parsed(line, number == 0) for number, line in enumerate(lines))
    records = [record for record in found if record is not None]
    return Head(path, data[:4096].decode("utf-8", "replace"), records)
