"""What was kept over compactions, transcript by transcript and in sum: how replays are put out."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import sleep
from typing import Optional

import click

from memrc.config import SETTINGS
from memrc.errors import StopError
from memrc.replay import Replayed, need_jq, plain, replay
from memrc.reports import Refusals, transcripts

# The kinds of `Kept` in their order, and the arms of `Replayed`.
KINDS = ("failed commands", "error lines", "edited files", "prompts")
# How often scratch roots are removed until they are gone.
ATTEMPTS = 20
LIMIT = SETTINGS["max_chars"].default
ARMS = {
    "cut": "A: the history cut",
    "summary": "B: the host's summary",
    "restore": f"C: summary and restore, at most {LIMIT:,} units",
    "unlimited": "C without a limit",
}


def report(paths: Iterable[Path], name: Optional[str], as_json: bool, keep: Optional[Path]) -> int:
    """Replays the transcripts in PATHS, of the format NAME or whichever, and prints what was kept; the
    scratch roots stay below KEEP, if given.

    The exit code: 1 if there was no compaction, something went wrong in a hook, or one of several transcripts
    couldn't be read; if none could, its own. OSError as `replay`, StopError 2 if there is something in KEEP,
    69 without jq.
    """
    need_jq()
    if keep and keep.exists() and any(keep.iterdir()):
        raise StopError(2, f"--keep {keep}: isn't empty: give a directory that isn't there yet")
    refused = Refusals(_warn)
    sources = transcripts(paths, name, False, refused)
    rows: list[Replayed] = []
    wrong = False
    for number, (path, format) in enumerate(sources, 1):
        with _place(keep, number) as place:
            try:
                for row in replay(path, format, place):
                    rows.append(row)
                    wrong = _complains(row) or wrong
                    if as_json:
                        click.echo(json.dumps(row.as_json()))
            except StopError as stop:
                refused(stop)
    if rows and not as_json:
        for line in table(rows):
            click.echo(line)
    refused.end()
    if rows:
        return int(wrong or bool(refused.code))
    if not refused.code:
        _warn("no compaction of a session there: nothing to replay: give other files or directories")
    return refused.code or 1


def _complains(row: Replayed) -> bool:
    """Says what went wrong on the way to a compaction, if anything did."""
    faults = row.faults
    if row.units > LIMIT:
        faults = [f"the restore has {row.units:,} units, more than {LIMIT:,}", *faults]
    if faults:
        _warn(
            f"{row.file}: line {row.line}: {plain(faults[0])}: --keep DIR leaves the scratch root to look at"
        )
    return bool(faults)


def _warn(text: str) -> None:
    """One line on stderr: what: why: what to do."""
    click.echo(f"memrc-replay: {text}", err=True)


@contextmanager
def _place(keep: Optional[Path], number: int) -> Iterator[Path]:
    """Where the scratch roots of a transcript lie."""
    if keep:
        yield keep / f"{number}"
        return
    place = Path(mkdtemp(prefix="memrc-replay-"))
    try:
        yield place
    finally:
        # what a hook left behind that was killed may write for a moment longer
        for _ in range(ATTEMPTS):
            rmtree(place, ignore_errors=True)
            if not place.exists():
                break
            sleep(0.1)


def table(rows: list[Replayed]) -> Iterator[str]:
    """What a person looks at: a line a compaction with what each arm kept, then the sums."""
    heads = ("session", "format", "line", "hooks", "units", *KINDS)
    lines = [
        (plain(row.session), row.format, f"{row.line:,}", f"{row.hooks:,}", f"{row.units:,}", *_each(row))
        for row in rows
    ]
    yield from _columns([heads, *lines], left=2)
    yield ""
    count = "1 compaction" if len(rows) == 1 else f"{len(rows):,} compactions"
    sums = [(title, *_shares(rows, arm)) for arm, title in ARMS.items()]
    yield from _columns([(count, *KINDS), *sums], left=1)


def _each(row: Replayed) -> Iterator[str]:
    """What the arms kept of each kind, and of how many."""
    for counts in zip(*(asdict(getattr(row, arm)).values() for arm in ARMS)):
        yield " ".join(f"{found}" for found, _ in counts) + f" of {counts[0][1]}"


def _shares(rows: list[Replayed], arm: str) -> Iterator[str]:
    """What an arm kept of each kind in all, rounded down."""
    for counts in zip(*(asdict(getattr(row, arm)).values() for row in rows)):
        found, of = map(sum, zip(*counts))
        yield f"{found:,} of {of:,}" + (f", {100 * found // of}%" if of else "")


def _columns(lines: list[tuple[str, ...]], left: int) -> Iterator[str]:
    """Lines with their cells below each other: the first LEFT from the left, the others to the right."""
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for cells in lines:
        names = [cell.ljust(width) for cell, width in zip(cells[:left], widths)]
        counts = [cell.rjust(width) for cell, width in zip(cells[left:], widths[left:])]
        yield "  ".join(names + counts).rstrip()
