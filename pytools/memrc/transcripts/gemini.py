"""Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-TIME-ID, .json before 2026, then .jsonl.

A .json file is one object with a list `messages`, written anew each time; in it a compression leaves no
trace. A .jsonl file has a line for each message, again when it changes, and patches `{"$set": …}`; a
compression is one that replaces the messages by a `<state_snapshot>`, without trigger and tokens. Seen
in the recorder's source and in runs of 2026.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Optional

from memrc.records import Record
from memrc.transcripts._events import (
    EDIT,
    READ,
    RUN,
    Compaction,
    Event,
    Prompt,
    Result,
    Say,
    Session,
    Summary,
    Usage,
)
from memrc.transcripts._said import between, tags, without
from memrc.transcripts._source import Head, Source, head
from memrc.transcripts._values import call, code_in, items, joined, number, table, text

NAME = "gemini"
KINDS = {"run_shell_command": RUN, "read_file": READ, "replace": EDIT, "write_file": EDIT}
EXIT = re.compile(r"^Exit Code: (-?\d{1,9})\b", re.MULTILINE)
HEADER = re.compile(r'"(sessionId|projectHash|startTime)"\s*:\s*"([^"\\]*)"')
# What a hook put beside the prompt.
HOOK = tags("hook_context|session_context")
# What stands for the files that a prompt names with @, in Qwen Code too.
FILES = re.compile(r"^--- Content from referenced files ---[ \t]*$", re.MULTILINE)
FILES_END = "--- End of content ---"
DONE = ("success", "error", "cancelled")


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """All of GEMINI_CLI_HOME, else of the home."""
    top = Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"
    yield from sorted(top.glob("*/chats/session-*.json"))
    yield from sorted(top.glob("*/chats/session-*.jsonl"))


def recognises(head: Head) -> bool:
    """A header with the session's id and its project's hash, or lines that patch it."""
    if any("$set" in record or {"sessionId", "projectHash"} <= set(record) for record in head.records):
        return True
    return {"sessionId", "projectHash"} <= {name for name, _ in HEADER.findall(head.start)}


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`."""
    if source.path.suffix == ".json":
        yield from _document(source)
        return
    begun = False
    for line, record in source.objects():
        if not begun and (name := text(record.get("sessionId"))):
            begun = True
            yield Session(line, text(record.get("startTime")), "", name, "", "")
        if "$set" in record:
            yield from _patched(source, line, table(record["$set"]))
        else:
            yield from _message(source, line, record)


def _document(source: Source) -> Iterator[Event]:
    if found := dict(HEADER.findall(head(source.path).start)):
        yield Session(0, found.get("startTime", ""), "", found.get("sessionId", ""), "", "")
    for place, record in source.elements("messages"):
        yield from _message(source, place, record)


def _patched(source: Source, line: int, patch: Record) -> Iterator[Event]:
    for message in items(patch.get("messages")):
        said = joined(message.get("content"))
        if "<state_snapshot>" in said:
            if source.once("summary " + said):
                at = text(patch.get("lastUpdated"))
                yield Compaction(line, at, "", "", None, None)
                yield Summary(line, at, "", said)
            return


def _message(source: Source, line: int, record: Record) -> Iterator[Event]:
    kind, at = record.get("type"), text(record.get("timestamp"))
    if kind not in ("user", "gemini"):
        return
    # a message is written again when it changed; what is new in it counts
    name = text(record.get("id")) or f"line {line}"
    said = joined(record.get("content"))
    if kind == "user":
        said = without(between(said, FILES, FILES_END), HOOK)
        if said.strip() and source.once("said " + name):
            yield Prompt(line, at, "", said)
        return
    tokens = number(table(record.get("tokens")).get("input"))
    if tokens and source.once(f"tokens {name}"):
        yield Usage(line, at, "", tokens)
    if said.strip() and source.once("said " + name):
        yield Say(line, at, "", said.strip())
    for position, used in enumerate(items(record.get("toolCalls"))):
        id = text(used.get("id")) or f"{name} {position}"
        when = text(used.get("timestamp")) or at
        if source.once("call " + id):
            yield call(line, when, "", id, text(used.get("name")), KINDS, used.get("args"))
        if used.get("status") in DONE and source.once("result " + id):
            said, exit = outcome(used.get("result"))
            yield Result(line, when, "", id, used.get("status") != "success" or bool(exit), exit, said)


def outcome(parts: object) -> tuple[str, Optional[int]]:
    """The text and the exit code in parts with a functionResponse, as this host and Qwen Code have them."""
    answers = [table(table(part.get("functionResponse")).get("response")) for part in items(parts)]
    said = "\n".join(text(answer.get("output")) or text(answer.get("error")) for answer in answers)
    return said, code_in(EXIT, said)
