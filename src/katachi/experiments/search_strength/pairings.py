"""Matches in which the time of a move is part of the question.

A player is given so many seconds a move, or a multiple of the mean time that its opponent has taken
so far in the same block of games: on any machine, however busy, both then have the time that was
meant. A player for which neither is said plays as its name says.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Ending, score_of
from katachi.arena.pairs import seat_seed
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.experiments import matches
from katachi.experiments.bounds import Amount, Count, NotNegative, Share
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.table_pictures import bars_of_rows
from katachi.pictures.charts import draw_panels
from katachi.players.clock import TimeSettings, TimeSystem
from katachi.players.program import GnuGoPlayer
from katachi.players.protocol import Choice, Player, Started
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.search.tree_limits import BATCH_OF_CARD, CPU, GPU, TreeLimits

SCORE = Quantity("score", "% of points", 1)
OWN_TIME = Quantity("own time", "ms a move", 0)
THEIR_TIME = Quantity("opponent's time", "ms a move", 0)
LOST_BY_TIME = Quantity("lost by time", "games", 0)
LABELS = ("{player}, {time} v {opponent}",)
CLOCK_LABELS = ("{player} v {opponent}{time:.0}",)
"""Where one clock holds for all games, the time is not said again."""
TimedStudy = Study["PairingSettings", "TimedScore"]
LEAST, MOST = 0.2, 2.0
"""Shares of the mean time that a single move may get."""
FIRST_GUESS = 0.1
"""Seconds a move that an opponent is taken to need before it has moved."""
SHARE_WHEN_SURE = 0.1
"""Of the time of a move, for a player that is sure to win."""


class Pairing(msgspec.Struct, frozen=True):
    """Who plays whom, how often, and how long the first may think."""

    player: str
    """The first player's name."""
    opponent: str
    """The other's."""
    games: Count
    """How many they play."""
    seconds: NotNegative = 0.0
    """A move of the first player; 0: as it likes."""
    share: NotNegative = 0.0
    """The same as a multiple of the opponent's mean time; 0: none."""
    sure: Share = 1.0
    """A chance of winning, by the first player's own count, above which it thinks a tenth as long;
    1: none. It can only lose by that, and long games end sooner."""

    @property
    def key(self) -> Key:
        """What the games are about, however many they are."""
        return {"player": self.player, "time": self.pace, "opponent": self.opponent}

    @property
    def pace(self) -> str:
        """The time of the first player in words."""
        if self.share:
            return "equal time" if self.share == 1 else f"{self.share:g} times the time"
        if not self.seconds:
            return "no clock"
        return f"{'up to ' * (self.sure < 1)}{self.seconds:g} s a move"


class PairingSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """The pairings, and how their games are played."""

    pairings: tuple[Pairing, ...]
    """Who plays whom."""
    opening_moves: Amount = 2
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    block: Count = 10
    """Games played in one go."""
    clock: NotNegative = 0.0
    """Seconds that each side has for a whole game; 0: no clock."""

    @property
    def terms(self) -> GameSettings:
        """Of each game."""
        terms = super().terms
        if not self.clock:
            return terms
        return replace(terms, time=TimeSettings(TimeSystem.ABSOLUTE, self.clock))

    @property
    def limits(self) -> TreeLimits:
        """Of the tree that the first player grows, if it does."""
        return TreeLimits()


class GpuPairingSettings(PairingSettings, frozen=True, kw_only=True):
    """The same with the net of the first player on a GPU."""

    uses_gpu: bool = True
    """Whether a GPU computes the net."""

    @property
    def limits(self) -> TreeLimits:
        """Of the tree that the first player grows."""
        return TreeLimits(BATCH_OF_CARD, device=GPU) if self.uses_gpu else TreeLimits()


class TimedScore(msgspec.Struct, frozen=True):
    """What came of a block of games."""

    points: float
    games: int
    seconds: tuple[float, float]
    """Of thinking, by the first player and by the second."""
    moves: tuple[int, int]
    lost_by_time: int
    """Games that the first player lost so."""


class PacedPlayer:
    """A player that is told how long to think, and how long it took in all."""

    def __init__(self, player: Player, pace: Callable[[], float | None]) -> None:
        self.player = player
        self.name = player.name
        self.seconds = 0.0
        self.moves = 0
        self.win_rate: float | None = None
        """Its own count of its chances, by its latest move in this game."""
        self._pace = pace

    def start(self, game: Game) -> None:
        """Starts the player, outside of its time."""
        if isinstance(self.player, Started):
            self.player.start(game)

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The player's move within the time that its pace says, or else `seconds`."""
        pace = self._pace()
        begin = time.perf_counter()
        choice = self.player.choose(game, color, seconds if pace is None else pace)
        self.seconds += time.perf_counter() - begin
        self.moves += 1
        self.win_rate = choice.win_rate
        return choice

    @property
    def mean(self) -> float:
        """Seconds a move so far."""
        return self.seconds / self.moves if self.moves else FIRST_GUESS

    def close(self) -> None:
        """Ends the player."""
        self.player.close()


def seat(pairing: Pairing, seed: int, limits: TreeLimits) -> tuple[PacedPlayer, PacedPlayer]:
    """Both players, the first at the pace that its pairing says and with a tree of these limits."""
    first = make_player(pairing.player, seat_seed(seed, 0), limits)
    second = make_player(pairing.opponent, seat_seed(seed, 1))
    other = PacedPlayer(second, lambda: None)

    def pace() -> float | None:
        if not pairing.share:
            is_sure = (ours.win_rate or 0.0) > pairing.sure
            return pairing.seconds * (SHARE_WHEN_SURE if is_sure else 1.0) or None
        mean = pairing.share * other.mean
        # Who took too long for earlier moves has less for this one, and the other way round.
        left = mean * (ours.moves + 1) - ours.seconds
        return min(max(left, LEAST * mean), MOST * mean)

    ours = PacedPlayer(first, pace)
    return ours, other


def measure(settings: PairingSettings, task: Task) -> TimedScore:
    """One block of games of the only pairing."""
    (pairing,) = settings.pairings
    players = seat(pairing, task.seed, settings.limits)
    try:
        return _play(players, settings, task.seed)
    finally:
        for player in players:
            player.close()


def _play(
    players: tuple[PacedPlayer, PacedPlayer], settings: PairingSettings, seed: int
) -> TimedScore:
    ours, other = players
    points, lost = 0.0, 0
    for number in range(settings.block):
        color = BLACK if number % 2 == 0 else WHITE
        if isinstance(other.player, GnuGoPlayer):  # else it plays every game by one seed
            other.player.reseed(seed + number)
        ours.win_rate = None
        opening = sample_opening(settings.terms, seed, number // 2)
        seats = (ours, other) if color == BLACK else (other, ours)
        outcome = play_game(*seats, settings.terms, opening)
        points += score_of(outcome, color)
        lost += outcome.ending is Ending.TIME and outcome.winner == opponent(color)
    times = ours.seconds, other.seconds
    return TimedScore(points, settings.block, times, (ours.moves, other.moves), lost)


def rows_of(settings: PairingSettings, key: Key, blocks: Sequence[TimedScore]) -> list[Row]:
    """All blocks of one pairing as rows of the table."""
    games = sum(each.games for each in blocks)
    rows = [SCORE.score(key, sum(each.points for each in blocks), games)]
    for side, quantity in enumerate((OWN_TIME, THEIR_TIME)):
        moves = sum(each.moves[side] for each in blocks)
        mean = 1000 * sum(each.seconds[side] for each in blocks) / max(1, moves)
        rows.append(quantity.row(key, round(mean, 1), moves))
    if settings.clock:
        lost = sum(each.lost_by_time for each in blocks)
        rows.append(LOST_BY_TIME.row(key, lost, games))
    return rows


def study_of(name: str, pairing: Pairing, settings: PairingSettings, seed: int) -> TimedStudy:
    """The games of one pairing. How many are asked for does not change those that were played, and
    neither do other pairings: each has a journal of its own."""
    kept = msgspec.structs.replace(settings, pairings=(msgspec.structs.replace(pairing, games=0),))
    behaviour = matches.fingerprint_players([pairing.player, pairing.opponent])
    tasks = settings.tasks([pairing.key], pairing.games)
    words = "-".join(map(str, pairing.key.values()))
    journal = f"{name}-{re.sub('[^a-z0-9]+', '-', words.lower())}"
    return Study(journal, kept, seed, tasks, measure, behaviour)


def run(name: str, settings: PairingSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing; pairings with GNU Go are left out where it is not installed. Raises
    KatachiError for a pairing that cannot be played as it says."""
    pairings = settings.pairings
    for pairing in pairings:
        check_pairing(pairing)
    if not matches.has_gnugo():
        runner.tell(matches.GNUGO_MISSING)
        pairings = tuple(each for each in pairings if "gnugo" not in each.opponent)
    rows = []
    for pairing in pairings:
        found = runner.measure_all(study_of(name, pairing, settings, seed))
        rows += found.rows(partial(rows_of, settings))
    columns = [SCORE, OWN_TIME, THEIR_TIME, *([LOST_BY_TIME] if settings.clock else [])]
    labels = CLOCK_LABELS if settings.clock else LABELS
    return Table(quantities=columns, rows=rows, labels=labels, notes=notes_for(settings))


def check_pairing(pairing: Pairing) -> None:
    """Raises KatachiError where a player is to think less when it is sure, but not for so many
    seconds: its time would be another."""
    if pairing.sure < 1 and (pairing.share or not pairing.seconds):
        raise KatachiError(
            f"{pairing.player} v {pairing.opponent}: who thinks less when it is sure to win needs "
            "seconds a move, and no share of the opponent's time"
        )


def notes_for(settings: PairingSettings) -> list[str]:
    """What a reader must know of how games were played."""
    notes = [matches.terms_note(settings.terms), "Nobody thinks on the opponent's time."]
    notes += [
        f"{pace[0].upper()}{pace[1:]}: by the mean that the opponent took in its block of games."
        for pace in dict.fromkeys(each.pace for each in settings.pairings if each.share)
    ]
    notes += [
        f"{each.player} thinks a tenth as long while it gives itself a chance of more "
        f"than {100 * each.sure:g} %."
        for each in settings.pairings
        if each.sure < 1
    ]
    if settings.limits.device != CPU:
        notes.append("The net of the first player is computed on a GPU, which games share.")
    if settings.clock:
        notes.append(f"Each side had {settings.clock:g} seconds for a whole game.")
    return notes


def draw(table: Table, title: str) -> str:
    """A bar for each pairing."""
    return draw_panels(title, "95 % intervals", [], [bars_of_rows(table, SCORE, 100.0)])


def experiment_of(
    name: str,
    settings: PairingSettings,
    quick: PairingSettings,
    judge: Callable[[Table], list[Claim]] = lambda _: [],
) -> Experiment:
    """An experiment of such matches."""
    return Experiment(settings, quick, partial(run, name), draw, judge)
