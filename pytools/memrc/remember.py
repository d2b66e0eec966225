"""A root's memory, as far as `memrc learn` has to know it: what stands there, and how a proposal gets there.

State is written by the writers in bin/; only the list of what was refused is written here.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Optional

import filelock

from memrc import files
from memrc.errors import StopError
from memrc.jq import home
from memrc.learn import DECISION, FAILURE, LINE, LINT, RULE, TASK, TEST, TITLE, Proposal
from memrc.losses import error_line
from memrc.records import read
from memrc.redact import redacted
from memrc.transcripts._events import Session

# What a proposal of a command is called in identity.md.
FIELDS = {TEST: "test_command", LINT: "lint_command"}
# Hashes of what was refused in a review; a name that no .gitignore of ours lets into a commit.
REFUSED = ".refused"
# Whose turn it is to check and write; beside the writers' own lock, which each of them takes meanwhile.
TURN = ".learn.lock"
# What no host calls a session, and would be read as something else in the data of a constraint.
ODD = re.compile(r"[^\w.:@/\[\]-]+")


class Memory:
    """The memory of STATE, a root's state directory. WAIT is how many seconds a writer waits for the lock."""

    def __init__(self, state: Path, wait: float) -> None:
        self.state = state
        self._wait = wait

    @cached_property
    def project(self) -> Path:
        """The directory it speaks of."""
        given = os.environ.get("MEMRC_PROJECT")
        root = self.state.parent
        return Path(given).resolve() if given else root.parent if root.name == ".memrc" else root

    @cached_property
    def _tops(self) -> set[Path]:
        """The project, and the linked worktrees of its repository."""
        tops = {self.project}
        if (self.project / ".git").exists():
            command = ["git", "-C", str(self.project), "worktree", "list", "--porcelain"]
            try:
                done = subprocess.run(command, capture_output=True, check=False)
            except OSError:  # no git
                return tops
            lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
            trees = (Path(line[9:]).resolve() for line in lines if line.startswith("worktree "))
            ours = _repository(self.project)
            # what stands by now where one was removed may be anybody's
            tops.update(tree for tree in trees if not tree.exists() or _repository(tree) == ours)
        return tops

    def ours(self, session: Session) -> bool:
        """Was it started in the project, with no other project's directory in between?"""
        if not session.cwd.startswith("/") or "\0" in session.cwd:
            return False
        try:
            place = Path(session.cwd).resolve()
            return self._holds(place)
        # too long, no text of this system, a loop of links: no place that a session was begun in
        except (OSError, ValueError, RuntimeError):
            return False

    def _holds(self, place: Path) -> bool:
        for top in (place, *place.parents):
            if top in self._tops:
                return True
            if (top / ".git").exists() or (top / ".memrc" / "state").is_dir():
                return False
        return False

    def shown(self, proposal: Proposal) -> Proposal:
        """A proposal as it may be shown and kept: without secrets, in one line each, and not too long."""
        one = proposal
        texts = (one.text, one.session, one.at, one.agent, one.instead, one.reason, one.rejected)
        # the line is taken out of what has no secrets any more: of a key it has a part only
        lines = "\n".join(map(_flat, one.error.split("\n")))
        *found, output = redacted([*map(_flat, texts), lines])
        text, session, at, agent, instead, reason, rejected = map(_flat, found)
        return replace(
            proposal,
            text=text[: TITLE if one.kind == TASK else 1000],
            session=ODD.sub("-", session)[:80],
            at=ODD.sub("-", at)[:30],
            agent=ODD.sub("-", agent)[:80],
            error=_flat(error_line(output))[:LINE],
            instead=instead[:LINE],
            reason=reason[:LINE],
            rejected=rejected[:LINE],
        )

    def stands(self, shown: Proposal) -> bool:
        """Is what a proposal says in the memory already, in force or not any more, or was it refused?"""
        kind, text = shown.kind, shown.text
        if key(shown) in self._refused:
            return True
        if kind == RULE:
            return _folded(text) in self._prose
        if kind == FAILURE:
            return text in self._failures
        if kind == DECISION:
            return text in self._decisions
        if kind == TASK:
            return self._busy or any(self.state.glob(f"tasks/**/{_task(shown)}.progress.json"))
        field = rf"(?im)^[ \t]*{FIELDS[kind]}[ \t]*:[ \t]*[^ \t\r\n]"
        return re.search(field, self._text("identity.md")) is not None

    def _text(self, name: str) -> str:
        path = self.state / name
        files.need_regular(path)
        try:
            return path.read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""

    @cached_property
    def _prose(self) -> str:
        return _folded(self._text("constraints.md") + "\n" + self._text("identity.md"))

    @cached_property
    def _failures(self) -> set[str]:
        paths = [*self.state.glob("tasks/*.jsonl"), *self.state.glob("tasks/archive/*.jsonl")]
        return set(_texts(paths, "action"))

    @cached_property
    def _decisions(self) -> set[str]:
        names = ("decisions.jsonl", "decisions.archive.jsonl")
        return set(_texts((self.state / name for name in names), "decision"))

    @cached_property
    def _busy(self) -> bool:
        """Is a task in hand, in this session or worktree? What can't be read might be one."""
        text = self._text(os.environ.get("MEMRC_PROGRESS") or "progress.json")
        try:
            found = json.loads(text) if text.strip() else {"status": "done"}
        except ValueError:
            return True
        return not isinstance(found, dict) or found.get("status", "open") == "open"

    @cached_property
    def _refused(self) -> set[str]:
        return set(self._text(REFUSED).split())

    def refuse(self, shown: Proposal) -> None:
        """It is never proposed again. StopError 74 or 75."""
        with files.locked(self.state, self._wait, "learn"):
            files.append(self.state / REFUSED, f"{key(shown)}\n".encode())

    def keep(self, shown: Proposal) -> Optional[str]:
        """Writes what was accepted; its id, or what it is called. None if it stands already: somebody wrote
        it, or began a task, since it was shown. StopError with what the writer said, 74, or 75 if another
        `memrc learn` writes for too long.
        """
        with self._turn():
            if Memory(self.state, self._wait).stands(shown):
                return None
            return self._keep(shown)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        path = self.state / TURN
        files.need_regular(path)
        lock = filelock.FileLock(str(path))
        try:
            lock.acquire(timeout=self._wait, poll_interval=0.01)
        except filelock.Timeout:
            raise StopError(
                75, f"{path}: another memrc learn writes: wait until it has ended, or give --wait S"
            ) from None
        except OSError as error:
            raise StopError(
                74, f"{path}: {error.strerror or error}: check the permissions of {self.state}"
            ) from None
        try:
            yield
        finally:
            lock.release(force=True)

    def _keep(self, shown: Proposal) -> str:
        text, where = shown.text, f"{shown.session or 'unnamed'} line {shown.line}"
        if shown.kind == RULE:
            return self._write("constrain", "--source", f"user, session {where}", "--", text)
        if shown.kind == FAILURE:
            because = f"failed in {shown.where}, and not seen to pass since"
            return self._write("fail", "--because", because, *_given(shown, "error", "instead"), "--", text)
        if shown.kind == DECISION:
            because = shown.reason or "no reason was given with it"
            evidence = f"said by the agent, session {where}"
            return self._write(
                "decide", "--because", because, "--evidence", evidence, *_given(shown, "rejected"), "--", text
            )
        if shown.kind == TASK:
            return self._write("progress", "--task", _task(shown), "--title", text)
        self._write("edit", "--add", f"{FIELDS[shown.kind]}: {text}", "identity.md")
        return FIELDS[shown.kind]

    def _write(self, command: str, *args: str) -> str:
        program = home() / "bin" / f"memrc-{command}"
        root = ["--root", str(self.state.parent), "--wait", f"{self._wait:g}"]
        done = subprocess.run([str(program), *root, *args], stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
            raise StopError(done.returncode, said.partition(": ")[2] or f"{program}: exit {done.returncode}")
        return done.stdout.decode("utf-8", "replace").strip()


def key(shown: Proposal) -> str:
    """What a proposal is known by, whichever session it comes from: 16 hex digits of its kind and text."""
    return sha256(f"{shown.kind}\n{shown.text}".encode("utf-8", "replace")).hexdigest()[:16]


def _repository(tree: Path) -> Optional[Path]:
    """The repository that a work tree says it belongs to."""
    place = tree / ".git"
    if place.is_file():
        place = tree / place.read_text("utf-8", "surrogateescape").partition("gitdir: ")[2].strip()
        if place.parent.name == "worktrees":
            place = place.parent.parent
    return place.resolve() if place.is_dir() else None


def _task(shown: Proposal) -> str:
    return "learned-" + re.sub(r"[^A-Za-z0-9]", "-", shown.session[:8])


def _given(shown: Proposal, *names: str) -> Iterator[str]:
    for name in names:
        if value := getattr(shown, name):
            yield from (f"--{name}", value)


def _texts(paths: Iterable[Path], field: str) -> Iterator[str]:
    for path in paths:
        files.need_regular(path)
        for _, record in read(path):
            value = record.get(field) if record else None
            if isinstance(value, str):
                yield value


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _flat(text: str) -> str:
    return " ".join(text.split())
