"""What coding agents recorded of their sessions, read as one neutral stream of events.

A format is a module of this package whose name doesn't begin with `_`; it has what `Format` names, and no
other place knows of it.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Optional, Protocol, cast

from memrc.errors import StopError
from memrc.transcripts._events import Event
from memrc.transcripts._source import Head, Source, Tally, head

__all__ = ["SUFFIXES", "Format", "Source", "Tally", "below", "format_of", "formats", "found", "head"]

SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".db")


class Format(Protocol):
    """What a module of a format has."""

    NAME: str
    """what people call it"""

    def places(self, home: Path, env: Mapping[str, str]) -> Iterable[Path]:
        """The transcripts where the host keeps them, for a user's home and environment."""

    def recognises(self, head: Head) -> bool:
        """Is a file with this beginning of the format?"""

    def events(self, source: Source) -> Iterator[Event]:
        """What happened, in the order of the file. No content may make it fail: what can't be understood
        is left out, and what was skipped is in `source.tally`. StopError as `Source.objects`.
        """


@cache
def formats() -> dict[str, Format]:
    """The formats by their names, in alphabetical order."""
    names = sorted(found.name for found in iter_modules(__path__) if not found.name.startswith("_"))
    modules = (cast(Format, import_module(f"{__name__}.{name}")) for name in names)
    return {module.NAME: module for module in modules}


def format_of(path: Path) -> Optional[Format]:
    """The format of a file, or None. StopError as `Source.objects`."""
    start = head(path)
    return next((format for format in formats().values() if format.recognises(start)), None)


def found(home: Path, env: Mapping[str, str]) -> Iterator[tuple[Path, Format]]:
    """The transcripts of all formats where their hosts keep them."""
    for format in formats().values():
        for path in format.places(home, env):
            if path.is_file():
                yield path, format


def below(directory: Path) -> Iterator[Path]:
    """The files of a directory and those below it that may be transcripts, in the order of their paths.

    OSError where a directory can't be read.
    """

    def fail(error: OSError) -> None:
        raise StopError(74, f"{error.filename}: {error.strerror}: give it back its permissions")

    for here, inner, names in os.walk(directory, onerror=fail):
        inner.sort()
        for name in sorted(names):
            path = Path(here, name)
            if name.endswith(SUFFIXES) and path.is_file():
                yield path
