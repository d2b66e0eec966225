"""Claude Code: ~/.claude/projects/DIRECTORY/SESSION.jsonl, since 2.0 SESSION/subagents/agent-ID.jsonl too.

Seen in files of 1.x to 2.1 and in runs of 2.1.332. Order is that of the file: chains of parentUuid break
at a compaction, and a second one in a process may append rows again, with their uuid. A compaction is a
record `compact_boundary`; only where an old build wrote none, its `isCompactSummary`.
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
from memrc.transcripts._values import Bounded, call, code, code_in, items, joined, number, table, text, total

NAME = "claude"
KINDS = {
    "Bash": RUN,
    "Read": READ,
    "NotebookRead": READ,
    "Edit": EDIT,
    "MultiEdit": EDIT,
    "NotebookEdit": EDIT,
    "Write": EDIT,
}
# What the host and its hooks put among a person's words …
ASIDE = r"system-reminder|ide_\w+|(?:\w+-)+hook"
TAGGED = tags(ASIDE)
# … and in their place, often with more behind it.
NOT_SAID = re.compile(
    r"\s*(<(command-(name|message|args)|local-command-\w+|task-notification|bash-(input|stdout|stderr)"
    rf"|user-memory-input|teammate-message|{ASIDE})\b|\[Request interrupted|Caveat: The messages below"
    r"|Stop hook feedback:|This session is being continued from a previous conversation)"
)
PLAN = "Implement the following plan:"
EXIT = re.compile(r"\A(?:Error: )?Exit code (\d{1,9})\b")
# Records of sidechains whose children may come.
OPEN = 10_000
INTERRUPTED = "[Request interrupted by user"
FILL = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def places(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """All of CLAUDE_CONFIG_DIR, else ~/.claude."""
    projects = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    yield from sorted(projects.glob("*/*.jsonl"))
    yield from sorted(projects.glob("*/*/subagents/*.jsonl"))


def recognises(head: Head) -> bool:
    """Records of a session, in a file or as the client streams them; not those of its copy, Qwen Code."""
    return any(
        ("sessionId" in record or "session_id" in record or "leafUuid" in record)
        and text(record.get("type")) != ""
        and "parts" not in table(record.get("message"))
        for record in head.records
    ) and not any(
        "systemPayload" in record or "parts" in table(record.get("message")) for record in head.records
    )


def events(source: Source) -> Iterator[Event]:
    """As `Format.events`."""
    announced = False
    session: Optional[Session] = None
    answer = ""
    agents = _Sidechains()
    for line, record in source.objects():
        kind = record.get("type")
        begun = _session(line, record)
        if begun and (session is None or _another(session, begun)):
            session = begun
            yield session
        if kind not in ("assistant", "user", "system") or not source.first(text(record.get("uuid"))):
            continue
        at, agent = text(record.get("timestamp")), agents.name(record)
        message = table(record.get("message"))
        if kind == "assistant":
            # one answer is split over several records, each with the usage of the whole
            name = text(message.get("id"))
            if not name or name != answer:
                answer = name
                if tokens := total(table(message.get("usage")), *FILL):
                    yield Usage(line, at, agent, tokens)
            for block in items(message.get("content")):
                if block.get("type") == "tool_use":
                    name, tool = text(block.get("id")), text(block.get("name"))
                    yield call(line, at, agent, name, tool, KINDS, block.get("input"))
                elif block.get("type") == "text" and (said := text(block.get("text")).strip()):
                    yield Say(line, at, agent, said)
        elif kind == "system":
            compacted = _compaction(line, at, agent, record)
            if compacted:
                announced = announced or not compacted.micro
                yield compacted
        elif record.get("isCompactSummary") is True:
            if not announced:
                yield Compaction(line, at, agent, "", None, None)
            announced = False
            yield Summary(line, at, agent, joined(message.get("content")))
        else:
            yield from _user(line, at, agent, record, message.get("content"))


def _session(line: int, record: Record) -> Optional[Session]:
    """The session that a record says it is of."""
    name = text(record.get("sessionId")) or text(record.get("session_id"))
    if not name:
        return None
    cwd, version = text(record.get("cwd")), text(record.get("version"))
    return Session(line, text(record.get("timestamp")), text(record.get("agentId")), name, cwd, version)


def _another(first: Session, second: Session) -> bool:
    """Is it another session's record, and not one that a resumed or forked session took along? Those come
    from the same directory, or one below or above it.
    """
    here, there = f"{first.cwd}/", f"{second.cwd}/"
    known = first.cwd and second.cwd and first.id != second.id
    return bool(known) and not here.startswith(there) and not there.startswith(here)


class _Sidechains:
    """The subagents of 1.x, which have no name: each begins with a record that has no parent."""

    def __init__(self) -> None:
        self._count = 0
        self._names = Bounded(OPEN)

    def name(self, record: Record) -> str:
        """Whose record it is; empty for the session's own."""
        if (found := text(record.get("agentId"))) or record.get("isSidechain") is not True:
            return found
        name = self._names.get(text(record.get("parentUuid"))[:ID])
        if not name:
            self._count += 1
            name = f"sidechain {self._count}"
        if uuid := text(record.get("uuid"))[:ID]:
            self._names.put(uuid, name)
        return str(name)


def _compaction(line: int, at: str, agent: str, record: Record) -> Optional[Compaction]:
    micro = record.get("subtype") == "microcompact_boundary"
    if not micro and record.get("subtype") != "compact_boundary":
        return None
    found = table(record.get("microcompactMetadata" if micro else "compactMetadata"))
    # as the client streams it
    found = found or table(record.get("compact_metadata"))
    before = number(found.get("preTokens", found.get("pre_tokens")))
    after = number(found.get("postTokens", found.get("post_tokens")))
    saved = number(found.get("tokensSaved"))
    if micro and after is None and before is not None and saved is not None:
        after = max(before - saved, 0)
    return Compaction(line, at, agent, text(found.get("trigger")), before, after, micro)


def _user(line: int, at: str, agent: str, record: Record, content: object) -> Iterator[Event]:
    results = [block for block in items(content) if block.get("type") == "tool_result"]
    for block in results:
        said = joined(block.get("content"))
        failed = block.get("is_error") is True
        # of a command in the background, what asks for its output is told its exit code
        outcome = record.get("toolUseResult") if len(results) == 1 else None
        exit = code(table(table(outcome).get("task")).get("exitCode"))
        if failed and exit is None:
            exit = code_in(EXIT, said)
        yield Result(line, at, agent, text(block.get("tool_use_id")), failed or bool(exit), exit, said)
    if joined(content).startswith(INTERRUPTED):
        yield Interruption(line, at, agent)
    # a subagent's first prompt is its caller's
    elif results or agent or record.get("isMeta") is True:
        return
    elif (said := words(content, TAGGED, NOT_SAID)) and not (
        # the plan that the person agreed to is the agent's own
        text(record.get("planContent")) and said.startswith(PLAN)
    ):
        yield Prompt(line, at, agent, said)
