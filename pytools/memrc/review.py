"""How `memrc learn` puts its proposals to somebody: a list, or one question after the other."""

import json
import os
import sys
import termios
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import click

from memrc.errors import StopError
from memrc.learn import KINDS, MOST, RULE, TASK, Learner, Proposal, begun, learn
from memrc.remember import Memory
from memrc.reports import Refusals, bar, plain, transcripts
from memrc.transcripts import Format, found

ANSWERS = {"", "y", "yes", "n", "no", "a", "all", "q", "quit"}
QUESTION = "  keep it? yes, no (not asked again), all of this kind, quit, enter: not now [y/n/a/q] "


def warn(text: str) -> None:
    """One line on stderr."""
    click.echo(f"memrc-learn: {text}", err=True)


def run(
    memory: Memory, paths: tuple[Path, ...], name: Optional[str], accept: bool, dry: bool, as_json: bool
) -> int:
    """Reads the sessions in PATHS, of format NAME if there is one, or those of the project where hosts keep
    them, and shows, asks or writes.

    The exit code: 1 if something couldn't be read, or a writer refused it; where no session could, that of
    the reader. StopError as the writers.
    """
    refused = Refusals(warn)
    sources = _in_order(memory, paths, name, refused)
    refused.end()
    if not sources:
        if not refused.code:
            none = "no session in what was given" if paths else "no session of this project found"
            advice = "give other files or directories" if paths else "give files or directories"
            warn(f"{none}: nothing to propose: {advice}")
        return refused.code
    with bar(sources, "json" if as_json else "table") as progress:
        # what was named is meant, wherever it was run
        learner, broken = learn(sources, (lambda _: True) if paths else memory.ours, progress)
    for text in broken:
        warn(text)
    proposals, older = chosen(memory, learner)
    wrong = bool(broken or refused.code)
    if not proposals:
        warn(_nothing(learner))
    elif accept:
        wrong = not _keep_all(memory, proposals, older, as_json) or wrong
    elif dry or as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for proposal in proposals:
            _show(proposal, as_json)
        if not dry:
            warn("nothing was written: memrc learn --accept keeps all of it, on a terminal it asks for each")
    else:
        _ask(memory, proposals)
    return int(wrong)


def _nothing(learner: Learner) -> str:
    if any(learner.proposals()):
        return "nothing to propose that isn't in the memory already"
    return f"nothing to propose in {learner.sessions} session{'' if learner.sessions == 1 else 's'}"


def _in_order(
    memory: Memory, paths: tuple[Path, ...], name: Optional[str], refused: Refusals
) -> list[tuple[Path, Format]]:
    """The transcripts in PATHS, or those that hosts keep of this project, the oldest first."""
    sources = transcripts(paths, name, False, refused) if paths else list(found(Path.home(), os.environ))
    kept = []
    for path, format in sources:
        try:
            session = begun(path, format)
        except StopError as stop:
            refused(stop)
            continue
        # of a database, each session tells
        if paths or path.suffix == ".db" or (session and memory.ours(session)):
            kept.append((session.at if session else "", path, format))
    return [(path, format) for _, path, format in sorted(kept, key=lambda one: one[:2])]


def chosen(memory: Memory, learner: Learner) -> tuple[list[Proposal], list[Proposal]]:
    """As they may be shown, without what stands already: at most MOST of a kind, and the older ones that this
    leaves out, which is told.
    """
    newest: list[Proposal] = []
    older: list[Proposal] = []
    taken: Counter[str] = Counter()
    secrets = 0
    for proposal in learner.proposals():
        shown = memory.shown(proposal)
        if shown.kind == RULE and "[redacted:" in shown.text:
            # constraints are kept word for word or not at all
            secrets += 1
        elif not memory.stands(shown):
            taken[shown.kind] += 1
            (newest if taken[shown.kind] <= MOST[shown.kind] else older).append(shown)
    over = [f"{taken[kind] - MOST[kind]} more of {kind}" for kind in KINDS if taken[kind] > MOST[kind]]
    if over:
        warn(f"older ones left out: {', '.join(over)}: run it again after these")
    if secrets:
        warn(f"rules with what looks like a secret, left out: {secrets}: memrc constrain --literal keeps one")
    return newest, older


def _show(shown: Proposal, as_json: bool, note: str = "") -> None:
    if as_json:
        more = {"id": note} if note else {}
        click.echo(json.dumps({"v": 1, **more, **shown.as_json()}, ensure_ascii=False))
        return
    click.echo(plain(f"{note or shown.kind:<10} {f'{shown.kind}: ' if note else ''}{shown.text}"))
    for text in _below(shown):
        click.echo(plain(f"{'':10} {text}"))


def _below(shown: Proposal) -> Iterator[str]:
    if shown.error:
        yield f"error: {shown.error}"
    if shown.instead:
        yield f"instead: {shown.instead}"
    if shown.reason:
        yield f"because: {shown.reason}"
    yield f"from {shown.where}"


def _keep_all(memory: Memory, proposals: list[Proposal], older: list[Proposal], as_json: bool) -> bool:
    """Writes them; an OLDER one takes the place of one that can't be written, which would hide it for ever.
    Could all be written?
    """
    whole = True
    while proposals:
        refused = Counter(one.kind for one in _keep(memory, proposals, as_json)[1])
        whole = whole and not refused
        proposals = []
        for kind, free in refused.items():
            proposals += [one for one in older if one.kind == kind][:free]
        older = [one for one in older if one not in proposals]
    return whole


def _keep(
    memory: Memory, proposals: list[Proposal], as_json: bool = False
) -> tuple[list[Proposal], list[Proposal]]:
    """Writes them, and shows each with its id: what is kept, and what a writer refused, which is told. What
    came into the memory meanwhile is neither.

    StopError as the writers, and 74 if the output can't be written, after everything was kept.
    """
    kept: list[Proposal] = []
    refused: list[Proposal] = []
    unsaid: Optional[OSError] = None
    # the newest last, as they would have been written; the task after them, for none of it was done for it
    newest_last = proposals[::-1]
    for shown in sorted(newest_last, key=lambda one: one.kind == TASK):
        try:
            note = memory.keep(shown)
        except StopError as stop:
            if stop.code != 65:
                before = f" ({len(kept)} kept before it)" if kept else ""
                raise StopError(stop.code, f"{stop}{before}") from None
            warn(f"{shown.kind} not kept: {stop}")
            refused.append(shown)
            continue
        if note is None:
            warn(f"{shown.kind} not kept: the memory has it, or a task in hand, by now: {shown.text[:60]}")
            continue
        kept.append(shown)
        try:
            _show(shown, as_json, note)
        except OSError as error:
            unsaid = unsaid or error
            # what is still buffered has nowhere to go
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if unsaid and not isinstance(unsaid, BrokenPipeError):
        raise StopError(74, f"standard output: {unsaid.strerror}: {len(kept)} kept all the same")
    return kept, refused


def _ask(memory: Memory, proposals: list[Proposal]) -> None:
    """One after the other; what gets a yes is written at once, so that quitting loses nothing."""
    every: set[str] = set()
    kept = 0
    for number, shown in enumerate(proposals, 1):
        click.echo(f"\n{number} of {len(proposals)}")
        _show(shown, False)
        answer = "y" if shown.kind in every else _answer()
        if answer == "q":
            break
        if answer == "a":
            every.add(shown.kind)
        if answer in ("y", "a"):
            kept += len(_keep(memory, [shown])[0])
        elif answer == "n":
            memory.refuse(shown)
    warn(f"{kept} of {len(proposals)} kept")


def _answer() -> str:
    """y, n, a, q, or nothing to leave it open; the end of the input is q."""
    while True:
        # what was typed before the question was seen answers nothing
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
        try:
            answer = input(QUESTION).strip().lower()
        except EOFError:
            return "q"
        except UnicodeDecodeError:
            continue
        if answer in ANSWERS:
            return answer[:1]
