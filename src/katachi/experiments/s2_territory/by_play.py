"""S2-play: the sweeping net learns owners from its own games, at 5x5 and 7x7, from nothing (section
4)."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import msgspec
import numpy as np

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.evaluators.territory import Territory
from katachi.experiments.bounds import BoardSize, Count, Komi, Rate
from katachi.experiments.claims import gap, judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import spot_of
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_run import TerritoryGames
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.pictures.charts import Curves, Line, draw_panels
from katachi.players.evaluating import EvaluatingPlayer, GibbsPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.records.conversion import record_from_game
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.record import GameRecord
from katachi.records.result import result_from_score
from katachi.rules.area import area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.statistics import T_INTERVAL

WON = Quantity("won against ALP", "%", 1)
LABELS = ("{size}x{size}, generation {generation}",)
INPUTS = ("stones", "eyes", "liberties", "weakest")
"""The paper's inputs but for those that are counted in records, or need a stand-in."""
MOVES_A_POINT = 3
EVEN = 50.0


class PlaySettings(Settings, frozen=True, kw_only=True):
    """How the net plays itself, learns and is tested."""

    runs: Count = 3
    """Independent runs at each size."""
    sizes: tuple[BoardSize, ...] = (5, 7)
    """Board sizes."""
    komi: Komi = 7.5
    """Of the tests; the net learns owners, whatever it is."""
    generations: Count = 10
    """How often it plays and then learns."""
    games: Count = 200
    """Games of each generation."""
    kept: Count = 2
    """Generations whose games are learned from."""
    temperature: Rate = 1.0
    """Of the moves that it samples, in points."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    batch: Count = 32
    """Positions in a batch."""
    steps: Count = 300
    """Batches of each generation."""
    test_games: Count = 100
    """Games of each generation against the average liberties player, both greedy."""


QUICK = PlaySettings(
    runs=2,
    sizes=(5,),
    generations=2,
    games=3,
    hidden=4,
    states=2,
    batch=4,
    steps=2,
    test_games=2,
)


class Course(msgspec.Struct, frozen=True):
    """What came of one run."""

    won: list[float]
    """Percentage of the games against ALP before the first generation and after each."""


def training_of(settings: PlaySettings, seed: int) -> TerritorySettings:
    """How a net learns."""
    return TerritorySettings(
        inputs=InputSettings(INPUTS),
        hidden=settings.hidden,
        states=settings.states,
        batch=settings.batch,
        steps=settings.generations * settings.steps,
        seed=seed,
    )


def play_out(model: Territory, size: int, temperature: float, seed: int) -> GameRecord:
    """A game of a net against itself until nobody has a move that fills no own eye, with the owners
    of all points; moves are sampled by the points that they promise."""
    game, player = Game(size), GibbsPlayer("net", model, seed, temperature)
    while not game.is_over and len(game.moves) < MOVES_A_POINT * size * size:
        chosen = player.choose(game, game.to_play).point
        game.play(game.to_play, PASS if chosen is None else chosen)
    return _record(game)


def _record(game: Game) -> GameRecord:
    owners = area_owners(game.words)
    signs = np.asarray((owners == BLACK).astype(np.int8) - (owners == WHITE), np.int8)
    record = record_from_game(game, result=result_from_score(float(signs.sum()) - game.komi))
    return replace(record, ownership=signs)


def wins_of(model: Territory, settings: PlaySettings, size: int, seed: int) -> float:
    """Percentage of games that a net wins against ALP."""
    limit = MOVES_A_POINT * size * size
    terms = GameSettings(size, settings.komi, opening_moves=2, move_limit=limit)

    def seats(number: int) -> tuple[Player, Player]:
        mine = EvaluatingPlayer("net", model, seed + number)
        return mine, make_player("alp", seat_seed(seed + number, 1))

    return 100 * sum(play_games(seats, terms, settings.test_games, seed)) / settings.test_games


def measure(settings: PlaySettings, task: Task) -> Course:
    """One net from random weights to its last generation."""
    size, training = int(task.key["size"]), training_of(settings, task.run)
    generations: list[list[GameRecord]] = []
    trainer = _trainer(training, [_record(material.random_game(size, size, task.run))])
    won = [wins_of(trainer.model(), settings, size, task.seed)]
    for generation in range(settings.generations):
        model, first = trainer.model(), task.seed + generation * settings.games
        games = [
            play_out(model, size, settings.temperature, first + number)
            for number in range(settings.games)
        ]
        generations = [*generations, games][-settings.kept :]
        following = _trainer(training, [each for some in generations for each in some])
        following.load_state(trainer.state())
        with closing(following):
            following.learn(settings.steps)
        trainer = following
        won.append(wins_of(trainer.model(), settings, size, task.seed))
    return Course(won)


def _trainer(training: TerritorySettings, records: Sequence[GameRecord]) -> TerritoryTrainer:
    games = set_of_records(list(records))
    none = GameSet(games.columns, games.rows[:0])
    return material.new_trainer(training, TerritoryGames(games, none, 0, 0))


def run(settings: PlaySettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where PyTorch is missing."""
    tasks = tasks_of(cross(size=settings.sizes), settings.runs, lambda key: float(key["size"]) ** 4)
    found = runner.measure_all(Study("S2-play", settings, seed, tasks, measure, "1"))
    notes = [
        f"A net of {settings.hidden} hidden units and {settings.states} states that sees "
        f"{', '.join(INPUTS)}, from random weights: {settings.games} games a generation against "
        f"itself, moves sampled by the points that they promise (temperature "
        f"{settings.temperature:g}), played until nobody has a move that fills no own eye; then "
        f"{settings.steps} batches of {settings.batch} positions of the last {settings.kept} "
        "generations, whose targets are the paper's.",
        f"Tests: one ply, greedy, against the average liberties player, {settings.test_games} "
        f"games, komi {settings.komi:g}, two random moves before each game. {T_INTERVAL}",
        "The paper learned by play at 5x5 and 7x7, too. It calls what came of it encouraging but "
        "insufficient, and prints no numbers (section 4).",
    ]
    return Table(quantities=[WON], rows=found.rows(_rows), labels=LABELS, notes=notes)


def _rows(key: Key, runs: list[Course]) -> list[Row]:
    by_generation = zip(*(each.won for each in runs), strict=True)
    return [
        WON.mean(key | {"generation": number}, values, (0, 100))
        for number, values in enumerate(by_generation)
    ]


def judge(table: Table) -> list[Claim]:
    """Whether the net learns by play alone, and comes past ALP by it."""
    claims = []
    for size in table.values("size"):
        rows = table.rows_of(WON, size=size)
        first, last = rows[0], rows[-1]
        ours = f"{last.ours:.1f} % against ALP, {first.ours:.1f} % before"
        words = f"learning by play alone is encouraging at {size}x{size} (section 4)", ours
        claims.append(judge_above(words, gap(last, first, 1, " %")))
        past = f"our goal: by play alone it comes past ALP at {size}x{size}", f"{last.ours:.1f} %"
        claims.append(judge_above(past, number_of(last, 1, " %"), EVEN))
    return claims


def draw(table: Table, title: str) -> str:
    """Wins by generation."""
    sizes = table.values("size")
    curves = [
        [spot_of(row, float(row.key["generation"])) for row in table.rows_of(WON, size=size)]
        for size in sizes
    ]
    panel = Curves(WON.name, "%", "generations", curves, 100.0, (Line(EVEN, "equal"),))
    return draw_panels(title, "one ply, no records", [f"{each}x{each}" for each in sizes], [panel])


EXPERIMENT = Experiment(PlaySettings(), QUICK, run, draw, judge)
