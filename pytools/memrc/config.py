"""<root>/state/config: `key = value` lines, data only, as bin/lib/config.sh reads them (a test
compares).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# As the shell: whatever else lies there must not cost time.
READ_BYTES = 8192


class Setting(NamedTuple):
    """A number a program may ask for: its default, its least and its greatest value."""

    default: int
    least: int
    most: int


SETTINGS: dict[str, Setting] = {
    "max_chars": Setting(8000, 1000, 100000),
    "recent_operations": Setting(20, 0, 100),
    "replay_decisions": Setting(3, 0, 50),
    "archive_keep": Setting(100, 1, 100000),
    "nudge_every": Setting(25, 1, 100000),
    "max_checks": Setting(1000, 0, 100000),
}


def settings(state: Path) -> Iterator[tuple[int, str, str]]:
    """The lines of STATE/config: number, key, value. OSError if it can't be read."""
    try:
        with (state / "config").open("rb") as file:
            data = file.read(READ_BYTES)
    except FileNotFoundError:
        return
    text = data.replace(b"\0", b"").replace(b"\r", b"").decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        # as `IFS="$TAB =" read -r key value`: one `=` with blanks around it, or blanks alone, part
        # the two
        found = re.match(r"[\t ]*([^\t =]*)(?:[\t ]*=[\t ]*|[\t ]+)?(.*?)[\t ]*$", line)
        if found:
            yield number, found.group(1), found.group(2)


def fits(key: str, value: str) -> bool:
    """Is a value a plain number in the range of its key?"""
    setting = SETTINGS[key]
    return (
        re.fullmatch(r"0|[1-9][0-9]{0,5}", value) is not None and setting.least <= int(value) <= setting.most
    )


def number(state: Path, key: str) -> int:
    """What a root sets a key to, else the default."""
    value = SETTINGS[key].default
    for _, name, text in settings(state):
        if name == key and fits(key, text):
            value = int(text)
    return value
