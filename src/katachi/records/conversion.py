"""Between a recorded game and one that can be played on."""

from dataclasses import replace

import numpy as np

from katachi.errors import KatachiError
from katachi.records.record import GameRecord, GameTexts
from katachi.records.result import Result
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.ruleset import KoRule, Rules

DEFAULT_KOMI = 7.5
_RULES_TEXTS = {
    # What servers that play so call it: repetition is forbidden under their Chinese rules too.
    Rules(): "Chinese",
    Rules(KoRule.SIMPLE): "Chinese",
    Rules(KoRule.POSITIONAL, suicide=True): "Tromp-Taylor",
    Rules(KoRule.SITUATIONAL): "AGA",
    Rules(KoRule.SITUATIONAL, suicide=True): "NZ",
}


def game_from_record(
    record: GameRecord, moves: int | None = None, rules: Rules | None = None
) -> Game:
    """The position after the first `moves` moves (all of them by default), with its history.

    Without `rules` the game goes on under simple ko, suicide allowed, as records are read. Raises
    KatachiError when there are not so many moves, and IllegalMove when `rules` forbid one.
    """
    count = len(record.moves) if moves is None else moves
    if not 0 <= count <= len(record.moves):
        raise KatachiError(f"there is no move {count}: the game has {len(record.moves)} moves")
    komi = DEFAULT_KOMI if record.komi is None else record.komi
    game = Game(record.size, komi, rules or Rules(KoRule.SIMPLE, suicide=True))
    game.place_setup(record.setup_black.tolist(), record.setup_white.tolist())
    game.first_to_play = record.first_to_play
    for point, color in zip(record.moves[:count].tolist(), record.colors.tolist(), strict=False):
        game.play(color, point)
    return game


def text_from_rules(rules: Rules) -> str:
    """The RU text by which other programs know these rules, or those nearest to them; empty where
    there is none."""
    return _RULES_TEXTS.get(rules, "")


def record_from_game(
    game: Game, texts: GameTexts | None = None, result: Result | None = None, handicap: int = 0
) -> GameRecord:
    """The record of a game as it stands; its text of the result is that of `result`."""
    result = result or Result()
    texts = replace(texts or GameTexts(), result=str(result))
    setup = {color: [m.point for m in game.setup if m.color == color] for color in (BLACK, WHITE)}
    return GameRecord(
        size=game.size,
        moves=np.array([move.point for move in game.moves], np.uint16),
        colors=np.array([move.color for move in game.moves], np.uint8),
        setup_black=np.array(setup[BLACK], np.uint16),
        setup_white=np.array(setup[WHITE], np.uint16),
        first_to_play=game.moves[0].color if game.moves else game.first_to_play,
        komi=game.komi,
        handicap=handicap,
        result=result,
        texts=texts,
    )
