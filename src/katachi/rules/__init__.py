"""The game of Go: points, rules, kernels, boards, games, scoring, symmetry."""
