"""Workers and folders: none is lost, none is taken for another's, and no half of a file is answered."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from howsure.web import uploads
from howsure.web import workers as working
from howsure.web.answers import Job, Reply
from howsure.web.api import Serving
from howsure.web.application import application
from howsure.web.uploads import Reports


class Failing:
    """A worker that dies while it starts, the first two times."""

    made = 0

    def __init__(self, context, most):
        type(self).made += 1
        self.mine, self.process = type(self).made, SimpleNamespace(kill=lambda: None)

    def ask(self, job):
        if self.mine <= 2:
            raise EOFError
        return Reply(200, "text/plain", job.verb.encode())

    def end(self):
        """It is no process."""


def run_apart(asked):
    """In a thread of its own: the thread of the tests may have the loop of a browser."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, asked).result()


def test_a_worker_that_dies_while_it_starts_is_replaced(monkeypatch, caplog):
    """After a pause, and with a line in the log; what is asked meanwhile waits for it."""
    monkeypatch.setattr(working, "_Worker", Failing)
    monkeypatch.setattr(working, "_PAUSE", 0.01)
    monkeypatch.setattr(Failing, "made", 0)

    async def asked():
        workers = working.Workers(1, 10)
        workers.start()
        try:
            return await workers.run(Job("hello", None), asyncio.get_running_loop().create_future(), 10.0)
        finally:
            await workers.stop()

    assert run_apart(asked()).body == b"hello"
    assert Failing.made == 3
    assert caplog.text.count("a worker did not start") == 2


def test_two_servers_start_at_once(tmp_path, monkeypatch):
    """The second one does not sweep away the folder that the first has just made and not yet locked."""
    monkeypatch.setattr(uploads.tempfile, "gettempdir", lambda: str(tmp_path))
    real, others, begun = uploads.tempfile.mkdtemp, [], []

    def slow(**how):
        path = real(**how)
        if not begun:
            begun.append(threading.Thread(target=lambda: others.append(uploads.Folder())))
            begun[0].start()
            begun[0].join(0.5)  # long enough for a sweep, if nothing held it back
        return path

    monkeypatch.setattr(uploads.tempfile, "mkdtemp", slow)
    first = uploads.Folder()
    begun[0].join(20)
    (second,) = others
    assert first.path.is_dir()
    assert second.path.is_dir()
    first.close()
    second.close()


@pytest.mark.parametrize("path", ["/api/file/preview", "/api/file/score"])
def test_a_file_that_was_cut_is_not_answered(tmp_path, monkeypatch, path):
    """No job starts, and nothing of it is left."""
    monkeypatch.setattr(uploads.tempfile, "gettempdir", lambda: str(tmp_path))
    jobs, sent = [], []
    guard = application()
    folder = uploads.Folder()

    async def run(job, gone, limit):
        jobs.append(job)
        return Reply(200, "text/plain", b"")

    guard.app.state.serving = Serving(SimpleNamespace(run=run), folder, Reports())

    async def ask(*messages):
        coming = iter(messages)
        scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
                 "headers": [(b"host", b"x"), (b"content-type", b"application/octet-stream")], "http_version": "1.1",
                 "scheme": "http", "client": None, "server": None, "root_path": ""}  # fmt: skip

        async def receive():
            return next(coming, {"type": "http.disconnect"})

        async def send(message):
            sent.append(message)

        await guard(scope, receive, send)

    run_apart(ask({"type": "http.request", "body": b"label,pred\n1,1\n", "more_body": True}))
    assert jobs == []
    assert sent[0]["status"] == 400
    assert [x.name for x in folder.path.iterdir()] == ["in-use"]
    run_apart(ask({"type": "http.request", "body": b"label,pred\n1,1\n", "more_body": False}))
    assert len(jobs) == 1
    folder.close()


BOUNDED = """
import sys
import numpy as np
from howsure import duck
from howsure.web import answers, models, questions, workers
workers.bound(1_000_000_000)
counts = models.FourCounts(tp=8, fp=2, fn=3, tn=80)
drawn = answers.answer(answers.Job("score", questions.model("score")(counts=counts, metrics=["f1"]), "png"))
assert drawn.status == 200, drawn.body
assert duck.connect().execute("SELECT current_setting('memory_limit')").fetchone()[0] == "476.8 MiB"
answers._WAYS["greedy"] = lambda job: np.ones(200_000_000)
reply = answers.answer(answers.Job("greedy", None))
assert reply.status == 422 and b"too-large" in reply.body, reply.body
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory that is used")
def test_a_worker_takes_only_so_much_memory():
    """Charts are still drawn; what needs more is refused with a sentence."""
    made = subprocess.run([sys.executable, "-c", BOUNDED], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_memory_is_shared():
    """More workers get less each, and none too little."""
    assert working.memory(1) >= working.memory(4) >= working.memory(10_000) == 2 * 10**9
