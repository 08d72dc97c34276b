"""Renderers: formats that result dicts are written in; they see dicts only."""
