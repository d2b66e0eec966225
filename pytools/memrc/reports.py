"""Which transcripts are meant, and how what was measured of them is put out."""

import csv
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import Optional

import click

from memrc import projects
from memrc.errors import StopError
from memrc.focus import focus
from memrc.focus import lines as focus_lines
from memrc.measure import COLUMNS, Row, measure
from memrc.table import clean, table
from memrc.table import projects as project_table
from memrc.transcripts import Format, Source, below, format_of, formats, found
from memrc.violations import Memories

# Less than this is over before anybody wonders.
WORTH_A_BAR = 20 << 20
# So many files that can't be used are named; one reason may hold for hundreds.
NAMED = 5


def warn(text: str) -> None:
    """One line on stderr: what: why: what to do."""
    click.echo(f"memrc-measure: {clean(text)}", err=True)


class Refusals:
    """Says what can't be used, and keeps the exit code: of many, one must not hide the others."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        """WARN puts a line on stderr."""
        self.code = 0
        """of the worst"""
        self._warn = warn
        self._count = 0

    def __call__(self, stop: StopError) -> None:
        """STOP ends one file or directory, not the command."""
        self.code = max(self.code, stop.code)
        self._count += 1
        if self._count <= NAMED:
            self._warn(clean(str(stop)))

    def end(self) -> None:
        """Says how many weren't named."""
        if self._count > NAMED:
            self._warn(f"{self._count - NAMED:,} more can't be read: give fewer at once to have them named")


def transcripts(
    paths: Iterable[Path], name: Optional[str], everything: bool, refused: Refusals
) -> list[tuple[Path, Format]]:
    """The transcripts among files and in directories, then EVERYTHING where hosts keep it, each once.

    NAME is the format of all PATHS, or None. REFUSED is told each that can't be used: StopError 65 if a file
    that was named is of no format, 69 or 74 if one can't be read. StopError 2 if there is no such format.
    """
    if name is not None and name not in formats():
        raise StopError(2, f"--format {name}: no such format: give one of {', '.join(formats())}")
    given = formats()[name] if name else None
    kept: dict[str, tuple[Path, Format]] = {}
    for path in paths:
        for file in _files(path, refused):
            try:
                format = _of(file, given)
                if format:
                    kept.setdefault(os.path.realpath(file), (file, format))
                elif file == path:
                    raise StopError(65, _none(file, given))
            except StopError as stop:
                refused(stop)
    if everything:
        for file, format in found(Path.home(), os.environ):
            kept.setdefault(os.path.realpath(file), (file, format))
    return list(kept.values())


def _files(path: Path, refused: Refusals) -> Iterator[Path]:
    """A file itself, or those below a directory."""
    if not path.is_dir():
        yield path
        return
    try:
        yield from below(path)
    except StopError as stop:
        refused(stop)


def _of(file: Path, given: Optional[Format]) -> Optional[Format]:
    """The format of a file: the GIVEN one if anything of it is there, else what its beginning tells."""
    if file.exists() and not file.is_file():
        raise StopError(65, f"{file}: isn't a file: give the path of a transcript")
    if not given:
        return format_of(file)
    return given if next(given.events(Source(file)), None) else None


def _none(file: Path, given: Optional[Format]) -> str:
    """Why a file is no transcript."""
    if not file.stat().st_size:
        return f"{file}: is empty: give the path of a transcript"
    if given:
        return f"{file}: nothing of {given.NAME} in it: leave --format out, or give another"
    return f"{file}: no transcript of {', '.join(formats())}: if it is one, say so with --format"


class Report:
    """Sessions that are measured and printed as OUTPUT, which is `table`, `json` or `csv`, a line a session
    or, BY `project`, a project.
    """

    def __init__(self, output: str, by: str, root: Optional[Path] = None) -> None:
        """ROOT is the memory whose constraints count, if it isn't that of each session's own directory."""
        self.refused = Refusals(warn)
        self._output = output
        self._by = by
        # what needs no sums comes out as it is found
        self._at_once = by == "session" and output != "table"
        self._rows: list[Row] = []
        self._skipped = 0
        self._memories = Memories(warn, root)

    def run(self, sources: list[tuple[Path, Format]]) -> int:
        """Measures and prints SOURCES. The exit code: of what was refused; 1 if something couldn't be read to
        its end.
        """
        if not sources and self.refused.code:
            self.refused.end()
            return self.refused.code
        if not sources:
            warn("no transcript there: nothing to measure: give other files or directories")
        if self._at_once and self._output == "csv":
            line(COLUMNS)
        with bar(sources, self._output) as progress:
            for path, format in sources:
                try:
                    for row in measure(path, format, progress(path), self._memories.denied):
                        self._add(row)
                except StopError as stop:
                    self.refused(stop)
        self.refused.end()
        if self._by == "project":
            show_projects(projects.by_project(self._rows), self._output)
        elif self._rows:
            # into a file there is room for any line
            show(table(self._rows, get_terminal_size((0, 0)).columns))
        if self._skipped:
            what = "line" if self._skipped == 1 else "lines"
            warn(f"{self._skipped:,} {what} skipped: no JSON object, or too long: --json says in which files")
        return self.refused.code

    def _add(self, row: Row) -> None:
        self._skipped += row.skipped
        for why in row.broken:
            warn(f"{row.file}: the rest couldn't be read: {why}: what came before counts")
            self.refused.code = max(self.refused.code, 1)
        if not self._at_once:
            self._rows.append(row)
        elif self._output == "json":
            click.echo(json.dumps(row.as_json()))
        else:
            line(row.as_csv())


def show_projects(found: list[projects.Sums], output: str) -> None:
    """Prints the sums of projects as OUTPUT."""
    if output == "json":
        for sums in found:
            click.echo(json.dumps(sums.as_json()))
    elif output == "csv":
        line(projects.COLUMNS)
        for sums in found:
            line(sums.as_csv())
    elif found:
        show(project_table(found))


def report_focus(state: Path, output: str) -> int:
    """Prints how many decisions the tasks of STATE took, as OUTPUT, `table` or `json`. The exit code."""
    found = focus(state)
    if output == "json":
        click.echo(json.dumps(found.as_json()))
    else:
        show(focus_lines(found))
    return 0


def show(lines: Iterable[str]) -> None:
    """Prints lines for a person."""
    for text in lines:
        click.echo(plain(text))


def line(values: Iterable[object]) -> None:
    """Prints a line of CSV."""
    csv.writer(sys.stdout, lineterminator="\n").writerow(
        clean(value) if isinstance(value, str) else value for value in values
    )


def plain(value: object) -> object:
    """A text that any terminal or file can take; other values as they are."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@contextmanager
def bar(
    sources: list[tuple[Path, Format]], output: str
) -> Iterator[Callable[[Path], Optional[Callable[[int], None]]]]:
    """A progress bar on a terminal, where it is worth one: a function that gives, for a file, what is told
    how many of its bytes were read.
    """
    size = sum(path.stat().st_size for path, _ in sources if path.exists())
    to_terminal = sys.stderr.isatty() and (output == "table" or not sys.stdout.isatty())
    if not to_terminal or size < WORTH_A_BAR:
        yield lambda _: None
        return
    with click.progressbar(length=size, label="reading", file=sys.stderr) as shown:
        done = 0

        def of(path: Path) -> Callable[[int], None]:
            nonlocal done
            base = done
            done += path.stat().st_size if path.exists() else 0
            shown.update(base - shown.pos)
            return lambda position: shown.update(base + position - shown.pos)

        yield of
        shown.update(size - shown.pos)
