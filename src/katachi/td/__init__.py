"""Learning by temporal differences: targets, and the kernels that play and learn in one go."""
