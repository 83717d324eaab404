"""Game records: SGF in and out, sets of games, replay, positions, statistics."""
