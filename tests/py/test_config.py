"""memrc.config reads what bin/lib/config.sh reads."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import HOME
from memrc import config

CASES = [
    "", "max_chars = 5000", "max_chars=999", "max_chars=1000", "max_chars=100001",
    "max_chars = 08000", "max_chars 7000", "  max_chars\t=\t7000\t", "max_chars = 7000 # why",
    "max_chars==7000", "max_chars = = 7000", "max_chars = -1", "archive_keep = 0",
    "archive_keep = 1", "archive_keep = 100000", "archive_keep = 1e3", "archive_keep=",
    "archive_keep", "recent_operations = 0\r", "replay_decisions = 50\nreplay_decisions = 51",
    "nudge_every = 1\nnudge_every = 2", "max_checks = 1000000", "# max_checks = 5",
    "\0max_checks = 5", "max_checks = 5" + " " * 9000 + "\nnudge_every = 3",
    "x\n" * 5000 + "nudge_every = 3", "max_checks = ٣", "= 5", "=max_chars=5000",
]  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_as_the_shell(state: Path, text: str) -> None:
    (state / "config").write_bytes(text.encode())
    script = f'. "{HOME}/bin/lib/base.sh"; . "{HOME}/bin/lib/config.sh"; config_load; printf "%s " '
    script += " ".join(f'"$CFG_{key}"' for key in config.SETTINGS)
    env = {**os.environ, "MEMRC_ROOT": str(state.parent)}
    shell = subprocess.run(["/bin/sh", "-c", script], env=env, capture_output=True, text=True, check=True)
    assert [int(value) for value in shell.stdout.split()] == [
        config.number(state, key) for key in config.SETTINGS
    ]


def test_absent(state: Path) -> None:
    assert config.number(state, "archive_keep") == 100
