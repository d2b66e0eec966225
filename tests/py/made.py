"""Sessions that are made up, event by event."""

from pathlib import Path

from memrc import transcripts
from memrc.measure import Row, measure
from memrc.transcripts._events import EDIT, READ, RUN, Call, Compaction, Event, Result


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


def together(*parts: "list[Event]") -> Row:
    """The row of events that come in parts."""
    return row(*(event for part in parts for event in part))


LINES = iter(range(10, 10_000_000, 10))


def ran(command: str, output: str = "", agent: str = "") -> list[Event]:
    """A command and what came out; a failure begins with `Exit code`."""
    line, failed = next(LINES), output.startswith("Exit code")
    call = Call(line, "", agent, f"{line}", "Bash", RUN, command, [])
    return [call, Result(line + 1, "", agent, f"{line}", failed, None, output)]


def read(path: str, content: str, part: str = "", agent: str = "") -> list[Event]:
    """A file that was read."""
    line = next(LINES)
    call = Call(line, "", agent, f"{line}", "Read", READ, "", [path], part)
    return [call, Result(line + 1, "", agent, f"{line}", False, None, content)]


def edited(path: str, failed: bool = False) -> list[Event]:
    """A file that was edited, or not."""
    line = next(LINES)
    call = Call(line, "", "", f"{line}", "Edit", EDIT, "", [path])
    return [call, Result(line + 1, "", "", f"{line}", failed, None, "")]


COMPACTION: list[Event] = [Compaction(5, "", "", "auto", 1, 1)]
FAILED = "Exit code 1\ncollected 3 items\nE  KeyError: 'id'\n3 failed in 0.1 s"
LATER = FAILED.replace("0.1", "0.2")
