"""Renderers: they see result dicts only."""
