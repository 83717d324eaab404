"""The largest of everything: what arrays of fixed room, and words of fixed width, are made for.

Whoever lets data in checks them against these numbers; kernels do not check again.
"""

MIN_SIZE = 2
MAX_SIZE = 25
"""Rows of the padded board hold this many points and their edges (`katachi.rules.point.STRIDE`)."""
MAX_POINTS = MAX_SIZE * MAX_SIZE
LONGEST_GAME = 20_000
"""Moves, passes counted, after which a game does not go on: no sensible game comes near. A ply and
whatever a search plays from there fit into 15 bits (`katachi.td.shape_games.stood_since`)."""
