"""Packs large models that come with the package, and writes into their cards what that changed.

`python scripts/pack_models.py GAMES [FOLDER...]`: models over 4 MB unless folders are named. The
model as it was and as it is then judges positions of the games, every tenth move, on the board that
it is for. A packed model is left alone: only one as it was learned can be packed.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file, save

import katachi
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.territory import Territory
from katachi.files.atomic import write_atomically
from katachi.files.model_folder import CARD_FILE, WEIGHTS_FILE, seal_model
from katachi.files.packing import packed
from katachi.files.shipped_folders import MODELS, read_heading

LARGE = 4_000_000
EVERY, POSITIONS = 10, 500
KINDS: dict[str, type[LocalShape] | type[Territory]] = {
    each.kind: each for each in (LocalShape, Territory)
}
LARGEST_BOARD = 19
MARK = "- kept in fewer bits"


class Judgement(NamedTuple):
    """What a model thinks of a position."""

    best: set[int]
    """Its best move, or several equals."""
    chance: float
    """Black's, or how likely the best move is where a model knows moves alone."""


def positions_of(games: katachi.GameSet, size: int) -> list[katachi.Game]:
    """Positions of games on boards of a size."""
    found: list[katachi.Game] = []
    for record in games:
        if record.size == size and len(found) < POSITIONS:
            game = katachi.Game.from_record(record)
            for number in range(len(game.moves), 0, -1):
                if number % EVERY == 0:
                    found.append(game.copy())
                game.undo()
    return found[:POSITIONS]


def judge(folder: Path, positions: list[katachi.Game]) -> list[Judgement]:
    """What the model of a folder thinks of each position."""
    model = KINDS[read_heading(folder).kind].load(folder)
    if isinstance(model, Territory):
        return [judge_moves(model, game) for game in positions]
    found = []
    for game in positions:
        moves = katachi.analyse(model, game).candidates
        chance = float(model.evaluate(game.states).value[0])
        found.append(Judgement({move.point for move in moves if move.rank == 1}, chance))
    return found


def judge_moves(model: Territory, game: katachi.Game) -> Judgement:
    """Where a model that knows moves alone expects the next one."""
    scores = model.look(game.states, np.array([game.to_play]))[1][0]
    chances = np.exp(scores - scores.max())
    return Judgement({int(scores.argmax())}, float(1 / chances.sum()))


def pack(folder: Path, games: katachi.GameSet) -> str:
    """Packs a model; returns what that changed, which its card then says, too."""
    weights, card = folder / WEIGHTS_FILE, folder / CARD_FILE
    sizes = [weights.stat().st_size]
    positions = positions_of(games, read_heading(folder).size or LARGEST_BOARD)
    before = judge(folder, positions)
    write_atomically(weights, save(packed(load_file(weights))))
    seal_model(folder)
    sizes.append(weights.stat().st_size)
    pairs = list(zip(before, judge(folder, positions), strict=True))
    same = sum(bool(old.best & new.best) for old, new in pairs)
    apart = max(abs(old.chance - new.chance) for old, new in pairs)
    line = f"{MARK}, {sizes[0] / 1e6:.1f} MB before and {sizes[1] / 1e6:.1f} after: "
    line += f"the same best move in {same:,} of {len(pairs):,} positions of recorded games, "
    line += f"chances at most {100 * apart:.2f} points of percent apart\n"
    head, last, rest = card.read_text("utf-8").rpartition("- katachi ")
    write_atomically(card, f"{head}{line}{last}{rest}".encode())
    return line


def main() -> None:
    """Packs what is large, or what was named."""
    games = katachi.open_games(sys.argv[1])
    folders = [Path(name) for name in sys.argv[2:]] or sorted(
        file.parent for file in MODELS.glob(f"*/{WEIGHTS_FILE}") if file.stat().st_size > LARGE
    )
    for folder in folders:
        if MARK in (folder / CARD_FILE).read_text("utf-8"):
            sys.exit(f"{folder} is packed already")
        sys.stdout.write(f"{folder.name}: {pack(folder, games)}")


if __name__ == "__main__":
    main()
