"""How good something learned is: on recorded games, and in matches."""
