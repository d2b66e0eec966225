"""Which transcripts are meant, and how what was measured of them is put out."""

import csv
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

import click

from memrc import projects
from memrc.errors import StopError
from memrc.focus import focus
from memrc.focus import lines as focus_lines
from memrc.measure import COLUMNS, Row, measure
from memrc.table import projects as project_table
from memrc.table import table
from memrc.transcripts import Format, below, format_of, formats, found

# Less than this is over before anybody wonders.
WORTH_A_BAR = 20 << 20


def warn(text: str) -> None:
    """One line on stderr: what: why: what to do."""
    click.echo(f"memrc-measure: {text}", err=True)


def transcripts(paths: Iterable[Path], name: Optional[str], everything: bool) -> list[tuple[Path, Format]]:
    """The transcripts among files and in directories, then EVERYTHING where hosts keep it, each once.

    NAME is the format of all PATHS, or None. StopError 2 if there is no such format, 65 if a file is of
    none, 74 if it can't be read.
    """
    if name is not None and name not in formats():
        raise StopError(2, f"--format {name}: no such format: give one of {', '.join(formats())}")
    given = formats()[name] if name else None
    kept: dict[str, tuple[Path, Format]] = {}
    for path in paths:
        inside = path.is_dir()
        for file in below(path) if inside else [path]:
            if not inside and file.exists() and not file.is_file():
                raise StopError(65, f"{file}: isn't a file: give the path of a transcript")
            format = given or format_of(file)
            if format:
                kept.setdefault(os.path.realpath(file), (file, format))
            elif not inside:
                known = ", ".join(formats())
                raise StopError(65, f"{file}: no transcript of {known}: if it is one, say so with --format")
    if everything:
        for file, format in found(Path.home(), os.environ):
            kept.setdefault(os.path.realpath(file), (file, format))
    return list(kept.values())


def report(sources: list[tuple[Path, Format]], output: str, by: str = "session") -> int:
    """Measures and prints as OUTPUT, which is `table`, `json` or `csv`, a line a session or, BY `project`, a
    project. The exit code: 1 if something couldn't be read.
    """
    if not sources:
        warn("no transcript there: nothing to measure: give other files or directories")
    rows: list[Row] = []
    # what needs no sums comes out as it is found
    at_once = by == "session" and output != "table"
    if at_once and output == "csv":
        line(COLUMNS)
    wrong = skipped = 0
    with bar(sources, output) as progress:
        for path, format in sources:
            try:
                for row in measure(path, format, progress(path)):
                    wrong += bool(row.broken)
                    skipped += row.skipped
                    if not at_once:
                        rows.append(row)
                    elif output == "json":
                        click.echo(json.dumps(row.as_json()))
                    else:
                        line(row.as_csv())
            except StopError as stop:
                # of many, one that vanished or is compressed must not hide the others
                if len(sources) == 1:
                    raise
                warn(str(stop))
                wrong += 1
    if by == "project":
        show_projects(projects.by_project(rows), output)
    elif rows:
        show(table(rows))
    if skipped:
        what = "line" if skipped == 1 else "lines"
        warn(f"{skipped:,} {what} skipped: no JSON object, or too long: --json says in which files")
    return int(wrong > 0)


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
    csv.writer(sys.stdout, lineterminator="\n").writerow(plain(value) for value in values)


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
