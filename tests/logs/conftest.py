"""The scripts that made the logs need the harnesses, and are not collected."""

collect_ignore = ["make"]
