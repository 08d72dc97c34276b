"""From data to evidence: arrays, frames, files and databases, all by one group-by."""
