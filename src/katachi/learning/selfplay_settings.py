"""How a net learns from search: its settings, its tests and what they say."""

from typing import Annotated

import msgspec

from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import MOST_LAYERS, NetKind, Territory
from katachi.features.territory_inputs import InputSettings, plane_count
from katachi.learning.learner import Metrics
from katachi.learning.material import RunPlan
from katachi.learning.selfplay_ladder import WITHOUT_GNUGO
from katachi.players.names import check_player_name
from katachi.rules.size import MAX_SIZE, MIN_SIZE
from katachi.search.tree_games import GamePlan
from katachi.search.tree_limits import check_room
from katachi.search.tree_many import bytes_of

INPUTS = (
    *("stones", "influence", "influence:strict", "eyes", "liberties", "weakest"),
    *("edge", "danger", "placing", "last", "nearness", "nearness:last"),
)
"""What a net sees that begins from nothing: all that no recorded games are needed for."""
MOST_VISITS = 100_000
MOST_GAMES = 1_000_000
MOST_AT_ONCE = 4096
MOST_POSITIONS = 10_000_000
MOST_PARTS = 65_536
"""As many as a large cluster has cores."""
RANDOM_TEMPERATURE = 4.0
"""Of the random moves at the beginning: the likeliest are preferred a little."""

Count = Annotated[int, msgspec.Meta(ge=1, le=MOST_GAMES)]
Visits = Annotated[int, msgspec.Meta(ge=1, le=MOST_VISITS)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class SelfPlaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a net plays itself and learns from it."""

    size: Annotated[int, msgspec.Meta(ge=MIN_SIZE, le=MAX_SIZE)] = 5
    """Board size."""
    komi: float = 7.5
    """What White is given."""
    width: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 32
    """Planes of each layer of a new net."""
    depth: Annotated[int, msgspec.Meta(ge=1, le=MOST_LAYERS)] = 4
    """Layers of a new net."""
    generations: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 28
    """How often the net plays and then learns."""
    new_games: Count = 200
    """Games played in each generation."""
    parts: Annotated[int, msgspec.Meta(ge=1, le=MOST_PARTS)] = 4
    """Parts that these games are divided into; as many processes can play them."""
    at_once: Annotated[int, msgspec.Meta(ge=1, le=MOST_AT_ONCE)] = 64
    """Games of a part that are under way at once."""
    visits: Visits = 64
    """Of a move that is searched in full, and learned from."""
    quick_visits: Visits = 16
    """Of any other move."""
    full_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """Share of the moves that are searched in full."""
    random_moves: Annotated[int, msgspec.Meta(ge=0, le=400)] = 4
    """Most moves at the beginning of a game that are made at random."""
    sampled_moves: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 6
    """Moves at the beginning that are sampled by visits; later the most visited is taken."""
    positions: Annotated[int, msgspec.Meta(ge=1, le=MOST_POSITIONS)] = 20_000
    """The newest so many positions are learned from."""
    steps: Count = 400
    """Batches learned from in each generation."""
    batch: Annotated[int, msgspec.Meta(ge=1, le=65_536)] = 128
    """Positions in a batch."""
    rate: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.003
    """Step size in the first generation."""
    decay: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.95
    """What it is multiplied by from one generation to the next."""
    owner_weight: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 4.0
    """What the owners of points count beside the moves."""
    seed: int = 1
    """Equal seeds give equal weights, on one kind of machine."""


class SelfPlayPlan(RunPlan, frozen=True, forbid_unknown_fields=True):
    """What a net begins with, and how each generation is tested."""

    start: str | None = None
    """A territory model to begin with, by folder or name (random weights)."""
    measure_every: Annotated[int, msgspec.Meta(ge=1)] = 1
    """Generations from one test, and checkpoint, to the next."""
    opponent: str = ""
    """The player that generations are tested against (gnugo:0, or alp where that is missing)."""
    match_games: Annotated[int, msgspec.Meta(ge=2, le=100_000)] = 40
    """Games of each test."""
    match_visits: Visits = 64
    """Visits of a move in them."""
    opening_moves: Annotated[int, msgspec.Meta(ge=0, le=400)] = 4
    """Random moves before each test game; each opening is played twice, colours exchanged."""


class SelfPlayMeasurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """How strong a generation is: a line of `metrics.jsonl`."""

    generations: int
    games_played: int
    """In all generations."""
    train_policy_loss: float
    """Cross-entropy of the net's moves with the shares of visits, in nats; the mean of the last
    generation's batches."""
    train_ownership_loss: float
    """Of its owners with the final ones, a point."""
    opponent: str
    match_games: int
    """Of each match."""
    win_rate_tree: float
    """Won by a small tree search with the net against the opponent, and its interval (Wilson)."""
    win_rate_low_tree: float
    win_rate_high_tree: float
    win_rate_net: float
    """Won by the net alone."""
    win_rate_low_net: float
    win_rate_high_net: float
    win_rate_previous: float
    """Won by the tree against the same with the net of the generation before."""
    win_rate_low_previous: float
    win_rate_high_previous: float


def game_plan(settings: SelfPlaySettings) -> GamePlan:
    """How the games of a generation are played."""
    return GamePlan(
        size=settings.size,
        komi=settings.komi,
        games=settings.at_once,
        visits=settings.visits,
        quick_visits=settings.quick_visits,
        full_share=settings.full_share,
        sampled_moves=max(settings.sampled_moves, settings.random_moves),
        random_moves=settings.random_moves,
        random_temperature=RANDOM_TEMPERATURE,
    )


def match_terms(settings: SelfPlaySettings, plan: SelfPlayPlan) -> GameSettings:
    """How test games are played; raises KatachiError."""
    return GameSettings(settings.size, settings.komi, opening_moves=plan.opening_moves)


def load_start(plan: SelfPlayPlan) -> Territory | None:
    """The model to begin with; raises KatachiError for one that cannot learn here."""
    if not plan.start:
        return None
    model = load_territory(plan.start)
    is_whole = model.predicts_moves and model.knows_owners
    if model.net is not NetKind.CONVOLUTION or not is_whole:
        raise KatachiError(
            f"{plan.start} cannot learn from search: it needs a convolution that knows owners "
            "and predicts moves, such as owners9"
        )
    return model


def check_plan(settings: SelfPlaySettings, plan: SelfPlayPlan) -> None:
    """Raises KatachiError for what cannot be played, or has no room in memory."""
    match_terms(settings, plan)
    check_player_name(plan.opponent or WITHOUT_GNUGO)
    points = settings.size**2
    trees = bytes_of(game_plan(settings).sizes(settings.at_once))
    planes = 2 * sum(plane_count(InputSettings(INPUTS)))
    for what, needed in (
        (f"{settings.at_once:,} games at once of {settings.visits:,} visits", trees),
        (f"{settings.positions:,} positions", settings.positions * points * planes),
    ):
        check_room(what, needed)
