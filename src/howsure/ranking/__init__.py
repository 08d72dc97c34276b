"""Ranked and scored output: what rests on an ordering of the items."""
