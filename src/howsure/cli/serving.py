"""The command `howsure serve`: the page on this machine."""

from __future__ import annotations

from typing import Final

import click

from howsure.cli import progress
from howsure.cli.options import option
from howsure.cli.output import write

_OPTIONS: Final = [
    option("--port", type=click.IntRange(0, 65535), help="The port; 0 is a free one.  [default: 8017, or a free one]"),
    option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        metavar="ADDRESS",
        help="Where to listen. Any address except 127.x.x.x and ::1 needs a token, which is printed.",
    ),
    option("--no-browser", is_flag=True, help="Print the address, and open no browser."),
]


@click.command("serve", params=[*_OPTIONS])
def serve(port: int | None, host: str, no_browser: bool) -> None:
    """Open the page: scores, comparisons, files, plans and curves in the browser, on this machine.

    Nothing is sent elsewhere and nothing is stored. Ctrl-C ends it. It takes the extra web: pip install 'howsure[web]'.
    """
    from howsure.web.server import serve as run_serve
    from howsure.web.uploads import forget_sockets

    progress.stop()
    try:
        run_serve(host, port, not no_browser, lambda x: write(f"howsure is at {x}\nCtrl-C ends it.\n", None))
    except KeyboardInterrupt:
        forget_sockets()  # the process ends on the spot, and multiprocessing tidies nothing up
        raise
