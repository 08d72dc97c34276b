"""Many clients at once on the API: how many answers a second, how long they take, and how many fail.

python -m bench.load [clients] [seconds]
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

QUESTION = {"counts": {"tp": 80, "fp": 20, "fn": 30, "tn": 870}, "metrics": ["f1"], "above": 0.8}


@dataclass(frozen=True)
class Load:
    """The times of all answers in seconds, in order, how many were no answers, and how long it took."""

    times: tuple[float, ...]
    failed: int
    seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.times) / self.seconds

    def quantile(self, share: float) -> float:
        """The time within which that share of the answers came."""
        return self.times[min(int(share * len(self.times)), len(self.times) - 1)]


@dataclass(frozen=True)
class Server:
    """Where the page is served, and by which process."""

    address: str
    pid: int


_SERVER = """
from howsure.web.server import serve
if __name__ == "__main__":
    serve("127.0.0.1", 0, False, lambda address: print(address, flush=True), workers={workers})
"""


@contextmanager
def serving(workers: int | None = None) -> Iterator[Server]:
    """The page on a free port, once it answers."""
    line = [sys.executable, "-c", _SERVER.format(workers=workers)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        if process.stdout is None:
            raise RuntimeError("the server says nothing")
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise RuntimeError("the server has no address")
        address = found[0].rstrip("/")
        if load(address, 4, 0.5).failed:
            raise RuntimeError("the server does not answer")
        yield Server(address, process.pid)
    finally:
        process.kill()
        process.communicate()


def load(address: str, clients: int, seconds: float) -> Load:
    """So many clients, each of which asks as soon as it has its answer."""
    with ThreadPoolExecutor(1) as own:  # a thread of its own: whoever calls may have a loop running, as playwright has
        return own.submit(asyncio.run, _load(address, clients, seconds)).result()


async def _load(address: str, clients: int, seconds: float) -> Load:
    begun = time.perf_counter()
    each = await asyncio.gather(*(_client(address, k, begun + seconds) for k in range(clients)))
    took = time.perf_counter() - begun
    return Load(tuple(sorted(x for times, _ in each for x in times)), sum(failed for _, failed in each), took)


async def _client(address: str, k: int, end: float) -> tuple[list[float], int]:
    """One connection; each question is another one, so that nothing can be kept."""
    place = urlsplit(address)
    times: list[float] = []
    failed = 0
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    while time.perf_counter() < end:
        question = {**QUESTION, "counts": {**QUESTION["counts"], "tn": 800 + 1000 * k + len(times)}}  # type: ignore[dict-item]
        body = json.dumps(question).encode()
        head = f"POST /api/score HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
        begun = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = re.search(rb"content-length: (\d+)", answer)
        held = await reader.readexactly(int(length[1])) if length is not None else b""
        times.append(time.perf_counter() - begun)
        failed += not (answer.startswith(b"http/1.1 200") and f'"tn": {question["counts"]["tn"]}'.encode() in held)
    writer.close()
    await writer.wait_closed()
    return times, failed


def main(clients: int = 50, seconds: float = 20.0) -> None:
    with serving() as server:
        found = load(server.address, clients, seconds)
    p50, p99, most = (1000 * found.quantile(q) for q in (0.5, 0.99, 1.0))
    print(f"{clients} clients, {found.seconds:.1f} s: {len(found.times):,} answers, {found.failed} failed,")
    print(f"{found.rate:.0f} a second; p50 {p50:.0f} ms, p99 {p99:.0f} ms, longest {most:.0f} ms")


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:2]), *(float(x) for x in sys.argv[2:3]))
