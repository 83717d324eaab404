"""S4: Lee, Guesgen and Baltes, TD(lambda) on openings at 19x19."""
