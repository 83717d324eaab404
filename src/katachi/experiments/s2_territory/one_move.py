"""S2-F3: what one move does to the territory, and whether the net would have made it (Figure 3)."""

from collections.abc import Iterator

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shipped import LITERAL, load_territory
from katachi.experiments.bounds import Amount
from katachi.experiments.claims import Tested, judge_exact, leave_open
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s2_territory import material
from katachi.pictures.boards import picture_of_territory
from katachi.pictures.drawing import svg_from_drawing
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, open_games
from katachi.records.record import GameRecord
from katachi.records.selection import GameFilter
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import SYMBOLS
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.search.analysis import evaluate_moves
from katachi.search.policy import black_scores
from katachi.search.territory_views import read_territory, reading_of
from katachi.statistics import Estimate

LABELS = ("{move}: {number}, {vertex}",)
RANK = Quantity("rank of the played move")
LEGAL = Quantity("legal moves")
GAIN = Quantity("more points than after a pass", "", 2)
BEST_GAIN = Quantity("the same of the best move", "", 2)
FIRST = Quantity("played move ranked first", "% of Black's moves", 1)
GAME = "the game"
PAPER_RANK = 1


class OneMoveSettings(Settings, frozen=True, kw_only=True):
    """Which game, and which of its moves."""

    model: str = LITERAL
    """A territory model, by name or folder; its owners are drawn."""
    file: str = "pro19.sgf.gz"
    """Where the game is looked for."""
    black: str = "Zhou Heyang"
    """Who played Black."""
    white: str = "Chang Hao"
    """Who played White."""
    date: str = "2000-10-22"
    """When the paper's game was played."""
    vertex: str = "N12"
    """The paper's move."""
    fewest: Amount = 80
    """In another game: moves before the one that is looked at."""


QUICK = OneMoveSettings(fewest=20)


class Scene(msgspec.Struct, frozen=True):
    """A move of Black, and what the net says of it."""

    number: int
    vertex: str
    best: str
    """Where the net would play."""
    rank: int
    """1 for the best; equals do not come before each other."""
    legal: int
    gain: float
    best_gain: float
    """Points that Black will own after the move, and after the best one, less those after a
    pass."""


class Reading(msgspec.Struct, frozen=True):
    """What came of the game; no more of it than one position."""

    game: str
    """Who played, and when."""
    is_papers: bool
    moves: int
    """Stones that Black played."""
    first: int
    """Of these, ranked first."""
    chosen: Scene
    """The move that the rule says."""
    pictured: Scene
    """The move that is drawn."""
    rows: list[str]
    """The board before it."""
    chances: list[list[float]]
    """[3, points]: Black's chances now, after the move, after a pass."""


def find_game(games: GameSet, settings: OneMoveSettings) -> tuple[GameRecord, bool]:
    """(game, whether it is the paper's): else the first of the same players with the same colours,
    or else the first that is long enough; raises KatachiError where none is."""
    day = GameFilter(since=settings.date, until=settings.date)
    for record in games.filter(day):
        if _has_players(record, settings):
            return record, True
    long_enough = games.filter(GameFilter(min_moves=settings.fewest + 2))
    found = [record for record in long_enough if _has_players(record, settings)]
    if found:
        return min(found, key=lambda record: record.texts.date), False
    if len(long_enough) == 0:
        raise KatachiError(f"no game of {settings.file} has {settings.fewest + 2} moves")
    return long_enough[0], False


def _has_players(record: GameRecord, settings: OneMoveSettings) -> bool:
    return (record.texts.black, record.texts.white) == (settings.black, settings.white)


def black_moves(record: GameRecord, first: int) -> Iterator[tuple[int, Game, int]]:
    """(number, position before it, point) of each stone of Black from move `first` on; a position
    is good until the next."""
    game = game_from_record(record, 0)
    moves = zip(record.moves.tolist(), record.colors.tolist(), strict=True)
    for number, (point, color) in enumerate(moves, 1):
        if color == BLACK and point != PASS and number >= first:
            yield number, game, point
        game.play(color, point)


def judge(evaluator: Evaluator, game: Game, point: int, number: int) -> Scene:
    """How the net sees a move of Black."""
    legal = game.legal_moves(BLACK)
    moves = np.append(legal, np.uint16(PASS))
    *points, passed = black_scores(evaluate_moves(evaluator, game, BLACK, moves)).tolist()
    played = points[legal.tolist().index(point)]
    best = int(np.argmax(points))
    return Scene(
        number,
        vertex_from_point(point, game.size),
        vertex_from_point(int(legal[best]), game.size),
        1 + sum(each > played for each in points),
        len(points),
        played - passed,
        points[best] - passed,
    )


def choose(settings: OneMoveSettings, scenes: list[Scene], *, is_papers: bool) -> Scene:
    """The paper's move in its game; in another, Black's first after the fewest moves."""
    papers = [scene for scene in scenes if scene.vertex == settings.vertex]
    if is_papers and papers:
        return papers[0]
    return next(scene for scene in scenes if scene.number > settings.fewest)


def outstanding(scenes: list[Scene]) -> Scene | None:
    """Of the moves that are the net's own, the one that gains most."""
    first = [scene for scene in scenes if scene.rank == 1]
    return max(first, key=lambda scene: scene.gain, default=None)


def measure(settings: OneMoveSettings, task: Task) -> Reading:
    """The one reading."""
    record, is_papers = find_game(open_games(task.require_file(settings.file)), settings)
    evaluator = load_territory(settings.model)
    scenes = [judge(evaluator, game, point, n) for n, game, point in black_moves(record, 1)]
    chosen = choose(settings, scenes, is_papers=is_papers)
    pictured = chosen if is_papers else outstanding(scenes) or chosen
    game = game_from_record(record, pictured.number - 1)
    point = point_from_vertex(pictured.vertex, game.size)
    views = read_territory(evaluator, game, BLACK, point).views[:3]
    texts = record.texts
    return Reading(
        f"{texts.black} (Black) v {texts.white}, {texts.date}",
        is_papers,
        len(scenes),
        sum(scene.rank == 1 for scene in scenes),
        chosen,
        pictured,
        rows_of(game),
        [[round(chance, 3) for chance in view.chances.tolist()] for view in views],
    )


def rows_of(game: Game) -> list[str]:
    """A position as rows of `.`, `X` and `O`."""
    symbols = "".join(SYMBOLS[color] for color in game.colors.tolist())
    return [symbols[at : at + game.size] for at in range(0, len(symbols), game.size)]


def run(settings: OneMoveSettings, seed: int, runner: Runner) -> Table:
    """Reads the game, unless that is done; raises KatachiError where model or games are missing."""
    material.check_share(settings.model)
    path = runner.require_file(settings.file)
    behaviour = material.fingerprint([path], [settings.model])
    tasks = tasks_of([{"game": GAME}])
    study = Study("S2-F3", settings, seed, tasks, measure, behaviour)
    reading = runner.measure_all(study).one(game=GAME)
    rows = _scene_rows("the move by the rule", reading.chosen, paper=PAPER_RANK)
    if reading.pictured != reading.chosen:
        rows += _scene_rows("Black's move that gains most of those ranked first", reading.pictured)
    share = round(100 * reading.first / reading.moves, 3)
    rows.append(FIRST.row({"moves": "all moves of Black"}, share, reading.moves))
    return Table(
        quantities=[RANK, LEGAL, GAIN, BEST_GAIN, FIRST],
        rows=rows,
        labels=LABELS,
        notes=_notes(settings, reading),
        report=msgspec.to_builtins(reading),
    )


def _scene_rows(what: str, scene: Scene, paper: int | None = None) -> list[Row]:
    key: Key = {"move": what, "number": scene.number, "vertex": scene.vertex}
    return [
        RANK.row(key, scene.rank, paper=paper),
        LEGAL.row(key, scene.legal),
        GAIN.row(key, round(scene.gain, 3)),
        BEST_GAIN.row(key, round(scene.best_gain, 3)),
    ]


def judge_rank(table: Table) -> list[Claim]:
    """Where the net ranks the move of Figure 3; with another game in its place, that is open."""
    reading = msgspec.convert(table.report, Reading)
    scene = reading.chosen
    ours = f"{scene.vertex}, move {scene.number}, is {scene.rank} of {scene.legal}"
    if scene.rank > 1:
        ours += f"; the net would play {scene.best}"
    words = "the move that was played is the top-ranked one", ours
    if not reading.is_papers:
        rule = "undecided where another game stands in for the paper's"
        return [leave_open(words, Tested(Estimate(float(scene.rank)), 1), rule)]
    return [judge_exact(words, "its rank is 1", holds=scene.rank == 1)]


def _notes(settings: OneMoveSettings, reading: Reading) -> list[str]:
    notes = [material.describe_model(settings.model), f"The game: {reading.game}."]
    if not reading.is_papers:
        notes.append(
            f"The paper's game, {settings.black} v {settings.white} on {settings.date}, is not in "
            f"{settings.file}. In its place stands the first of the same players with the same "
            "colours, or else the first of the file; in place of the paper's move, which is its "
            f"example of an outstanding one, Black's first after move {settings.fewest}, whatever "
            "the net thinks of it."
        )
    if reading.pictured != reading.chosen:
        notes.append(
            f"The picture shows move {reading.pictured.number}, chosen as the paper's was: the net "
            "would have played it, and it gains more than Black's other moves of which this is so."
        )
    return [*notes, "Moves are ranked by the points that Black will own after them."]


def draw(table: Table, title: str) -> str:
    """Heat maps: now, after the move, after a pass, and the difference."""
    reading = msgspec.convert(table.report, Reading)
    board = Board.from_diagram("\n".join(reading.rows))
    game = Game(len(reading.rows))
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    scene = reading.pictured
    chances = np.array(reading.chances)
    views = reading_of(game, BLACK, point_from_vertex(scene.vertex, game.size), chances)
    text = f"Move {scene.number}, rank {scene.rank} of {scene.legal}: {reading.game}"
    return svg_from_drawing(picture_of_territory(title, text, views))


EXPERIMENT = Experiment(OneMoveSettings(), QUICK, run, draw, judge_rank)
