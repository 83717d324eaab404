"""Whoever can answer "your move"."""
