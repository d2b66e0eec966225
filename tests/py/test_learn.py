"""memrc.learn, .commands and .remember: what counts as a rule, a failure, a decision; and how many of the
proposals from real sessions a person would throw away.
"""

from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Optional

import pytest
from conftest import HOME, REAL, needs_real, schemas
from memrc import review, transcripts
from memrc.commands import TRIFLE, check, programs, short
from memrc.errors import StopError
from memrc.learn import Learner, Proposal, begun, learn
from memrc.remember import Memory, key
from memrc.review import chosen
from memrc.transcripts._events import EDIT, RUN, Call, Event, Prompt, Result, Say, Session

Engine = Callable[[str, Any], Any]

STANDING = [
    "Don't touch the public API of orders/api.py.",
    "Never touch the migrations",
    "please always run the tests before you commit",
    "ok, never push to main without asking",
    "invalid input must NEVER crash the server",
    "no new dependencies",
    "From now on, write the messages in English.",
    "Use tabs instead of spaces.",
    "The file VERSION is off limits.",
    "Ask me first, before you deploy anything.",
    "Do not mock the database in tests",
    "You must use the wrapper for each call",
    "Only use ES modules",
    "不要修改数据库迁移文件",
    "必须用 pnpm 安装依赖",
    "Bitte niemals direkt auf main pushen",
    "никогда не меняй схему базы",
]
PASSING = [
    "Should we never use Redis?",
    "that should never happen.",
    "it should be dimmer, don't modify the theme, look into the footer",
    "For this session, always answer in German.",
    "Don't do that yet",
    "don't change it",
    "I never saw that",
    "I think we must not wait",
    "Don't worry about the tests",
    "make sure the new field is also used",
    "the text must stop when a line ends ...",
    "no idea what happened there",
    "no, the block should stay as it is",
    "why must it never be empty",
    "must be a bug in the parser",
    "Never mind",
    "never works on my machine",
    "always getting a 500 from it",
    "Don't change anything else.",
    "Don't add comments there",
    "Don't write any code, just explain it.",
    "ValueError: id must not be null",
    "only use the first three lines",
    "no tests needed",
    "it doesn't always work",
    "先不要改测试",
    "这次不要提交",
    "为什么不能必须用",
]
DECIDED = [
    (
        "I'll use a table instead of Redis because production opens no port.",
        "production opens no port",
        "Redis",
    ),
    ("I chose SQLite over Postgres since one file is enough", "one file is enough", "Postgres"),
    ("**Decision:** keys live 24 hours", "", ""),
    ("We decided to keep the old API.", "", ""),
    ("Let's stick with polling, because sockets are closed there", "sockets are closed there", ""),
    ("我们决定用表而不是队列，因为运维不要新服务", "运维不要新服务", "队列"),
]
UNDECIDED = [
    "I'll use sed instead of an editor because it is faster",
    "Now it uses the theme instead of chalk.",
    "Should I use a cache instead of a table because it is faster?",
    "If you like, I'll use a cache instead of a table.",
    "I'll use the new helper in the next edits",
    "The test fails because the field isn't loaded.",
    "Since the hook won't let me commit, I have two options:",
    "I'll use `git stash` instead of a commit.",
    "I decided to check the logs first because they tell more.",
    "I'll keep this short because you know it.",
    "I'll make sure it works, since you asked.",
    "I'll switch to the main branch because this one is stale.",
    "We could use a queue rather than a table because it scales.",
]


def test_what_is_a_standing_rule(engine: Engine) -> None:
    """Everything here is caught by `ruleish` or isn't; learn needs both."""
    text = schemas("rules", "learn") + "map(ruleish and standing)"
    assert engine(text, STANDING) == [True] * len(STANDING)
    assert engine(text, PASSING) == [False] * len(PASSING)


def test_what_is_a_decision(engine: Engine) -> None:
    text = schemas("learn") + "map([select(cued) | decided] | map([.reason, .rejected]))"
    assert engine(text, [said for said, *_ in DECIDED]) == [[[why, no]] for _, why, no in DECIDED]
    assert engine(text, UNDECIDED) == [[]] * len(UNDECIDED)


def test_own_words(engine: Engine) -> None:
    said = "one\n```sh\nnever two\n```\n> never three\n+ never four\nfive"
    assert engine(schemas("learn") + "own", said).split() == ["one", "five"]


def test_which_commands_check_a_project(engine: Engine) -> None:
    text = schemas("learn") + "map(check_kind)"
    tests = ["npm test", "mix test", "pytest -q", "uv run pytest", "go test ./...", "bash run_tests.sh",
             "./gradlew test", "python3 -m pytest", "npm run test:unit"]  # fmt: skip
    lints = ["npm run check", "make lint", "npx tsc --noEmit", "cargo clippy --all", "ruff check .",
             "tests/run lint", "mix credo --strict", "npx eslint ."]  # fmt: skip
    none = ["pytest tests/test_x.py", "pytest -k retry", "mix test test/a_test.exs", "ls tests", "mkdir spec",
            "git checkout test", "npm run build", "make test && git push", "npm test > out",
            "npm test -- a.test.ts", "cat lint.log"]  # fmt: skip
    assert engine(text, tests) == ["test"] * len(tests)
    assert engine(text, lints) == ["lint"] * len(lints)
    assert engine(text, none) == [None] * len(none)


def test_command_lines() -> None:
    assert short("cd /src/orders && npm test 2>&1 | tail -5", "/src/orders") == "npm test"
    assert short("cd '/src/orders/web app' && npm test", "/src/orders/") == "cd 'web app' && npm test"
    assert short("cd /src/orders-2 && make ; ", "/src/orders") == "cd /src/orders-2 && make"
    assert programs("A=1 sudo git push -u origin x") == {"git push"}
    assert programs("cd web && npm run build && git commit -m 'a && rm -rf /'") == {
        "npm run build",
        "git commit",
    }
    assert programs("node assets/build.js") == programs("cd assets && node build.js")
    assert programs("cat a | grep -v '|' ; git status") == {TRIFLE}
    assert programs("python3 -c 'import x'") == {TRIFLE}
    assert check("cd web && npm test 2>&1 | grep -v ok") == ("test", "cd web && npm test")


LINES = count(10)


def ran(command: str, output: str = "", failed: bool = False, agent: str = "") -> list[Event]:
    line = next(LINES)
    call = Call(line, "", agent, f"{line}", "Bash", RUN, command, [])
    return [call, Result(line, "", agent, f"{line}", failed, None, output)]


def failed(command: str, output: str = "error: x") -> list[Event]:
    return ran(command, output, True)


def edited() -> list[Event]:
    line = next(LINES)
    return [
        Call(line, "", "", f"{line}", "Edit", EDIT, "", ["a"]),
        Result(line, "", "", f"{line}", False, None, ""),
    ]


def session(name: str, agent: str = "") -> list[Event]:
    return [Session(1, "", agent, name, "/src", "")]


def found(*parts: list[Event]) -> list[Proposal]:
    learner = Learner()
    for event in (event for part in parts for event in part):
        learner.add(event)
    return list(learner.proposals())


def failures(*parts: list[Event]) -> list[tuple[str, str]]:
    return [(one.text, one.instead) for one in found(*parts) if one.kind == "failure"]


def test_a_failure_stands_until_it_is_mended() -> None:
    push = failed("git push", "fatal: no upstream branch")
    assert failures(push) == [("git push", "")]
    assert found(push)[0].error == "fatal: no upstream branch"
    # the same command went well, here or in a later session
    assert failures(push, ran("git push")) == []
    assert failures(session("a"), push, session("b"), ran("git push 2>&1 | tail -1")) == []
    # the same program with other arguments: instead of it, or after a change, which mended it
    assert failures(push, ran("git push -u origin x")) == [("git push", "git push -u origin x")]
    assert failures(push, edited(), ran("git push -u origin x")) == []
    assert failures(session("a"), push, session("b"), ran("git push -u origin x")) == []
    # whose exit code that is, nobody knows
    assert failures(push, ran("git push -u origin x | cat")) == [("git push", "")]
    # another program, and one of several
    assert failures(push, ran("git pull")) == [("git push", "")]
    assert failures(failed("make a && make b"), edited(), ran("make c")) == [("make a && make b", "")]
    # a check of the same kind
    assert failures(failed("npx tsc"), edited(), ran("npm run check")) == []
    assert failures(failed("pytest -q"), edited(), ran("npm run check")) == [("pytest -q", "")]


def test_what_is_no_failure() -> None:
    assert failures(failed("grep -r x . | wc"), failed("cat x"), failed("git diff a b")) == []
    assert failures(failed("cat > a <<E\nx\nE"), failed("make " + "x" * 300)) == []
    for said in ("The user doesn't want to proceed", "<tool_use_error>x", "Command aborted"):
        assert failures(failed("make", said)) == []


def test_the_open_task_is_that_of_the_newest_session() -> None:
    def tasks(*parts: list[Event]) -> list[str]:
        return [one.text for one in found(*parts) if one.kind == "task"]

    def prompt(text: str) -> list[Event]:
        return [Prompt(next(LINES), "", "", text)]

    def say(text: str) -> list[Event]:
        return [Say(next(LINES), "", "", text)]

    asked = prompt("Make retries safe.\nAll of them.")
    assert tasks(asked) == ["Make retries safe. All of them."]
    assert tasks(asked, say("I begin."), ran("make")) == ["Make retries safe. All of them."]
    assert tasks(asked, ran("make"), prompt("yes, go on"), prompt("继续"), prompt("/clear"), ran("make")) == [
        "Make retries safe. All of them."
    ]
    assert tasks(asked, ran("make"), say("All done.")) == []
    assert tasks(prompt("did you push it yet?")) == []
    assert tasks(session("a"), asked, session("b"), ran("make")) == []
    # what a subagent goes on with is no session
    assert tasks(session("a"), asked, session("a", "a1"), ran("make", agent="a1")) != []


def test_subagents_neither_ask_nor_decide() -> None:
    said = Say(1, "", "a1", "Decision: keys live 24 hours")
    assert found([said]) == []
    assert found(session("a", "a1"), failed("make"))[0].session == "a"


def test_commands_for_tests_and_linter() -> None:
    def checks(*parts: list[Event]) -> dict[str, str]:
        return {one.kind: one.text for one in found(*parts) if one.kind in ("test", "lint")}

    assert checks(ran("npm test"), ran("make test"), ran("npm test | tail")) == {"test": "npm test"}
    # of those run as often the newest; the whole project's before a part's
    assert checks(ran("npm test"), ran("make test")) == {"test": "make test"}
    assert checks(ran("cd web && npm test"), ran("cd web && npm test"), ran("make test")) == {
        "test": "make test"
    }
    assert checks(failed("npm test"), failed("make lint")) == {}


def test_memory_doesnt_grow_with_a_session() -> None:
    learner = Learner()
    for number in range(3000):
        for event in [
            Prompt(1, "", "", f"Never open port {number}. Do not use door {number}."),
            Say(1, "", "", f"Decision: door {number}"),
            *failed(f"make a{number}"),
        ]:
            learner.add(event)
    assert len(list(learner.proposals())) < 250


def test_whose_session_it_is(tmp_path: Path) -> None:
    project = tmp_path / "project"
    state = project / ".memrc" / "state"
    for place in (state, project / "src", project / "lib" / ".git", project / "sub" / ".memrc" / "state"):
        place.mkdir(parents=True)
    memory = Memory(state, 1)

    def ours(place: object) -> bool:
        return memory.ours(Session(1, "", "", "s", str(place), ""))

    assert ours(project) and ours(project / "src") and ours(project / "gone")
    (tmp_path / "link").symlink_to(project)
    assert ours(tmp_path / "link" / "src")
    assert not any(
        map(ours, (tmp_path, f"{project}-2", project / "lib" / "x", project / "sub", "", "src", "/\0"))
    )


def test_of_many_what_cant_be_read_is_told_and_left(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = tuple(HOME / "tests/fixtures" / name for name in ("transcripts/codex.jsonl", "learn/codex.jsonl"))

    def broken(path: Path, format: transcripts.Format) -> Optional[Session]:
        if "transcripts" in path.parts:
            raise StopError(69, f"{path}: is compressed")
        return begun(path, format)

    monkeypatch.setattr(review, "begun", broken)
    assert review.run(Memory(state, 1), paths, accept=False, dry=True, as_json=False) == 1
    said = capsys.readouterr()
    assert "terraform plan" in said.out
    assert said.err == f"memrc-learn: {paths[0]}: is compressed\n"
    with pytest.raises(StopError, match="is compressed"):
        review.run(Memory(state, 1), paths[:1], accept=False, dry=True, as_json=False)


def test_a_secret_is_gone_before_a_text_is_cut(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
    asked = Prompt(1, "", "", "word " * 58 + secret)
    learner = Learner()
    learner.add(asked)
    (shown,) = chosen(Memory(tmp_path / "state", 1), learner)
    assert len(shown.text) <= 300 and secret[:6] not in shown.text and "[redacted" in shown.text


# Each proposal from real sessions, judged by a person who looked at it: hash, verdict, kind, why.
LABELS = {
    line.split("\t")[0]: line.split("\t")[1]
    for line in (HOME / "tests/fixtures/learn/labels.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
}
THREE = [
    "claude/spotter/258c7280-*.jsonl",
    "claude/spotter/4d5611e5-*.jsonl",
    "claude/spotter/8463c716-*.jsonl",
]
OTHERS = ["claude/spotter/short.jsonl", "claude/spotter/tool_heavy.jsonl", "claude/ccviewer/*.jsonl",
          "claude/check-chat/*.jsonl", "pi/*.jsonl"]  # fmt: skip


def judged(state: Path, *patterns: str) -> Counter[str]:
    """How many proposals of these sessions, taken as one project's, are true and false."""
    paths = [path for pattern in patterns for path in REAL.glob(pattern)]
    formats = [(path, transcripts.format_of(path)) for path in paths]
    sources = sorted(((begun(*one).at, *one) for one in formats), key=lambda one: one[0])  # type: ignore
    learner, _ = learn([one[1:] for one in sources], lambda _: True)  # type: ignore
    shown = list(chosen(Memory(state, 1), learner))
    assert [(one.kind, key(one)) for one in shown if key(one) not in LABELS] == [], "to be labelled"
    return Counter(LABELS[key(one)] for one in shown)


@needs_real
def test_at_most_one_in_ten_proposals_is_false(state: Path) -> None:
    three = judged(state, *THREE)
    assert three["true"] >= 4 and three["false"] == 0
    every = three + sum((judged(state, pattern) for pattern in OTHERS), Counter())
    assert every["true"] >= 12 and every["false"] * 10 <= sum(every.values())
