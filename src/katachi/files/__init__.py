"""Files as the house writes them: all or nothing, locked, with where they come from."""
