"""Beyond the papers: what search and learning from search add to their evaluators."""
