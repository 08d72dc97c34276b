"""Random tables over 30 orders of magnitude through every measure, and what each law must keep to: make stress."""
