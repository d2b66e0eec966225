"""Print what pyproject.toml asks for, the tools of the tests included: input for pip install -r."""

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
print("\n".join(project["dependencies"] + project["optional-dependencies"]["dev"]))
