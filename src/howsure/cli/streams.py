"""The standard streams: closed, full, or of an encoding that lacks characters."""

from __future__ import annotations

import errno
import os
import sys

from howsure.errors import BadFile

_REFUSALS = {getattr(errno, name, -1) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF")}


def open_closed() -> None:
    """Put something in the place of closed streams, or the next file that is opened would take it.

    Output that is asked for and input that is needed then fail as they are used; messages go nowhere. Characters that
    the encoding of the output lacks are shown as escapes.
    """
    for number, name, flag, mode in (
        (0, "stdin", os.O_WRONLY, "r"),
        (1, "stdout", os.O_RDONLY, "w"),
        (2, "stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            _occupy(number, flag)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _occupy(number: int, flag: int) -> None:
    opened = os.open(os.devnull, flag)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def is_refusal(error: OSError) -> bool:
    """Whether it is about a stream that takes no more: errors about files name them."""
    return error.filename is None and error.errno in _REFUSALS


def refused(error: OSError) -> BadFile:
    """The sentence for output that was not taken; what is left of it is thrown away."""
    forget("stdout")
    why = "it is closed" if error.errno == errno.EBADF else error.strerror or error
    return BadFile(f"cannot write to standard output: {why}.")


def forget(name: str) -> None:
    """What a stream did not take is thrown away, or it would be tried again at the end of the process."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, getattr(sys, name).fileno())
        os.close(nothing)
    except (AttributeError, OSError, ValueError):
        return  # no stream of the system
