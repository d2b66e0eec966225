"""pi: ~/.pi/agent/sessions/DIRECTORY/TIME_ID.jsonl.

Seen in a file of 2025 and in runs of 0.73.1 and 1.6.0. A compaction doesn't say its trigger.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memrc.transcripts._events import (
    EDIT,
    READ,
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
from memrc.transcripts._said import tags, without
from memrc.transcripts._source import Head, Source
from memrc.transcripts._values import call, code_in, items, joined, number, table, text, total

NAME = "pi"
KINDS = {"bash": RUN, "read": READ, "edit": EDIT, "write": EDIT}
# Files and skills that the host puts into a prompt.
TAGGED = tags("file|skill")
EXIT = re.compile(r"^Command exited with code (\d{1,9})\s*\Z", re.MULTILINE)


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """All of PI_CODING_AGENT_DIR, else ~/.pi/agent."""
    top = Path(env.get("PI_CODING_AGENT_DIR") or home / ".pi" / "agent")
    yield from sorted(top.glob("sessions/*/*.jsonl"))


def recognises(head: Head) -> bool:
    """Its first record, or its messages: role and content without a session's id."""
    return any(
        (record.get("type") == "session" and "cwd" in record and "id" in record)
        or (
            record.get("type") == "message"
            and table(record.get("message")).get("role") in ("user", "assistant", "toolResult")
        )
        for record in head.records
    )


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`."""
    begun = False
    for line, record in source.objects():
        kind, at = record.get("type"), text(record.get("timestamp"))
        if kind == "session":
            if not begun and (name := text(record.get("id"))):
                begun = True
                yield Session(line, at, "", name, text(record.get("cwd")), "")
            continue
        if kind not in ("message", "compaction") or not source.first(text(record.get("id"))):
            continue
        if kind == "compaction":
            yield Compaction(line, at, "", "", number(record.get("tokensBefore")), None)
            yield Summary(line, at, "", text(record.get("summary")))
            continue
        message = table(record.get("message"))
        role, content = message.get("role"), message.get("content")
        if role == "user":
            if (said := without(joined(content), TAGGED)).strip():
                yield Prompt(line, at, "", said)
        elif role == "toolResult":
            said = joined(content)
            failed = message.get("isError") is True
            exit = code_in(EXIT, said) if failed else None
            yield Result(line, at, "", text(message.get("toolCallId")), failed, exit, said)
        elif role == "assistant":
            if tokens := total(table(message.get("usage")), "input", "cacheRead", "cacheWrite"):
                yield Usage(line, at, "", tokens)
            for block in items(content):
                if block.get("type") == "toolCall":
                    name, tool = text(block.get("id")), text(block.get("name"))
                    yield call(line, at, "", name, tool, KINDS, block.get("arguments"))
                elif block.get("type") == "text" and (said := text(block.get("text")).strip()):
                    yield Say(line, at, "", said)
            if message.get("stopReason") == "aborted":
                yield Interruption(line, at, "")
