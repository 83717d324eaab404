"""Games between players, in blocks that a study can do one at a time."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.experiments.bounds import Amount, BoardSize, Count, Komi
from katachi.experiments.protocol import Key, Quantity, Row, Settings
from katachi.experiments.runner import Task, tasks_of
from katachi.players.kinds import versions_of
from katachi.players.names import find_program
from katachi.players.roster import files_of, make_player

PAIRING = ("{player} v {opponent}",)
GNUGO = "GNU Go 3.8, level 0"
GNUGO_PROGRAM = "gnugo"
GNUGO_LEVEL = (
    "gtp:gnugo --mode gtp --level {} --chinese-rules --capture-all-dead --positional-superko"
)
GNUGO_COMMAND = GNUGO_LEVEL.format(0)
GNUGO_NOTE = (
    f"GNU Go runs as `{GNUGO_COMMAND.removeprefix('gtp:')}`: it then takes dead stones off the "
    "board before it passes, as area counting needs."
)
GNUGO_MISSING = "GNU Go is not installed, and not played"


class BlockSettings(Settings, frozen=True, kw_only=True):
    """How games are played, a block of them in one run."""

    size: BoardSize = 9
    """Board size."""
    komi: Komi = 7.5
    """What White is given."""
    opening_moves: Amount = 4
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    block: Count = 20
    """Games played in one go."""

    @property
    def terms(self) -> GameSettings:
        """Of each game."""
        return GameSettings(self.size, self.komi, opening_moves=self.opening_moves)

    def tasks(self, keys: Iterable[Key], games: int, cost: float = 1.0) -> list[Task]:
        """The blocks of so many games of each pairing."""
        return tasks_of(keys, -(-games // self.block), lambda _: cost, PAIRING)


class Score(msgspec.Struct, frozen=True):
    """What came of a block of games."""

    points: float
    games: int


def has_gnugo() -> bool:
    """Whether GNU Go can be played here."""
    return find_program(GNUGO_PROGRAM) is not None


def play_block(players: tuple[str, str], terms: GameSettings, games: int, seed: int) -> Score:
    """The first player's points in games against the second, as `play_games`."""
    ours, other = (make_player(name, seat_seed(seed, seat)) for seat, name in enumerate(players))
    try:
        return Score(sum(play_games(lambda _: (ours, other), terms, games, seed)), games)
    finally:
        ours.close()
        other.close()


def total_row(key: Key, quantity: Quantity, blocks: Sequence[Score]) -> Row:
    """All blocks together as a row of a table."""
    points, games = sum(each.points for each in blocks), sum(each.games for each in blocks)
    return quantity.score(key, points, games)


def terms_note(terms: GameSettings) -> str:
    """What a reader must know of how games were played."""
    board = f"{terms.size}x{terms.size}, komi {terms.komi:g}"
    return (
        f"{board}, {terms.opening_moves} random moves first, each opening twice with colours "
        "exchanged; 95 % Wilson intervals."
    )


def games_learned(player: str) -> int | None:
    """From how many games the model that a player plays by has learned, as its folder says; None
    where it does not say."""
    for path in files_of(player):
        if path.name == "config.json":
            training = msgspec.json.decode(path.read_bytes()).get("training", {})
            games = training.get("games")
            return games if isinstance(games, int) else None
    return None


def fingerprint_players(players: Iterable[str]) -> str:
    """What players play by: their files, and how their kind plays by them where that has changed.
    Each seat has a seed of its own."""
    digest = sha256(b"a seed a seat")
    for player in players:
        digest.update("".join(versions_of(player)).encode())
        for path in files_of(player):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
