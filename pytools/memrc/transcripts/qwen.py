"""Qwen Code: ~/.qwen/projects/DIRECTORY/chats/SESSION.jsonl.

Records `{uuid, parentUuid, sessionId, timestamp, type, cwd, version, message: {role, parts}}`, as in its
chatRecordingService.ts and seen in runs of 0.24.4; a compaction is `system/chat_compression`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

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
from memrc.transcripts._source import Head, Source
from memrc.transcripts._values import call, items, joined, number, table, text
from memrc.transcripts.gemini import FILES, FILES_END, outcome

NAME = "qwen"
KINDS = {
    "run_shell_command": RUN,
    "read_file": READ,
    "edit": EDIT,
    "replace": EDIT,
    "write_file": EDIT,
    "notebook_edit": EDIT,
}
TAGGED = tags("system-reminder")
# Of user records, those that a person wrote.
SAID = (None, "mid_turn_user_message")


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """All of QWEN_HOME, else ~/.qwen."""
    top = Path(env.get("QWEN_HOME") or home / ".qwen")
    yield from sorted((top / "projects").glob("*/chats/*.jsonl"))


def recognises(head: Head) -> bool:
    """Messages with parts, or a payload of the system."""
    return any(
        "sessionId" in record and ("systemPayload" in record or "parts" in table(record.get("message")))
        for record in head.records
    )


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`."""
    begun = False
    for line, record in source.objects():
        if not source.first(text(record.get("uuid"))):
            continue
        at, agent = text(record.get("timestamp")), text(record.get("agentId"))
        agent = agent or ("sidechain" if record.get("isSidechain") is True else "")
        if not begun and (name := text(record.get("sessionId"))):
            begun = True
            cwd, version = text(record.get("cwd")), text(record.get("version"))
            yield Session(line, at, agent, name, cwd, version)
        parts = table(record.get("message")).get("parts")
        kind = record.get("type")
        if kind == "assistant":
            if tokens := number(table(record.get("usageMetadata")).get("promptTokenCount")):
                yield Usage(line, at, agent, tokens)
            if said := joined(parts).strip():
                yield Say(line, at, agent, said)
            for part in items(parts):
                if used := table(part.get("functionCall")):
                    name, tool = text(used.get("id")), text(used.get("name"))
                    yield call(line, at, agent, name, tool, KINDS, used.get("args"))
        elif kind == "tool_result":
            yield _result(line, at, agent, record, parts)
        elif kind == "user" and record.get("subtype") in SAID and not agent:
            said = text(table(record.get("systemPayload")).get("displayText")) or joined(
                [part for part in items(parts) if not text(part.get("text")).lstrip().startswith("<qwen:")]
            )
            said = without(between(said, FILES, FILES_END), TAGGED)
            if said.strip():
                yield Prompt(line, at, agent, said)
        elif kind == "system" and record.get("subtype") == "chat_compression":
            payload = table(record.get("systemPayload"))
            info = table(payload.get("info"))
            before, after = number(info.get("originalTokenCount")), number(info.get("newTokenCount"))
            yield Compaction(line, at, agent, text(info.get("triggerReason")), before, after)
            first = next(iter(items(payload.get("compressedHistory"))), {})
            yield Summary(line, at, agent, joined(first.get("parts")))


def _result(line: int, at: str, agent: str, record: Record, parts: object) -> Result:
    found = table(record.get("toolCallResult"))
    answers = [table(part.get("functionResponse")) for part in items(parts)]
    answer = next((answer for answer in answers if answer), {})
    said, exit = outcome(parts)
    failed = found.get("status") in ("error", "cancelled") or "error" in table(answer.get("response"))
    name = text(found.get("callId")) or text(answer.get("id"))
    return Result(line, at, agent, name, failed or bool(exit), exit, said)
