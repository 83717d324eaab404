"""S1-F5: the ratings of the learned players at 9x9 (Figure 5), on a ladder of our own.

The Computer Go Server of 2007 is gone; two of its players are anchored where the paper had them.
"""

from hashlib import sha256
from pathlib import Path

import msgspec

from katachi.arena.database import Database
from katachi.arena.ladder import Ladder
from katachi.arena.report import Report, make_report, notes
from katachi.arena.report_picture import svg_from_report
from katachi.arena.roster import PlayerSection, Roster, enter_players
from katachi.arena.schedule import Pair, ScheduleKind, pair_of
from katachi.arena.settings import GameSettings, fischer_time
from katachi.arena.workers import Finished, play_tasks
from katachi.experiments import matches
from katachi.experiments.bounds import Amount, BoardSize, Komi, Rate
from katachi.experiments.claims import UNEQUAL, judge_above, judge_within, number_of
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table, Verdict
from katachi.experiments.runner import OutOfTime, Progress, Runner, Task
from katachi.files.provenance import machine, versions

ELO = Quantity("rating", "Elo", 0)
SCORE = Quantity("score", "% of points", 1)
LEARNED = Quantity("learned from", "games")
LEARNERS = ("B", "L", "S")
NEAR = 100.0
"""Elo within which we call a rating the same: the paper's own are of 28 to 71 games."""
PAPER_ELO = {"B": 1070.0, "L": 1140.0, "S": 1210.0, "influence": 700.0}
"""After 71, 28 and 43 games of the learned players."""
ANCHORS = {"random": -170.0, "alp": 850.0}
"""The paper's ratings of these, which ours are measured from."""


class RatingSettings(Settings, frozen=True, kw_only=True):
    """Who plays whom, how often and how."""

    shapes: str = "shape:shape9"
    """B, the player with local shapes."""
    liberties: str = "shape:liberty9"
    """L, the player with local shapes and liberty shapes."""
    searching: str = "search:3:shape:shape9"
    """S, the player with local shapes and alpha-beta search, here three plies deep."""
    others: tuple[str, ...] = ("random", "influence", "alp")
    """Players of ours that the paper rates."""
    gnugo_levels: tuple[Amount, ...] = (0, 1, 5, 10)
    """Levels of GNU Go that play too, where it is installed."""
    size: BoardSize = 9
    """Board size."""
    komi: Komi = 7.5
    """What White is given."""
    main_seconds: Rate | None = None
    """Time of each side: no clock, as every player takes its fixed time; 600 in the paper."""
    opening_moves: Amount = 4
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    learned_games: Amount = 400
    """Games of each two learned players."""
    met: tuple[str, ...] = ("alp",)
    """Those of them that each learned player meets, whoever are neighbours."""
    anchor_games: Amount = 400
    """Games of each learned player with those and with GNU Go's lowest level."""
    level_games: Amount = 0
    """Games of each learned player with every other level of GNU Go, whoever are neighbours."""
    neighbour_games: Amount = 40
    """Games of any two neighbours in the ranking."""

    def learned(self) -> dict[str, str]:
        """The learned players by the paper's letters."""
        return {"B": self.shapes, "L": self.liberties, "S": self.searching}


QUICK = RatingSettings(
    shapes="alp",
    liberties="influence",
    searching="playouts:2",
    gnugo_levels=(),
    size=5,
    main_seconds=None,
    opening_moves=2,
    learned_games=4,
    anchor_games=2,
    neighbour_games=2,
)


def roster_of(settings: RatingSettings, seed: int, study: str = "S1-F5") -> Roster:
    """The ladder's roster, weakest players first."""
    players = [PlayerSection(name=n, spec=n, anchor=ANCHORS.get(n)) for n in settings.others]
    players += [PlayerSection(name=n, spec=spec) for n, spec in settings.learned().items()]
    players += [
        PlayerSection(name=f"gnugo-{level}", spec=matches.GNUGO_LEVEL.format(level), optional=True)
        for level in settings.gnugo_levels
    ]
    return Roster(
        path=Path(study),
        name=f"{study}: learned players",
        settings=GameSettings(
            settings.size,
            settings.komi,
            time=fischer_time(settings.main_seconds, 0.0),
            opening_moves=settings.opening_moves,
        ),
        players=tuple(players),
        kind=ScheduleKind.NEIGHBOURS,
        games=settings.neighbour_games,
        pairs=_pairs(settings),
        seed=seed,
    )


def _pairs(settings: RatingSettings) -> dict[Pair, int]:
    learned = list(settings.learned())
    opponents = [name for name in settings.met if name in settings.others]
    opponents += [f"gnugo-{level}" for level in settings.gnugo_levels[:1]]
    pairs = {pair_of(name, other): settings.anchor_games for name in learned for other in opponents}
    if settings.level_games:
        levels = [f"gnugo-{level}" for level in settings.gnugo_levels[1:]]
        pairs |= {pair_of(name, each): settings.level_games for name in learned for each in levels}
    for index, name in enumerate(learned):
        pairs |= {pair_of(name, other): settings.learned_games for other in learned[:index]}
    return pairs


def run(settings: RatingSettings, seed: int, runner: Runner) -> Table:
    """Plays what the ladder still lacks and fits the ratings."""
    return rate_players(settings, seed, runner, "S1-F5")


def rate_players(settings: RatingSettings, seed: int, runner: Runner, study: str) -> Table:
    """Plays what the ladder of a study still lacks and fits the ratings."""
    roster, contestants, absent = enter_players(roster_of(settings, seed, study))
    for line in absent:
        runner.tell(line)
    path = runner.folder / f"{study}-{_key(settings, seed)}.db"
    with Database(path) as database:
        ladder = Ladder(roster, contestants, database)
        if ladder.count_missing():
            _note_machine(path)
        _play(ladder, runner)
        if ladder.count_missing():
            total = database.count_games() + ladder.count_missing()
            raise OutOfTime(database.count_games(), total)
        report = make_report(database)
        seconds = sum(game.seconds for game in database.recent_games(database.count_games()))
    runner.note(seconds, versions())
    for name in _machines(path):
        runner.note(0.0, {"machine": name})
    return tabulate(settings, report)


def _machines(path: Path) -> list[str]:
    """The machines that games of this database were played on."""
    beside = path.with_suffix(".machines")
    return beside.read_text(encoding="utf-8").splitlines() if beside.exists() else []


def _note_machine(path: Path) -> None:
    known = _machines(path)
    if machine() not in known:
        text = "".join(f"{name}\n" for name in [*known, machine()])
        path.with_suffix(".machines").write_text(text, encoding="utf-8")


def _key(settings: RatingSettings, seed: int) -> str:
    data = msgspec.json.encode([msgspec.to_builtins(settings), seed], order="sorted")
    return sha256(data).hexdigest()[:16]


def _play(ladder: Ladder, runner: Runner) -> None:
    """Plays until nothing is missing or the time is up, and tells of each game."""
    games = ladder.play(
        lambda tasks: play_tasks(tasks, runner.pool), lambda: runner.time_left() == 0
    )
    spent = 0.0
    for count, finished in enumerate(games, 1):
        missing = ladder.count_missing() + ladder.count_under_way()
        took = sum(finished.outcome.seconds.values())
        spent += took
        left = spent / count * missing / runner.pool.count
        done = ladder.database.count_games()
        runner.observe(Progress(done, done + missing, _task(finished), took, left))


def _task(finished: Finished) -> Task:
    black, white = finished.task.names or (finished.task.black, finished.task.white)
    return Task(f"{black} - {white}", finished.task.number + 1)


def tabulate(settings: RatingSettings, report: Report) -> Table:
    """Ratings, and the scores of the learned players against everyone they met."""
    rows = [
        Row(
            key={"player": player.name},
            quantity=ELO.name,
            ours=player.elo,
            low=None if player.is_anchor else player.low,
            high=None if player.is_anchor else player.high,
            n=player.games,
            paper=(PAPER_ELO | ANCHORS).get(player.name),
            remark="anchor" if player.is_anchor else "",
        )
        for player in report.current
    ]
    scores = _scores(report)
    for name in settings.learned():
        rows += [
            SCORE.score({"player": one, "opponent": other}, points, games)
            for (one, other), (points, games) in scores.items()
            if one == name and (other not in settings.learned() or other < one)
        ]
    for name, player in settings.learned().items():
        games = matches.games_learned(player)
        if games is not None:
            rows.append(LEARNED.row({"player": name}, games))
    terms = [
        *notes(report)[:-1],
        "Scores have 95 % Wilson intervals. The paper's ratings are of 2007's Computer Go Server "
        "with 10 minutes a side, against other opponents.",
    ]
    return Table(
        quantities=[ELO, LEARNED, SCORE],
        rows=rows,
        labels=matches.PAIRING,
        notes=terms,
        report=msgspec.to_builtins(report),
    )


def _scores(report: Report) -> dict[Pair, tuple[float, int]]:
    """(points, games) of each player against each other, colours taken together."""
    scores: dict[Pair, tuple[float, int]] = {}
    for pair in report.pairs:
        games = pair.wins + pair.draws + pair.losses
        for one, other, wins in (
            (pair.black, pair.white, pair.wins),
            (pair.white, pair.black, pair.losses),
        ):
            points, before = scores.get((one, other), (0.0, 0))
            scores[one, other] = points + wins + pair.draws / 2, before + games
    return scores


def judge(table: Table) -> list[Claim]:
    """Figure 5: liberties add to shapes, and search adds to both; then the ratings themselves."""
    claims = []
    for stronger, weaker, words in (
        ("L", "B", "liberty features make the player stronger"),
        ("S", "B", "search makes the player stronger"),
        ("S", "L", "search adds more than liberty features"),
    ):
        row = table.find(SCORE, {"player": stronger, "opponent": weaker})
        if row is not None:
            claims.append(_claim_of_match(table, words, row))
    for row in table.rows_of(ELO):
        if row.key["player"] in LEARNERS and row.paper is not None:
            ends = row.paper - NEAR, row.paper + NEAR
            rated = f"{row.key['player']} rates {row.paper:,.0f}", f"{row.ours:,.0f} Elo"
            claims.append(judge_within(rated, number_of(row, 0, " Elo"), ends))
    return claims


def _claim_of_match(table: Table, paper: str, row: Row) -> Claim:
    """A match between two who learned from equally many games; else it tells nothing of why."""
    one, other = row.key["player"], row.key["opponent"]
    budgets = [table.find(LEARNED, {"player": player}) for player in (one, other)]
    games = [None if each is None else each.ours for each in budgets]
    told = ["?" if each is None else f"{each:,.0f}" for each in games]
    ours = (
        f"{one} scores {row.ours:.1f} % against {other}; learned from {told[0]} and {told[1]} games"
    )
    claim = judge_above((paper, ours), number_of(row, 1, " %"), 50.0)
    rule = f"{claim.rule}; {UNEQUAL}"
    verdict = claim.verdict if games[0] == games[1] is not None else Verdict.UNDECIDED
    return msgspec.structs.replace(claim, rule=rule, verdict=verdict)


def draw(table: Table, title: str) -> str:
    """The ranking with its intervals."""
    report = msgspec.convert(table.report, Report)
    return svg_from_report(msgspec.structs.replace(report, name=title))


EXPERIMENT = Experiment(RatingSettings(), QUICK, run, draw, judge)
