"""Evidence: what was observed, one type for each kind of thing, each in a file of its own."""
