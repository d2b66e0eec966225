"""Claude Code with memrc: is what the model needs in the request it gets? A line a check, then the counts."""

import json
import sys
import threading
import time

import lab as labs
from lab import (
    CONSTRAINTS,
    DECISION,
    FAILURE,
    MARK,
    MEMRC,
    NEXT,
    SMALL,
    TITLE,
    TYPED,
    Lab,
    Terminal,
    restores,
    results,
)
from model import tool

COUNT = {True: 0, False: 0}
OFFER = "continue only if the user asks"


def check(what, holds, *seen):
    COUNT[bool(holds)] += 1
    print(f"ok {what}" if holds else f"not ok {what}", flush=True)
    for thing in () if holds else seen:
        print("    " + str(thing)[-4000:].replace("\n", "\n    "), flush=True)


def lacking(body, runlevel):
    """What a request lacks of the memory at that runlevel, or has twice; empty if all is well."""
    found = restores(body)
    if len(found) != 1:
        return [f"{len(found)} restore messages", *found]
    text = found[0]
    wanted = [f"· {runlevel} ·", TITLE, NEXT, *CONSTRAINTS, DECISION]
    # after a clear what failed is only told when its task is taken up again
    wanted += [] if runlevel == "clear" else FAILURE
    if (OFFER in text) != (runlevel in ("startup", "clear")):
        return ["the task is offered, or not, against the runlevel", text]
    lacks = [w for w in wanted if w not in text]
    whole = json.dumps(body["messages"], ensure_ascii=False)
    lacks += [w + ": twice" for w in (*CONSTRAINTS, FAILURE[1], DECISION) if whole.count(w) > 1]
    return [*lacks, text] if lacks else []


def check_all(what, body, runlevel):
    lacks = lacking(body, runlevel)
    check(f"{what}: all of it, once", not lacks, *lacks)


def compactions():
    with Lab("compactions") as lab:
        after = {}
        prompts = ["one", "two"]
        for prompt in ("three", "four", "five", "six", "seven"):
            prompts += ["/compact", prompt]
        lab.talk(prompts, each=lambda prompt: after.update({prompt: lab.last()}))
        check_all("start", after["one"], "startup")
        check("five compactions were made", len(lab.model.summaries()) == 5, len(lab.model.summaries()))
        asked = json.dumps([s["messages"][-1] for s in lab.model.summaries()])
        check(
            "the summariser is told what to keep, each time",
            asked.count("Keep in the summary, word for word") == 5,
        )
        for n, prompt in enumerate(prompts[3::2], 1):
            check_all(f"manual compaction {n} of 5", after[prompt], "compact")
        lab.run("--continue", "eight")
        found = restores(lab.last())
        check("resume of a session that has it: not a second time", len(found) == 1, *found)
        lab.memrc("constrain", "Say please.")
        lab.run("--continue", "nine")
        found = restores(lab.last())
        check(
            "resume after a change: told, as a resume",
            "Say please." in found[-1] and "· resume ·" in found[-1],
            *found,
        )
        lab.talk(["/clear", "ten"], "--continue")
        check_all("clear", lab.last(), "clear")


def resume():
    with Lab("resume") as lab:
        lab.memrc("uninstall", "claude")
        lab.run("one")
        lab.memrc("install", "claude")
        lab.run("--continue", "two")
        check_all("resume", lab.last(), "resume")


def automatic():
    with Lab("automatic") as lab:
        lab.model.script["two tools"] = [tool("Bash", command=f"true {n}", usage=95000) for n in (1, 2)]
        lab.run("do it with two tools", "--allowedTools", "Bash", **SMALL)
        check(
            "automatic compaction, in mid-turn",
            lab.model.summaries() and results(lab.last()),
            lab.model.requests,
        )
        asked = json.dumps(lab.model.summaries()[-1]["messages"][-1], ensure_ascii=False)
        check(
            "... the summariser is told what to keep",
            all(w in asked for w in (*CONSTRAINTS, FAILURE[1])),
            asked,
        )
        check_all("... in the turn's next request", lab.last(), "compact")


def without():
    with Lab("without") as lab:
        lab.memrc("uninstall", "claude")
        check("uninstalled: nothing is left of the settings", not (lab.project / ".claude").exists())
        lab.talk(["one", "two", "/compact", "three"])
        said = json.dumps(lab.model.requests)
        check(
            "uninstalled: a compaction was made, and nothing of it is there",
            lab.model.summaries() and MARK not in said,
        )
        check("uninstalled: the check above fails", lacking(lab.last(), "compact"))


def lazy():
    with Lab("lazy", memory=False) as lab:
        file = str(lab.project / "app.py")
        lab.model.script["start now"] = [
            tool("Read", file_path=file),
            tool(
                "Bash", command="sh -c 'printf \"E   AssertionError: 2 orders\\n\" >&2; exit 1' test_double"
            ),
            tool("Edit", file_path=file, old_string="3000", new_string="5004"),
            tool("Bash", command="ls no-such-directory"),
        ]
        agent = {"description": "count orders", "prompt": "COUNTING", "subagent_type": "general-purpose"}
        lab.model.script["get help"] = [tool("Agent", run_in_background=True, **agent)]
        lab.model.script["COUNTING"] = [tool("Bash", command="true", delay=8)]
        rules = ["Never rename anything in api.py.", "The cap for retries is 3, not 5."]
        prompts = [f"start now. {rules[0]}", "get help", rules[1], "/compact", "go on"]
        lab.talk(prompts, "--allowedTools", "Bash,Edit,Read,Agent")
        text = "".join(restores(lab.last()))
        failed = ["AssertionError: 2 orders", "no-such-directory"]
        for what, wanted in (
            ("failed commands", failed),
            ("the file edited", ["app.py"]),
            ("two rules", rules),
        ):
            check(f"lazy agent: {what}", all(w in text for w in wanted), text)
        check("lazy agent: the open subagent", "count orders" in text or "general-purpose" in text, text)


WRITES = [
    f'{TYPED} progress --done "wrote the key table" --next "test it"',
    f'{TYPED} decide "the table has one index" --because "it is small"',
    f'{TYPED} fail "a second index" --because "slower" --error "real 9.1s"',
]
WRITTEN = ["wrote the key table", "the table has one index", "a second index"]


def diligent():
    with Lab("diligent") as lab:
        lab.model.script["work"] = [
            tool("Bash", command=c) for c in [*WRITES, f"{TYPED} retire c-1234 --because x"]
        ]
        lab.run("work")
        answers = results(lab.last())
        check(
            "diligent agent, -p: progress, decide, fail unasked",
            [e for e, _ in answers[:3]] == [False] * 3,
            answers,
        )
        asks = answers[-1][0] and "approval" in answers[-1][1]
        check("... but retire is asked for", len(answers) == 4 and asks, answers)
        lab.talk(["/compact", "on"], "--continue")
        text = "".join(restores(lab.last()))
        check("... what was written is in the next restore", all(w in text for w in WRITTEN), text)
        lab.model.script["short"] = [tool("Bash", command=c.replace(TYPED, "memrc")) for c in WRITES]
        lab.run("short", PATH=f"{MEMRC[:-6]}:/usr/bin:/bin")
        answers = results(lab.last())[-3:]
        check(
            "diligent agent, memrc on PATH: the short spelling",
            [e for e, _ in answers] == [False] * 3,
            answers,
        )


def terminal():
    with Lab("terminal") as lab:
        lab.model.script["tui-work"] = [tool("Bash", command=c) for c in WRITES]
        screen = Terminal(lab)

        def asked(text):
            return screen.ask(text, lambda: any(text in json.dumps(t) for t in lab.model.turns()))

        try:
            done = asked("tui-work") and screen.wait(lambda: len(lab.model.turns()) == 4)
            answers = results(lab.last()) if done else []
            check(
                "TUI: progress, decide, fail unasked",
                [e for e, _ in answers] == [False] * 3,
                answers,
                screen.seen,
            )
            done = screen.ask("/compact", lab.model.summaries) and asked("tui-three")
            check("TUI: a compaction was made", done, screen.seen)
            if done:
                check_all("TUI: manual compaction", lab.last(), "compact")
        finally:
            screen.close()


def two():
    with Lab("two", memory=False) as lab:
        last = {}

        def session(name, wait):
            time.sleep(wait)
            say = f"{TYPED} progress --task {name} --title {name} --in-progress"
            steps = [f"{say} first-{name}", "sleep 2", f"{say} second-{name}"]
            lab.model.script[f"begin {name}"] = [tool("Bash", command=c) for c in steps]
            lab.talk([f"begin {name}", "/compact", f"after {name}"], "--allowedTools", "Bash")
            last[name] = [t for t in lab.model.turns() if f"after {name}" in json.dumps(t)][-1]

        threads = [threading.Thread(target=session, args=a) for a in (("alpha", 0), ("beta", 0.7))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, other in (("alpha", "beta"), ("beta", "alpha")):
            text = "".join(restores(last[name]))
            own = f"second-{name}" in text and f"second-{other}" not in text and f"first-{other}" not in text
            check(f"two sessions at once: {name} gets its own lane back", own, text)


def subagent():
    with Lab("subagent") as lab:
        agent = {"description": "look", "prompt": "LOOK HERE", "subagent_type": "general-purpose"}
        lab.model.script["delegate"] = [tool("Agent", run_in_background=False, **agent)]
        lab.run("delegate", "--allowedTools", "Agent")
        bodies = [t for t in lab.model.turns() if "delegate" not in json.dumps(t["messages"])]
        found = restores(bodies[0]) if bodies else []
        text = "".join(found)
        check(
            "subagent: the constraints, once", len(found) == 1 and all(c in text for c in CONSTRAINTS), *found
        )
        form = "· subagent" in text and not any(w in text for w in (NEXT, DECISION, *FAILURE))
        check("subagent: neither task nor decisions nor failures", form, text)


def unreadable(lab):
    (lab.root / "state/constraints.md").unlink()
    (lab.root / "state/constraints.md").mkdir()


def no_jq(_lab):
    return {"MEMRC_JQ": "/nowhere/jq"}


def disk_full(lab):
    was = lab.root.rename(lab.dir / "was")
    lab.root.mkdir()
    lab.sh("mount", "-t", "tmpfs", "-o", "size=512k", "none", str(lab.root))
    lab.sh("cp", "-a", f"{was}/.", str(lab.root))
    lab.sh("dd", "if=/dev/zero", f"of={lab.root}/rest", check=False)


def hanging(lab):
    part = lab.root / "init.d/S15-hangs"
    part.parent.mkdir()
    part.write_text("#!/bin/sh\n# S15-hangs - never ends\nsleep 60\n")
    part.chmod(0o755)
    lab.memrc("allow", str(part))


def unknown(lab):
    (lab.home / ".local/state/memrc/trust").unlink()


def moved(lab):
    settings = lab.project / ".claude/settings.local.json"
    settings.write_text(settings.read_text().replace(MEMRC, "/nowhere/bin/memrc"))


BROKEN = [
    (unreadable, "constraints"),
    (no_jq, "jq"),
    (disk_full, "free on its disk"),
    (hanging, "S15-hangs"),
    (unknown, "allow"),
    (moved, "/nowhere"),
]


def plugin():
    with Lab("plugin", install=False) as lab:
        lab.model.script["remember"] = [tool("Skill", skill="memrc:memory")]
        lab.model.script["look"] = [tool("Bash", command="memrc status")]
        more = ["--plugin-dir", str(labs.HERE), "--allowedTools", "Bash(memrc status:*)"]
        lab.talk(["remember", "look", "/compact", "three"], *more)
        check_all("plugin from the clone, nothing installed", lab.last(), "compact")
        answers = max(map(results, lab.model.turns()), key=len)
        # a long path is cut in a page of 80 columns
        begins = str(lab.root)[:40]
        right = [e for e, _ in answers] == [False, False] and begins in answers[1][1]
        check("plugin: the skill is there, and memrc on PATH", right, answers)


def broken():
    for spoil, why in BROKEN:
        name = spoil.__name__
        if spoil is disk_full and not labs.PRIVATE:
            print("# disk_full: not tested, needs a mount namespace of its own", flush=True)
            continue
        with Lab(f"broken-{name}") as lab:
            env = spoil(lab) or {}
            code = lab.talk(["one", "two", "/compact", "three"], **env)
            goes_on = (
                code == 0 and lab.model.summaries() and "three" in json.dumps(lab.last()["messages"][-3:])
            )
            check(f"broken, {name}: the client goes on", goes_on, code)
            doctor = lab.memrc("doctor", check=False, **env)
            said = doctor.stdout + doctor.stderr
            check(
                f"broken, {name}: the doctor says why",
                doctor.returncode and why in said,
                doctor.returncode,
                said,
            )


SCENARIOS = [compactions, resume, automatic, without, lazy, diligent, terminal, two, subagent, plugin, broken]


def main(names):
    labs.WORK.mkdir(parents=True)
    for scenario in SCENARIOS:
        if names and scenario.__name__ not in names:
            continue
        began = time.monotonic()
        try:
            scenario()
        except Exception as error:  # a scenario that breaks off has failed; the others still run
            check(f"{scenario.__name__} ran to its end", False, repr(error))
        print(f"# {scenario.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    print(f"{COUNT[True]} passed, {COUNT[False]} failed")
    return 1 if COUNT[False] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
