"""A project with a memory, wired by `memrc install claude`, and the real client in it: with a fresh HOME, and
no environment but what is named here."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import termios
import threading
import time
from pathlib import Path

from model import Model, blocks, text_of

HERE = Path(__file__).resolve().parents[2]
MEMRC = str(HERE / "bin/memrc")
TYPED = shlex.quote(MEMRC)  # as an agent gives it to its shell
CLIENT = os.environ["CLIENT"]
WORK = Path(os.environ["WORK"])
PRIVATE = "PRIVATE" in os.environ  # may this process mount something that nobody else sees?

MARK = "[SESSION RESTORE]"
CONSTRAINTS = [
    "不要修改 migrations 目录下的历史文件",
    "No Redis: production opens no extra port.",
    "Never commit without asking me first.",
]
TITLE, NEXT = "retries must not place two orders", "add the key check to create_order"
FAILURE = ["unique index on request_id", "psycopg.errors.NotNullViolation", "a table of keys"]
DECISION = "Keys are UUIDv7 made by the client, kept 24 h."
ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")  # of a terminal: colours, where the cursor goes
# The auto-compaction of the client begins at about 67,000 tokens of this window, its smallest.
SMALL = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}


class Lab:
    def __init__(self, name, install=True, memory=True):
        self.dir = WORK / name
        self.home, self.project, self.root = (
            self.dir / "home",
            self.dir / "pro ject",
            self.dir / "pro ject/.memrc",
        )
        for path in (self.home, self.project, self.dir / "tmp"):
            path.mkdir(parents=True)
        self.model = Model()
        self.sh("git", "init", "-q", "-b", "main", ".")
        (self.project / "app.py").write_text("PORT = 3000\n")
        self.sh("git", "add", "app.py")
        self.sh("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "app")
        # the dialogs of a first start, answered
        done = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
        start = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "numStartups": 3,
            "projects": {str(self.project): done},
        }
        start["customApiKeyResponses"] = {"approved": ["dummy"], "rejected": []}
        (self.home / ".claude.json").write_text(json.dumps(start))
        self.memrc("init")
        if memory:
            self.remember()
        if install:
            self.memrc("install", "claude")

    def remember(self):
        for text in CONSTRAINTS:
            self.memrc("constrain", text)
        self.memrc("task", "start", "retry", "--title", TITLE)
        self.memrc("progress", "--done", "found the duplicate path", "--next", NEXT)
        what, error, instead = FAILURE
        self.memrc("fail", what, "--because", "old rows have NULLs", "--error", error, "--instead", instead)
        self.memrc("decide", DECISION, "--because", "no new service", "--rejected", "Redis: opens a port")

    def env(self, **more):
        """All that the client, and whoever it starts, gets of an environment."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.dir / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": self.model.url,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **more,
        }

    def sh(self, *command, check=True, **env):
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.env(**env),
            capture_output=True,
            text=True,
            check=check,
            timeout=60,
        )

    def memrc(self, *arguments, check=True, **env):
        return self.sh(MEMRC, *arguments, check=check, **env)

    def client(self, *arguments, **env):
        """One `claude -p`, running."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(
            [CLIENT, "-p", *arguments], cwd=self.project, env=self.env(**env), text=True, **pipes
        )

    def run(self, *arguments, **env):
        """One turn in one process."""
        with self.client(*arguments, **env) as process:
            process.communicate("", timeout=60)

    def talk(self, prompts, *arguments, each=None, **env):
        """Several turns in one process; each(prompt) is called after each. Gives the exit code."""
        stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        with self.client(*stream, *arguments, **env) as process:
            limit = threading.Timer(90, process.kill)
            limit.start()
            for prompt in prompts:
                said = {"type": "user", "message": {"role": "user", "content": prompt}}
                process.stdin.write(json.dumps(said) + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    if line.startswith("{") and json.loads(line)["type"] == "result":
                        break
                if each:
                    each(prompt)
            process.stdin.close()
            process.stdout.read()
            code = process.wait()
            limit.cancel()
            return code

    def last(self):
        return self.model.turns()[-1]

    def close(self):
        self.model.shutdown()
        self.model.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Terminal:
    """The client as a person sees it, on a terminal of its own."""

    def __init__(self, lab, *arguments, **env):
        self.seen = b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 150, 0, 0))
        quiet = termios.tcgetattr(slave)
        quiet[3] &= ~termios.ECHO  # what is on the screen was put there by the client
        termios.tcsetattr(slave, termios.TCSANOW, quiet)
        self.master = master
        ends = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
        self.process = subprocess.Popen([CLIENT, *arguments], cwd=lab.project, env=lab.env(**env), **ends)
        os.close(slave)

    def wait(self, condition, seconds=60):
        """Reads what the client prints until the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.seen += os.read(self.master, 65536)
            if condition():
                return True
        return False

    def ask(self, text, begun):
        """Types a line until the screen shows it, then Enter, until begun(): a client that is still starting
        throws away what was typed before."""
        for _ in range(5):
            before = len(self.seen)
            os.write(self.master, b"\x15" + text.encode())  # ^U: over what may be there of the try before
            if not self.wait(lambda at=before: text.encode() in ESCAPES.sub(b"", self.seen[at:]), 5):
                continue
            self.wait(lambda: False, 0.4)
            os.write(self.master, b"\r")
            if self.wait(begun, 20):
                return True
        return False

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def restores(body):
    """The restore messages in a request."""
    found = []
    for message in body["messages"]:
        for block in blocks(message):
            text = (
                block.get("text")
                or (block.get("content") if isinstance(block.get("content"), str) else "")
                or ""
            )
            found += [
                "[SESSION RESTORE]" + part.split("[END OF RESTORE]")[0] for part in text.split(MARK)[1:]
            ]
    return found


def results(body):
    """What the tools answered, in order."""
    answers = []
    for message in body["messages"]:
        for block in blocks(message):
            if block.get("type") == "tool_result":
                content = block["content"]
                text = content if isinstance(content, str) else text_of(block)
                answers.append((bool(block.get("is_error")), text))
    return answers
