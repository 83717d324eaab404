"""From values of positions to moves."""
