"""Command lines as agents type them: what two of them have in common, and which of them check a project."""

import itertools
import re
import shlex
from functools import cache

from memrc.jq import Filter

# What only looks or tidies up: that it finds nothing teaches nothing.
TRIFLES = frozenset(
    """
    [ ag awk cat cmp command curl date df diff du echo egrep env fd file find grep head jq kill killall ls
    lsof nc pgrep ping pkill printf ps pwd read rg rm rmdir sed sleep stat tail test tree true false type wc
    wget which
    """.split()  # noqa: SIM905
)
LOOKING = frozenset(
    f"git {action}" for action in ("blame", "branch", "diff", "grep", "log", "show", "status")
)
# What hangs on a network, a service or a branch: that it failed says little of the project.
ELSEWHERE = frozenset(
    [
        *("gh", "glab", "ssh", "scp", "rsync"),
        *(f"git {action}" for action in ("push", "pull", "fetch", "clone", "checkout", "switch", "merge")),
        *(f"git {action}" for action in ("rebase", "cherry-pick", "remote")),
        *(f"{tool} publish" for tool in ("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv")),
        *("twine upload", "gem push", "npm login"),
        *(f"{tool} {action}" for tool in ("docker", "helm") for action in ("push", "pull", "login")),
    ]
)
# What `programs` calls each of them, and a script that stands in the command line itself.
TRIFLE = "trifle"
WAY = re.compile(r"cd +(\"[^\"]*\"|'[^']*'|[^ ;&|]+) *&& *")
# What shows a part of an output, after the last bar.
PART = re.compile(r" *(tail|head)\b[^;&]*\Z")
GOING = re.compile(r"(^|[;&|(\s])(cd|pushd)\s")
PARTS = re.compile(r"&&|\|\||[;|\n]")
# What may stand before a program.
BEFORE = re.compile(r"[A-Za-z_]\w*=|(sudo|time|env|nice|npx|xargs|command)$")
QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
INTERPRETER = re.compile(r"(python[0-9.]*|node|deno|bun|ruby|perl|php|(ba|z|da)?sh)$")
# What a program is to do, and not what with.
ACTION = re.compile(r"[a-z][a-z0-9:_-]*$")


@cache
def _check_kind() -> Filter:
    return Filter("check_kind", "rules", "learn")


def short(command: str, cwd: str) -> str:
    """A command line without what changes nothing: the way to CWD, where the session is anyway, CWD before
    the path of what lies below it, and the handling of its output at the end.
    """
    command = command.strip()
    if way := WAY.match(command):
        place = way.group(1).strip("\"'").rstrip("/") + "/"
        if cwd and place.startswith(cwd.rstrip("/") + "/"):
            below = place[len(cwd.rstrip("/")) :].strip("/")
            command = (f"cd {shlex.quote(below)} && " if below else "") + command[way.end() :]
    return _untailed(_inside(command, cwd.rstrip("/")))


def _inside(command: str, cwd: str) -> str:
    """With paths from CWD, where it doesn't go elsewhere."""
    if not cwd or cwd not in command or GOING.search(command):
        return command
    return re.sub(rf"(?<![\w./~-]){re.escape(cwd)}(?=/|[\s\"';&|)]|\Z)", ".", command)


def _untailed(command: str) -> str:
    """Without what handles the output at the end; a loop, as a pattern would try each blank anew."""
    while True:
        left = command.rstrip(" ;")
        if left.endswith("\\"):  # of find
            return command
        if left.endswith("2>&1"):
            left = left[:-4]
        before, bar, last = left.rpartition("|")
        if bar and not before.endswith("|") and PART.match(last):
            left = before
        if left == command:
            return command
        command = left


def programs(command: str) -> frozenset[str]:
    """What the parts of a command line run: programs and what they do, as `git push` or `npm run build`."""
    parts = PARTS.split(QUOTED.sub('""', command))
    return frozenset(found for part in parts if (found := _program(part.split())))


def _program(words: list[str]) -> str:
    """Of one part; empty for none."""
    while words and BEFORE.match(words[0]):
        words = words[1:]
    if not words or words[0] == "cd":
        return ""
    name, *rest = words
    while name == "git" and rest[:1] and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    if not INTERPRETER.match(name):
        actions = itertools.takewhile(ACTION.match, rest[: 2 if rest[:1] in (["run"], ["exec"]) else 1])
        found = " ".join([name, *actions])
        return TRIFLE if name in TRIFLES or found in LOOKING else found
    if rest[:1] in (["-c"], ["-e"]):
        return TRIFLE
    # a file is the same wherever it is called from
    return " ".join([name, *(word.rpartition("/")[2] for word in rest[:1])])


def elsewhere(ran: frozenset[str]) -> bool:
    """Does one of what `programs` found hang on something outside the project?"""
    return any(name in ELSEWHERE or name.split()[0] in ELSEWHERE for name in ran)


def check(command: str) -> tuple[str, str]:
    """`test` or `lint` for a whole run of tests or of a linter, and how it is run; else nothing."""
    text = _untailed(command.split(" | ")[0])
    way = WAY.match(text)
    kind = _check_kind()(text[way.end() :] if way else text)
    return (kind, text) if kind else ("", "")


def of_a_part(command: str) -> bool:
    """Does it begin by going to a directory?"""
    return WAY.match(command) is not None
