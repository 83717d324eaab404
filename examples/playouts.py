"""Random games from a position: python examples/playouts.py."""

import katachi

game = katachi.Game(9, komi=7.5)
for move in ("E5", "C3", "G3", "G7", "C7"):
    game.play(move)
print(game)
before = katachi.playouts(game, 10_000, seed=1).win_rate
print(f"Black wins {before:.1%} of 10,000 random games from here")

rates = {}
for point in game.legal_moves(game.to_play).tolist():
    after = game.copy()
    after.play(point)
    rates[katachi.vertex_from_point(point, 9)] = katachi.playouts(after, 1_000, seed=1).win_rate
best = min(rates, key=lambda vertex: rates[vertex])
print(f"White's best move by 1,000 each is {best}: Black then wins {rates[best]:.1%}")
