"""The command line: click parses, functions work, exit codes come back."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, TypeVar

import click

from memrc.errors import StopError, io_stop

# What ends a command from outside; Ctrl-C is Python's own.
ENDING = (signal.SIGTERM, signal.SIGHUP)
# Whoever reads it says why it can't be read, and ends with 74, not with click's 2.
SOURCE = click.Path(readable=False, path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])


def common(function: Command) -> Command:
    """The options that every command on a root takes."""
    function = click.option(
        "--root", metavar="DIR", envvar="MEMRC_ROOT", help="the memory, or the project that has one"
    )(function)
    return click.option(
        "--wait",
        metavar="S",
        type=click.FloatRange(0),
        default=10,
        help="seconds to wait for the lock",
    )(function)


def state_of(root: Optional[str]) -> Path:
    """The state directory of a root or of a project that has one, as _root_given in
    bin/lib/root.sh.
    """
    for place in (Path(root), Path(root) / ".memrc") if root else ():
        if (place / "state").is_dir():
            return place.resolve() / "state"
    raise StopError(
        6,
        f"{root or Path.cwd()}: no memory here: run memrc init in the project, or give --root DIR",
    )


@click.group()
def cli() -> None:
    """What memrc does in Python."""


@cli.command()
@common
@click.option("--dry-run", is_flag=True, help="only say what would move")
def archive(root: Optional[str], wait: float, dry_run: bool) -> int:
    """Move what is old or out of force into the archives."""
    from memrc import files
    from memrc.archive import archive as run

    state = state_of(root)
    if dry_run:
        for result in run(state, write=False):
            click.echo(result.said(done=False))
        return 0
    with files.locked(state, wait, "archive"):
        for result in run(state):
            click.echo(result.said(done=True))
    return 0


@cli.command()
@common
@click.option("--fix", is_flag=True, help="set unreadable lines aside, take out NUL, CR and marks")
@click.option("--json", "as_json", is_flag=True, help="a JSON object a line")
def validate(root: Optional[str], wait: float, fix: bool, as_json: bool) -> int:
    """Name what is wrong in the state files, and what stands in for it."""
    from memrc import files
    from memrc.repair import repair
    from memrc.validate import validate as run

    state = state_of(root)
    if fix:
        with files.locked(state, wait, "validate"):
            for text in repair(state):
                click.echo(json.dumps({"fixed": text}) if as_json else f"fixed: {text}")
    wrong = False
    for fault in run(state):
        click.echo(json.dumps(fault._asdict(), ensure_ascii=False) if as_json else fault)
        wrong = wrong or not fault.warning
    return int(wrong)


@cli.command()
@click.argument("paths", metavar="[FILE|DIR]...", nargs=-1, type=SOURCE)
@click.option("--all", "everything", is_flag=True, help="what is where the hosts keep it, too")
@click.option("--format", "name", metavar="NAME", help="read the files as this format, without looking")
@click.option("--json", "as_json", is_flag=True, help="a JSON object a session")
@click.option("--csv", "as_csv", is_flag=True, help="a line of values a session")
@click.option("--by", type=click.Choice(["session", "project"]), default="session", help="a line for each")
@click.option("--focus", is_flag=True, help="how many decisions the tasks of a memory took, instead")
@click.option("--root", metavar="DIR", help="the memory to count violations or decisions by")
def measure(
    paths: tuple[Path, ...],
    everything: bool,
    name: Optional[str],
    as_json: bool,
    as_csv: bool,
    by: str,
    focus: bool,
    root: Optional[str],
) -> int:
    """Count what agents recorded: compactions, tool calls, errors, and what was done again in vain."""
    from memrc.reports import Report, report_focus, transcripts

    if as_json and as_csv:
        raise click.UsageError("--json and --csv: give one of them")
    output = "json" if as_json else "csv" if as_csv else "table"
    if focus:
        if paths or everything or name or by != "session" or as_csv:
            raise click.UsageError("--focus: goes with --root and --json only")
        return report_focus(state_of(root or os.environ.get("MEMRC_ROOT")), output)
    if not paths and not everything:
        raise click.UsageError("nothing to measure: give files, directories, or --all")
    report = Report(output, by, state_of(root).parent if root else None)
    return report.run(transcripts(paths, name, everything, report.refused))


@cli.command()
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True, type=SOURCE)
@click.option("--format", "name", metavar="NAME", help="read the files as this format, without looking")
@click.option("--json", "as_json", is_flag=True, help="a JSON object a compaction")
@click.option("--keep", metavar="DIR", type=click.Path(path_type=Path), help="leave the scratch roots there")
def replay(paths: tuple[Path, ...], name: Optional[str], as_json: bool, keep: Optional[Path]) -> int:
    """Play recorded sessions to the hooks, and score what the model is given after each compaction."""
    from memrc.retention import report

    return report(paths, name, as_json, keep)


@cli.command()
@common
@click.argument("paths", metavar="[FILE|DIR]...", nargs=-1, type=SOURCE)
@click.option("--dry-run", "dry", is_flag=True, help="only say what would be proposed")
@click.option("--accept", is_flag=True, help="keep all of it without a question")
@click.option("--format", "name", metavar="NAME", help="read the files as this format, without looking")
@click.option("--json", "as_json", is_flag=True, help="a JSON object a proposal")
def learn(
    root: Optional[str],
    wait: float,
    paths: tuple[Path, ...],
    dry: bool,
    accept: bool,
    name: Optional[str],
    as_json: bool,
) -> int:
    """Propose what past sessions of the project can put into its memory."""
    from memrc.remember import Memory
    from memrc.review import run

    if dry and accept:
        raise click.UsageError("--dry-run and --accept: give one of them")
    if name and not paths:
        raise click.UsageError("--format: goes with files or directories")
    return run(Memory(state_of(root), wait), paths, name, accept, dry, as_json)


def _flush() -> None:
    """Writes what stdout still holds. If that is impossible it is dropped, or Python would try again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _end_by_signals() -> None:
    """A signal ends the command as an exit does, so that what it made for itself is removed; its code is
    that of the shell programs. What whoever started it ignores stays ignored, as with nohup.
    """

    def end(number: int, _: object) -> None:
        # the removal isn't to be broken off
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in ENDING:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def main() -> None:
    """Runs a command of sys.argv and exits with its code; a fault is one line on stderr."""
    name = "memrc-" + (sys.argv[1] if len(sys.argv) > 1 and sys.argv[1][:1] != "-" else "py")
    _end_by_signals()
    try:
        # not cli.main, which takes a broken pipe for an error
        with cli.make_context(name, sys.argv[1:]) as context:
            code = cli.invoke(context) or 0
        sys.stdout.flush()
    except StopError as stop:
        text, code = str(stop), stop.code
    except OSError as error:
        _flush()
        if isinstance(error, BrokenPipeError):
            # whoever read us has enough
            sys.exit(0)
        text, code = str(io_stop(error)), 74
    except click.UsageError as error:
        text, code = f"{error.format_message().rstrip('.')}: see {name} --help", 2
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (click.Abort, KeyboardInterrupt):
        text, code = "interrupted", 130
    else:
        sys.exit(code)
    print(f"{name}: {text}", file=sys.stderr)
    sys.exit(code)
