"""The peak memory of a call in this process, and of a command.

Linux keeps the highest resident memory of a process as VmHWM, and forgets it on request (clear_refs). So a call is
measured in place: earlier free memory goes back to the system, the peak is forgotten, the call is made, and the rise
of the peak over the resident memory before it is what the call needed beside its data. Linux counts in batches of
pages, so a rise is known to about 0.3 MB; memory that an allocator other than the C library's (DuckDB's, polars')
keeps from an earlier call does not rise again. A command is measured as a whole process.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# For the text of a program: the most memory that it held, in kB. getrusage counts that of what started it, too.
OWN_PEAK = "next(int(x.split()[1]) for x in open('/proc/self/status') if x.startswith('VmHWM'))"
RESOLUTION = 0.3  # MB
# Starts a command from a small process, for the peak that wait4 tells includes that of the process that started it.
_STARTER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


@dataclass(frozen=True)
class Peak:
    """Megabytes at most: those that a call added, or all of a process if it is a `whole` one."""

    megabytes: float
    whole: bool = False

    @property
    def text(self) -> str:
        """The figure as tables show it.

        >>> Peak(0.1).text, Peak(3.21).text, Peak(1234.5, whole=True).text
        ('< 0.3 MB', '3.2 MB', '1,234 MB in all')
        """
        if self.megabytes < RESOLUTION:
            return f"< {RESOLUTION} MB"
        number = f"{self.megabytes:,.0f}" if self.megabytes >= 99.95 else f"{self.megabytes:.1f}"
        return f"{number} MB in all" if self.whole else f"{number} MB"


def begin() -> float | None:
    """Forget the earlier peak; the megabytes that are resident now, or None if the system does not tell."""
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # what earlier calls freed would hide the rise
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    except OSError:
        return None


def rise(before: float | None) -> Peak | None:
    """The rise of the peak since `begin`, which returned `before`."""
    return None if before is None else Peak(max(0.0, _status("VmHWM") - before))


def of_command(line: Sequence[str], folder: str) -> Peak | None:
    """The peak of a process that runs `line` in `folder`, from its start to its end."""
    if sys.platform != "linux":
        return None
    starter = [sys.executable, "-S", "-c", _STARTER, *line]
    done = subprocess.run(starter, cwd=folder, capture_output=True, text=True, check=True)
    code, kilobytes = (int(x) for x in done.stdout.split())
    if code < 0:
        raise RuntimeError(f"{' '.join(line)} was ended by signal {-code}")
    return Peak(kilobytes / 1024, whole=True)


def of_running(pid: int) -> Peak:
    """The peaks so far of a process and of all that it started and that still run, added up."""
    total = _status("VmHWM", str(pid))
    for one in _children(pid):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            total += of_running(one).megabytes
    return Peak(total, whole=True)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():  # each thread has a list of those that it started
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def _status(name: str, process: str = "self") -> float:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"the system does not tell {name}")
