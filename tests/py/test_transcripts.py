"""memrc.transcripts: each format event by event, real sessions by their figures, damage of any kind."""

import csv
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any, Optional

import pytest
from conftest import HOME, REAL, needs_real
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memrc import transcripts
from memrc.errors import StopError
from memrc.measure import measure
from memrc.projects import by_project
from memrc.table import table
from memrc.transcripts import Source, Tally, _source
from memrc.transcripts._events import (
    Call,
    Compaction,
    Event,
    Interruption,
    Prompt,
    Result,
    Say,
    Session,
    Summary,
    Usage,
)

FIXTURES = HOME / "tests" / "fixtures" / "transcripts"
OPENCODE = FIXTURES / "opencode" / "storage"
FILES = {path.name: path for path in [*FIXTURES.glob("*.json*"), OPENCODE / "session/p1/ses_1.json"]}


def shown(event: Event) -> str:
    """An event on one line."""
    who = f" {event.agent}" if event.agent else ""
    return f"{event.line}{who}: {what(event)}"


def what(event: Event) -> str:
    if isinstance(event, Session):
        return f"session {event.id} {event.cwd} {event.version}".rstrip()
    if isinstance(event, Call):
        return " ".join(["call", event.id, event.tool, event.kind, event.command, *event.paths]).rstrip()
    if isinstance(event, Result):
        return f"{'failed' if event.failed else 'ok'} {event.id} {event.exit} {event.text[:12]!r}"
    if isinstance(event, Usage):
        return f"usage {event.tokens}"
    if isinstance(event, Compaction):
        kind = "micro" if event.micro else "compaction"
        return f"{kind} {event.trigger!r} {event.before} {event.after}"
    if isinstance(event, Interruption):
        return "interrupted"
    name = {Prompt: "prompt", Say: "say", Summary: "summary"}[type(event)]
    return f"{name} {event.text[:30]}"


def read(path: Path, format: Optional[transcripts.Format] = None) -> tuple[list[Event], Tally]:
    """All events of a file, and what was skipped."""
    source = Source(path)
    format = format or transcripts.format_of(path)
    assert format
    return list(format.events(source)), source.tally


EXPECTED = {
    "claude.jsonl": [
        "2: session 0c1a-new /src/orders 2.1.228",
        "2: prompt Make retries safe. Never touch",
        "4: usage 1105",
        "5: say I run the tests first.",
        "5: call t-1 Bash run pytest -q",
        "6: failed t-1 2 'Exit code 2\\n'",
        "7: usage 2009",
        "7: call t-2 Read read  /src/orders/app.py",
        "7: call t-3 Edit edit  /src/orders/app.py",
        "7: call t-4 WebSearch other",
        "8: ok t-2 None '1 a'",
        "8: ok t-3 None 'done'",
        "9: failed t-4 1 'Completed'",
        "10: micro 'auto' 2100 1500",
        "13: interrupted",
        "14: compaction 'auto' 167114 2455",
        "15: summary This session is being continue",
        "17: usage 26000",
        "17: say Going on: compact_boundary and",
    ],
    "claude-1.jsonl": [
        "2: session 0c1a-old /src/orders 1.0.60",
        "2: prompt Find all callers.",
        "3: usage 150000",
        "3: call t-1 Task other",
        "5 sidechain 1: usage 9000",
        "5 sidechain 1: call t-2 Bash run grep -rn create_order .",
        "6 sidechain 1: ok t-2 None 'src/app.py:3'",
        "7: compaction '' None None",
        "7: summary This session is being continue",
        "8: usage 20000",
        "8: say One caller.",
    ],
    "codex.jsonl": [
        "1: session 0c0d-new /src/orders 0.125.0",
        "4: prompt Make retries safe.",
        "6: call c-1 shell run pytest -q",
        "8: failed c-1 1 '1 failed'",
        "9: call c-2 exec_command run ls",
        "10: ok c-2 0 'Exit code: 0'",
        "11: call c-3 apply_patch edit  src/app.py src/key.py",
        "13: failed c-3 1 'no such line'",
        "14: usage 180500",
        "16: compaction '' None None",
        "16: summary What was done: a key.",
        "18: say Done.",
        "19: usage 12100",
        "20: prompt Make retries safe.",
    ],
    "codex-2025.jsonl": [
        "1: session 0c0d-old",
        "4: prompt List the files.",
        "6: call c-1 shell run ls 'a b'",
        "7: failed c-1 2 'No such file'",
        "8: say There is none.",
    ],
    "gemini.json": [
        "0: session 9e31-old",
        '1: prompt Run the tests, "quietly" ].',
        "2: usage 9000",
        "2: call c-1 run_shell_command run pytest -q",
        "2: failed c-1 1 'Output: 1 fa'",
        "2: call c-2 read_file read  /src/app.py",
        "2: failed c-2 None 'File not fou'",
        "5: say One fails.",
    ],
    "gemini.jsonl": [
        "1: session 9e31-new",
        "2: prompt Make retries safe.",
        "3: say I edit.",
        "3: call c-1 replace edit  /src/app.py",
        "4: usage 600000",
        "4: ok c-1 None 'ok'",
        "6: compaction '' None None",
        "6: summary <state_snapshot>retries</state",
        "8: usage 30000",
        "8: say Done.",
    ],
    "qwen.jsonl": [
        "1: session 73e0 /src/orders 0.24.4",
        "1: prompt Make retries safe.",
        "2: usage 169000",
        "2: say Tests first.",
        "2: call c-1 run_shell_command run pytest -q",
        "3: failed c-1 1 'Output: 1 fa'",
        "4: call c-2 edit edit  /src/app.py",
        "5: failed c-2 None '0 occurrence'",
        "7: compaction 'auto' 170000 3000",
        "7: summary <state_snapshot>retries</state",
        "9: prompt Go on.",
    ],
    "pi.jsonl": [
        "1: session 3141 /src/orders",
        "3: prompt Make retries safe.",
        "4: usage 91010",
        "4: say Tests first.",
        "4: call c-1 bash run pytest -q",
        "4: call c-2 read read  app.py",
        "5: failed c-1 1 '1 failed\\n\\nCo'",
        "6: ok c-2 None 'a'",
        "8: compaction '' 91010 None",
        "8: summary ## Goal: retries",
        "9: usage 8000",
        "9: say Done.",
    ],
    "ses_1.json": [
        "1: session ses_1 /src/orders 1.1.53",
        "3: prompt Make retries safe.",
        "5: usage 58000",
        "7: say Tests first.",
        "8: call c-1 bash run pytest -q",
        "8: failed c-1 1 '1 failed'",
        "9: call c-2 edit edit  /src/app.py",
        "9: failed c-2 None 'oldString no'",
        "10: call c-3 read read  /src/app.py",
        "13: compaction 'auto' None None",
        "14: summary ## Goal: retries",
        "15: usage 9000",
    ],
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_event_of_each_format(name: str) -> None:
    events, _ = read(FILES[name])
    assert [shown(event) for event in events] == EXPECTED[name]


def test_where_a_person_stopped_the_agent(tmp_path: Path) -> None:
    refused = {
        "type": "tool_result",
        "tool_use_id": "t-9",
        "is_error": True,
        "content": "doesn't want to proceed",
    }
    stopped = {"type": "text", "text": "[Request interrupted by user for tool use]"}
    claude = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": [refused, stopped]}}
    said = {
        "type": "user",
        "sessionId": "s",
        "message": {"role": "user", "content": "Why [Request interrupted by?"},
    }
    codex = {"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}}
    replaced = {"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "replaced"}}
    begun = {"type": "text", "text": "I beg"}
    pi = {"type": "message", "message": {"role": "assistant", "content": [begun], "stopReason": "aborted"}}
    expected = {
        "claude": (
            [claude, said],
            ['failed t-9 None "doesn\'t want"', "interrupted", "prompt Why [Request interrupte"],
        ),
        "codex": ([codex, replaced], ["interrupted"]),
        "pi": ([pi], ["say I beg", "interrupted"]),
    }
    for name, (records, shown_) in expected.items():
        path = tmp_path / "a.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        events, _ = read(path, transcripts.formats()[name])
        assert [what(event)[:30] for event in events if not isinstance(event, Session)] == shown_


def user(content: Any, **more: Any) -> dict[str, Any]:
    """A message of Claude Code's user."""
    return {"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}, **more}


def item(*texts: str) -> dict[str, Any]:
    """An item of Codex's user."""
    content = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def pi(*texts: str) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": blocks(*texts)}}


def qwen(*texts: str) -> dict[str, Any]:
    parts = [{"text": text} for text in texts]
    return {"type": "user", "sessionId": "s", "message": {"role": "user", "parts": parts}}


def gemini(*texts: str) -> dict[str, Any]:
    return {"type": "user", "id": texts[0], "content": [{"text": text} for text in texts]}


REMINDER = "<system-reminder>\nUse tabs.\n</system-reminder>"
FILE = (
    "\n--- Content from referenced files ---",
    "\nContent from @A.md:\n",
    "Use tabs.\n--- End of content ---\n",
    "Use spaces.",
    "\n--- End of content ---",
)
SETUP = "# Context from my IDE setup:\n\n## Active selection:\n## My request for Codex:\nUse tabs.\n\n"
SAID: list[tuple[str, dict[str, Any], list[str]]] = [
    ("claude", user(blocks("Fix it.", REMINDER)), ["Fix it."]),
    ("claude", user(f"Fix it.\n{REMINDER}\nNow.\n{REMINDER}"), ["Fix it.\n\nNow."]),
    ("claude", user(blocks("<ide_selection>Use tabs.</ide_selection>", "Fix it.")), ["Fix it."]),
    ("claude", user("<user-prompt-submit-hook>Use tabs.</user-prompt-submit-hook>"), []),
    ("claude", user('<teammate-message teammate_id="x">Use tabs.</teammate-message>'), []),
    ("claude", user("<task-notification>Done.</task-notification>\nRead the output."), []),
    ("claude", user("Stop hook feedback:\nUse tabs."), []),
    ("claude", user("Implement the following plan:\n\nUse tabs.", planContent="Use tabs."), []),
    ("claude", user("Implement the following plan:\nMy own."), ["Implement the following plan:\nMy own."]),
    ("claude", user("This session is being continued from a previous conversation that ran out."), []),
    ("claude", user("What is <system-reminder> for?"), ["What is <system-reminder> for?"]),
    ("claude", user("<system-reminders>\nare mine"), ["<system-reminders>\nare mine"]),
    ("codex", item(f"{SETUP}## My request for Codex:\nFix it."), ["Fix it."]),
    ("codex", item("# Context from my IDE setup:\n\n## Open tabs:\n- Use tabs.md"), []),
    ("codex", item("Another language model started to solve this problem and produced a summary."), []),
    ("codex", item("# AGENTS.md instructions for /x\nUse tabs.", "Fix it."), ["Fix it."]),
    ("codex", item("<image name=[Image #1]>", "</image>", "Fix it."), ["Fix it."]),
    ("qwen", qwen("Fix @A.md.", *FILE), ["Fix @A.md."]),
    ("qwen", qwen("Fix @A.md.", *FILE[:-3]), ["Fix @A.md."]),
    ("qwen", qwen(REMINDER, "Fix it."), ["Fix it."]),
    ("qwen", qwen("A --- Content from referenced files ---"), ["A --- Content from referenced files ---"]),
    ("gemini", gemini("Fix @A.md.", *FILE), ["Fix @A.md."]),
    ("gemini", gemini("Fix it.", "<hook_context>Use tabs.</hook_context>"), ["Fix it."]),
    ("pi", pi('<file name="/A.md">\nUse tabs.\n</file>\n<file name="/b.png"></file>\nFix it.'), ["Fix it."]),
    ("pi", pi('<skill name="x" location="/y">\nUse tabs.\n</skill>\n\nGo on.'), ["Go on."]),
]  # fmt: skip


@pytest.mark.parametrize("name, record, said", SAID)
def test_only_the_users_own_words_are_a_prompt(
    tmp_path: Path, name: str, record: dict[str, Any], said: list[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    events, _ = read(path, transcripts.formats()[name])
    assert [event.text for event in events if isinstance(event, Prompt)] == said


def test_a_subagents_rollout_of_codex_is_its_own(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "0c0d", "depth": 1}}}
    for source, session in ((spawned, "0c0d"), ({"subagent": "review"}, "0c0e")):
        meta = {"type": "session_meta", "payload": {"id": "0c0e", "source": source}}
        compacted = {"type": "compacted", "payload": {"message": ""}}
        path.write_text("".join(json.dumps(record) + "\n" for record in (meta, item("Look."), compacted)))
        events, _ = read(path)
        assert [shown(event) for event in events] == [
            f"1 0c0e: session {session}",
            "3 0c0e: compaction '' None None",
        ]
        (row,) = measure(path, transcripts.formats()["codex"])
        assert (row.agent, row.prompts, row.agent_calls) == ("0c0e", 0, 0)


def test_claude_sessions_of_other_directories_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    records = [
        user("One.", cwd="/src/orders"),
        # resumed under a new name in the same project, and taken along
        user("Two.", sessionId="s2", cwd="/src/orders/api"),
        user("Three.", sessionId="s3"),
        user("Four.", sessionId="s4", cwd="/src/orders-2"),
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    rows = list(measure(path, transcripts.formats()["claude"]))
    assert [(row.session, row.cwd, row.prompts) for row in rows] == [
        ("s", "/src/orders", 3),
        ("s4", "/src/orders-2", 1),
    ]


def test_opencode_says_it_before_the_parts_of_the_answer_that_was_stopped(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    aborted = {
        "role": "assistant",
        "error": {"name": "MessageAbortedError"},
        "time": {"created": 1796000401000},
    }
    files = {
        "session/p1/ses_1.json": {"id": "ses_1", "directory": "/src"},
        "message/ses_1/msg_1.json": aborted,
        "part/msg_1/prt_1.json": {"type": "text", "text": "I begin"},
        "message/ses_1/msg_2.json": {"role": "user"},
        "part/msg_2/prt_2.json": {"type": "text", "text": "Not so."},
        "message/ses_1/msg_3.json": aborted,
    }
    for name, record in files.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(record))
    events, _ = read(storage / "session/p1/ses_1.json")
    said = ["say I begin", "interrupted", "prompt Not so.", "interrupted"]
    assert [what(event) for event in events[1:]] == said


def test_what_was_skipped_is_counted() -> None:
    tallies = {name: read(path)[1] for name, path in FILES.items()}
    counts = {name: (tally.records, tally.bad, tally.duplicates) for name, tally in tallies.items()}
    assert counts["claude.jsonl"] == (18, 1, 1)
    assert counts["qwen.jsonl"] == (10, 0, 1)
    assert counts["gemini.json"] == (4, 1, 0)
    assert counts["ses_1.json"] == (15, 1, 0)
    assert not any(tally.broken or tally.long for tally in tallies.values())


def test_times_are_iso(tmp_path: Path) -> None:
    for path in [*FILES.values(), database(tmp_path / "opencode.db")]:
        events, _ = read(path)
        assert all(event.at[:2] in ("", "20") and event.at[-1:] in ("", "Z") for event in events)
        assert any(event.at for event in events)


def test_each_file_is_of_one_format_only(tmp_path: Path) -> None:
    for path in [*FILES.values(), database(tmp_path / "opencode.db")]:
        start = transcripts.head(path)
        found = [format.NAME for format in transcripts.formats().values() if format.recognises(start)]
        assert len(found) == 1, (path.name, found)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]\n", '{"type":"user"}\n', "\0\0\n", "SQLite format 3\0", "{" * 9]
)
def test_what_is_no_transcript(tmp_path: Path, text: str) -> None:
    for name in ("a.jsonl", "a.json", "a.db"):
        (tmp_path / name).write_text(text)
        assert transcripts.format_of(tmp_path / name) is None


def database(path: Path) -> Path:
    """The fixture's files as OpenCode's database has them, and a subagent's session in it."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript("""
            CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT,
                time_created INTEGER);
            CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
            CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
            INSERT INTO session VALUES ('ses_1', NULL, '/src/orders', '1.1.53', 1796000400000);
            INSERT INTO session VALUES ('ses_0', 'ses_1', '/src/orders', '1.1.53', 1796000402500);
            INSERT INTO message VALUES ('msg_9', 'ses_0', 1796000402600, '{"role":"user"}');
            INSERT INTO part VALUES ('prt_0', 'msg_9', '{"type":"text","text":"Look for callers."}');
        """)
        for number, file in enumerate(sorted((OPENCODE / "message/ses_1").glob("*.json"))):
            row = (file.stem, "ses_1", 1796000401000 + number, file.read_text("utf-8"))
            made.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
        for file in OPENCODE.glob("part/*/*.json"):
            part = (file.stem, file.parent.name, file.read_text("utf-8"))
            made.execute("INSERT INTO part VALUES (?, ?, ?)", part)
        made.commit()
    return path


def test_a_database_says_what_its_files_said(tmp_path: Path) -> None:
    path = database(tmp_path / "open code?#é.db")
    events, tally = read(path)
    shown_ = [shown(event) for event in events]
    assert shown_[:-1] == EXPECTED["ses_1.json"]
    assert shown_[-1] == "1 ses_0: session ses_0 /src/orders 1.1.53"
    assert (tally.records, tally.bad) == (18, 1)
    rows = list(measure(path, transcripts.formats()["opencode"]))
    assert [(row.session, row.agent, row.records, row.bad) for row in rows] == [
        ("ses_1", "", 15, 1),
        ("ses_0", "ses_0", 3, 0),
    ]


def listed(directory: Path) -> dict[str, bytes]:
    """The files of a directory."""
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_reading_a_database_writes_nothing_beside_it(tmp_path: Path) -> None:
    whole = len(EXPECTED["ses_1.json"]) + 1
    place, left = tmp_path / "used", tmp_path / "left"
    place.mkdir()
    left.mkdir()
    path = database(place / "opencode.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO session VALUES ('ses_2', NULL, '/src', '1', 1796000500000)")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM part")
        before = listed(place)
        # what was committed, in the log or not, and nothing else
        assert len(read(path)[0]) == whole + 1
        assert listed(place) == before
        writer.execute("ROLLBACK")
        # as a host that was killed leaves them
        for name in ("opencode.db", "opencode.db-wal"):
            (left / name).write_bytes(before[name])
    assert not list(place.glob("*-wal"))
    for directory in (place, left):
        before = listed(directory)
        assert len(read(directory / "opencode.db")[0]) == whole + 1
        assert listed(directory) == before


def test_a_database_whose_tables_are_in_its_log_only(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        for name in ("session", "message", "part"):
            writer.execute(f"CREATE TABLE {name} (id TEXT)")
        path = tmp_path / "opencode.db"
        for end in ("", "-wal"):
            (tmp_path / f"opencode.db{end}").write_bytes((tmp_path / f"a.db{end}").read_bytes())
    before = listed(tmp_path)
    events, tally = read(path)
    assert (events, tally.broken) == ([], ["no such column: directory"])
    assert listed(tmp_path) == before


def test_a_new_format_is_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "newhost.py").write_text(
        "from memrc.transcripts._events import Prompt\n"
        "NAME = 'new'\n"
        "def places(home, env): return [home / 'new.jsonl']\n"
        "def recognises(head): return any('new' in record for record in head.records)\n"
        "def events(source):\n"
        "    for line, record in source.objects(): yield Prompt(line, '', '', str(record['new']))\n"
    )
    (tmp_path / "new.jsonl").write_text('{"new": "hello"}\n')
    monkeypatch.setattr(transcripts, "__path__", [*transcripts.__path__, str(tmp_path)])
    transcripts.formats.cache_clear()
    try:
        ((path, format),) = transcripts.found(tmp_path, {})
        assert [shown(event) for event in read(path)[0]] == ["1: prompt hello"]
        assert format.NAME == "new"
    finally:
        transcripts.formats.cache_clear()


def compress(data: bytes) -> bytes:
    """As zstd; skips where nothing here can."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return bytes(import_module(name).compress(data))
        except ImportError:
            pass
    pytest.skip("not tested: neither compression.zstd nor backports.zstd is here")


def test_compressed(tmp_path: Path) -> None:
    data = FILES["codex.jsonl"].read_bytes()
    path = tmp_path / "rollout-2026-11-30-0c0d.jsonl.zst"
    packed = compress(data)
    path.write_bytes(packed)
    assert [shown(event) for event in read(path)[0]] == EXPECTED["codex.jsonl"]
    path.write_bytes(packed + compress(data))  # two frames, as appending makes them
    assert read(path)[1].records == 40
    noise = random.Random(1).randbytes(1 << 18).hex().encode()
    path.write_bytes(compress(data + noise)[:200_000])
    events, tally = read(path)
    assert [shown(event) for event in events] == EXPECTED["codex.jsonl"]
    assert tally.broken
    path.write_bytes(b"nothing that was compressed")
    assert transcripts.format_of(path) is None
    assert read(path, transcripts.formats()["codex"])[1].broken


def test_compressed_and_nothing_that_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(_source, "import_module", missing)
    path = tmp_path / "a.jsonl.zst"
    path.touch()
    with pytest.raises(StopError, match="pip install backports") as stop:
        transcripts.format_of(path)
    assert stop.value.code == 69


def test_where_the_hosts_keep_them(tmp_path: Path) -> None:
    places = {
        ".claude/projects/-src-orders/0c1a.jsonl": "claude.jsonl",
        ".claude/projects/-src-orders/0c1a/subagents/agent-1.jsonl": "claude.jsonl",
        ".codex/sessions/2026/11/30/rollout-2026.jsonl": "codex.jsonl",
        ".gemini/tmp/orders/chats/session-1.json": "gemini.json",
        ".gemini/tmp/orders/chats/session-2.jsonl": "gemini.jsonl",
        ".local/share/opencode/storage/session/p1/ses_1.json": "ses_1.json",
        ".pi/agent/sessions/--src--/1_3141.jsonl": "pi.jsonl",
        ".qwen/projects/src/chats/73e0.jsonl": "qwen.jsonl",
    }
    for place, name in places.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(FILES[name].read_bytes())
    found = list(transcripts.found(tmp_path, {}))
    assert {path.relative_to(tmp_path).as_posix() for path, _ in found} == set(places)
    assert {format.NAME for _, format in found} == set(transcripts.formats())
    # the database has taken over what is in the files
    path = database(tmp_path / ".local/share/opencode/opencode.db")
    opencode = [path for path, format in transcripts.found(tmp_path, {}) if format.NAME == "opencode"]
    assert opencode == [path]
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude"), "CODEX_HOME": str(tmp_path / ".codex")}
    elsewhere = {format.NAME for _, format in transcripts.found(tmp_path / "nobody", env)}
    assert elsewhere == {"claude", "codex"}


def test_marks_nul_bytes_and_blank_lines(tmp_path: Path) -> None:
    lines = FILES["pi.jsonl"].read_bytes().splitlines()
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(lines).replace(b'"summary"', b'"sum\0mary"'))
    events, tally = read(path)
    assert [what(event) for event in events] == [line.split(": ", 1)[1] for line in EXPECTED["pi.jsonl"]]
    assert (tally.records, tally.bad) == (9, 0)


def test_a_line_too_long_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    first, *rest = FILES["pi.jsonl"].read_bytes().splitlines(keepends=True)
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(first + b'{"type":"message","message":{"role":"user","content":"')
        for _ in range(40):
            file.write(b"x" * (1 << 20))
        file.write(b'"}}\n' + b"".join(rest))
    events, tally = read(path)
    assert len(events) == len(EXPECTED["pi.jsonl"])
    assert (tally.records, tally.bad, tally.long) == (9, 0, 1)


def test_a_file_that_grows_is_read_as_far_as_it_went_when_it_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(pi("Go on.")) + "\n")
    source = Source(path)
    for _ in transcripts.formats()["pi"].events(source):
        assert source.tally.records < 1000
        with path.open("a") as file:
            file.write((json.dumps(pi("Go on.")) + "\n") * 100_000)
    assert source.tally.records == 1


def document(path: Path, messages: list[str]) -> tuple[list[Event], Tally]:
    """Reads one of Gemini CLI's older files."""
    path.write_text('{"sessionId": "9e31", "projectHash": "a", "messages": [' + ",\n".join(messages) + "]}")
    return read(path)


def test_a_document_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    texts = ["é" * 300_000, '] }, \\" ', "x" * 2_500_000, "y" * 10, "z" * 1_048_500] * 3
    messages = [
        json.dumps({"id": str(number), "type": "user", "content": text}, ensure_ascii=False)
        for number, text in enumerate(texts)
    ]
    events, tally = document(tmp_path / "session-1.json", messages)
    assert [event.text for event in events if isinstance(event, Prompt)] == texts
    assert (tally.records, tally.bad, tally.broken) == (15, 0, [])
    events, tally = document(tmp_path / "session-1.json", [*messages[:2], '{"id": "x"', *messages[2:]])
    assert len(events) == 3
    assert (tally.records, tally.bad, len(tally.broken)) == (2, 1, 1)


@pytest.mark.parametrize("text", [",\n" * 2_000_000, '"x",' * 100_000, "[" * 2_000_000, "9" * 2_000_000])
def test_a_document_of_nothing(tmp_path: Path, text: str) -> None:
    events, _ = document(tmp_path / "session-1.json", [text])
    assert len(events) == 1


def test_a_text_that_begins_like_a_hooks_many_times(tmp_path: Path) -> None:
    said = "<hook_context>" * 200_000
    events, _ = document(tmp_path / "session-1.json", [json.dumps({"type": "user", "content": said})])
    assert [event.text for event in events if isinstance(event, Prompt)] == [said]


@pytest.mark.parametrize("exact", [0, 10_000, 250_000])
def test_ids_that_came_are_known_and_no_others(monkeypatch: pytest.MonkeyPatch, exact: int) -> None:
    monkeypatch.setattr(_source.Once, "EXACT", exact)
    once = _source.Once()
    assert all(once(f"id {number}") for number in range(20_000))
    assert not any(once(f"id {number}") for number in range(20_000))


# Damage: whatever is in a file, reading it ends, and each line is counted as what it is.

VALUES: list[Any] = [
    None, True, 0, -1, 10**20, 1.5, float("inf"), "", "x", "\ud800", "\x1b[2J", [], [[]], [None], {},
    {"a": {}}, [{"type": "text", "text": 5}], {"type": ["user"]},
]  # fmt: skip


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a value: what holds it, and its key."""
    for key in (
        list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from nodes(value[key])


def swapped(lines: list[bytes], draw: random.Random) -> list[bytes]:
    """Values of other types at some places."""
    changed = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            changed.append(line)
            continue
        for _ in range(draw.randint(0, 3)):
            holder, key = draw.choice(list(nodes(value)) or [([0], 0)])
            holder[key] = deepcopy(draw.choice(VALUES))
        changed.append(json.dumps(value).encode() + b"\n")
    return changed


def nested(lines: list[bytes], draw: random.Random) -> list[bytes]:
    """Some values lie deep in others."""
    depth = draw.choice([50, 900, 5000, 100_000])
    opening, closing_ = draw.choice([(b"[", b"]"), (b'{"message":', b"}")])
    deep = opening * depth + b"1" + closing_ * draw.choice([depth, depth - 1])
    at = draw.randrange(len(lines))
    return [
        *lines[:at],
        lines[at].replace(b'"Make retries safe."', deep).replace(b"{}", deep),
        deep + b"\n",
        *lines[at:],
    ]


def flipped(lines: list[bytes], draw: random.Random) -> list[bytes]:
    """Some bits are others."""
    data = bytearray(b"".join(lines))
    for _ in range(draw.randint(1, 30)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data).splitlines(keepends=True)


def truncated(lines: list[bytes], draw: random.Random) -> list[bytes]:
    """The end is missing, or a piece in the middle."""
    data = b"".join(lines)
    start, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    return (data[:start] + (data[end:] if draw.random() < 0.5 else b"")).splitlines(keepends=True)


def lengthened(lines: list[bytes], draw: random.Random) -> list[bytes]:
    """Some lines are longer than what is read of one."""
    at = draw.randrange(len(lines))
    return [*lines[:at], lines[at].replace(b'"', b'"' + b"x" * 5000, 1), b"y" * 5000, *lines[at:]]


DAMAGE: list[Callable[[list[bytes], random.Random], list[bytes]]] = [
    swapped,
    nested,
    flipped,
    truncated,
    lengthened,
]


def survives(path: Path, format: transcripts.Format) -> None:
    """Reads and measures a file, however it looks."""
    events, tally = read(path, format)
    for event in events:
        shown(event)
        assert type(event.line) is int and isinstance(event.at, str) and isinstance(event.agent, str)
    rows = list(measure(path, format))
    assert sum(row.records for row in rows) == tally.records
    assert sum(row.skipped for row in rows) == tally.bad + tally.long
    for row in rows:
        json.loads(json.dumps(row.as_json()))
        row.as_csv()
    for sums in by_project(rows):
        json.loads(json.dumps(sums.as_json()))
        sums.as_csv()
    for line in table(rows):
        assert "\x1b" not in line and "\n" not in line


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(FILES)), damage=st.sampled_from(DAMAGE), seed=st.integers(0, 1 << 32))
def test_no_damage_stops_a_reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    damage: Callable[[list[bytes], random.Random], list[bytes]],
    seed: int,
) -> None:
    monkeypatch.setattr(_source, "LONGEST", 4000)
    path = tmp_path / "storage" / "session" / "p" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(damage(FILES[name].read_bytes().splitlines(keepends=True), random.Random(seed)))
    path.write_bytes(data)
    format = transcripts.format_of(FILES[name])
    assert format
    survives(path, format)
    transcripts.format_of(path)
    if name.endswith(".jsonl"):
        lines = [line for line in data.split(b"\n") if line.strip()]
        tally = read(path, format)[1]
        assert tally.records + tally.bad + tally.long == len(lines)
        # another format finds nothing that it could fall over, either
        for other in transcripts.formats().values():
            if other.NAME != "opencode":
                survives(path, other)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 32), cut=st.booleans())
def test_no_damage_stops_the_reader_of_a_database(tmp_path: Path, seed: int, cut: bool) -> None:
    whole = tmp_path / "whole.db"
    if not whole.exists():
        database(whole)
    draw = random.Random(seed)
    lines = [whole.read_bytes()]
    path = tmp_path / "opencode.db"
    path.write_bytes(b"".join(truncated(lines, draw) if cut else flipped(lines, draw)))
    survives(path, transcripts.formats()["opencode"])
    transcripts.format_of(path)


# Real sessions, by the figures of the list that comes with them, and counted again in another way.


def real() -> list[dict[str, str]]:
    if not (REAL / "MANIFEST.tsv").is_file():
        return []
    with (REAL / "MANIFEST.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@needs_real
@pytest.mark.parametrize("row", real(), ids=lambda row: row["local_path"])
def test_real_sessions(row: dict[str, str]) -> None:
    path = REAL / row["local_path"]
    format = transcripts.format_of(path)
    assert format
    assert row["local_path"].startswith(format.NAME + "/")
    (found,) = measure(path, format)
    assert (found.records, found.bad, found.long) == (int(row["records"]), int(row["bad_lines"]), 0)
    assert len(found.compactions) == int(row["compactions"])
    assert ";".join(f"{one.trigger}:{one.before}" for one in found.whole) == row["trigger:preTokens"]
    assert all(one.before_by == "host" for one in found.compactions)
    assert (found.calls, found.errors) == recounted(path)


def recounted(path: Path) -> tuple[int, int]:
    """Tool calls and failed results of a file of Claude Code or pi, by their blocks alone."""
    calls, errors = set(), set()
    for number, line in enumerate(path.read_bytes().splitlines()):
        try:
            message = json.loads(line).get("message") or {}
        except ValueError:
            continue
        if message.get("isError"):
            errors.add(message["toolCallId"])
        for block in message.get("content") or []:
            if isinstance(block, dict) and block.get("type") in ("tool_use", "toolCall"):
                calls.add(block["id"])
            if isinstance(block, dict) and block.get("type") == "tool_result" and block.get("is_error"):
                errors.add(block.get("tool_use_id", number))
    return len(calls), len(errors)
