"""A tournament that goes on: it plays what its schedule still lacks, stores each game as it ends,
and can be stopped at any time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256

from katachi import __version__
from katachi.arena.database import Contestant, Database, NewGame, time_now
from katachi.arena.dead_passes import PassWatch
from katachi.arena.game import check_referee
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.rating import Fit, FitSettings, fit_ratings
from katachi.arena.roster import Roster
from katachi.arena.schedule import Pair, pair_of
from katachi.arena.workers import Finished, GameTask
from katachi.errors import KatachiError
from katachi.records.sgf import write_game

FEWEST_BETWEEN_FITS = 10
SHARE_BETWEEN_FITS = 0.02
"""New games before the ratings are fitted again, as a share of all games."""


Runner = Callable[[Iterator[GameTask]], Iterator[Finished]]
"""Plays games, several at once if it likes, and reports each as it ends. It takes a task only when
it can begin it, because later pairings depend on earlier results."""


def seed_from(*parts: object) -> int:
    """A number below 2**63 that depends on every part."""
    text = "\n".join(map(str, parts))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


def anchors_of(database: Database) -> dict[str, float]:
    """The anchored players by label, whatever their configuration."""
    return {p.label: p.anchor for p in database.players() if p.anchor is not None}


def fit_database(database: Database) -> tuple[Fit, FitSettings]:
    """The ratings of all players of a database, and on what terms they were fitted."""
    terms = database.terms()
    settings = FitSettings(
        anchors_of(database),
        float(terms.get("prior_draws", FitSettings.prior_draws)),
        bool(terms.get("black_advantage", FitSettings.with_black_advantage)),
    )
    labels = [player.label for player in database.players()]
    return fit_ratings(database.scores(), settings, labels), settings


class Ladder:
    """A roster's players, their games in a database, and what they are to play next."""

    def __init__(self, roster: Roster, contestants: list[Contestant], database: Database) -> None:
        """Enters the players; raises KatachiError if the database has other settings."""
        self.roster = roster
        self.database = database
        self.schedule = roster.schedule()
        database.agree_on(roster.settings.describe(), roster.terms())
        self._ids = {entry.name: database.enter(entry) for entry in contestants}
        self._specs = {entry.name: entry.spec for entry in contestants}
        self._taken: dict[Pair, set[int]] = {}
        self._started: dict[tuple[Pair, int], str] = {}
        self._unfitted = 0
        self._watch = PassWatch(roster.settings)
        self.fit = fit_database(database)[0]
        self._read_taken()

    def count_missing(self) -> int:
        """How many games are still to be played, as far as is known now."""
        return self.schedule.count_missing(self.fit.elo(), self._taken)

    def count_under_way(self) -> int:
        """How many games have been begun and not been stored."""
        return len(self._started)

    def play(
        self, runner: Runner, should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Finished]:
        """Plays until the schedule is fulfilled or `should_stop`, reporting each game once stored.

        However it ends, the ratings then join the history. Raises KatachiError when the referee
        cannot count, before the first game, and when a program can no longer be started: that is no
        result.
        """
        check_referee(self.roster.settings)
        count = self.database.count_games()
        try:
            while not should_stop():
                before = self.database.count_games()
                self._begin_round()
                yield from self._play_round(runner, should_stop)
                if self.database.count_games() == before:
                    return
        finally:
            if self.database.count_games() > count:
                self._refit()
                self.database.add_fit(self.fit, self.roster.terms())

    def _begin_round(self) -> None:
        """Nothing is under way: games that were begun and not stored are to be played again."""
        self._taken.clear()
        self._started.clear()
        self._read_taken()
        self._refit()

    def _play_round(self, runner: Runner, should_stop: Callable[[], bool]) -> Iterator[Finished]:
        """Plays until nothing is lacking by the ratings of the moment; those of the last games may
        make new neighbours."""
        games = runner(self._next_tasks(should_stop))
        try:
            for finished in games:
                self._store(*finished)
                self._watch.look(finished)
                yield finished
        finally:
            games.close()  # type: ignore[attr-defined]

    def _next_tasks(self, should_stop: Callable[[], bool]) -> Iterator[GameTask]:
        while not should_stop():
            pairing = self.schedule.next_pairing(self.fit.elo(), self._taken)
            if pairing is None:
                return
            pair = pair_of(pairing.black, pairing.white)
            self._taken.setdefault(pair, set()).add(pairing.number)
            names = (pairing.black, pairing.white)
            self._started[names, pairing.number] = time_now()
            yield GameTask(
                number=pairing.number,
                black=self._specs[pairing.black],
                white=self._specs[pairing.white],
                settings=self.roster.settings,
                opening=pairing.opening,
                seed=seed_from(self.roster.seed, *pair),
                names=names,
            )

    def _store(self, task: GameTask, outcome: Outcome) -> None:
        if outcome.ending is Ending.MISSING:
            raise KatachiError(outcome.reason)
        if task.names is None:
            raise AssertionError("a ladder names its players")
        black, white = task.names
        started = self._started.pop((task.names, task.number))
        texts = replace(outcome.record.texts, date=started[:10], event=self.roster.name)
        record = replace(outcome.record, texts=texts)
        game = NewGame(
            black=self._ids[black],
            white=self._ids[white],
            number=task.number,
            opening=task.opening,
            seed=task.seed,
            outcome=outcome,
            sgf=write_game(record, outcome.evaluations).decode(),
            started=started,
            settings=task.settings.describe() | {"katachi": __version__},
        )
        if not self.database.add_game(game):
            self._read_taken()
        self._unfitted += 1
        if self._unfitted >= max(FEWEST_BETWEEN_FITS, SHARE_BETWEEN_FITS * self._count_taken()):
            self._refit()

    def _refit(self) -> None:
        self.fit = fit_database(self.database)[0]
        self._unfitted = 0

    def _count_taken(self) -> int:
        return sum(map(len, self._taken.values()))

    def _read_taken(self) -> None:
        """Learns which games this and other processes have stored; those under way stay taken."""
        names = {number: name for name, number in self._ids.items()}
        for (one, other), numbers in self.database.played().items():
            if one in names and other in names:
                self._taken.setdefault(pair_of(names[one], names[other]), set()).update(numbers)
