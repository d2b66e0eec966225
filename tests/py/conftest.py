"""What the Python tests share: an empty root, and jq by whatever runs it here."""

import importlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).resolve().parents[2]
SCHEMA = HOME / "bin" / "lib" / "schema"
# Real sessions, which aren't part of the repository: beside its clone, or where MEMRC_TRANSCRIPTS says.
REAL = Path(os.environ.get("MEMRC_TRANSCRIPTS") or HOME.parent / "shared" / "transcripts")
needs_real = pytest.mark.skipif(
    not (REAL / "MANIFEST.tsv").is_file(), reason=f"not tested: no sessions in {REAL}: set MEMRC_TRANSCRIPTS"
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state directory of an empty root."""
    path = tmp_path / "root é" / "state"
    path.mkdir(parents=True)
    return path


def program(command: str) -> Callable[[str, Any], Any]:
    """jq as a program: text of schemas and main expression, value → first output."""

    def run(text: str, value: Any) -> Any:
        done = subprocess.run(
            [command, "-c", text], input=json.dumps(value).encode(), capture_output=True, check=True
        )
        return json.loads(done.stdout)

    return run


def module(name: str) -> Callable[[str, Any], Any]:
    """jq as a Python module: the same."""
    found = importlib.import_module(name)
    if name == "pyjq":
        # through JSON: pyjq ends a text at its first NUL on the way out
        def run(text: str, value: Any) -> Any:
            start = text.rstrip().rfind("\n") + 1
            return json.loads(found.compile(f"{text[:start]}({text[start:]}) | tojson").all(value)[0])

        return run
    return lambda text, value: found.compile(text).input_value(value).first()


def engines() -> dict[str, Callable[[], Callable[[str, Any], Any]]]:
    """Each jq that schemas must run on; a function that gives it, or raises what is missing."""

    def of_program(path: str, version: str = "") -> Callable[[], Callable[[str, Any], Any]]:
        def get() -> Callable[[str, Any], Any]:
            path_used = None if "/" in path else "/usr/local/bin:/usr/bin:/bin"
            command = shutil.which(path, path=path_used)
            if not command:
                raise ImportError(f"{path} is not installed")
            done = subprocess.run([command, "--version"], capture_output=True, text=True)
            if version and not done.stdout.startswith(version):
                raise ImportError(f"{command} is {done.stdout.strip()}")
            return program(command)

        return get

    return {
        "jq 1.5 (pyjq)": lambda: module("pyjq"),
        "jq 1.6": of_program("jq", "jq-1.6"),
        "jq package": lambda: module("jq"),
        "jaq": of_program(str(HOME / ".venv" / "bin" / "jaq")),
    }


@pytest.fixture(params=list(engines()))
def engine(request: pytest.FixtureRequest) -> Callable[[str, Any], Any]:
    """Each jq in turn; skipped, with the reason, where it isn't installed."""
    try:
        return engines()[request.param]()
    except ImportError as error:
        pytest.skip(f"not tested: {request.param}: {error}")


def schemas(*names: str) -> str:
    """The text of schema files."""
    texts = [(SCHEMA / f"{name}.jq").read_text("utf-8") for name in names]
    return re.sub(r'(?m)^include "[a-z-]+";\n', "", "\n".join(texts)) + "\n"
