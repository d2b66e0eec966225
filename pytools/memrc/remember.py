"""A root's memory, as far as `memrc learn` has to know it: what stands there, and how a proposal gets there.

State is written by the writers in bin/; only the list of what was refused is written here.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from memrc import files
from memrc.errors import StopError
from memrc.jq import home
from memrc.learn import DECISION, FAILURE, LINE, LINT, RULE, TASK, TEST, TITLE, Proposal
from memrc.records import read
from memrc.transcripts._events import Session

# What a proposal of a command is called in identity.md.
FIELDS = {TEST: "test_command", LINT: "lint_command"}
# Hashes of what was refused in a review; a name that no .gitignore of ours lets into a commit.
REFUSED = ".refused"
# What would steer a terminal, or hide in a text.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]")


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
            tops.update(Path(line[9:]).resolve() for line in lines if line.startswith("worktree "))
        return tops

    def ours(self, session: Session) -> bool:
        """Was it started in the project, with no other project's directory in between?"""
        if not session.cwd.startswith("/") or "\0" in session.cwd:
            return False
        place = Path(session.cwd).resolve()
        for top in (place, *place.parents):
            if top in self._tops:
                return True
            if (top / ".git").exists() or (top / ".memrc" / "state").is_dir():
                return False
        return False

    def shown(self, proposal: Proposal) -> Proposal:
        """A proposal as it may be shown and kept: without secrets, in one line each, and not too long."""
        return replace(
            proposal,
            text=_redacted(proposal.text)[: TITLE if proposal.kind == TASK else 1000],
            session=HIDDEN.sub("", proposal.session)[:80],
            at=HIDDEN.sub("", proposal.at)[:30],
            agent=HIDDEN.sub("", proposal.agent)[:80],
            error=_redacted(proposal.error)[:LINE],
            instead=_redacted(proposal.instead)[:LINE],
            reason=_redacted(proposal.reason)[:LINE],
            rejected=_redacted(proposal.rejected)[:LINE],
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
        try:
            return (self.state / name).read_text("utf-8", "replace")
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
        """Is a task in hand? What can't be read might be one."""
        text = self._text("progress.json")
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

    def keep(self, shown: Proposal) -> str:
        """Writes what was accepted; its id, or what it is called. StopError with what the writer said."""
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


def _task(shown: Proposal) -> str:
    return "learned-" + re.sub(r"[^A-Za-z0-9]", "-", shown.session[:8])


def _given(shown: Proposal, *names: str) -> Iterator[str]:
    for name in names:
        if value := getattr(shown, name):
            yield from (f"--{name}", value)


def _texts(paths: "Iterator[Path] | list[Path]", field: str) -> Iterator[str]:
    for path in paths:
        for _, record in read(path):
            value = record.get(field) if record else None
            if isinstance(value, str):
                yield value


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _redacted(text: str) -> str:
    """A text in one line, as bin/lib/redact.sh gives it back."""
    text = " ".join(HIDDEN.sub(" ", text).split())
    if not text:
        return text
    command = ["awk", "-f", str(home() / "bin" / "lib" / "awk" / "redact.awk")]
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, input=text.encode() + b"\n", capture_output=True, env=environment)
    if done.returncode:
        raise StopError(74, "awk failed: the texts can't be searched for secrets")
    return done.stdout.decode("utf-8", "replace").rstrip("\n")
