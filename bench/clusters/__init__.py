"""Simulated tests of items that come in clusters: bench/coverage_clusters.py runs them."""
