"""The command: parse, call, render. No statistics here."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command; exit codes 0 done, 2 bad input, 70 our own error, 130 interrupted."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting idle threads costs more than the command
    from howsure.cli.app import run

    sys.exit(run(sys.argv[1:]))
