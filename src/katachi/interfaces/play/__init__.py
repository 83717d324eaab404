"""A game in the terminal between a person and a player."""
