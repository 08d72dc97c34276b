"""Workers: a few processes that compute, so that work nobody waits for can be ended."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from howsure import duck
from howsure.web.answers import Job, Reply, answer, refusal

# -- preloading
#
# What every worker needs, loaded once before they fork, so that a new one is there in no time.


# -- working
#
# Workers: a few processes that compute, so that work which nobody waits for, or that takes too long, can be ended.

_LOG: Final = logging.getLogger("howsure.web")
_GRACE: Final = 0.25  # seconds that work which nobody waits for may still take: a new worker costs more
_LEAST_MEMORY: Final = 2 * 10**9
_MOST_SPILLED: Final = 2 * 10**9  # bytes that DuckDB may write beside a file that was sent
_PAUSE: Final = 0.5  # seconds before another try to start a worker; twice as many after each
_LONGEST_PAUSE: Final = 30.0
_BUSY: Final = refusal(503, "busy", "too many questions at once; ask again in a moment.")
_ENDED: Final = refusal(503, "ended", "the page is being closed.")
_GONE: Final = refusal(499, "cancelled", "nobody waits for the answer.")
_LOST: Final = refusal(500, "bug", "what was asked ended the process that computed it.")


def memory(many: int) -> int:
    """How many bytes each of so many workers may take, so that all of them leave room for the machine."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # it does not tell
        there = 0
    return max(_LEAST_MEMORY, there // (many + 1))


def bound(most: int) -> None:
    """Take at most so many bytes: what needs more is refused, and the machine goes on.

    Memory that is used is bounded, not the room for addresses, of which what draws charts reserves very much.
    """
    duck.CONFIG.update(memory_limit=f"{most // 2}B", max_temp_directory_size=f"{_MOST_SPILLED}B")
    try:
        import resource
    except ImportError:  # there are no such limits on Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))


def work(pipe: Connection, most: int) -> None:
    """The life of a worker: jobs in, replies out, until whoever started it is gone."""
    bound(most)
    for name in ("SIGINT", "SIGHUP"):  # those who end the server end its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        reply = answer(job)
        try:
            pipe.send(reply)
        except OSError:
            return


class _Worker:
    """A process with a pipe to it."""

    def __init__(self, context: Any, most: int) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, most), daemon=True, name="howsure-worker")
        self.process.start()
        theirs.close()

    def ask(self, job: Job) -> Reply:
        self.pipe.send(job)
        reply: Reply = self.pipe.recv()
        return reply

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Workers:
    """A few workers, and a queue of bounded length before them."""

    def __init__(self, many: int, queue: int) -> None:
        self.many, self.queue = many, queue
        forking = sys.platform != "win32"
        self._context: Any = multiprocessing.get_context("forkserver" if forking else "spawn")
        if forking:
            self._context.set_forkserver_preload(["howsure.web.workers"])
        self._threads = ThreadPoolExecutor(many + 2, "howsure-pipe")
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiting = 0
        self._closed = False

    def start(self) -> None:
        """Start all of them, beside what else is going on."""
        for _ in range(self.many):
            self._aside(self._begin())

    async def stop(self) -> None:
        """End all of them, whatever they do."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for worker in list(self._all):
            worker.process.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, job: Job, gone: asyncio.Future[Any], limit: float) -> Reply:
        """The reply to a job; work that nobody waits for, or that takes longer than `limit` seconds, is ended."""
        if self._closed:
            return _ENDED
        if self._waiting >= self.queue:
            return _BUSY
        self._waiting += 1
        try:
            worker = await self._next(gone, limit)
        finally:
            self._waiting -= 1
        if worker is None:
            return _GONE if gone.done() else _BUSY
        return await self._run(worker, job, gone, limit)

    async def _next(self, gone: asyncio.Future[Any], limit: float) -> _Worker | None:
        """A worker that is free; None where whoever asked went away first, or all are busy for too long."""
        free = asyncio.ensure_future(self._free.get())
        await asyncio.wait({free, gone}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if not free.done():
            free.cancel()
            return None
        if gone.done():
            self._free.put_nowait(free.result())
            return None
        return free.result()

    async def _run(self, worker: _Worker, job: Job, gone: asyncio.Future[Any], limit: float) -> Reply:
        loop = asyncio.get_running_loop()
        doing = asyncio.ensure_future(loop.run_in_executor(self._threads, worker.ask, job))
        doing.add_done_callback(lambda x: x.cancelled() or x.exception())  # heard, also where nobody waits for it
        try:
            await asyncio.wait({doing, gone}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done() and gone.done():
                await asyncio.wait({doing}, timeout=_GRACE)
        finally:  # also where the request itself is cancelled
            late = not doing.done()
            self._aside(self._replaced(worker, doing) if late or doing.exception() else self._kept(worker))
        if late:
            return (
                _GONE if gone.done() else refusal(503, "too-long", f"this took longer than {limit:g} s, and was ended.")
            )
        return doing.result() if doing.exception() is None else _LOST

    def _aside(self, doing: Any) -> None:
        task = asyncio.ensure_future(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _begin(self) -> None:
        """One more worker; where it dies before it is ready, another one after a pause."""
        pause = _PAUSE
        while not self._closed:
            try:
                self._free.put_nowait(await self._ready())
            except Exception as error:  # noqa: BLE001 - whatever it is, the server needs its workers
                _LOG.warning("a worker did not start (%s: %s)", type(error).__name__, error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                return

    async def _ready(self) -> _Worker:
        """A worker that has given a first answer."""
        loop = asyncio.get_running_loop()
        worker = await loop.run_in_executor(self._threads, _Worker, self._context, memory(self.many))
        self._all.add(worker)
        try:
            if self._closed:
                raise EOFError("the page is being closed")
            await loop.run_in_executor(self._threads, worker.ask, Job("warm", None))
        except Exception:
            self._all.discard(worker)
            await loop.run_in_executor(None, worker.end)
            raise
        return worker

    async def _kept(self, worker: _Worker) -> None:
        self._free.put_nowait(worker)

    async def _replaced(self, worker: _Worker, doing: asyncio.Future[Any]) -> None:
        self._all.discard(worker)
        await asyncio.get_running_loop().run_in_executor(None, worker.end)
        await asyncio.wait({doing})
        if not self._closed:
            await self._begin()
