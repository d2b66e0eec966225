"""memrc.violations: which actions a deny rule matches."""

import os
from pathlib import Path

import pytest
from made import COMPACTION, FAILED, Made, edited, ran, read
from memrc import violations
from memrc.constraints import Rule
from memrc.errors import StopError
from memrc.measure import LISTED, Row, measure
from memrc.table import table
from memrc.transcripts._events import Event
from memrc.violations import BATCH, COMMANDS, EDITS, Denied, Memories


def row(rules: list[Rule], *parts: list[Event]) -> Row:
    events = [event for part in parts for event in part]
    found = measure(Path("x"), Made(*events), None, lambda _: Denied("/p", rules))  # type: ignore[arg-type]
    return next(found)


def hits(rule: Rule, *parts: list[Event]) -> int:
    return row([rule], *parts).violations.total


@pytest.mark.parametrize(
    ("pattern", "hit", "missed"),
    [
        (
            "migrations/*",
            ["migrations/1.py", "/p/migrations/a/2.py"],
            ["src/migrations/1.py", "migrations.py"],
        ),
        (
            "migrations/",
            ["migrations/1.py", "src/migrations/1.py"],
            ["migrations.py", "/migrations/1.py/../x"],
        ),
        ("migrations/**", ["migrations/a/b/c.py"], ["src/x.py"]),
        ("src/api", ["src/api/v1.py", "./src/api/v1.py"], ["src/api.py", "/q/src/api/v1.py"]),
        ("*.lock", ["poetry.lock", "web/yarn.lock"], ["lock", "x.locks", "/tmp/x.lock"]),
        ("package.json", ["package.json", "web/package.json"], ["package-json"]),
        ("./src/?.py", ["src/a.py"], ["src/ab.py"]),
        ("[!a]*.py", ["b.py"], ["a.py"]),
        ("/etc/*", ["/etc/hosts", "../etc/hosts"], ["etc/hosts"]),
        ("p", ["src/p/x"], ["src/x"]),
    ],
)
def test_a_file_is_denied_from_the_top_of_the_project(
    pattern: str, hit: list[str], missed: list[str]
) -> None:
    rule = Rule("c-1", EDITS, pattern)
    assert [path for path in hit if not hits(rule, edited(os.path.join("/p", path)))] == []
    assert [path for path in missed if hits(rule, edited(os.path.join("/p", path)))] == []


@pytest.mark.parametrize(
    ("ere", "hit", "missed"),
    [
        (
            "^git push",
            ["git push", "cd x && git push", "a; git push", "a | git push", "a ||git push", "a\n  git push"],
            ["echo git push", "legit push"],
        ),
        ("rm -rf", ["sudo rm -rf /", "x\nrm -rf y"], ["rm -r -f"]),
        ("a.*b$", ["a\nb", "a; b"], ["ba"]),
        ("^x{2}$", ["y; xx"], ["xxx"]),
        ("[[:upper:]]é", ["Aé"], ["aé"]),
    ],
)
def test_a_command_is_looked_at_whole_and_in_its_parts(ere: str, hit: list[str], missed: list[str]) -> None:
    rule = Rule("c-1", COMMANDS, ere)
    assert [command for command in hit if not hits(rule, ran(command))] == []
    assert [command for command in missed if hits(rule, ran(command))] == []


def test_an_action_counts_once_in_order_and_after_which_compaction() -> None:
    rules = [
        Rule("c-1", COMMANDS, "push"),
        Rule("c-2", COMMANDS, "git"),
        Rule("c-3", EDITS, "*.lock"),
        Rule("c-4", EDITS, "a.*"),
    ]
    before = [ran("git push; git push", FAILED), read("/p/a.lock", "x"), edited("/p/a.lock")]
    after = [ran("git log"), ran("git push", agent="sub"), edited("/p/b.lock")]
    found = row(rules, *before, COMPACTION, *after)
    told = [(one.constraint, one.rule) for one in found.violations]
    assert told == [
        ("c-1", COMMANDS),
        ("c-3", EDITS),
        ("c-2", COMMANDS),
        ("c-1", COMMANDS),
        ("c-3", EDITS),
    ]
    assert [one.line for one in found.violations] == sorted(one.line for one in found.violations)
    assert found.rules == 4
    assert found.compactions[0].violations == 2
    lines = list(table([found]))
    assert f"  against c-1: 2 actions, the first at line {found.violations[0].line}" in lines
    assert f"  against c-2: 1 action, at line {found.violations[2].line}" in lines


def test_many_commands_are_looked_at_in_several_goes() -> None:
    long = "x" * (BATCH // 3)
    parts = [ran(f"{long} {'push' if n % 2 else 'pull'}") for n in range(10)]
    assert hits(Rule("c-1", COMMANDS, "push"), *parts) == 5
    found = row([Rule("c-1", COMMANDS, "x")], *(ran("x") for _ in range(LISTED + 3)))
    assert (found.violations.total, len(found.violations), found.unlisted) == (LISTED + 3, LISTED, 3)


def test_without_a_rule_nothing_is_looked_for() -> None:
    found = row([], ran("git push"), edited("a.lock"))
    assert (found.rules, found.violations.total) == (0, 0)
    assert not any("against" in line for line in table([found, found]))


def test_a_memory_that_cant_be_asked_costs_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(violations.subprocess, "run", closed)
    said: list[str] = []
    assert Memories(said.append).denied(str(tmp_path)).rules == []
    assert Memories(said.append).denied(str(tmp_path / "nowhere")).rules == []
    assert said == []

    def unreadable(_: Path) -> list[Rule]:
        raise StopError(74, "constraints.md: awk failed: check its permissions")

    monkeypatch.setattr(violations, "rules", unreadable)
    assert Memories(said.append, tmp_path).denied("/x").rules == []
    assert said == [
        "constraints.md: awk failed: check its permissions: violations of its constraints aren't counted"
    ]
