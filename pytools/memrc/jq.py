"""jq inside Python, whichever binding is here: pyjq (jq 1.5), else the package called jq.

Both get one text: the schemas of bin/lib/schema, which hold definitions only, and a main
expression. So the shapes and the fold are stated once, for the shell and for Python.
"""

import importlib
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, Optional

from memrc.errors import StopError

HALF = re.compile("[\ud800-\udfff]")
INCLUDE = re.compile(r'^include "[a-z-]+";\n', re.MULTILINE)
BINDINGS = ("pyjq", "jq")


def home() -> Path:
    """Where memrc's own code is: MEMRC_HOME, else the checkout that this file lies in."""
    given = os.environ.get("MEMRC_HOME")
    return Path(given) if given else Path(__file__).resolve().parents[2]


@cache
def schema(name: str) -> str:
    """The text of bin/lib/schema/NAME.jq, without what it includes, which a Filter names. Stops with 69 if it
    isn't there.
    """
    try:
        text = (home() / "bin" / "lib" / "schema" / f"{name}.jq").read_text("utf-8")
        return INCLUDE.sub("", text)
    except OSError as error:
        raise StopError(69, f"{error.filename}: {error.strerror}: the installation is incomplete") from None


def binding(name: Optional[str] = None) -> Any:
    """The module called NAME, or the first of BINDINGS that can be imported. Stops with 69 if
    none.
    """
    for candidate in (name,) if name else BINDINGS:
        try:
            found = importlib.import_module(candidate)
        except ImportError:
            continue
        # any directory of that name on the path can be imported as an empty package
        if hasattr(found, "compile"):
            return found
    raise StopError(69, "no jq for Python: run make tools in memrc's directory, or pip install jq")


class Filter:
    """A compiled jq program over the schemas it names.

    Calling it with a JSON value (str, list, dict, number, bool or None) gives the program's first
    output, or None if there is none. The program must not fail. Half a surrogate pair, which JSON
    can spell and no jq takes, becomes U+FFFD.
    """

    def __init__(self, program: str, *schemas: str, use: Optional[str] = None) -> None:
        module = binding(use)
        # pyjq ends a text at its first NUL on the way out; as JSON it has none.
        self._pyjq = module.__name__ == "pyjq"
        main = f"({program}) | tojson" if self._pyjq else program
        self._program = module.compile("\n".join([*map(schema, schemas), main]))

    def __call__(self, value: Any) -> Any:
        value = _whole(value)
        if self._pyjq:
            return next((json.loads(text) for text in self._program.all(value)), None)
        return next(iter(self._program.input_value(value)), None)


def whole(text: str) -> str:
    """A text that is Unicode: U+FFFD for each half of a surrogate pair."""
    return text if text.isascii() else HALF.sub("\ufffd", text)


def _whole(value: Any) -> Any:
    """A JSON value whose texts are Unicode."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value
