"""Boards and tables as text, for terminals."""
