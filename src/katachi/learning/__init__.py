"""Learning from games: learners, sources, the loop and runs."""
