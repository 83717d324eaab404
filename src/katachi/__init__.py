"""Learned evaluation of Go positions."""

__version__ = "0.1.0"
