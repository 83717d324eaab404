"""Games a second that an opening net learns from, against a straightforward NumPy loop, in one
process.

    python benchmarks/opening_learning.py [--json]

Both learn the paper's 362-input net by TD(lambda) with a batch update a game, from the same games
of 50 random moves; the peer is the paper's equations written down: positions as rows of a matrix, a
trace of gradients, one pass. Its weights are compared with ours first. They take turns by CPU time,
and the best round of each counts.
"""

import time

import numpy as np
from _report import Measurement, measured_versions, read_options, show

from katachi.evaluators.opening_net import LOGITS_A_WEIGHT
from katachi.features.opening_inputs import OpeningInputs
from katachi.features.units import UNIT
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.records.openings import Opening, Style
from katachi.rules.color import BLACK
from katachi.rules.game import Game

ROUNDS, GAMES, MOVES, LAM, ALPHA = 5, 200, 50, 0.7, 0.5
OURS = 50
"""Passes of ours over the games in a round: it is too fast for one."""


def random_opening(number: int) -> Opening:
    """Fifty random moves, and a judgement of them."""
    source = np.random.default_rng(number)
    game = Game(19)
    while len(game.moves) < MOVES:
        game.play(game.to_play, int(source.choice(game.legal_moves(game.to_play))))
    moves = np.array([move.point for move in game.moves], np.uint16)
    judgement = float(source.integers(-1, 2))
    return Opening(size=19, moves=moves, style=Style.MISC, game=number, judgement=judgement)


def rows_of(opening: Opening) -> np.ndarray:
    """[51, 362]: a constant, and +1, -1 or 0 for each point."""
    game = Game(19)
    rows = [np.zeros(362)]
    for ply, point in enumerate(opening.moves.tolist()):
        game.play(1 + ply % 2, point)
        rows.append(np.zeros(362))
        rows[-1][1:] = np.where(game.colors == BLACK, 1, np.where(game.colors == 0, 0, -1))
    matrix = np.stack(rows)
    matrix[:, 0] = 1.0
    return matrix


def learn_by_numpy(weights: np.ndarray, rows: np.ndarray, z: float) -> None:
    """One game by the paper's equation 3, with a trace."""
    predictions = np.tanh(rows @ weights)
    following = np.append(predictions[1:], z)
    trace, change = np.zeros(len(weights)), np.zeros(len(weights))
    for t in range(len(rows)):
        trace = LAM * trace + (1.0 - predictions[t] ** 2) * rows[t]
        change += ALPHA * (following[t] - predictions[t]) * trace
    weights += change


def main() -> None:
    """Both sides, in turns."""
    read_options()
    openings = [random_opening(number) for number in range(GAMES)]
    matrices = [rows_of(opening) for opening in openings]
    material = prepare(openings, OpeningInputs())
    order = np.arange(GAMES)
    trainer = OpeningTrainer(OpeningTraining(lam=LAM, alpha=ALPHA), material)
    trainer.learn_in_order(material.games, order[:1])
    weights = np.zeros(362)
    learn_by_numpy(weights, matrices[0], openings[0].judgement or 0.0)
    ours = trainer.net.weights * UNIT / LOGITS_A_WEIGHT
    assert np.allclose(ours, weights, atol=1e-5), np.abs(ours - weights).max()
    rates: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(ROUNDS):
        begin = time.process_time()
        for rows, opening in zip(matrices, openings, strict=True):
            learn_by_numpy(weights, rows, opening.judgement or 0.0)
        rates["peer"].append(GAMES / (time.process_time() - begin))
        begin = time.process_time()
        for _ in range(OURS):
            trainer.learn_in_order(material.games, order)
        rates["ours"].append(OURS * GAMES / (time.process_time() - begin))
    ratios = [a / b for a, b in zip(rates["ours"], rates["peer"], strict=True)]
    best = {name: max(each) for name, each in rates.items()}
    settings = {"moves": MOVES, "lambda": LAM, "rounds": ROUNDS, "games": GAMES, "clock": "CPU"}
    measurement = Measurement(
        "opening games learned from, 362 inputs",
        best["ours"],
        best["peer"],
        best["ours"] / best["peer"],
        settings,
        interval=(min(ratios), max(ratios)),
    )
    show(measurement, measured_versions())


if __name__ == "__main__":
    main()
