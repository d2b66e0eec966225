"""How a command ends before its time."""

import errno


class StopError(Exception):
    """Ends the command: a one-line reason for stderr, `what: why: what to do`, and the exit code.

    Codes as in bin/lib/base.sh: 2 usage, 6 no root, 65 data, 69 no tool, 74 I/O, 75 lock busy.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def io_stop(error: OSError) -> StopError:
    """The StopError for an error of the operating system."""
    what = error.filename or "a file"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        advice = "make room: nothing was changed"
    else:
        advice = "check its permissions: nothing was changed"
    return StopError(74, f"{what}: {error.strerror or error}: {advice}")
