"""Starts the command line, or says in one line what it lacks. Any Python 3 can parse this."""

import sys

ADVICE = "run make tools in memrc's directory"


def main() -> None:
    """Runs `memrc.cli` on sys.argv and exits; 69 where Python is too old or a package it needs is
    missing.
    """
    name = "memrc-" + (sys.argv[1] if len(sys.argv) > 1 else "py")
    if sys.version_info < (3, 9):  # noqa: UP036
        sys.exit(lacking(name, "Python is older than 3.9: " + ADVICE))
    try:
        from memrc.cli import main as run
    except ImportError as error:
        sys.exit(lacking(name, str(error) + ": " + ADVICE + ", or pip install click filelock jq"))
    run()


def lacking(name: str, text: str) -> int:
    """Says what is missing; the exit code for it."""
    sys.stderr.write(name + ": " + text + "\n")
    return 69


if __name__ == "__main__":
    main()
