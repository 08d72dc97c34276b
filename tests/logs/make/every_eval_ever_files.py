"""Write every_eval_ever/ with the converter of Every Eval Ever, into this folder: `python every_eval_ever_files.py`.

Made with every_eval_ever 0.3.0 (which needs Python 3.12), from two of the tasks that lm_eval_runs.py wrote beside it.
Its exit code is 1: it looks for samples of the group of tasks too, and lm_eval writes none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

if __name__ == "__main__":
    given = ["--log_path", "lm_eval", "--output_dir", "every_eval_ever", "--include_samples"]
    command = [sys.executable, "-m", "every_eval_ever", "convert", "lm_eval", *given]
    subprocess.run([*command, "--source_organization_name", "demo"], check=False, timeout=300)
    for rest in ("adapter_reports", "arithmetic", "sums"):
        shutil.rmtree(f"every_eval_ever/{rest}")
