"""Write lm_eval/ and lm_eval-choice/ with lm-evaluation-harness itself, into this folder: `python lm_eval_runs.py`.

Made with lm_eval 0.4.13. Tasks are small files of sums; the models are dummies that answer from a fixed seed, so
nothing is downloaded. Copy it to a folder with a neutral name, such as /tmp/demo, and run it there: logs hold paths.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", CUDA_VISIBLE_DEVICES="")

from lm_eval import __main__ as command
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

SIZES = {"sums": 24, "differences": 16, "products": 10}
SIGNS = {"sums": "+", "differences": "-", "products": "*"}
SKILLS = {"demo/base": 0.45, "demo/tuned": 0.75}

GENERATED = """\
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {name}.jsonl}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"], do_sample: false}}
filter_list:
  - name: strict-match
    filter:
      - {{function: regex, regex_pattern: "The answer is (-?[0-9]+)"}}
      - {{function: take_first}}
  - name: flexible-extract
    filter:
      - {{function: regex, group_select: -1, regex_pattern: "(-?[0-9]+)"}}
      - {{function: take_first}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
"""
GROUP = """\
group: arithmetic
task: [sums, differences, products]
aggregate_metric_list:
  - {metric: exact_match, weight_by_size: false, filter_list: [strict-match, flexible-extract]}
"""
CHOICE = """\
task: parity
dataset_path: json
dataset_kwargs: {data_files: {test: parity.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "Is {{number}} even or odd?"
doc_to_choice: ["even", "odd"]
doc_to_target: "{{label}}"
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
"""


@register_model("seeded")
class Seeded(LM):
    """A model that knows arithmetic as often as its skill says, and forgets the wording now and then."""

    def __init__(self, pretrained: str, **_given: object) -> None:
        super().__init__()
        self.name = pretrained

    def generate_until(self, requests, disable_tqdm=False):
        answers = []
        for request in requests:
            text = request.arguments[0]
            rng = random.Random(f"{self.name} {text}")
            left, sign, right = re.search(r"(\d+) ([-+*]) (\d+)", text).groups()
            truth = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[sign](int(left), int(right))
            known = rng.random() < SKILLS[self.name] - 0.25 * (sign == "*")
            said = "The answer is" if rng.random() < 0.8 else "I get"
            answers.append(f"{said} {truth if known else truth + rng.randint(1, 9)}")
        return answers

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(-random.Random(f"{self.name} {r.arguments}").random(), False) for r in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def write_tasks() -> None:
    """Write the tasks and their documents into this folder."""
    rng = random.Random(7)
    for name, many in SIZES.items():
        pairs = [(rng.randint(2, 40), rng.randint(2, 40)) for _ in range(many)]
        texts = [f"{a} {SIGNS[name]} {b}" for a, b in pairs]
        lines = [json.dumps({"question": f"What is {x}?", "answer": str(eval(x))}) for x in texts]
        Path(f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        Path(f"{name}.yaml").write_text(GENERATED.format(name=name))
    Path("arithmetic.yaml").write_text(GROUP)
    Path("parity.yaml").write_text(CHOICE)
    Path("parity.jsonl").write_text("".join(json.dumps({"number": i, "label": i % 2}) + "\n" for i in range(12)))


def run(model: str, task: str, out: str) -> None:
    """Run the command of lm_eval."""
    given = ["--model", "seeded", "--model_args", f"pretrained={model}", "--tasks", task, "--include_path", "."]
    sys.argv = ["lm_eval", *given, "--log_samples", "--output_path", out, "--seed", "1"]
    command.cli_evaluate()


if __name__ == "__main__":
    write_tasks()
    for skilled in SKILLS:
        run(skilled, "arithmetic", "lm_eval")
    run("demo/tuned", "parity", "lm_eval-choice")
