"""What a session is made of, whatever host recorded it: the neutral events that every reader yields."""

from dataclasses import dataclass
from typing import Optional

# What a tool does, as far as measures need to know it.
RUN, READ, EDIT, OTHER = "run", "read", "edit", "other"


@dataclass
class Event:
    """What all events have."""

    line: int
    """where it stands: the line of a file from 1, or the number of the record where there are no lines"""
    at: str
    """when, as ISO 8601 in UTC; empty if the host didn't say"""
    agent: str
    """who: empty for the session itself, else the id of a subagent, or its number where it has none"""


@dataclass
class Session(Event):
    """A session begins. A reader yields one before all else, and one more for each further session of a
    file that holds several; a file without any name of its session has none.
    """

    id: str
    """the host's own id"""
    cwd: str
    """the directory it was started in; empty if the host didn't say"""
    version: str
    """of the host's program; empty if it didn't say"""


@dataclass
class Prompt(Event):
    """What a person asked; nothing that a host or a hook put in between."""

    text: str


@dataclass
class Say(Event):
    """What the agent wrote to the person."""

    text: str


@dataclass
class Call(Event):
    """The agent uses a tool."""

    id: str
    """that its Result has too; empty if the host gave none"""
    tool: str
    """the host's name for it"""
    kind: str
    """RUN, READ, EDIT or OTHER"""
    command: str
    """of a RUN: the command line; else empty"""
    paths: list[str]
    """of a READ or EDIT: the files, as the agent named them"""
    part: str = ""
    """of a READ: which part of the file, in the host's words; empty for all of it"""


@dataclass
class Result(Event):
    """What came of a Call."""

    id: str
    """of the Call"""
    failed: bool
    """the host called it an error, or the command's exit code wasn't 0"""
    exit: Optional[int]
    """the command's exit code, if the host told it"""
    text: str
    """what the agent was given of it"""


@dataclass
class Interruption(Event):
    """A person stopped the agent in the middle of its work."""


@dataclass
class Usage(Event):
    """How full the context was for one answer."""

    tokens: int
    """all that the model was given, cached or not"""


@dataclass
class Compaction(Event):
    """The host shortened the conversation."""

    trigger: str
    """`auto`, `manual` or whatever the host says; empty if it doesn't"""
    before: Optional[int]
    """tokens in the context before, by the host's own count"""
    after: Optional[int]
    """tokens after, by the host's own count"""
    micro: bool = False
    """only results of tools were cleared; the conversation stayed"""


@dataclass
class Summary(Event):
    """What the host put in the place of the conversation; follows its Compaction."""

    text: str
