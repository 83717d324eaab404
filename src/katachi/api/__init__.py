"""What `katachi` itself offers to programs: games, and one call for each common task."""
