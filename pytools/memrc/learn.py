"""What past sessions of a project can put into its memory: what the user laid down, what failed, what the
agent decided, the last open task, and how tests and linter are run. bin/lib/schema/learn.jq says which
sentence or command counts as what.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Optional

from memrc.commands import TRIFLE, check, elsewhere, of_a_part, programs, short
from memrc.errors import StopError
from memrc.jq import Filter, whole
from memrc.losses import ENDS
from memrc.redact import redacted
from memrc.stated import decision, rule
from memrc.transcripts import Format, Source
from memrc.transcripts._events import EDIT, RUN, Call, Event, Prompt, Result, Say, Session
from memrc.transcripts._values import Bounded

RULE, FAILURE, DECISION, TASK, TEST, LINT = KINDS = ("rule", "failure", "decision", "task", "test", "lint")
# How many of a kind are proposed, the newest.
MOST = {RULE: 12, FAILURE: 8, DECISION: 8, TASK: 1, TEST: 1, LINT: 1}
# How much is remembered on the way: more than is ever proposed, and bounded.
CALLS, KEPT, CHECKS = 10_000, 60, 500
# How much is looked at: of a text the first and last characters, of a command what is typed again by hand.
SAID, COMMAND, LINE, TITLE, LONG = 20_000, 300, 300, 300, 2000

# A prompt so many times as long as the rules in it says more than those.
MORE = 1.25
# The host or the user stopped the call: the command itself never failed.
REFUSED = re.compile(
    r"\s*(<tool_use_error>|The user doesn['’]t want|\[Request interrupted|Permission to use"
    r"|This command requires approval|User (rejected|declined|denied)|exec command rejected)"
    r"|.*\b(aborted|interrupted) by (the )?user\b"
)
STOPPED = re.compile(r"\bCommand (aborted|cancelled)\s*\Z")
# A prompt that only says to go on.
ASSENT = re.compile(
    r"(y|yes|yeah|yep|yup|ok|okay|sure|continue|proceed|go|next|thanks?|thx|good|great|perfect|nice|cool|right"
    r"|exactly|do it|no|nope|done|resume|retry|again|stop|wait|hi|hello|ja|weiter|danke|oui|merci|да|si|sí)\b"
    r"|(好|继续|可以|是|谢谢|对|行)"
)


@dataclass(frozen=True)
class Proposal:
    """One thing that might be kept."""

    kind: str
    """one of KINDS"""
    text: str
    """the rule, the command that failed, the decision, what was asked, the command for tests or linter"""
    session: str
    """the host's id of the session it comes from; empty if it has none"""
    at: str
    """when it was said or run, ISO 8601; empty if unknown"""
    line: int
    """where it stands in the file, or the number of the record"""
    agent: str = ""
    """the subagent that ran it, if it was one"""
    error: str = ""
    """of a failure: the line that says what went wrong; of one that isn't `Memory.shown` yet, the output it
    stands in
    """
    instead: str = ""
    """of a failure: what went well right after it, nothing having been edited in between"""
    reason: str = ""
    """of a decision, as the agent said it"""
    rejected: str = ""
    """of a decision: what it was taken against"""

    @property
    def where(self) -> str:
        """Session, day and line, for people."""
        day = f" of {self.at[:10]}" if self.at else ""
        by = f", subagent {self.agent}" if self.agent else ""
        return f"session {self.session[:8] or 'without a name'}{day}{by}, line {self.line}"

    def as_json(self) -> dict[str, Any]:
        """For --json: the fields that say something."""
        return {name: value for name, value in asdict(self).items() if value != ""}


@dataclass
class _Failure:
    """A command whose latest run failed."""

    proposal: Proposal
    programs: frozenset[str]
    """as `programs` of commands.py"""
    check: str
    """TEST or LINT, if it is a whole run of that, else empty"""
    changes: int
    """how many edits there had been"""


@cache
def _rules() -> Filter:
    return Filter("laid_down", "rules", "learn")


@cache
def _decisions() -> Filter:
    return Filter("decisions", "rules", "learn")


class Learner:
    """Follows the events of sessions, the oldest session first. What it holds doesn't grow with them."""

    def __init__(self) -> None:
        self._found = {kind: Bounded(KEPT) for kind in (RULE, DECISION)}
        self._failures = Bounded(KEPT)
        self._checks = {kind: Bounded(CHECKS) for kind in (TEST, LINT)}
        self._changes = 0
        self._sessions = 0
        self._asked: Optional[Proposal] = None
        self._open = False
        self._begin(Session(0, "", "", "", "", ""))
        self._sessions = 0

    @property
    def sessions(self) -> int:
        """How many sessions there were; subagents' are part of another."""
        return self._sessions

    def _begin(self, session: Session) -> None:
        self._session = session
        self._calls = Bounded(CALLS)
        # what replaced a failed command did so in its own session
        self._changes += 1
        # a subagent's file says nothing of what was asked of the session
        if not session.agent:
            self._asked, self._open = None, False
            self._sessions += 1

    def add(self, event: Event) -> None:
        """Takes the next event."""
        if isinstance(event, Session):
            self._begin(event)
        elif isinstance(event, Prompt):
            self._prompt(event)
        elif isinstance(event, Say):
            self._say(event)
        elif isinstance(event, Call):
            self._open = self._open or not event.agent
            if event.id and event.kind in (RUN, EDIT):
                # of several commands in one, the exit code may be that of another
                masked = any(mark in event.command for mark in "|;")
                command = event.command[:LONG]
                if len(event.command) < LONG:
                    command = short(command, self._session.cwd)
                self._calls.put(event.id[:LONG], (event.kind, command, masked))
        elif isinstance(event, Result):
            kind, command, masked = self._calls.pop(event.id[:LONG], ("", "", False))
            if kind == EDIT:
                self._changes += not event.failed
            elif command and event.failed:
                self._failed(command, event)
            elif command:
                self._passed(command, masked, event)

    def proposals(self) -> Iterator[Proposal]:
        """All that was found, kind by kind, the newest of each first; more than MOST of it."""
        yield from reversed(self._found[RULE].values())
        yield from (failure.proposal for failure in reversed(self._failures.values()))
        yield from reversed(self._found[DECISION].values())
        if self._asked and self._open:
            yield self._asked
        for commands in self._checks.values():
            if commands:
                yield max(reversed(commands.items()), key=_rank)[1][1]

    def _proposal(self, kind: str, text: str, event: Event, **more: str) -> Proposal:
        return Proposal(kind, text, self._session.id, event.at, event.line, event.agent, **more)

    def _prompt(self, event: Prompt) -> None:
        rules = [rule(said) for said in _rules()(_ends(event.text, SAID)) or ()]
        for text in rules:
            self._found[RULE].put(_flat(text).lower(), self._proposal(RULE, _flat(text), event))
        # longer than it is shown, and in whole words: half a secret has no shape to be known by
        asked = _flat(_ends(event.text, SAID))
        asked = asked if len(asked) < LONG else asked[:LONG].rpartition(" ")[0]
        # what only lays down rules asks for nothing
        if _asks(asked) and len(asked) > sum(map(len, rules)) * MORE:
            self._asked = self._proposal(TASK, asked, event)
        self._open = True

    def _say(self, event: Say) -> None:
        if event.agent:
            return
        self._open = False
        for found in _decisions()(_ends(event.text, SAID)) or ():
            parts = decision(found["said"], found["after"])
            text = _flat(parts.pop("decision"))
            self._found[DECISION].put(text, self._proposal(DECISION, text, event, **parts))

    def _failed(self, command: str, result: Result) -> None:
        ran = programs(command)
        # what nobody would type the same way again can't be repeated
        if "\n" in command or len(command) > COMMAND or ran <= {TRIFLE} or elsewhere(ran):
            return
        if REFUSED.match(result.text) or STOPPED.search(result.text[-200:]):
            return
        output = result.text
        if "PRIVATE KEY" in output:
            # what has several lines is known as a whole only
            (output,) = redacted([output])
        found = self._proposal(FAILURE, command, result, error=_ends(output, ENDS))
        self._failures.put(command, _Failure(found, ran, check(command)[0], self._changes))

    def _passed(self, command: str, masked: bool, result: Result) -> None:
        self._failures.pop(command, None)
        ran = programs(command)
        kind, text = check(command)
        for failed, failure in list(self._failures.items()):
            same = failure.programs <= ran
            if failure.proposal.instead or not (same or (kind and kind == failure.check)):
                continue
            if kind or failure.changes != self._changes:
                # it, or a check of that kind, went well after a change: whatever was wrong is mended
                del self._failures[failed]
            elif not masked and "\n" not in command and len(command) <= COMMAND:
                failure.proposal = replace(failure.proposal, instead=command)
        if kind:
            times, _ = self._checks[kind].get(text, (0, None))
            self._checks[kind].put(text, (times + 1, self._proposal(kind, text, result)))


def _rank(check: tuple[str, tuple[int, Proposal]]) -> tuple[bool, int]:
    """Of two commands, which is for the whole project, then which was run more often."""
    command, (times, _) = check
    return not of_a_part(command), times


def _flat(text: str) -> str:
    return " ".join(whole(text).split())


def _asks(text: str) -> bool:
    """Does a prompt ask for work, and not only say to go on, or put a question?"""
    mere = len(text.split()) <= 5 and ASSENT.match(text.lower())
    other = text.startswith("/") or text.endswith(("?", "？")) or len(text.encode()) < 12
    return not mere and not other


def _ends(text: str, size: int) -> str:
    """The first and last SIZE characters, in whole lines, else words: half a secret has no known shape."""
    if len(text) <= 2 * size:
        return text
    first, last = text[:size], text[-size:]
    first = first.rpartition("\n")[0] or first.rpartition(" ")[0]
    return f"{first}\n{last.partition(chr(10))[2] or last.partition(' ')[2]}"


def begun(path: Path, format: Format) -> Optional[Session]:
    """The first session of a transcript, or None if it tells none. StopError 69 or 74 as Source.objects."""
    return next((event for event in format.events(Source(path)) if isinstance(event, Session)), None)


def learn(
    sources: Iterable[tuple[Path, Format]],
    ours: Callable[[Session], bool],
    progress: Callable[[Path], Optional[Callable[[int], None]]] = lambda _: None,
) -> tuple[Learner, list[str]]:
    """What the sessions that are OURS have, the oldest to come first; and of which files the rest couldn't be
    read, and why. PROGRESS as in reports.bar.
    """
    learner, broken = Learner(), []
    for path, format in sources:
        source, mine = Source(path, progress(path)), True
        try:
            for event in format.events(source):
                if isinstance(event, Session):
                    mine = ours(event)
                if mine:
                    learner.add(event)
        except StopError as stop:
            # of many, one that vanishes meanwhile must not hide the others
            broken.append(str(stop))
        broken += [f"{path}: the rest can't be read: {why}" for why in source.tally.broken]
    return learner, broken
