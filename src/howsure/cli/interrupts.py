"""Control-C and requests to end: an exit code of 128 and the signal's number, no trace, nothing left behind.

It imports little, so that the first moments of the command are covered too.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

_HEEDED = ("SIGINT", "SIGTERM", "SIGHUP")  # as far as the system has them


class _Asked:
    """The signal that asked the command to end, once one did."""

    by: int = 0


def asked() -> bool:
    """Whether the command was asked to end: what fails now fails for that, whatever it says."""
    return bool(_Asked.by)


def at_once() -> None:
    """Until `heeded`, a signal ends the process on the spot."""
    _handle(_leave)


def heeded(run: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run the command; a signal ends it as an exception does, so that temporary files go, and then the process.

    Libraries make errors of their own of the signal, and some would leave another exit code: it is that of the signal
    all the same. A second one ends the process on the spot; once the command is done they come too late.
    """
    sys.unraisablehook = _unraisable
    code = 0
    try:
        _handle(_raise)
        code = run(arguments)
        _handle(signal.SIG_IGN)
    except BaseException:
        _handle(signal.SIG_IGN)
        if not asked():
            raise
    if asked():
        os._exit(128 + _Asked.by)
    return code


def _handle(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """A handler for all signals to heed, but those that whoever started the command wants ignored."""
    for name in _HEEDED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    os._exit(128 + number)


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    _Asked.by = number
    _handle(signal.SIG_DFL)
    duck = sys.modules.get("howsure.duck")
    if duck is not None:
        duck.interrupt()
    raise KeyboardInterrupt


def _unraisable(given: sys.UnraisableHookArgs) -> None:
    """An interrupt that comes where nothing can be raised is no news."""
    if not asked():
        sys.__unraisablehook__(given)
