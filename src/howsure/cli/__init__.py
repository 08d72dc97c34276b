"""The command: parse, call, render. No statistics here."""

import gc
import os
import sys


def main() -> None:
    """Run the command; exit codes 0 done, 1 and 3 of a gate, 2 bad input, 70 our own error, 130 interrupted."""
    try:
        from howsure.cli import interrupts, streams

        gc.set_threshold(50_000)  # imports make much and drop little: looking for garbage takes a tenth of the start
        interrupts.at_once()  # nothing to tidy up yet
        streams.open_closed()
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting idle threads costs more than the command
        from howsure.cli.app import run
    except KeyboardInterrupt:
        os._exit(130)
    sys.exit(interrupts.heeded(run, sys.argv[1:]))
