"""Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, old ones also .jsonl.zst.

Two formats: since autumn 2025 lines `{timestamp, type, payload}`; before, the items alone under a first
line `{id, timestamp, instructions}`. Seen in files of 2025 to 0.125 and in runs of 2026. A compaction
says neither its trigger nor tokens.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from memrc.records import Record
from memrc.transcripts._events import (
    EDIT,
    OTHER,
    RUN,
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
from memrc.transcripts._said import tags, words
from memrc.transcripts._source import ID, Head, Source
from memrc.transcripts._values import Bounded, call, code, code_in, items, joined, number, table, text

NAME = "codex"
KINDS = {"shell": RUN, "shell_command": RUN, "exec_command": RUN, "local_shell": RUN, "apply_patch": EDIT}
ENVELOPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state")
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
# Items of the user that the host or a hook put in.
NOT_SAID = re.compile(
    r"\s*(</?[a-z_]+[ >]|# AGENTS\.md instructions|The following is the Codex agent history"
    r"|Another language model started to solve this problem)"
)
TAGGED = tags("image")
# What editors put before a request, and what they put the request under.
SETUP = re.compile(r"\s*# (Context from my IDE setup|Files mentioned by the user):")
REQUEST = "## My request for Codex:"
EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})\b", re.MULTILINE)
PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
# How much of a prompt tells whether it is the one before.
SAID = 10_000
# Commands whose exit code is known before their output.
OPEN = 1000


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """All of CODEX_HOME, else ~/.codex."""
    top = Path(env.get("CODEX_HOME") or home / ".codex")
    for name in ("sessions", "archived_sessions"):
        yield from sorted((top / name).glob("**/rollout-*.jsonl*"))


def recognises(head: Head) -> bool:
    """Lines with a payload, or the older items."""
    return any(
        (record.get("type") in ENVELOPES and isinstance(record.get("payload"), dict))
        or "record_type" in record
        or ("id" in record and "instructions" in record and "type" not in record)
        for record in head.records
    )


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`."""
    return _Rollout().events(source)


class _Rollout:
    def __init__(self) -> None:
        self._begun = False
        self._agent = ""
        self._said = ""
        self._codes = Bounded(OPEN)

    def events(self, source: Source) -> Iterator[Event]:
        for line, record in source.objects():
            kind, at = record.get("type"), text(record.get("timestamp"))
            payload = table(record.get("payload"))
            if kind == "response_item":
                yield from self._item(line, at, payload)
            elif kind == "event_msg":
                yield from self._event(line, at, payload)
            elif kind == "compacted":
                yield Compaction(line, at, self._agent, "", None, None)
                if said := text(payload.get("message")):
                    yield Summary(line, at, self._agent, said)
            elif kind == "session_meta":
                yield from self._session(line, at, payload)
            elif kind is None and "instructions" in record:
                yield from self._session(line, at, record)
            else:
                yield from self._item(line, at, record)

    def _session(self, line: int, at: str, found: Record) -> Iterator[Event]:
        # a fork has those of the sessions it came from below its own
        if not self._begun and (name := text(found.get("id"))):
            self._begun = True
            parent = ""
            if isinstance(source := found.get("source"), dict) and "subagent" in source:
                self._agent = name
                spawned = table(table(source["subagent"]).get("thread_spawn"))
                parent = text(spawned.get("parent_thread_id"))
            cwd, version = text(found.get("cwd")), text(found.get("cli_version"))
            yield Session(line, at, self._agent, parent or name, cwd, version)

    def _event(self, line: int, at: str, event: Record) -> Iterator[Event]:
        kind, name = event.get("type"), text(event.get("call_id"))
        if kind == "user_message":
            yield from self._prompt(line, at, event.get("message"))
        elif kind == "token_count":
            last = table(table(event.get("info")).get("last_token_usage"))
            tokens = number(last.get("total_tokens")) or number(last.get("input_tokens"))
            if tokens:
                yield Usage(line, at, self._agent, tokens)
        elif kind == "turn_aborted" and event.get("reason") == "interrupted":
            yield Interruption(line, at, self._agent)
        elif kind == "exec_command_end":
            self._ended(name, code(event.get("exit_code")))
        elif kind == "patch_apply_end" and event.get("success") is False:
            self._ended(name, 1)

    def _ended(self, name: str, exit: Optional[int]) -> None:
        if name and exit is not None:
            self._codes.put(name[:ID], exit)

    def _prompt(self, line: int, at: str, content: object) -> Iterator[Event]:
        """A prompt, which stands as an item and as an event, one behind the other."""
        said = words(content, TAGGED, NOT_SAID, "input_text")
        if SETUP.match(said):
            # what is selected in the editor may have that line, too
            said = said.rpartition(REQUEST)[2].strip() if REQUEST in said else ""
        # a subagent's prompt is its caller's
        if said and said[:SAID] != self._said and not self._agent:
            yield Prompt(line, at, "", said)
        self._said = said[:SAID]

    def _item(self, line: int, at: str, item: Record) -> Iterator[Event]:
        kind = item.get("type")
        name = text(item.get("call_id")) or text(item.get("id"))
        if kind == "message":
            if item.get("role") == "user":
                yield from self._prompt(line, at, item.get("content"))
            elif item.get("role") == "assistant":
                self._said = ""
                if said := joined(item.get("content"), "output_text").strip():
                    yield Say(line, at, self._agent, said)
        elif kind in CALLS:
            given, paths = _given(item)
            tool = text(item.get("name")) or ("local_shell" if kind == "local_shell_call" else OTHER)
            yield call(line, at, self._agent, name, tool, KINDS, given, paths)
        elif kind in RESULTS:
            said, exit = _output(item.get("output"))
            known = self._codes.pop(name[:ID], None)
            exit = known if exit is None else exit
            failed = bool(exit) or table(item.get("output")).get("success") is False
            yield Result(line, at, self._agent, name, failed, exit, said)


def _given(item: Record) -> tuple[Any, list[str]]:
    """What a tool is given, and the files of a patch."""
    given = item.get("arguments", item.get("input", item.get("action")))
    if isinstance(given, str):
        if given.startswith("*** Begin Patch"):
            return {}, PATCHED.findall(given)
        given = _json(given)
    patch = text(table(given).get("input"))
    return given, PATCHED.findall(patch)


def _output(output: Any) -> tuple[str, Optional[int]]:
    """The text of a result, and its exit code where one is told."""
    if isinstance(output, dict):
        output = output.get("content")
    said = output if isinstance(output, str) else "\n".join(text(part.get("text")) for part in items(output))
    if said.startswith('{"output":'):
        found = table(_json(said))
        return text(found.get("output")), code(table(found.get("metadata")).get("exit_code"))
    return said, code_in(EXIT, said[:1000])


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
