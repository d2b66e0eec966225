"""How a session ended, as far as its events can tell. docs/measures.md says when it is which."""

from typing import Optional

from memrc.transcripts._events import (
    EDIT,
    RUN,
    Call,
    Event,
    Interruption,
    Prompt,
    Result,
    Say,
    Session,
)

DONE, DETOURS, FAILED, UNKNOWN = "done", "detours", "failed", "unknown"
OUTCOMES = (DONE, DETOURS, FAILED, UNKNOWN)


class Ending:
    """Follows one session's own context to its end."""

    def __init__(self) -> None:
        self.interrupted = 0
        """how often a person stopped the agent"""
        self._agent = ""
        self._acting = ""
        """the id of the last command or edit"""
        self._well: Optional[bool] = None
        """whether it went well, if its result came"""
        self._last: type[Event] = Event
        """what came last of what the agent did or a person said"""

    def add(self, event: Event) -> None:
        """Takes the next event."""
        if isinstance(event, Session):
            self._agent = event.agent
        elif event.agent != self._agent:
            return
        elif isinstance(event, Call):
            self._last = Call
            if event.kind in (RUN, EDIT):
                self._acting, self._well = event.id, None
        elif isinstance(event, Result):
            self._result(event)
        elif isinstance(event, (Say, Prompt)):
            self._last = type(event)
        elif isinstance(event, Interruption):
            self._last = Interruption
            self.interrupted += 1

    def _result(self, result: Result) -> None:
        # what a call gave that was stopped comes behind the interruption, too
        if self._last is not Interruption:
            self._last = Result
        if self._acting and result.id == self._acting:
            self._well = not result.failed

    def outcome(self, repeats: int) -> str:
        """One of OUTCOMES, of a session in which REPEATS commands failed again in vain."""
        if self._last is Interruption and self._acting:
            return FAILED
        if self._last is not Say or self._well is None:
            return UNKNOWN
        if not self._well:
            return FAILED
        return DETOURS if self.interrupted or repeats else DONE
