"""memrc.measure and memrc.reports: what the shell tests don't reach."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from conftest import HOME
from memrc import transcripts
from memrc.measure import Row, measure, table
from memrc.transcripts._events import Compaction, Event, Usage

FIXTURES = HOME / "tests" / "fixtures" / "transcripts"


class Made:
    """A format of these events."""

    NAME = "made"

    def __init__(self, *events: Event) -> None:
        self._events = events

    def events(self, _: transcripts.Source) -> "list[Event]":
        return list(self._events)


def row(*events: Event) -> Row:
    (found,) = measure(Path("x"), Made(*events))  # type: ignore[arg-type]
    return found


def test_a_subagents_context_is_its_own() -> None:
    found = row(
        Usage(1, "", "", 100_000),
        Usage(2, "", "sidechain", 9000),
        Compaction(3, "", "", "auto", None, None),
        Usage(4, "", "sidechain", 9500),
        Usage(5, "", "", 20_000),
        Compaction(6, "", "sidechain", "", None, None),
    )
    assert [(one.before, one.before_by, one.next) for one in found.compactions] == [
        (100_000, "usage", 20_000),
        (9500, "usage", None),
    ]
    assert found.fullest == 100_000


def test_a_compaction_of_which_nothing_is_known() -> None:
    found = row(Compaction(1, "", "", "", None, None))
    assert (found.compactions[0].before, found.compactions[0].before_by) == (None, "")
    assert "  compacted at line 1: no trigger told" in table([found])
    assert found.as_csv()[-1] == ":"


def test_no_event_at_all() -> None:
    assert row().calls == 0


def run(stdout: int, stderr: int, *args: str) -> int:
    """measure with a bar over any size of file."""
    code = (
        f"import sys; sys.path.insert(0, {str(HOME / 'pytools')!r}); from memrc import reports, cli;"
        "reports.WORTH_A_BAR = 0; cli.main()"
    )
    command = [sys.executable, "-c", code, "measure", *args]
    return subprocess.run(command, stdout=stdout, stderr=stderr).returncode


def shown(descriptor: int) -> str:
    """What a terminal got; one of them is read once."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 1 << 16).decode()
    except BlockingIOError:
        return ""


def test_long_work_shows_its_progress_on_a_terminal_only(tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        assert run(out.fileno(), theirs, str(FIXTURES)) == 0
        said = shown(mine)
        assert "reading" in said and "100%" in said
        assert run(out.fileno(), err.fileno(), str(FIXTURES)) == 0
        # lines that come as they are found, and a bar, on one terminal
        assert run(theirs, theirs, "--json", str(FIXTURES / "pi.jsonl")) == 0
        assert "reading" not in shown(mine)
    assert "reading" not in (tmp_path / "err").read_text() + (tmp_path / "out").read_text()
