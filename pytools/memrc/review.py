"""How `memrc learn` puts its proposals to somebody: a list, or one question after the other."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from memrc.errors import StopError
from memrc.learn import KINDS, MOST, RULE, TASK, Learner, Proposal, begun, learn
from memrc.remember import Memory
from memrc.reports import bar, plain, transcripts
from memrc.transcripts import Format, found

QUESTION = "  keep it? yes, no (not asked again), all of this kind, quit, enter: not now [y/n/a/q] "


def warn(text: str) -> None:
    """One line on stderr."""
    click.echo(f"memrc-learn: {text}", err=True)


def run(memory: Memory, paths: tuple[Path, ...], accept: bool, dry: bool, as_json: bool) -> int:
    """Reads the sessions in PATHS, or those of the project where hosts keep them, and shows, asks or writes.

    The exit code: 1 if something couldn't be read, or a writer refused it. StopError as the readers and the
    writers.
    """
    sources, wrong = _in_order(memory, paths)
    if not sources:
        warn("no session of this project found: nothing to propose: give files or directories")
        return int(wrong)
    with bar(sources, "json" if as_json else "table") as progress:
        # what was named is meant, wherever it was run
        learner, broken = learn(sources, (lambda _: True) if paths else memory.ours, progress)
    for text in broken:
        warn(text)
    proposals = list(chosen(memory, learner))
    wrong = wrong or bool(broken)
    if not proposals:
        warn("nothing to propose that isn't in the memory already")
    elif accept:
        wrong = _keep(memory, proposals, as_json) < len(proposals) or wrong
    elif dry or as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for proposal in proposals:
            _show(proposal, as_json)
        if not dry:
            warn("nothing was written: memrc learn --accept keeps all of it, on a terminal it asks for each")
    else:
        _ask(memory, proposals)
    return int(wrong)


def _in_order(memory: Memory, paths: tuple[Path, ...]) -> tuple[list[tuple[Path, Format]], bool]:
    """The transcripts in PATHS, or those that hosts keep of this project, the oldest first; and whether one
    couldn't be read.
    """
    sources = transcripts(paths, None, False) if paths else list(found(Path.home(), os.environ))
    kept, unread = [], []
    for path, format in sources:
        try:
            session = begun(path, format)
        except StopError as stop:
            # of many, one that vanished or is compressed must not hide the others
            if len(sources) == 1:
                raise
            unread.append(str(stop))
            continue
        # of a database, each session tells
        if paths or path.suffix == ".db" or (session and memory.ours(session)):
            kept.append((session.at if session else "", path, format))
    if unread:
        more = f" (and {len(unread) - 1} more that can't be read)" if len(unread) > 1 else ""
        warn(f"{unread[0]}{more}")
    return [(path, format) for _, path, format in sorted(kept, key=lambda one: one[:2])], bool(unread)


def chosen(memory: Memory, learner: Learner) -> Iterator[Proposal]:
    """As they may be shown, without what stands already; at most MOST of a kind, and it is told what that
    leaves out.
    """
    taken: Counter[str] = Counter()
    secrets = 0
    for proposal in learner.proposals():
        shown = memory.shown(proposal)
        if shown.kind == RULE and "[redacted:" in shown.text:
            # constraints are kept word for word or not at all
            secrets += 1
        elif not memory.stands(shown):
            taken[shown.kind] += 1
            if taken[shown.kind] <= MOST[shown.kind]:
                yield shown
    over = [f"{taken[kind] - MOST[kind]} more of {kind}" for kind in KINDS if taken[kind] > MOST[kind]]
    if over:
        warn(f"older ones left out: {', '.join(over)}: run it again after these")
    if secrets:
        warn(f"rules with what looks like a secret, left out: {secrets}: memrc constrain --literal keeps one")


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


def _keep(memory: Memory, proposals: list[Proposal], as_json: bool = False) -> int:
    """Writes them, and shows each with its id. How many: a text that a writer refuses is told, and left."""
    kept = 0
    # the task first, for what failed belongs into its trail; the newest last, as they would have been written
    for shown in sorted(proposals, key=lambda one: one.kind == TASK)[::-1]:
        try:
            note = memory.keep(shown)
        except StopError as stop:
            if stop.code != 65:
                raise
            warn(f"{shown.kind} not kept: {stop}")
        else:
            kept += 1
            _show(shown, as_json, note)
    return kept


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
            kept += _keep(memory, [shown])
        elif answer == "n":
            memory.refuse(shown)
    warn(f"{kept} of {len(proposals)} kept")


def _answer() -> str:
    """y, n, a, q, or nothing to leave it open; the end of the input is q."""
    while True:
        try:
            answer = input(QUESTION).strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in ("", "y", "n", "a", "q"):
            return answer
