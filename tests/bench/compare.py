"""Times commands side by side: these machines are noisy, so only ratios of one run mean anything."""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping


def same(name: str, command: list[str], turn: int) -> list[str]:
    """The command as it stands, whichever turn it is."""
    return command


def medians(
    commands: Mapping[str, list[str]],
    env: Mapping[str, str],
    rounds: int = 40,
    vary: Callable[[str, list[str], int], list[str]] = same,
) -> dict[str, float]:
    """Median wall time of each command in ms, over interleaved rounds.

    The order turns with each round, so that no command always follows the same one; `vary` may give
    a command another form in each.
    """
    names = list(commands)
    times: dict[str, list[float]] = {name: [] for name in names}
    full = {**os.environ, **env}
    for turn in range(rounds + 2):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            command = vary(name, commands[name], turn)
            start = time.perf_counter()
            done = subprocess.run(command, env=full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            took = (time.perf_counter() - start) * 1000
            if done.returncode > 1:
                raise SystemExit(f"{name}: exit {done.returncode}")
            if turn >= 2:  # the first rounds warm the caches
                times[name].append(took)
    return {name: statistics.median(values) for name, values in times.items()}
