"""Logs of evaluation harnesses: one file for each format, and what they share."""
