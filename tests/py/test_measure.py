"""memrc.measure and memrc.reports: what the shell tests don't reach."""

import os
import pty
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import HOME, REAL, needs_real
from hypothesis import given, settings
from hypothesis import strategies as st
from made import COMPACTION, FAILED, LATER, edited, ran, read, row
from memrc import transcripts
from memrc.jq import Filter
from memrc.losses import Again, Kept, error_line
from memrc.measure import COLUMNS, LISTED, measure
from memrc.table import table
from memrc.transcripts._events import (
    Compaction,
    Event,
    Prompt,
    Session,
    Summary,
    Usage,
)

FIXTURES = HOME / "tests" / "fixtures" / "transcripts"


def test_a_subagents_context_is_its_own() -> None:
    found = row(
        Usage(1, "", "", 100_000),
        Usage(2, "", "sidechain", 9000),
        Compaction(3, "", "", "auto", None, None),
        Usage(4, "", "sidechain", 9500),
        Usage(5, "", "", 20_000),
        Compaction(6, "", "sidechain", "", None, None),
    )
    assert [(one.before, one.before_by, one.next) for one in found.compactions] == [
        (100_000, "usage", 20_000),
        (9500, "usage", None),
    ]
    assert found.fullest == 100_000


def test_a_compaction_of_which_nothing_is_known() -> None:
    found = row(Compaction(1, "", "", "", None, None))
    assert (found.compactions[0].before, found.compactions[0].before_by) == (None, "")
    assert "  compacted at line 1: no trigger told" in table([found])
    assert found.as_csv()[COLUMNS.index("tokens")] == ":"


def test_no_event_at_all() -> None:
    assert row().calls == 0


def test_what_came_after_each_compaction_of_each_context() -> None:
    again = [*ran("pytest -q", FAILED), *read("app.py", "1")]
    found = row(
        *again,
        *COMPACTION,
        Usage(1, "", "", 30_000),
        *again,
        *ran("ls", "", "sidechain"),
        Usage(1, "", "", 90_000),
        Usage(1, "", "", 80_000),
        *COMPACTION,
        *ran("ls"),
        Usage(1, "", "", 20_000),
    )
    assert [(one.calls, one.repeats, one.rereads, one.regrown) for one in found.compactions] == [
        (2, 1, 1, 60_000),
        (1, 0, 0, 0),
    ]


def test_lists_end_somewhere_and_counts_do_not() -> None:
    found = row(*COMPACTION * (LISTED + 30))
    assert (found.compacted, len(found.compactions), found.as_json()["unlisted"]) == (10_030, 10_000, 30)
    assert found.as_csv()[COLUMNS.index("compactions")] == 10_030
    shown = list(table([found]))
    assert len(shown) == 2 + 20 + 1
    assert shown[-1] == "  … 10,010 more: --json"


def repeats(*events: list[Event]) -> list[bool]:
    """For each command that failed again in vain, whether across a compaction."""
    return [again.across for again in row(*(event for part in events for event in part)).repeats]


def test_a_repeat_is_the_same_command_and_error_with_nothing_changed_between() -> None:
    first, again = ran("pytest -q", FAILED), ran("pytest -q\n", LATER)
    assert repeats(first, again) == [False]
    assert repeats(first, COMPACTION, again) == [True]
    assert repeats(first, COMPACTION, again, ran("pytest -q", FAILED)) == [True, False]
    assert repeats(first, read("a", "x"), edited("a", failed=True), ran("ruff", FAILED), again) == [False]
    # another error, another command, another agent
    assert repeats(first, ran("pytest -q", FAILED.replace("KeyError", "TypeError"))) == []
    assert repeats(first, ran("pytest -x", FAILED)) == []
    assert repeats(first, ran("pytest -q", FAILED, agent="a1")) == []
    # something changed: a file, or whatever a command that went well did
    assert repeats(first, edited("app.py"), again) == []
    assert repeats(first, ran("git push -u origin x"), again) == []
    assert repeats(first, ran("pytest -q", "3 passed"), again) == []


def test_a_reread_gives_what_the_agent_was_given_and_has_not_edited() -> None:
    def rereads(*events: list[Event]) -> list[bool]:
        return [again.across for again in row(*(event for part in events for event in part)).rereads]

    first, again = read("app.py", "PORT = 1"), read("app.py", "PORT = 1")
    assert rereads(first, again) == [False]
    assert rereads(first, ran("ls"), COMPACTION, again) == [True]
    assert rereads(first, edited("other.py"), edited("app.py", failed=True), again) == [False]
    # edited by the agent, changed by a command, another part, another agent
    assert rereads(first, edited("app.py"), again) == []
    assert rereads(first, ran("sed -i s/1/2/ app.py"), read("app.py", "PORT = 2")) == []
    assert rereads(first, read("app.py", "PORT = 1", "offset 100")) == []
    assert rereads(first, read("app.py", "PORT = 1", agent="a1")) == []
    assert rereads(first, read("app.py", "PORT = 1", "offset 100"), again) == [False]


def test_what_a_summary_kept_word_for_word() -> None:
    events = [
        Session(1, "", "", "s", "/src/orders", ""),
        Prompt(2, "", "", "an old one"),
        *ran("pytest -q", FAILED),
        *ran("make\n  lint", "Exit code 2\nerror: 5 warnings"),
        *ran("make docs", FAILED),
        *ran("make docs", "well now"),
        *ran("true && false", "Exit code 1", agent="a1"),
        *edited("/src/orders/src/app.py"),
        *edited("/etc/orders.conf"),
        *edited("README.md", failed=True),
        Prompt(3, "", "", "Make retries safe."),
        Prompt(4, "", "", "Go on. " + "x" * 5000),
        *COMPACTION,
    ]
    said = "I ran `make lint`, edited src/app.py; you said: Make\n retries safe. Go on. " + "x" * 793 + "…"
    found = row(*events, Summary(6, "", "", said)).compactions[0].kept
    assert found == Kept(commands=[1, 2], errors=[0, 2], paths=[1, 2], prompts=[2, 2])
    assert row(*events, Summary(6, "", "", "")).compactions[0].kept == Kept([0, 2], [0, 2], [0, 2], [0, 2])
    assert row(*events, Summary(6, "", "a1", said)).compactions[0].kept is None
    shown = list(table([row(*events, Summary(6, "", "", said))]))
    kept = (
        "    its summary kept 1 of 2 failed commands, 0 of 2 error lines, 1 of 2 edited files, 2 of 2 prompts"
    )
    assert kept in shown


# For i Python takes \u0130 and \u0131 too, jq takes \ufb01 for fi: neither is worth a program that agrees.
ALIKE = st.characters(exclude_categories=["Cs"], exclude_characters="\u0130\u0131\ufb01")
OUTPUTS = st.lists(
    st.sampled_from(
        ["", " ", "\t ok\r", "Exit code 1", "Error: Exit code 12", "exit code 1", "FAILED a.py",
         "No Such file", "错误: x", "Segmentation fault", "3 passed", "\xa0", "x" * 7000, "ſegmentation",
         "a\x0bb"]
    ) | st.text(ALIKE, max_size=5)
).map("\n".join)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(output=OUTPUTS)
def test_the_error_line_is_the_flight_recorders(output: str) -> None:
    # error_line runs in hooks, not in Python; jq 1.5 (pyjq) loses the end of "ࠀ\r", taking two of its bytes
    pytest.importorskip("jq")
    output = output.replace("\0", "").encode("utf-8", "replace").decode()
    assert error_line(output) == (Filter("error_line", "error", use="jq")(output) or "")


def test_a_line_longer_than_what_is_looked_at_is_an_error_line_too() -> None:
    failed = "Exit code 1\n" + "error " * 4000
    (again,) = row(*ran("make", failed), *ran("make", failed)).repeats
    found = row(*ran("make", failed), *COMPACTION, Summary(1, "", "", "error " * 4000)).compactions[0].kept
    assert not again.across and found and found.errors == [1, 1]


# Hits in real sessions, each looked at. (line, of, across)
CHECKED = {
    "claude/spotter/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl": (
        [],
        [
            (137, 40, False),  # the renderer: read, a plan written, read again before it is rewritten
            (168, 59, False),  # its test: the same, and only the renderer was edited between
            (793, 591, True),  # build.js after the compaction: nobody touched it; package.json, which npm
            # install changed meanwhile, was read again too (919), and doesn't count
        ],
    ),
    "claude/ccviewer/fe5e1c67.jsonl": (
        # npm run build four times with the same TypeError; its words say "in the correct directory", but it
        # never changed there
        [(406, 403, False), (409, 406, False), (412, 409, False)],
        [
            (83, 70, False),  # its edits were refused although it had read the file: read again, the same
            (218, 148, False),  # edits refused, cat > wrote a file of that name in another directory
            (369, 328, False),  # another file was written between
        ],
    ),
}


@needs_real
@pytest.mark.parametrize("name", sorted(CHECKED))
def test_hits_in_real_sessions_are_those_that_were_checked(name: str) -> None:
    format = transcripts.format_of(REAL / name)
    assert format
    (found,) = measure(REAL / name, format)
    repeats, rereads = CHECKED[name]
    assert found.repeats == [Again(*hit) for hit in repeats]
    assert found.rereads == [Again(*hit) for hit in rereads]


@needs_real
def test_what_the_hosts_summary_kept_in_real_sessions() -> None:
    """The gap that a restore fills: files survive, what failed and how doesn't."""
    sums = {name: [0, 0] for name in ("commands", "errors", "paths", "prompts")}
    for path in sorted((REAL / "claude" / "spotter").glob("*.jsonl")):
        for compacted in next(measure(path, transcripts.formats()["claude"])).whole:
            assert compacted.kept
            for name, (kept, of) in asdict(compacted.kept).items():
                sums[name][0] += kept
                sums[name][1] += of
    assert sums == {"commands": [0, 2], "errors": [0, 2], "paths": [30, 31], "prompts": [4, 4]}


def run(stdout: int, stderr: int, *args: str) -> int:
    """measure with a bar over any size of file."""
    code = (
        f"import sys; sys.path.insert(0, {str(HOME / 'pytools')!r}); from memrc import reports, cli;"
        "reports.WORTH_A_BAR = 0; cli.main()"
    )
    command = [sys.executable, "-c", code, "measure", *args]
    return subprocess.run(command, stdout=stdout, stderr=stderr).returncode


def shown(descriptor: int) -> str:
    """What a terminal got; one of them is read once."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 1 << 16).decode()
    except BlockingIOError:
        return ""


def test_long_work_shows_its_progress_on_a_terminal_only(tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        assert run(out.fileno(), theirs, str(FIXTURES)) == 0
        said = shown(mine)
        assert "reading" in said and "100%" in said
        assert run(out.fileno(), err.fileno(), str(FIXTURES)) == 0
        # lines that come as they are found, and a bar, on one terminal
        assert run(theirs, theirs, "--json", str(FIXTURES / "pi.jsonl")) == 0
        assert "reading" not in shown(mine)
    assert "reading" not in (tmp_path / "err").read_text() + (tmp_path / "out").read_text()
