"""Lines that are records: reading them as streams, judging and folding them by the schemas.

The format is that of bin/lib/schema/jsonl.jq, which has the last word. What is plainly right is
recognised in Python, at 5 µs a line instead of jq's 20 to 140; whatever isn't goes to jq.
"""

import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Optional, cast
from zlib import crc32

from memrc.errors import StopError
from memrc.jq import Filter

Record = dict[str, Any]

BOM = b"\xef\xbb\xbf"
OUT_OF_FORCE = ("SUPERSEDED", "INVALID")
# Size of the files whose records are folded at once: about 200 MB in jq.
BUCKET_BYTES = 16 << 20
ID = re.compile(r"[a-z]-[0-9a-f]{10}")


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their newlines, as they stand there; none if the file is absent.

    Stops with 74 if it can't be read.
    """
    try:
        with path.open("rb") as file:
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise StopError(74, f"{path}: {error.strerror}: give it back its permissions") from None


def cleaned(data: bytes, first: bool = False) -> bytes:
    """A line without NUL bytes and, if it is its file's first, without a byte order mark."""
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    return data[len(BOM) :] if first and data.startswith(BOM) else data


def parse(line: bytes) -> Optional[Record]:
    """The one JSON object that a cleaned line (or a whole file) holds, or None."""
    start = line.lstrip(b" \t\r\n")[:1]
    if start != b"{" and start != BOM[:1]:
        return None
    text = line.decode("utf-8", "replace")
    # Python and jq differ in how deep they go, in NaN, and in halves of surrogate pairs.
    if line.count(b"{") + line.count(b"[") < 200 and b"\\ud" not in line and b"\\uD" not in line:
        try:
            return cast(Record, json.loads(text, parse_constant=_refuse))
        except ValueError:
            pass
    return cast(Optional[Record], _object()(text))


def _refuse(name: str) -> None:
    raise ValueError(name)


@cache
def _object() -> Filter:
    return Filter("object", "jsonl")


class Shape:
    """What a record of a noun must look like: bin/lib/schema/NOUN.jq."""

    def __init__(self, noun: str) -> None:
        self.fields: dict[str, Record] = Filter(f"{noun}_shape", noun)(None)
        self.needed = [name for name, field in self.fields.items() if field.get("needed")]
        self._missing: dict[tuple[str, ...], list[Record]] = {(): []}
        self._faults = Filter(f"{noun}_shape as $shape | faults($shape)", "shape", noun)

    def faults(self, record: Record) -> list[Record]:
        """[{field, why, default}], as `faults` in shape.jq."""
        for name, value in record.items():
            if name in self.fields and not plain(value, self.fields[name]["is"]):
                return cast(list[Record], self._faults(record))
        # All that is there is plainly right, so the verdict hangs on what is missing alone.
        missing = tuple(name for name in self.needed if name not in record)
        if missing not in self._missing:
            self._missing[missing] = self._faults(record)
        return self._missing[missing]


def plain(value: Any, kind: Any) -> bool:
    """Is a value plainly of a kind of shape.jq? False means: ask jq."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "number":
        return type(value) is int
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "rejected":
        return isinstance(value, list) and all(
            isinstance(part, dict)
            and isinstance(part.get("option"), str)
            and isinstance(part.get("reason"), str)
            for part in value
        )
    if kind == "id":
        return isinstance(value, str) and ID.fullmatch(value) is not None
    return isinstance(kind, list) and value in kind


class Seen:
    """Which ids came at least once, and which more than once, in 8 MB however many they are.

    It may say yes wrongly, for about 3% of a million ids, never no: who needs to know looks closer.
    """

    BITS = 25

    def __init__(self) -> None:
        self._once = bytearray(1 << (self.BITS - 3))
        self._again = bytearray(1 << (self.BITS - 3))

    def add(self, name: str) -> None:
        """Notes that an id came."""
        at, bit = self._place(name)
        self._again[at] |= self._once[at] & bit
        self._once[at] |= bit

    def once(self, name: str) -> bool:
        """Did it come?"""
        at, bit = self._place(name)
        return bool(self._once[at] & bit)

    def again(self, name: str) -> bool:
        """Did it come more than once?"""
        at, bit = self._place(name)
        return bool(self._again[at] & bit)

    def _place(self, name: str) -> tuple[int, int]:
        place = hash(name) & ((1 << self.BITS) - 1)
        return place >> 3, 1 << (place & 7)


def read(path: Path) -> Iterator[tuple[bytes, Optional[Record]]]:
    """Each line of a file of records as it stands there, and its object."""
    first = True
    for line in lines(path):
        yield line, parse(cleaned(line, first))
        first = False


def id_of(record: Optional[Record]) -> Optional[str]:
    """The id that a record is folded by, if it has one."""
    name = record.get("id") if record else None
    return name if isinstance(name, str) else None


def only_ends(record: Record) -> bool:
    """Does a line say of a decision or fact that it is out of force, and not what it was?"""
    return record.get("status") in OUT_OF_FORCE and "decision" not in record and "claim" not in record


def folded(
    sources: Iterable[Path], wanted: Callable[[str], bool], fields: Collection[str]
) -> Iterator[Record]:
    """The records of several files as one, whose id is wanted, folded by jsonl.jq's `folded`.

    Of each line only the FIELDS are folded, and what decides over the order: jq's time goes with the
    text it gets. So of two values of equal rev and ts, for which the text of the line decides, the
    other may come out; of two statuses none does: they are `undecided`. Memory holds BUCKET_BYTES of the
    files at once, the rest is in temporary files. OSError where these can't be written.
    """
    paths = [path for path in sources if path.exists()]
    buckets = sum(path.stat().st_size for path in paths) // BUCKET_BYTES + 1
    fold = Filter("folded | .rows", "jsonl")
    keep = ("id", "rev", "ts", *fields)
    with ExitStack() as stack:
        parts = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(buckets)]
        for path in paths:
            for _, record in read(path):
                name = id_of(record)
                if record is None or name is None or not wanted(name):
                    continue
                text = json.dumps({key: record[key] for key in keep if key in record}) + "\n"
                parts[crc32(name.encode("utf-8", "replace")) % buckets].write(text.encode())
        for part in parts:
            part.seek(0)
            if text := part.read().decode():
                yield from fold(text)
