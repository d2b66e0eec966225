"""Claude Code with memrc: what must be in the request that the model gets. Prints a line a check, then the counts."""

import json
import sys
import threading
import time

from lab import (
    CONSTRAINTS,
    DECISION,
    FAILURE,
    MARK,
    NEXT,
    SMALL,
    TITLE,
    WORK,
    Lab,
    MEMRC,
    Terminal,
    fresh,
    restores,
    results,
)
from model import tool

COUNT = {True: 0, False: 0}


def check(what, holds, seen=""):
    COUNT[bool(holds)] += 1
    print(f"ok {what}" if holds else f"not ok {what}\n    {str(seen)[:3000]}", flush=True)


def missing(body, runlevel):
    """What a request lacks of the memory at that runlevel, or has twice; empty if all is well."""
    found = restores(body)
    if len(found) != 1:
        return [f"{len(found)} restore messages"]
    (text,) = found
    wanted = [f"· {runlevel} ·", *CONSTRAINTS, TITLE, NEXT, *FAILURE, DECISION]
    if runlevel in ("startup", "clear"):
        wanted.append("continue only if the user asks")
    if runlevel == "clear":
        wanted = [w for w in wanted if w not in FAILURE]
    lacks = [w for w in wanted if w not in text]
    lacks += [w + " (twice)" for w in (*CONSTRAINTS, FAILURE[1], DECISION) if text.count(w) > 1]
    if runlevel in ("resume", "compact") and "continue only if the user asks" in text:
        lacks.append("the task isn't continued")
    return [*lacks, text] if lacks else []


def compactions():
    with Lab("compactions") as lab:
        after = {}

        def each(prompt):
            after[prompt] = lab.last()

        turns = [
            "one",
            "two",
            "/compact",
            "three",
            "/compact",
            "four",
            "/compact",
            "five",
            "/compact",
            "six",
            "/compact",
            "seven",
        ]
        lab.talk(turns, each=each)
        check(
            "start: the memory is in the first request",
            not missing(after["one"], "startup"),
            missing(after["one"], "startup"),
        )
        check("five compactions were made", len(lab.model.summaries()) == 5, len(lab.model.summaries()))
        for n, prompt in enumerate(["three", "four", "five", "six", "seven"], 1):
            lacks = missing(after[prompt], "compact")
            check(f"manual compaction {n} of 5: all of it, once", not lacks, lacks)
        # once per content: what is in the context already isn't told again
        lab.run("--continue", "eight")
        check(
            "resume: once, not again beside the one from the compaction",
            len(restores(lab.last())) == 1,
            restores(lab.last()),
        )
        lab.memrc("constrain", "Say please.")
        lab.run("--continue", "nine")
        last = restores(lab.last())[-1]
        check(
            "resume after a change: it is told, as a resume",
            "Say please." in last and "· resume ·" in last,
            restores(lab.last()),
        )
        lab.talk(["/clear", "ten"], "--continue")
        check(
            "clear: the task is only offered", not missing(lab.last(), "clear"), missing(lab.last(), "clear")
        )


def resume():
    with Lab("resume") as lab:
        lab.memrc("uninstall", "claude")
        lab.run("one")
        lab.memrc("install", "claude")
        lab.run("--continue", "two")
        check(
            "resume of a session without memrc: all of it, once",
            not missing(lab.last(), "resume"),
            missing(lab.last(), "resume"),
        )


def automatic():
    with Lab("automatic") as lab:
        lab.model.script["two tools"] = [
            tool("Bash", command="true one", usage=95000),
            tool("Bash", command="true two", usage=95000),
        ]
        lab.run("do it with two tools", "--allowedTools", "Bash", **SMALL)
        check(
            "automatic compaction in mid-turn",
            len(lab.model.summaries()) >= 1 and results(lab.last()),
            len(lab.model.summaries()),
        )
        check(
            "... the turn's next request has all of it, once",
            not missing(lab.last(), "compact"),
            missing(lab.last(), "compact"),
        )


def without():
    with Lab("without") as lab:
        lab.memrc("uninstall", "claude")
        lab.talk(["one", "two", "/compact", "three"])
        check("uninstalled: the client compacts, and the request has nothing of it", len(lab.model.summaries()) == 1 and
              MARK not in json.dumps(lab.model.turns()) and missing(lab.last(), "compact"))  # fmt: skip
        check("uninstalled: the settings are gone as they came", not (lab.project / ".claude").exists())


def lazy():
    with Lab("lazy", memory=False) as lab:
        failing = "sh -c 'printf \"E   AssertionError: 2 orders\\n\" >&2; exit 1' test_double"
        lab.model.script["start now"] = [
            tool("Read", file_path=str(lab.project / "app.py")),
            tool("Bash", command=failing),
            tool("Edit", file_path=str(lab.project / "app.py"), old_string="3000", new_string="5004"),
            tool("Bash", command="ls no-such-directory"),
        ]
        lab.model.script["helper"] = [
            tool(
                "Agent",
                description="count",
                prompt="COUNTING",
                subagent_type="general-purpose",
                run_in_background=True,
            )
        ]
        lab.model.script["COUNTING"] = [tool("Bash", command="true counted", delay=20)]
        rules = ["Never rename anything in api.py.", "The cap for retries is 3, not 5."]
        prompts = [f"start now. {rules[0]}", "and get a helper", rules[1], "/compact", "go on"]
        lab.talk(prompts, "--allowedTools", "Bash,Edit,Read,Agent")
        text = "".join(restores(lab.last()))
        wanted = [
            "AssertionError: 2 orders",
            "no-such-directory",
            "app.py",
            *rules,
            "helper",
            "[BEFORE THE COMPACTION]",
        ]
        check("lazy agent: what failed, what was edited and what the user said is there", all(w in text for w in wanted),
              [[w for w in wanted if w not in text], text])  # fmt: skip
        check("lazy agent: the open subagent is named", "COUNTING" in text or "general-purpose" in text or "count" in text.split(
              "[BEFORE THE COMPACTION]")[-1], text)  # fmt: skip


WRITES = [
    ["progress", "--done", "wrote the key table", "--next", "test it"],
    ["decide", "the table has one index", "--because", "it is small"],
    ["fail", "a second index", "--because", "slower", "--error", "real 9.1s"],
]


def command(words):
    return " ".join([MEMRC, *(w if w.startswith("--") or w.isalpha() else f'"{w}"' for w in words)])


def diligent():
    with Lab("diligent") as lab:
        lab.model.script["work"] = [tool("Bash", command=command(words)) for words in WRITES]
        lab.model.script["work"].append(tool("Bash", command=f"{MEMRC} retire c-1234 --because x"))
        lab.run("work")
        answers = results(lab.last())
        check(
            "diligent agent, -p: progress, decide, fail run without a prompt",
            [e for e, _ in answers[:3]] == [False] * 3,
            answers,
        )
        check("... retire doesn't", len(answers) == 4 and answers[3][0] and "permission" in answers[3][1].lower() + "permission" *
              ("approval" in answers[3][1]), answers)  # fmt: skip
        lab.talk(["/compact", "on"], "--continue")
        text = "".join(restores(lab.last()))
        check(
            "... and what was written is in the next restore",
            all(w[1] in text or w[2] in text for w in WRITES),
            text,
        )
        short = [c.replace(MEMRC, "memrc") for c in map(command, WRITES)]
        lab.model.script["short"] = [tool("Bash", command=c) for c in short]
        lab.run("short", PATH=f"{MEMRC[:-6]}:/usr/bin:/bin")
        answers = results(lab.last())[-3:]
        check(
            "diligent agent, memrc on PATH: the short spelling too",
            [e for e, _ in answers] == [False] * 3,
            answers,
        )


def terminal():
    with Lab("terminal") as lab:
        lab.model.script["work"] = [tool("Bash", command=command(words)) for words in WRITES]
        screen = Terminal(lab)
        try:
            screen.pause(4)
            screen.type("work")
            done = screen.wait(lambda: len(lab.model.turns()) > 3)
            answers = results(lab.last())
            check("TUI: progress, decide, fail run without a prompt", done and [e for e, _ in answers] == [False] * 3,
                  [answers, screen.seen[-1500:]])  # fmt: skip
            screen.pause(1)
            screen.type("/compact")
            done = screen.wait(lambda: lab.model.summaries())
            screen.pause(2)
            before = len(lab.model.turns())
            screen.type("three")
            done = done and screen.wait(lambda: len(lab.model.turns()) > before)
            check(
                "TUI: /compact: all of it, once",
                done and not missing(lab.last(), "compact"),
                missing(lab.last(), "compact"),
            )
        finally:
            screen.close()


def two():
    with Lab("two") as lab:
        say = f"{MEMRC} progress --task %s --title %s --in-progress step-of-%s"
        for name in ("alpha", "beta"):
            lab.model.script[f"begin {name}"] = [
                tool("Bash", command=say % (name, name, name)),
                tool("Bash", command="sleep 2; echo $CLAUDE_CODE_SESSION_ID"),
                tool("Bash", command=say % (name, name, name + "-2")),
            ]
        sessions = {}

        def session(name, wait):
            time.sleep(wait)
            lab.talk([f"begin {name}", "/compact", f"after {name}"], "--allowedTools", "Bash")
            sessions[name] = [t for t in lab.model.turns() if f"after {name}" in json.dumps(t)][-1]

        threads = [threading.Thread(target=session, args=a) for a in (("alpha", 0), ("beta", 0.7))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        text = {name: "".join(restores(body)) for name, body in sessions.items()}
        for name, other in (("alpha", "beta"), ("beta", "alpha")):
            check(f"two sessions at once: {name} gets its own lane back", f"step-of-{name}-2" in text.get(name, "") and
                  f"step-of-{other}" not in text.get(name, ""), text.get(name))  # fmt: skip


def subagent():
    with Lab("subagent") as lab:
        lab.model.script["delegate"] = [
            tool("Agent", description="look", prompt="LOOK HERE", subagent_type="general-purpose")
        ]
        lab.run("delegate", "--allowedTools", "Agent")
        bodies = [
            t
            for t in lab.model.turns()
            if "LOOK HERE" in json.dumps(t["messages"][:2]) and "delegate" not in json.dumps(t["messages"])
        ]
        text = "".join(restores(bodies[0])) if bodies else ""
        check("a subagent gets the subagent form: the constraints, no task", "· subagent" in text and all(c in text for c in CONSTRAINTS)
              and NEXT not in text and DECISION not in text, [len(bodies), text])  # fmt: skip


def broken():
    def unreadable(lab):
        (lab.root / "state/constraints.md").unlink()
        (lab.root / "state/constraints.md").mkdir()
        return {}

    def no_jq(lab):
        return {"MEMRC_JQ": "/nowhere/jq"}

    def full(lab):
        for path in (lab.root / "state", lab.root / "logs"):
            lab.sh("mount", "-t", "tmpfs", "-o", "size=4k,ro", "none", str(path), check=False)
        return {}

    def hangs(lab):
        part = lab.root / "init.d/S15-hangs"
        part.parent.mkdir()
        part.write_text("#!/bin/sh\n# S15-hangs - never ends\nsleep 60\n")
        part.chmod(0o755)
        lab.memrc("allow", str(part))
        return {}

    def unknown(lab):
        (lab.home / ".local/state/memrc/trust").unlink()
        return {}

    cases = [
        ("state unreadable", unreadable, "constraints"),
        ("no jq", no_jq, "jq"),
        ("disk full", full, ""),
        ("a part that hangs", hangs, "S15-hangs"),
        ("root unknown", unknown, "allow"),
    ]
    for name, spoil, why in cases:
        with Lab(name.replace(" ", "-")) as lab:
            env = spoil(lab)
            began = time.monotonic()
            code = lab.talk(["one", "two", "/compact", "three"], **env)
            took = time.monotonic() - began
            asked = [b for b in lab.model.turns() if "three" in json.dumps(b["messages"][-3:])]
            check(
                f"broken ({name}): the client goes on",
                code == 0 and asked and len(lab.model.summaries()) == 1,
                [code, took],
            )
            doctor = lab.memrc("doctor", check=False, **env)
            check(f"broken ({name}): the doctor says why", doctor.returncode not in (0, 2) and why in doctor.stdout + doctor.stderr,
                  [doctor.returncode, doctor.stdout, doctor.stderr])  # fmt: skip


SCENARIOS = [compactions, resume, automatic, without, lazy, diligent, terminal, two, subagent, broken]


def main(names):
    fresh(WORK)
    for scenario in SCENARIOS:
        if names and scenario.__name__ not in names:
            continue
        began = time.monotonic()
        try:
            scenario()
        except Exception as error:  # a scenario that breaks off has failed, and the others still run
            check(f"{scenario.__name__} ran to its end", False, repr(error))
        print(f"# {scenario.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    print(f"{COUNT[True]} passed, {COUNT[False]} failed")
    return 1 if COUNT[False] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
