"""A recorded session, said to the real hook commands event by event: what stands before the model after each
compaction, where the history is cut, with the host's own summary, and with the restore beside it.
docs/measures.md defines the figures; the fields of `Replayed` are those of --json.
"""

import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shutil import which
from typing import Any

from memrc.errors import StopError
from memrc.jq import home
from memrc.losses import CALLS, SUMMARY, Kept, Losses, Wanted
from memrc.table import clean
from memrc.transcripts import Format, Source
from memrc.transcripts._events import (
    EDIT,
    READ,
    RUN,
    Call,
    Compaction,
    Event,
    Prompt,
    Result,
    Session,
    Summary,
)
from memrc.transcripts._values import Bounded
from memrc.transcripts.claude import EXIT, KINDS

# What the restore is given for "without a limit", in UTF-16 units.
UNLIMITED = 1_000_000
# rc ends within 2 s, whatever happens: one that doesn't is a fault, and must not hold up the rest for ever.
LATEST = 60
# Claude Code's own tools, which another host's stand for.
TOOLS = {RUN: "Bash", READ: "Read", EDIT: "Edit"}
# The time before the first event that has one.
BEGINNING = "2000-01-01T00:00:00Z"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
# A session without a name of its own.
NAMELESS = "replay"


@dataclass
class Replayed:
    """One compaction of a session's own context."""

    file: str
    format: str
    session: str
    line: int
    """where it stands"""
    at: str
    """when, as ISO 8601; empty if unknown"""
    hooks: int
    """hook commands that were run until then"""
    units: int
    """UTF-16 units of the restore as the hook printed it"""
    units_unlimited: int
    """of the same without a limit"""
    cut: Kept
    """arm A: what is kept where the history is only cut"""
    summary: Kept
    """arm B: by the host's own summary"""
    restore: Kept
    """arm C: by summary and restore"""
    unlimited: Kept
    """arm C, were there no limit"""
    faults: list[str]
    """what hooks and rc complained of since the compaction before"""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"v": 1, **asdict(self)}


def need_jq() -> None:
    """StopError 69 if the hooks would find no jq; where they look is in jq_find of bin/lib/base.sh."""
    given = os.environ.get("MEMRC_JQ")
    if not any(map(which, [given] if given else [str(home() / ".venv" / "bin" / "jaq"), "jq", "jaq"])):
        what = f"{given} doesn't run" if given else "no jq"
        raise StopError(69, f"{what}: without it hooks record nothing: install jq, or run make restore")


def replay(path: Path, format: Format, place: Path) -> Iterator[Replayed]:
    """The compactions of a transcript, in order; each session that has one is played in a directory of its
    own below PLACE.

    StopError as `Source.objects`; OSError if a directory can't be made or memrc can't be run.
    """
    plans = [Plan(events) for events in _sessions(path, format)]
    for number, (plan, events) in enumerate(zip(plans, _sessions(path, format)), 1):
        if plan.compactions:
            player = _Player(Scratch(place / f"{number}"), plan)
            for event in events:
                player.add(event)
            for found in player.found:
                yield found.scored(str(path), format.NAME, player.session)


def _sessions(path: Path, format: Format) -> Iterator[Iterator[Event]]:
    """The events of each session of a file, one session after the other, as they are read."""

    def numbered() -> Iterator[tuple[int, Event]]:
        begun = 0
        for event in format.events(Source(path)):
            begun += isinstance(event, Session)
            # what comes before the first belongs to it
            yield max(begun, 1), event

    for _, group in groupby(numbered(), itemgetter(0)):
        yield map(itemgetter(1), group)


class Plan:
    """What has to be known of a session before it is played."""

    def __init__(self, events: Iterator[Event]) -> None:
        self.compactions = 0
        """of the session's own context"""
        self.agents: Counter[str] = Counter()
        """how many events each subagent has"""
        for event in events:
            self.compactions += _compacts(event)
            if event.agent:
                self.agents[event.agent] += 1


def _compacts(event: Event) -> bool:
    return isinstance(event, Compaction) and not event.micro and not event.agent


class Scratch:
    """A project with an empty memory, and the environment of a user who has nothing else."""

    def __init__(self, place: Path) -> None:
        own = place.resolve()
        self.project = own / "project"
        """where the session takes place"""
        self.hooks = 0
        """hook commands that were run"""
        self._log = self.project / ".memrc" / "logs" / "hook.log"
        self._logged = 0
        self._faults: list[str] = []
        # an empty repository: what lies around the directory, a memory too, isn't the project's
        for name in ("project/.git/objects", "project/.git/refs", "home", "tmp"):
            (own / name).mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self._env = {
            "PATH": f"{home() / 'bin'}:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(own / "home"),
            "TMPDIR": str(own / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_PROJECT_DIR": str(self.project),
            "LC_ALL": "C",
        }
        if jq := os.environ.get("MEMRC_JQ"):
            self._env["MEMRC_JQ"] = jq
        self._memrc(BEGINNING, "init")

    def hook(self, event: str, now: str, said: dict[str, Any]) -> str:
        """What the hook of Claude Code's EVENT prints at the time NOW, given what the client would say."""
        self.hooks += 1
        return self._memrc(now, "hook", "claude", event, said=json.dumps(said, ensure_ascii=False))

    def unlimited(self, session: str, now: str) -> str:
        """The restore after a compaction as it would be without a limit."""
        most = str(UNLIMITED)
        given = ("--soft", "--runlevel", "compact", "--session", session, "--max-chars", most)
        return self._memrc(now, "rc", *given)

    def faults(self) -> list[str]:
        """What went wrong since the last call: hooks exit 0 whatever happens, and say it in their log."""
        try:
            lines = self._log.read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            lines = []
        # without the clock of this machine
        new = [re.sub(rf"^{TIME.pattern}Z: ", "", line) for line in lines[self._logged :]]
        found, self._logged, self._faults = self._faults + new, len(lines), []
        return found

    def _memrc(self, now: str, *args: str, said: str = "") -> str:
        started = subprocess.Popen(
            [str(home() / "bin" / "memrc"), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.project,
            env={**self._env, "MEMRC_NOW": now},
            start_new_session=True,
        )
        with started:
            try:
                printed, _ = started.communicate(said.encode("utf-8", "replace"), LATEST)
            except BaseException as error:
                # nobody may go on to write where the scratch root is removed
                os.killpg(started.pid, signal.SIGKILL)
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                self._faults.append(f"memrc {' '.join(args)} didn't end within {LATEST} s")
                return ""
        if started.returncode:
            self._faults.append(f"memrc {' '.join(args)} ended with {started.returncode}")
        return printed.decode("utf-8", "replace").rstrip("\n")


@dataclass
class _Found:
    """A compaction, until its summary has come."""

    compaction: Compaction
    wanted: Wanted
    hooks: int
    restore: str
    unlimited: str
    faults: list[str]
    summary: str = ""

    def scored(self, file: str, format: str, session: str) -> Replayed:
        """Its figures, now that nothing more is to come."""
        kept = self.wanted.kept_by
        return Replayed(
            file=file,
            format=format,
            session=session,
            line=self.compaction.line,
            at=self.compaction.at,
            hooks=self.hooks,
            units=units(self.restore),
            units_unlimited=units(self.unlimited),
            cut=kept(""),
            summary=kept(self.summary),
            restore=kept(f"{self.summary}\n{self.restore}"),
            unlimited=kept(f"{self.summary}\n{self.unlimited}"),
            faults=self.faults,
        )


def units(text: str) -> int:
    """UTF-16 units of a text, as hosts count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def plain(text: str) -> str:
    """The beginning of a text of somebody else's, as it may be shown or be an argument."""
    return clean(text)[:200]


class _Player:
    """Says to the hooks what Claude Code would have said."""

    def __init__(self, scratch: Scratch, plan: Plan) -> None:
        self.found: list[_Found] = []
        self.session = NAMELESS
        self._scratch = scratch
        self._left = plan.agents.copy()
        self._agents = plan.agents
        self._calls = Bounded(CALLS)
        self._losses = Losses()
        self._now = BEGINNING
        self._cwd = ""
        self._started = False

    def add(self, event: Event) -> None:
        """Plays the next event."""
        if TIME.match(event.at):
            # a recorder never sees an earlier time than before
            self._now = max(self._now, f"{event.at[:19]}Z")
        if isinstance(event, Session):
            self.session, self._cwd = plain(event.id) or NAMELESS, event.cwd.rstrip("/")
        if not self._started:
            self._started = True
            self._hook("session-start", source="startup")
        self._losses.add(event)
        if event.agent and self._left[event.agent] == self._agents[event.agent]:
            self._hook("subagent-start", event.agent)
        self._play(event)
        if event.agent:
            self._left[event.agent] -= 1
            if not self._left[event.agent]:
                self._hook("subagent-stop", event.agent)

    def _play(self, event: Event) -> None:
        if isinstance(event, Prompt):
            self._hook("prompt", prompt=event.text)
        elif isinstance(event, Call):
            # one without a name can't be told from others
            if event.id:
                self._calls.put(event.id, event)
        elif isinstance(event, Result):
            if call := self._calls.pop(event.id, None):
                self._used(call, event)
        elif isinstance(event, Compaction):
            if _compacts(event):
                self._compacted(event)
        elif isinstance(event, Summary) and self.found and not event.agent:
            self.found[-1].summary = event.text[:SUMMARY]

    def _hook(self, event: str, agent: str = "", **said: Any) -> str:
        common: dict[str, Any] = {"session_id": self.session, "cwd": str(self._scratch.project)}
        if agent:
            common.update(agent_id=agent, agent_type="general-purpose")
        return self._scratch.hook(event, self._now, {**common, **said})

    def _used(self, call: Call, result: Result) -> None:
        tool = call.tool if call.tool in KINDS else TOOLS.get(call.kind, call.tool)
        for given in _inputs(call, self._mapped):
            said = {"tool_name": tool, "tool_input": given, **_outcome(call, result)}
            self._hook("post-tool", call.agent, **said)

    def _mapped(self, path: str) -> str:
        """A path below the session's directory, in the scratch project; another one as it is."""
        if self._cwd and path.startswith(f"{self._cwd}/"):
            return str(self._scratch.project) + path[len(self._cwd) :]
        return path

    def _compacted(self, event: Compaction) -> None:
        # the summariser's own hook
        self._hook("pre-compact", trigger="manual" if event.trigger == "manual" else "auto")
        restore = self._hook("session-start", source="compact")
        unlimited = self._scratch.unlimited(self.session, self._now)
        failed = [line for line in restore.split("\n") if line.startswith("[FAILED PART]")]
        faults = failed + self._scratch.faults()
        wanted = self._losses.wanted()
        self.found.append(_Found(event, wanted, self._scratch.hooks, restore, unlimited, faults))


def _inputs(call: Call, mapped: Callable[[str], str]) -> list[dict[str, str]]:
    """What Claude Code's tool was given. It takes one file: a patch of several is as many calls."""
    if call.kind == RUN:
        return [{"command": call.command}]
    return [{"file_path": mapped(path)} for path in call.paths] or [{}]


def _outcome(call: Call, result: Result) -> dict[str, Any]:
    """How Claude Code tells what came of a call."""
    if result.failed:
        said = result.text
        if result.exit is not None and not EXIT.match(said):
            said = f"Exit code {result.exit}\n{said}"
        return {"hook_event_name": "PostToolUseFailure", "error": said}
    response: dict[str, Any] = {}
    if call.kind == RUN:
        response = {"stdout": result.text, "stderr": "", "interrupted": False}
    elif call.kind == READ:
        response = {"type": "text", "file": {"content": result.text}}
    return {"hook_event_name": "PostToolUse", "tool_response": response}
