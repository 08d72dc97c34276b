"""Results: rows, result dicts, and the formats that they are rendered in."""
