"""The memory of a ladder: one SQLite file with its players, games and ratings.

A file holds one ladder: all its games are played with the same settings. A finished game is stored
in one transaction that reaches the disk before the next one begins, so that whatever is killed, at
whatever instant, the file holds every game that was reported as stored and no half of one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from katachi.arena.connection import Connection, make_tables
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.rating import Fit, PairScore
from katachi.arena.schema import (
    EARLIER_TABLES,
    VERSION_WITH_EARLIER,
    EarlierReport,
    EarlierResults,
    former_label,
)
from katachi.errors import KatachiError
from katachi.rules.color import BLACK, EMPTY, WHITE

_COLUMNS = (
    "id, black, white, number, opening, seed, winner, ending, margin, reason, moves, started, "
    "seconds, sgf, settings"
)
_INSERT_GAME = (
    f"INSERT INTO games ({_COLUMNS.removeprefix('id, ')}) VALUES ({', '.join('?' * 14)})"
    " ON CONFLICT (black, white, number) DO NOTHING"
)


def canonical_json(data: Mapping[str, object]) -> str:
    """The same text for equal data, however it was put together."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


@dataclass(frozen=True)
class Contestant:
    """A player as it enters a ladder: its name and everything that decides how it plays."""

    name: str
    spec: str
    configuration: Mapping[str, object]
    anchor: float | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of the configuration."""
        return sha256(canonical_json(self.configuration).encode()).hexdigest()


@dataclass(frozen=True)
class PlayerRow:
    """A player of the database."""

    id: int
    name: str
    spec: str
    configuration: str
    digest: str
    anchor: float | None
    added: str
    label: str
    """The name; with the beginning of the digest if the name now means another configuration."""


@dataclass(frozen=True)
class NewGame:
    """A finished game about to be stored; `black` and `white` are numbers of players."""

    black: int
    white: int
    number: int
    """Which game of this pair, counted from 0."""
    opening: int
    seed: int
    outcome: Outcome
    sgf: str
    started: str
    settings: Mapping[str, object]


class StoredGame(NamedTuple):
    """A game of the database; `black` and `white` are labels of players."""

    id: int
    black: str
    white: str
    number: int
    opening: int
    seed: int
    winner: int
    ending: Ending
    margin: float | None
    reason: str
    moves: int
    started: str
    seconds: float
    sgf: str
    settings: dict[str, Any]


def time_after(time: str) -> str:
    """The next time after another, as the database writes them."""
    later = datetime.fromisoformat(time) + timedelta(milliseconds=1)
    return later.isoformat(timespec="milliseconds")


def time_now() -> str:
    """The time as the database writes it: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Database(Connection):
    """The players, games and ratings of an open ladder file."""

    def agree_on(
        self, settings: Mapping[str, object], terms: Mapping[str, object] | None = None
    ) -> None:
        """Holds the ladder to these settings; raises KatachiError if it has others already.

        The terms (name, seed, how ratings are fitted) may change from run to run.
        """
        values = canonical_json(settings), canonical_json(terms or {})
        with self._transaction() as connection:
            row = connection.execute("SELECT settings FROM ladder").fetchone()
            if row is None:
                connection.execute("INSERT INTO ladder VALUES (?, ?)", values)
            elif row[0] != values[0]:
                found = differences(json.loads(row[0]), json.loads(values[0]))
                raise KatachiError(f"{self.path} holds games with other settings ({found})")
            else:
                connection.execute("UPDATE ladder SET terms = ?", values[1:])

    def settings(self) -> dict[str, Any]:
        """What all games of the ladder share; empty before the first run."""
        rows = self._query("SELECT settings FROM ladder")
        return dict(json.loads(rows[0][0])) if rows else {}

    def terms(self) -> dict[str, Any]:
        """The terms of the latest run; empty before the first."""
        rows = self._query("SELECT terms FROM ladder")
        return dict(json.loads(rows[0][0])) if rows else {}

    def enter(self, contestant: Contestant) -> int:
        """The number of a player; entered as a new one if its name or configuration is new."""
        name, digest = contestant.name, contestant.digest
        configuration = canonical_json(contestant.configuration)
        with self._transaction() as connection:
            last = connection.execute("SELECT max(seen) FROM players").fetchone()[0]
            now = time_now()  # the computer's clock may have gone back since the last
            seen = max(now, time_after(last)) if last else now
            connection.execute(
                "INSERT INTO players (name, spec, configuration, digest, anchor, added, seen)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name, digest)"
                " DO UPDATE SET anchor = excluded.anchor, seen = excluded.seen",
                (name, contestant.spec, configuration, digest, contestant.anchor, now, seen),
            )
            query = "SELECT id FROM players WHERE name = ? AND digest = ?"
            return int(connection.execute(query, (name, digest)).fetchone()[0])

    def players(self) -> list[PlayerRow]:
        """Every player in the order of entry."""
        columns = ("id", "name", "spec", "configuration", "digest", "anchor", "added")
        newest = dict(self._query("SELECT name, id FROM players ORDER BY seen, id"))
        players = []
        for row in self._query(f"SELECT {', '.join(columns)} FROM players ORDER BY id"):
            number, name, *_ = row
            label = name if newest[name] == number else former_label(name, row[4])
            players.append(PlayerRow(label=label, **dict(zip(columns, row, strict=True))))
        return players

    def add_game(self, game: NewGame) -> bool:
        """Stores a finished game, on disk when this returns; False if it is there already."""
        outcome = game.outcome
        values = (
            game.black,
            game.white,
            game.number,
            game.opening,
            str(game.seed),
            outcome.winner,
            outcome.ending.value,
            outcome.margin,
            outcome.reason,
            len(outcome.record.moves),
            game.started,
            sum(outcome.seconds.values()),
            game.sgf,
            canonical_json(game.settings),
        )
        with self._transaction() as connection:
            return connection.execute(_INSERT_GAME, values).rowcount == 1

    def add_fit(self, fit: Fit, settings: Mapping[str, object]) -> None:
        """Adds a fit to the history of ratings."""
        number = {player.label: player.id for player in self.players()}
        with self._transaction() as connection:
            games = connection.execute("SELECT count(*) FROM games").fetchone()[0]
            fit_id = connection.execute(
                "INSERT INTO fits (time, games, settings) VALUES (?, ?, ?)",
                (time_now(), games, canonical_json(settings)),
            ).lastrowid
            connection.executemany(
                "INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?)",
                [(fit_id, number[r.name], r.elo, r.error, r.games, r.score) for r in fit.ratings],
            )

    def rating_history(self, name: str) -> list[tuple[str, float, float]]:
        """Time, Elo and error of each fit that rated a player of that label, oldest first."""
        ids = self._ids(name)
        rows = self._query(
            "SELECT time, player, elo, error FROM ratings JOIN fits ON fits.id = fit ORDER BY fit"
        )
        return [(time, elo, error) for time, player, elo, error in rows if player in ids]

    def add_earlier(self, results: EarlierResults) -> None:
        """Lets results count whose games are not kept; on disk when this returns.

        Raises KatachiError, and changes nothing, where games or other such results are already.
        """
        with self._transaction() as connection:
            if self.count_games() or self._has_earlier():
                raise KatachiError(
                    f"{self.path} has games already: only a new file can go on from a report"
                )
            make_tables(connection, EARLIER_TABLES, VERSION_WITH_EARLIER)
            connection.executemany(
                "INSERT INTO earlier_scores VALUES (?, ?, ?, ?, ?)", results.scores
            )
            connection.executemany("INSERT INTO earlier_losses VALUES (?, ?, ?)", results.losses)
            texts = [(msgspec.json.encode(each).decode(),) for each in results.reports]
            connection.executemany("INSERT INTO earlier_reports VALUES (?)", texts)

    def earlier_reports(self) -> list[EarlierReport]:
        """Where the results come from whose games are not kept, the oldest first."""
        if not self._has_earlier():
            return []
        rows = self._query("SELECT report FROM earlier_reports ORDER BY rowid")
        return [msgspec.json.decode(text, type=EarlierReport) for (text,) in rows]

    def scores(self) -> list[PairScore]:
        """The counted results of every pair and colour; games without a result do not count."""
        labels = self._labels()
        counted = (
            "SELECT black, white, winner = ? AS wins, winner = ? AS draws, winner = ? AS losses"
            " FROM games WHERE ending <> ?"
        )
        if self._has_earlier():
            counted += " UNION ALL SELECT black, white, wins, draws, losses FROM earlier_scores"
        rows = self._query(
            f"SELECT black, white, sum(wins), sum(draws), sum(losses) FROM ({counted})"
            " GROUP BY black, white ORDER BY black, white",
            *(BLACK, EMPTY, WHITE, Ending.LIMIT.value),
        )
        return [PairScore(labels[black], labels[white], *counts) for black, white, *counts in rows]

    def scores_of(self, name: str) -> list[tuple[str, str, tuple[int, int, int]]]:
        """(label, opponent, (won, drawn, lost)) of a player against each, colours together."""
        labels = self._labels()
        mine = {labels[number] for number in self._ids(name)}
        counts: dict[tuple[str, str], tuple[int, int, int]] = {}
        for black, white, *results in self.scores():
            won, drawn, lost = map(round, results)
            for key, new in (
                ((black, white), (won, drawn, lost)),
                ((white, black), (lost, drawn, won)),
            ):
                old = counts.get(key, (0, 0, 0))
                counts[key] = old[0] + new[0], old[1] + new[1], old[2] + new[2]
        return [(*key, count) for key, count in counts.items() if key[0] in mine]

    def played(self) -> dict[tuple[int, int], set[int]]:
        """Which games every pair of players has finished, the lower player number first; those of
        an earlier report are the first of their pair."""
        numbers = {pair: set(range(games)) for pair, games in self._earlier_games().items()}
        for black, white, number in self._query("SELECT black, white, number FROM games"):
            numbers.setdefault((min(black, white), max(black, white)), set()).add(number)
        return numbers

    def _earlier_games(self) -> dict[tuple[int, int], int]:
        """How many games of each pair are in an earlier report, the lower player number first."""
        if not self._has_earlier():
            return {}
        rows = self._query(
            "SELECT min(black, white), max(black, white), sum(wins + draws + losses)"
            " FROM earlier_scores GROUP BY 1, 2"
        )
        return {(one, other): games for one, other, games in rows}

    def count_games(self) -> int:
        """How many games are stored."""
        return int(self._query("SELECT count(*) FROM games")[0][0])

    def endings(self) -> dict[tuple[str, Ending], int]:
        """How often each player lost in each way."""
        labels = self._labels()
        lost = (
            "SELECT CASE winner WHEN ? THEN white ELSE black END AS loser, ending, 1 AS games"
            " FROM games WHERE winner <> ?"
        )
        if self._has_earlier():
            lost += " UNION ALL SELECT loser, ending, games FROM earlier_losses"
        rows = self._query(
            f"SELECT loser, ending, sum(games) FROM ({lost}) GROUP BY loser, ending",
            *(BLACK, EMPTY),
        )
        return {(labels[loser], Ending(ending)): count for loser, ending, count in rows}

    def games_between(self, name: str, other: str) -> list[StoredGame]:
        """The games of two players with either colour, oldest first.

        A name stands for all configurations of the player, a label with a digest for one. Raises
        KatachiError for a name that is not known.
        """
        mine, theirs = self._ids(name), self._ids(other)
        ids = [(a, b) for a in mine for b in theirs]
        pairs = ", ".join(f"({a}, {b}), ({b}, {a})" for a, b in ids)
        return self._games(f"WHERE (black, white) IN (VALUES {pairs}) ORDER BY id")

    def recent_games(self, count: int) -> list[StoredGame]:
        """The games stored last, newest first."""
        return self._games("ORDER BY id DESC LIMIT ?", count)

    def page_of_games(
        self, players: Mapping[str, str], offset: int, count: int
    ) -> tuple[int, list[StoredGame]]:
        """(how many games there are, some of them, newest first); of these players, by the colour
        they have, `black` or `white`, and named as `games_between` names them."""
        ids = {color: ", ".join(map(str, self._ids(name))) for color, name in players.items()}
        marks = [f"{color} IN ({numbers})" for color, numbers in ids.items()]
        condition = f"WHERE {' AND '.join(marks)}" if marks else ""
        total = int(self._query(f"SELECT count(*) FROM games {condition}")[0][0])
        return total, self._games(f"{condition} ORDER BY id DESC LIMIT ? OFFSET ?", count, offset)

    def game(self, number: int) -> StoredGame:
        """The game with that number; raises KatachiError if there is none."""
        games = self._games("WHERE id = ?", number)
        if not games:
            raise KatachiError(f"{self.path} has no game {number}")
        return games[0]

    def check(self) -> None:
        """Raises KatachiError unless SQLite finds the whole file in order."""
        rows = self._query("PRAGMA integrity_check") + self._query("PRAGMA foreign_key_check")
        if rows != [("ok",)]:
            raise KatachiError(f"{self.path} is damaged: {rows[0][0]}")

    def _games(self, condition: str, *values: object) -> list[StoredGame]:
        labels = self._labels()
        games = []
        for row in self._query(f"SELECT {_COLUMNS} FROM games {condition}", *values):
            game = StoredGame(*row)
            games.append(
                game._replace(
                    black=labels[row[1]],
                    white=labels[row[2]],
                    seed=int(game.seed),
                    ending=Ending(row[7]),
                    settings=json.loads(row[14]),
                )
            )
        return games

    def _labels(self) -> dict[int, str]:
        return {player.id: player.label for player in self.players()}

    def _ids(self, name: str) -> list[int]:
        players = self.players()
        found = [player.id for player in players if name in (player.name, player.label)]
        if not found:
            known = ", ".join(player.label for player in players) or "none"
            raise KatachiError(f"{self.path} has no player {name!r} (known: {known})")
        return found


def differences(ours: Mapping[str, object], theirs: Mapping[str, object]) -> str:
    """What two settings do not share, in words; nothing where they are equal."""
    keys = [key for key in sorted({*ours, *theirs}) if ours.get(key) != theirs.get(key)]
    return "; ".join(f"{key} {ours.get(key)}, not {theirs.get(key)}" for key in keys)
