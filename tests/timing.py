"""How long a busy machine may hold things up: tests say that work ends, benchmarks how soon."""

SLACK = 20.0
"""Seconds beyond those that were asked for."""
