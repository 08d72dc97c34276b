"""Write promptfoo/ with promptfoo itself, into this folder: `python promptfoo_results.py PROMPTFOO`.

Made with promptfoo 0.121.20 (npm), whose command is PROMPTFOO. Both systems are its echo provider, with answers that a
function garbles from a fixed seed. Copy it to a folder with a neutral name, such as /tmp/demo, install promptfoo there,
and run it there: the error in the results holds paths.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

GARBLE = """\
const seen = {};
module.exports = (output, context) => {
  const { label, skill } = { LABEL };
  const n = Number(context.vars.n);
  seen[n] = (seen[n] || 0) + 1;
  if (label === 'base' && n === 5 && seen[n] === 2) throw new Error('the provider did not answer');
  const luck = ((n * 7919 + (label === 'base' ? 13 : 71)) % 101) / 101;
  const again = ((seen[n] * 31 + n * 17) % 23) / 23;
  return 0.7 * luck + 0.3 * again < skill ? output : 'no idea';
};
"""


def config() -> dict[str, object]:
    """Ten tests, two providers, one prompt; two assertions a test."""
    providers = [{"id": "echo", "label": label, "transform": f"file://{label}.js"} for label in ("base", "tuned")]
    tests = [
        {
            "vars": {"n": n, "question": f"What is {n} + {n}?", "answer": f"It is {2 * n}"},
            "metadata": {"size": "small" if n < 6 else "large"},
            "assert": [{"type": "contains", "value": str(2 * n)}, {"type": "icontains", "value": "it is"}],
        }
        for n in range(1, 11)
    ]
    return {"description": "sums", "prompts": ["{{answer}}"], "providers": providers, "tests": tests}


if __name__ == "__main__":
    for label, skill in (("base", 0.5), ("tuned", 0.8)):
        text = GARBLE.replace("{ LABEL }", f"{{ label: '{label}', skill: {skill} }}")
        Path(f"{label}.js").write_text(text)
    Path("promptfooconfig.json").write_text(json.dumps(config()))
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": ".promptfoo"}
    given = ["eval", "-c", "promptfooconfig.json", "--no-cache", "-j", "1", "--repeat", "2", "--no-table"]
    command = [sys.argv[1], *given, "-o", "results.json", "-o", "results.jsonl"]
    subprocess.run(command, env={**os.environ, **quiet}, check=False, timeout=300)
    Path("promptfoo").mkdir()
    for name in ("results.json", "results.jsonl"):
        Path(name).rename(f"promptfoo/{name}")
