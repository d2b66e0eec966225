"""memrc.learn, .commands and .remember: what counts as a rule, a failure, a decision; and how many of the
proposals from real sessions a person would throw away.
"""

import os
import shutil
import subprocess
import time
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
from memrc.stated import decision, rule
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
    "Никогда не трогай миграции",
    "Never commit anything here.",
    "We use pnpm, not npm, in this project.",
    "Only use the stdlib.",
    "Stop adding Co-Authored-By lines to commits!",
    "generated/ には絶対に触らないでください",
    "schema.sql は絶対に編集しないこと",
    "커밋 메시지는 항상 한국어로 작성하세요",
    "请始终使用中文回复",
    "请不要修改迁移文件",
    "Bitte ändere niemals die Datei schema.sql",
    "N'utilise jamais eval",
    "No toques nunca las migraciones",
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
    "The user must not see the raw error.",
    "Users should never wait for it",
    "Remove the rule that you must never use tabs from CONTRIBUTING.md",
    "Your tool said: you must not force push.",
    "The README says that you must never use tabs.",
    "Stop adding it",
]
# A text, and what of it is kept as a rule.
LAID_DOWN = [
    ("Never edit generated files, e.g. schema.sql", ["Never edit generated files, e.g. schema.sql"]),
    ("Never use tabs etc. in code. Go on.", ["Never use tabs etc. in code"]),
    ("Never push to main. Unless it is a hotfix.", ["Never push to main. Unless it is a hotfix."]),
    ("Never push to main!\nBut tell me why you would.", []),
    ("no, please never push to main", ["never push to main"]),
    ("no new dependencies", ["no new dependencies"]),
    ('Never print "done" before the tests ran.', ['Never print "done" before the tests ran.']),
    ('It has "You must never use tabs." in it, which is wrong.', []),
    ('"One thing. Never touch that one. A third."', []),
    ("~~~\nNever delete the rows of it.\n~~~", []),
    ("here:\n\n    Never delete the rows of it.\n  - Never push to it.", ["Never push to it."]),
    ("What does ``` mean?\n```\nNever delete the rows.\n```\nNever push to it.", ["Never push to it."]),
    ("this: ```\nNever delete the rows.\n```\nNever push to it.", ["Never push to it."]),
    ("```js\nNever delete the rows.", []),
    ('$ Never run it on main\n{"rule": "Never run it on main"}\n  "rule": "Never run it on main",', []),
]
PORTS = [f"Never open port {number}" for number in range(500)]
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
    ("我们决定用表而不是队列,因为运维不要新服务", "运维不要新服务", "队列"),
    ("I've chosen SQLite over Postgres.", "", "Postgres"),
    ("I chose a file over a table to avoid new ports", "to avoid new ports", "a table"),
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
    text = schemas("rules", "learn") + "map(cued and decided)"
    assert engine(text, [said for said, *_ in DECIDED]) == [True] * len(DECIDED)
    assert engine(text, UNDECIDED) == [False] * len(UNDECIDED)


def test_why_and_against_what() -> None:
    parts = [decision(said, "") for said, *_ in DECIDED]
    assert [(part["reason"], part["rejected"]) for part in parts] == [(why, no) for _, why, no in DECIDED]


def test_a_rule_is_kept_as_it_was_said_and_only_what_the_user_said(engine: Engine) -> None:
    text = schemas("rules", "learn") + "map(laid_down)"
    found = engine(text, [said for said, _ in LAID_DOWN])
    assert [[rule(one) for one in ones] for ones in found] == [kept for _, kept in LAID_DOWN]
    assert engine(text, ["\n".join(PORTS)]) == [PORTS[:100] + PORTS[-100:]]


def test_a_decisions_reason_is_kept_once(engine: Engine) -> None:
    text = schemas("rules", "learn") + "map(decisions)"
    said = {
        "I'll use a table because production opens no port.": [
            "I'll use a table",
            "production opens no port",
        ],
        "我们决定用表，因为运维不要新服务": ["我们决定用表", "运维不要新服务"],
        "Decision: keys live 24 hours. Rationale: no retry then.": ["keys live 24 hours", "no retry then"],
        "Decision: because of it, x stays": ["because of it, x stays", "it, x stays"],
    }
    parts = [decision(**found) for (found,) in engine(text, list(said))]
    assert [[part["decision"], part["reason"]] for part in parts] == list(said.values())


def test_own_words(engine: Engine) -> None:
    said = "one\n```sh\nnever two\n```\n> never three\n+ never four\nfive"
    assert engine(schemas("rules", "learn") + "own", said).split() == ["one", "five"]


def test_which_commands_check_a_project(engine: Engine) -> None:
    text = schemas("rules", "learn") + "map(check_kind)"
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


def test_a_command_line_of_blanks_costs_no_more_than_any_other() -> None:
    start = time.process_time()
    assert short("x" + " " * 100_000 + "y", "/src").endswith("y")
    assert time.process_time() - start < 2
    assert short("make 2>&1 | tail -5 ; ", "/src") == "make"
    assert short("find . -exec rm {} \\;", "/src") == "find . -exec rm {} \\;"
    assert short("make || tail log", "/src") == "make || tail log"


def test_paths_below_the_session_are_relative() -> None:
    assert short("python /src/orders/a.py --in '/src/orders'", "/src/orders/") == "python ./a.py --in '.'"
    other = "python /src/orders-2/a.py x/src/orders/b"
    assert short(other, "/src/orders") == other
    elsewhere = "cd web && python /src/orders/a.py"
    assert short(elsewhere, "/src/orders") == elsewhere


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
    build = failed("docker build .", "ERROR: no Dockerfile")
    assert failures(build) == [("docker build .", "")]
    assert found(build)[0].error == "ERROR: no Dockerfile"
    # the same command went well, here or in a later session
    assert failures(build, ran("docker build .")) == []
    assert failures(session("a"), build, session("b"), ran("docker build . 2>&1 | tail -1")) == []
    # the same program with other arguments: instead of it, or after a change, which mended it
    assert failures(build, ran("docker build -f x .")) == [("docker build .", "docker build -f x .")]
    assert failures(build, edited(), ran("docker build -f x .")) == []
    assert failures(session("a"), build, session("b"), ran("docker build -f x .")) == []
    # whose exit code that is, nobody knows
    assert failures(build, ran("docker build -f x . | cat")) == [("docker build .", "")]
    # another program, and one of several
    assert failures(build, ran("docker run")) == [("docker build .", "")]
    assert failures(failed("make a && make b"), edited(), ran("make c")) == [("make a && make b", "")]
    # a check of the same kind
    assert failures(failed("npx tsc"), edited(), ran("npm run check")) == []
    assert failures(failed("pytest -q"), edited(), ran("npm run check")) == [("pytest -q", "")]


def test_what_hangs_on_a_branch_or_the_network_is_no_failure() -> None:
    for command in ("git push", "git -C web pull", "make && git push", "npm publish", "gh pr create"):
        assert failures(failed(command)) == []
    assert failures(failed("git commit -m x")) == [("git commit -m x", "")]


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
    # a rule is one, and no task
    ruled = prompt("不要修改 migrations 目录下的文件。")
    assert tasks(asked, ruled, ran("make")) == ["Make retries safe. All of them."]
    assert tasks(prompt("Never use tabs. Fix the parser in src/parse.py, which drops a line.")) != []
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
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not any(map(ours, ("/" + "x" * 5000, "/a\ud800", tmp_path / "loop" / "a")))
    (tmp_path / "link").symlink_to(project)
    assert ours(tmp_path / "link" / "src")
    assert not any(
        map(ours, (tmp_path, f"{project}-2", project / "lib" / "x", project / "sub", "", "src", "/\0"))
    )


def test_a_linked_worktree_is_ours_as_long_as_it_says_so(tmp_path: Path) -> None:
    def git(place: Path, *words: str) -> None:
        user = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        subprocess.run(["git", "-C", str(place), *user, *words], check=True, capture_output=True)

    def ours(place: Path) -> bool:
        return Memory(project / ".memrc" / "state", 1).ours(Session(1, "", "", "s", str(place), ""))

    project, tree = tmp_path / "project", tmp_path / "tree"
    (project / ".memrc" / "state").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(project))
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "worktree", "add", str(tree))
    assert ours(tree / "src")
    shutil.rmtree(tree)
    assert ours(tree)
    git(tmp_path, "init", "-q", str(tree))
    assert not ours(tree)
    assert ours(project)


def test_what_is_no_regular_file_isnt_read(state: Path) -> None:
    shown = Proposal("rule", "Never push it.", "", "", 1)
    os.mkfifo(state / ".refused")
    with pytest.raises(StopError, match="refused: is no regular file") as stop:
        Memory(state, 1).stands(shown)
    assert stop.value.code == 74
    (state / ".refused").unlink()
    (state / "constraints.md").symlink_to("/dev/zero")
    with pytest.raises(StopError, match="symbolic link"):
        Memory(state, 1).stands(shown)


def test_half_a_surrogate_pair_stops_nothing(state: Path) -> None:
    learner = Learner()
    for event in [
        Prompt(1, "", "", "Never touch \ud83d x1 files."),
        Say(2, "", "", "Decision: x \udc3d stays"),
        *failed("frob \ud83d", "error: \ud83d"),
    ]:
        learner.add(event)
    shown, _ = chosen(Memory(state, 1), learner)
    texts = [one.text for one in shown if one.kind != "task"]
    assert texts == ["Never touch \ufffd x1 files.", "frob \ufffd", "x \ufffd stays"]


def test_of_a_long_prompt_the_beginning_and_the_end_count() -> None:
    rules = ["Never touch the one.", "Never touch the other.", "Never touch the third."]
    filling = "word " * 10_000
    said = found([Prompt(1, "", "", f"{rules[0]}\n{filling}\n{rules[1]}\n{filling}\n{rules[2]}")])
    assert sorted(one.text for one in said if one.kind == "rule") == [rules[0], rules[2]]


def test_of_many_what_cant_be_read_is_told_and_left(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = tuple(HOME / "tests/fixtures" / name for name in ("transcripts/codex.jsonl", "learn/codex.jsonl"))

    def broken(path: Path, format: transcripts.Format) -> Optional[Session]:
        if "transcripts" in path.parts:
            raise StopError(69, f"{path}: is compressed")
        return begun(path, format)

    monkeypatch.setattr(review, "begun", broken)
    assert review.run(Memory(state, 1), paths, None, accept=False, dry=True, as_json=False) == 1
    said = capsys.readouterr()
    assert "terraform plan" in said.out
    assert said.err == f"memrc-learn: {paths[0]}: is compressed\n"
    assert review.run(Memory(state, 1), paths[:1], None, accept=False, dry=True, as_json=False) == 69


def test_a_secret_is_gone_before_a_text_is_cut(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
    asked = Prompt(1, "", "", "word " * 58 + secret)
    learner = Learner()
    learner.add(asked)
    ((shown,), _) = chosen(Memory(tmp_path / "state", 1), learner)
    assert len(shown.text) <= 300 and secret[:6] not in shown.text and "[redacted" in shown.text


GITHUB, ANTHROPIC = "ghp_" + "a1B2" * 9, "sk-ant-" + "Zz9" * 10
KEY = "MIIEpAIBAAKCAQEA7bq8lkQd93hfAILqeZZv1mTt\nQ0abcdefghijklmnopqrstuvwxyz0123456789AB\n"


def test_no_secret_is_shown_however_it_hides(state: Path) -> None:
    learner = Learner()
    for event in [
        Session(1, "", "", GITHUB, "/src", ""),
        *failed("make key", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}-----END RSA PRIVATE KEY-----"),
        *failed("make half", f"out\n-----BEGIN RSA PRIVATE KEY-----\n{KEY}"),
        *failed("make long", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY * 300}-----END RSA PRIVATE KEY-----"),
        *failed(f"make {GITHUB[:2]}\u200b{GITHUB[2:]}", f"error: gh\x1b[0m{GITHUB[2:]} and\x00{ANTHROPIC}"),
        *failed("make login", "error: password\u00a0= Hunter2Hunter2!x"),
        *ran("make sub", "error", True, GITHUB),
        Prompt(1, "", "", f"Never leak gh\u200b{GITHUB[2:]}"),
        Prompt(2, "", "", " " * 1960 + f"Deploy the thing with {ANTHROPIC}"),
    ]:
        learner.add(event)
    shown, _ = chosen(Memory(state, 1), learner)
    assert [one.kind for one in shown] == ["failure"] * 6 + ["task"]
    text = repr(shown)
    for secret in (GITHUB[5:15], ANTHROPIC[7:15], "Hunter2", "MIIEp", "Q0abc"):
        assert secret not in text


def test_a_session_is_called_by_nothing_that_means_something(state: Path) -> None:
    shown = Memory(state, 1).shown(Proposal("rule", "x", "a} {retired: x", "", 1))
    assert shown.session == "a-retired:-x"


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
    shown, _ = chosen(Memory(state, 1), learner)
    assert [(one.kind, key(one)) for one in shown if key(one) not in LABELS] == [], "to be labelled"
    return Counter(LABELS[key(one)] for one in shown)


@needs_real
def test_at_most_one_in_ten_proposals_is_false(state: Path) -> None:
    three = judged(state, *THREE)
    assert three["true"] >= 3 and three["false"] == 0
    every = three + sum((judged(state, pattern) for pattern in OTHERS), Counter())
    assert every["true"] >= 11 and every["false"] * 10 <= sum(every.values())
