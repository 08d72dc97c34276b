"""Distributions: the numerical core. It knows arrays and numbers, and no other part of the package."""
