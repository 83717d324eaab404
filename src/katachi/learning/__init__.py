"""Learning from games: sources, error rules, the loop and its schedules."""
