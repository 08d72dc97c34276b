"""Write inspect/, inspect-json/ and inspect-cancelled/ with Inspect itself, into this folder: `python inspect_logs.py`.

Made with inspect_ai 0.3.285. The model is Inspect's mock, whose answers come from a fixed seed. Copy it to a folder
with a neutral name that is no git repository, such as /tmp/demo, with the virtual environment beside it, and run it
there: the logs hold paths.
"""

from __future__ import annotations

import os
import random
import signal

import inspect_ai
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, accuracy, match, mean, scorer, stderr
from inspect_ai.solver import generate, solver

SKILLS = {"base": 0.5, "tuned": 0.65}
TOPICS = ("arithmetic", "geography", "law")


@scorer(metrics=[accuracy(), stderr()])
def grader():
    """C, P, I or N, as a model that grades gives them."""

    async def score(state, target):
        said = state.output.completion
        close = said[:1] == target.text[:1]
        value = CORRECT if said == target.text else NOANSWER if said == "" else PARTIAL if close else INCORRECT
        return Score(value=value)

    return score


@scorer(metrics=[mean(), stderr()])
def closeness():
    """A number from 0 to 1."""

    async def score(state, target):
        said = state.output.completion
        return Score(value=1.0 if said == target.text else round(len(set(said) & set(target.text)) / 8, 3))

    return score


@scorer(metrics={"right": [accuracy()], "length": [mean()]})
def checks():
    """Two values in one: whether it is right, and how long it is."""

    async def score(state, target):
        said = state.output.completion
        return Score(value={"right": said == target.text, "length": len(said)})

    return score


@solver
def failing(at, cancelled_at=None):
    """Fail at some samples, as a provider that does not answer."""

    async def solve(state, generate):
        if (state.sample_id, state.epoch) == cancelled_at:
            os.kill(os.getpid(), signal.SIGINT)
        if (state.sample_id, state.epoch) in at:
            raise RuntimeError("the provider did not answer")
        return state

    return solve


@task
def quiz(cancelled_at=None):
    """Twelve questions on three topics."""
    samples = [
        Sample(
            id=f"q{i}",
            input=f"Which word is number {i}?",
            target=f"word-{i}",
            metadata={"topic": TOPICS[i % 3], "hard": i > 8},
        )
        for i in range(1, 13)
    ]
    return Task(
        dataset=samples,
        solver=[failing({("q7", 2)}, cancelled_at), generate()],
        scorer=[match(), grader(), closeness(), checks()],
        epochs=3,
        fail_on_error=False,
    )


@task
def spelling():
    """One scorer, one epoch."""
    samples = [Sample(id=i, input=f"Which letter is number {i}?", target=chr(96 + i)) for i in range(1, 7)]
    return Task(dataset=samples, solver=generate(), scorer=match())


def answering(name):
    """The mock model with answers of a skill; the same question may be answered differently in each epoch."""
    seen = {}

    def answer(messages, tools, tool_choice, config):
        text = messages[-1].text
        seen[text] = seen.get(text, 0) + 1
        number = int("".join(x for x in text if x.isdigit()))
        truth = chr(96 + number) if "letter" in text else f"word-{number}"
        luck = random.Random(f"{name} {text}").random()
        rng = random.Random(f"{name} {text} {seen[text]}")
        known = 0.6 * luck + 0.4 * rng.random() < SKILLS[name]
        said = truth if known else rng.choice(["", "wrong", "else", "z"])
        output = ModelOutput.from_content(f"mockllm/{name}", said)
        output.usage = ModelUsage(input_tokens=6, output_tokens=2, total_tokens=8)  # which it would count by a download
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer)


def run(tasks, name, form, folder):
    """Evaluate one after the other, so that the answers are the same each time."""
    return inspect_ai.eval(
        tasks,
        model=answering(name),
        log_dir=folder,
        log_format=form,
        display="none",
        max_samples=1,
        log_model_api=False,
    )


if __name__ == "__main__":
    os.environ["INSPECT_LOG_LEVEL"] = "error"
    for name in SKILLS:
        run(quiz(), name, "eval", f"inspect/{name}")
        run(spelling(), name, "json", f"inspect-json/{name}")
    run(quiz(cancelled_at=("q10", 1)), "base", "eval", "inspect-cancelled")
