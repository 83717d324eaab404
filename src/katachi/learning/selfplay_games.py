"""Games of a net against itself by tree search, kept on disk.

A generation's games are divided into parts of fixed seeds, so that it does not matter how many
processes play them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from katachi.errors import KatachiError
from katachi.evaluators.territory import Arrays, Tables, Territory
from katachi.features.territory_inputs import InputSettings
from katachi.files.atomic import write_atomically
from katachi.learning.run_folder import read_tensors
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import points_of
from katachi.rules.state import COLOR, PLY, WORDS, BoardState, Words, new_states
from katachi.search.tree_games import FinishedGame, GamePlan, TreeGames
from katachi.search.tree_leaves import judge_of
from katachi.workers import Shared

KEPT_BEFORE = 2
"""Generations before the present one from which a run may still go on: as many as there are
checkpoints."""


class NetWeights(NamedTuple):
    """A net as it is sent to other processes."""

    inputs: InputSettings
    arrays: Arrays
    tables: Tables

    def model(self, size: int, device: str = "cpu") -> Territory:
        """The evaluator, for boards of a size above all; on a GPU torch computes it."""
        # Those of a cluster's store cannot be written to: kernels would be compiled anew for them.
        arrays = {name: np.array(each) for name, each in self.arrays.items()}
        made = Territory(self.inputs, arrays, self.tables)
        made.temperatures = {size: 1.0}
        if device != "cpu":
            compute_on_card(made, device)
        return made


def compute_on_card(model: Territory, device: str) -> None:
    """Has a convolution computed on a GPU, and its planes with it where Numba can use the GPU."""
    from katachi.batch.net_cuda import CardBoards, can_make_planes
    from katachi.nets.search_fitting import TorchKernel

    kernel = TorchKernel(model.arrays, device)
    model.compute_by(kernel, CardBoards(kernel).logits if can_make_planes() else None)


class GamesTask(NamedTuple):
    """Games to be played by one process."""

    net: Shared[NetWeights]
    plan: GamePlan
    total: int
    seed: int
    device: str = "cpu"


class PlayedGames(NamedTuple):
    """Games that were played, and what searches found in them."""

    moves: npt.NDArray[np.uint16]
    """Of all games, one after another."""
    lengths: npt.NDArray[np.int64]
    """[G]: how many moves each game has."""
    owners: npt.NDArray[np.uint8]
    """[G, points]: at the end of each game."""
    game: npt.NDArray[np.int64]
    """[N]: the game of each position that was searched in full."""
    ply: npt.NDArray[np.int64]
    """[N]: moves made before it."""
    policy: npt.NDArray[np.float32]
    """[N, points + 1]: shares of the visits, the pass last."""


def play_part(task: GamesTask) -> PlayedGames:
    """Plays the games of a task."""
    games = TreeGames(task.plan, task.seed, task.total)
    judge = judge_of(task.net.get().model(task.plan.size, task.device), task.plan.komi)
    finished: list[FinishedGame] = []
    while not games.is_over:
        finished += games.step(judge)
    return pack_games(finished, task.plan.size)


def pack_games(games: Sequence[FinishedGame], size: int) -> PlayedGames:
    """The games as arrays."""
    searched = [(number, each) for number, game in enumerate(games) for each in game.searched]
    policies = [each.policy for _, each in searched]
    return PlayedGames(
        np.array([move for game in games for move in game.moves], np.uint16),
        np.array([len(game.moves) for game in games], np.int64),
        np.array([game.owners for game in games], np.uint8).reshape(-1, size * size),
        np.array([number for number, _ in searched], np.int64),
        np.array([each.words[PLY] for _, each in searched], np.int64),
        np.array(policies, np.float32).reshape(-1, size * size + 1),
    )


def join_games(parts: Sequence[PlayedGames]) -> PlayedGames:
    """All games of several parts."""
    first = np.cumsum([0, *(len(each.lengths) for each in parts)])
    moved = [each._replace(game=each.game + int(n)) for n, each in zip(first, parts, strict=False)]
    return PlayedGames(*(np.concatenate(column) for column in zip(*moved, strict=True)))


class Positions(NamedTuple):
    """N positions with what was found in them."""

    words: Words
    """[N, WORDS]."""
    colors: npt.NDArray[np.int64]
    """[N]: who moves."""
    policy: npt.NDArray[np.float32]
    owners: npt.NDArray[np.float32]
    """[N, points]: 1 Black's at the end, 0 White's, 0.5 nobody's."""
    free: npt.NDArray[np.bool_]
    """[N, points]: empty points."""


def replay(games: PlayedGames, size: int) -> Positions:
    """The positions that were searched, by playing the games again."""
    found: list[Words] = []
    ends = np.cumsum(games.lengths)
    for number in range(len(ends)):
        plies = games.ply[games.game == number]
        moves = games.moves[ends[number] - games.lengths[number] : ends[number]]
        found += _boards(moves.tolist(), plies.tolist(), size)
    words = np.array(found, np.uint16).reshape(-1, WORDS)
    shares = {BLACK: 1.0, WHITE: 0.0, EMPTY: 0.5}
    share_of = np.array([shares[color] for color in sorted(shares)], np.float32)
    return Positions(
        words,
        np.where(games.ply % 2 == 0, BLACK, WHITE),
        games.policy,
        share_of[games.owners[games.game]],
        words[:, COLOR + points_of(size).astype(np.int64)] == EMPTY,
    )


def _boards(moves: list[int], plies: list[int], size: int) -> list[Words]:
    """The boards after so many moves of a game, in the order of the plies, which rise."""
    fresh = new_states(1, size, len(moves) + 4)
    state = BoardState(fresh.words[0], fresh.hashes[0], fresh.keys)
    found, wanted = [], set(plies)
    for ply, move in enumerate(moves):
        if ply in wanted:
            found.append(state.words.copy())
        play_move(state, move, BLACK if ply % 2 == 0 else WHITE)
    return found


class GameBuffer:
    """The games of a run on disk, one file a generation; the newest positions are learned from."""

    def __init__(self, folder: Path, positions: int) -> None:
        self.folder = folder
        self.positions = positions

    def path(self, generation: int) -> Path:
        """Where the games of a generation are."""
        return self.folder / f"{generation:06}.safetensors"

    def write(self, generation: int, games: PlayedGames) -> None:
        """Keeps the games of a generation, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path(generation), save(games._asdict()), is_durable=True)

    def read(self, generation: int) -> PlayedGames:
        """The games of a generation; raises KatachiError where they are lost or damaged."""
        path = self.path(generation)
        if not path.exists():
            raise KatachiError(f"{path} is missing: the run cannot go on without its games")
        tensors = read_tensors(path)
        if tensors.keys() != set(PlayedGames._fields):
            raise KatachiError(f"{path} holds no games of a run")
        return PlayedGames(**tensors)  # type: ignore[arg-type]

    def window(self, generation: int) -> list[tuple[int, int]]:
        """(generation, how many of its last positions) of what is learned from after a generation,
        the newest first."""
        found, left = [], self.positions
        for number in range(generation, 0, -1):
            count = min(left, len(self.read(number).ply))
            found.append((number, count))
            left -= count
            if left == 0:
                break
        return found

    def drop_old(self, generation: int) -> None:
        """Removes what no checkpoint that is kept can need any more."""
        before = max(1, generation - KEPT_BEFORE)
        oldest = min((number for number, _ in self.window(before)), default=1)
        for path in self.folder.glob("*.safetensors"):
            if path.stem.isdecimal() and int(path.stem) < oldest:
                path.unlink(missing_ok=True)


def part_seed(*numbers: int) -> int:
    """A seed of its own for each part of a run."""
    sequence = np.random.SeedSequence([number % (1 << 64) for number in numbers])
    return int(sequence.generate_state(1, np.uint64)[0])


def split_evenly(total: int, parts: int) -> list[int]:
    """So many in each of at most so many parts."""
    counts = [total // parts + (number < total % parts) for number in range(parts)]
    return [count for count in counts if count]
