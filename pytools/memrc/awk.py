"""The awk programs of bin/lib/awk, which say for the shell and for Python how prose is read."""

import os
import subprocess

from memrc.errors import StopError
from memrc.jq import home


def awk(program: str, *arguments: str) -> str:
    """What PROGRAM.awk prints. Stops with 69 without awk, with 74 if it fails."""
    library = home() / "bin" / "lib" / "awk"
    command = ["awk", "-f", str(library / "text.awk"), "-f", str(library / f"{program}.awk")]
    try:
        done = subprocess.run(
            [*command, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
            env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
        )  # fmt: skip
    except FileNotFoundError:
        raise StopError(69, "no awk: install one") from None
    except subprocess.CalledProcessError:
        raise StopError(74, f"{arguments[-1]}: awk failed: check its permissions") from None
    return done.stdout.decode("utf-8", "replace")
