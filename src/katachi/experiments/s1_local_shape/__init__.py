"""S1: Silver, Sutton and Müller, Reinforcement Learning of Local Shape in the Game of Go (2007)."""
