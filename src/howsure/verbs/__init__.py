"""What the public verbs share: their inputs, rows, slices, comparisons and requirements."""
