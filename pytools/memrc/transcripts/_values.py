"""Values of records that may be of any type: what code can go on with."""

import re
import shlex
from collections import OrderedDict
from datetime import datetime, timezone
from typing import Any, Optional

from memrc.records import Record
from memrc.transcripts._events import EDIT, OTHER, READ, RUN, Call

# What hosts call the path in what a tool is given.
PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path")
COMMANDS = ("command", "cmd")
# … and what says which part of a file is read.
PARTS = ("offset", "limit", "start_line", "end_line", "pages")


def text(value: Any) -> str:
    """A text, else an empty one."""
    return value if isinstance(value, str) else ""


def table(value: Any) -> Record:
    """An object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Record]:
    """The objects of a list, else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def number(value: Any) -> Optional[int]:
    """A count that can be true, else None."""
    return value if type(value) is int and 0 <= value < 1 << 53 else None


def total(usage: Record, *names: str) -> int:
    """The sum of some counts of an object."""
    return sum(number(usage.get(name)) or 0 for name in names)


def code(value: Any) -> Optional[int]:
    """An exit code, else None."""
    return value if type(value) is int and abs(value) < 1 << 32 else None


def code_in(pattern: "re.Pattern[str]", value: str) -> Optional[int]:
    """The exit code that a text tells, as the first group of PATTERN, within its first or last 1,000
    characters.
    """
    found = pattern.search(value[:1000]) or pattern.search(value[-1000:])
    return int(found.group(1)) if found else None


def joined(value: Any, kind: str = "text") -> str:
    """The text of a message, which is one itself or a list of parts with a `text`.

    KIND is the type that parts with text have; a part without a type is one too, unless it is a thought.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    parts = (
        item if isinstance(item, str) else text(item.get("text"))
        for item in value
        if isinstance(item, str)
        or (isinstance(item, dict) and item.get("type", kind) == kind and not item.get("thought"))
    )
    return "\n".join(part for part in parts if part)


def moment(milliseconds: Any) -> str:
    """ISO 8601 of milliseconds since 1970, empty if it can't be that."""
    if number(milliseconds) is None or milliseconds > 1 << 45:
        return ""
    when = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def call(
    line: int, at: str, agent: str, id: str, tool: str, kinds: dict[str, str], given: Any, paths: Any = ()
) -> Call:
    """The Call of a TOOL that was GIVEN an object. KINDS are those of the host's tools; PATHS are used
    where the object names none.
    """
    given = table(given)
    kind = kinds.get(tool, OTHER)
    command = part = ""
    if kind == RUN:
        command = next((found for name in COMMANDS if (found := line_of(given.get(name)))), "")
    elif kind in (READ, EDIT):
        paths = [found for name in PATHS if (found := text(given.get(name)))][:1] or paths
    if kind == READ:
        part = " ".join(f"{name} {given[name]}" for name in PARTS if isinstance(given.get(name), (int, str)))
    return Call(line, at, agent, id, tool, kind, command, list(paths), part)


def line_of(command: Any) -> str:
    """A command line; of a list of words, what its shell is given, else the words quoted."""
    if not isinstance(command, list):
        return text(command)
    words = [text(word) for word in command]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]
    return shlex.join(words)


class Bounded(OrderedDict[Any, Any]):
    """A dict that forgets what was put there first when it is full. Keys are texts, or tuples with some."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def put(self, key: Any, value: Any) -> None:
        """Sets a value as the newest."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
