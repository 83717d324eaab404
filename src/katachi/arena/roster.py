"""The roster of a ladder: who plays, on what terms and how often, read from a TOML file.

[ladder]
size = 9
komi = 7.5
schedule = "neighbours"
games = 200

[[player]]
name = "alp"
spec = "alp"
anchor = 850

[[player]]
name = "gnugo-0"
spec = "gnugo:0"

[[pair]]
players = ["alp", "gnugo-0"]
games = 1000
"""

import tomllib
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from katachi import __version__
from katachi.arena.database import Contestant
from katachi.arena.rating import check_anchor
from katachi.arena.schedule import Pair, Schedule, ScheduleKind, pair_of
from katachi.arena.schema import is_former
from katachi.arena.settings import GameSettings, fischer_time
from katachi.errors import KatachiError
from katachi.files.shipped_folders import ROSTERS
from katachi.players.gtp_program import GtpProgram
from katachi.players.kinds import KINDS, PROGRAM_PREFIX, split_name, versions_of
from katachi.players.names import (
    check_board,
    check_player_name,
    check_steady,
    command_of,
    is_program,
    programs_inside,
)
from katachi.players.roster import files_of, make_player
from katachi.rules.ruleset import rules_by_name

MOST_GAMES = 1_000_000
LEAST_PRIOR_DRAWS, MOST_PRIOR_DRAWS = 0.01, 100.0
"""Without any, no player could be rated before it has won and lost."""
LONGEST_NAME = 40
START_PATIENCE = 60.0
"""Seconds a program may take to say its name."""
LONGEST_TEXT = 200
"""Characters that are kept of what a program says of itself."""

T = TypeVar("T")


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file, whose keys are exactly its fields."""


class TimeSection(Section, frozen=True):
    """Main time and what each move adds to it, in seconds."""

    main: float
    increment: float = 0.0


class LadderSection(Section, frozen=True):
    """What holds for every game."""

    name: str = "ladder"
    size: int = 9
    komi: float = 7.5
    rules: str = "katachi"
    time: TimeSection | None = None
    opening_moves: int = 4
    move_limit: int | None = None
    referee: str | None = None
    schedule: ScheduleKind = ScheduleKind.NEIGHBOURS
    games: int = 200
    seed: int = 1
    prior_draws: float = 1.0
    black_advantage: bool = False


class PlayerSection(Section, frozen=True):
    """One player: `spec` is what `katachi.players` makes a player of."""

    name: str
    spec: str
    anchor: float | None = None
    optional: bool = False
    """Left out, with a message, where its program, its model or its file is not there."""


class PairSection(Section, frozen=True):
    """How often two players meet, whatever the schedule says; never less than it says."""

    players: tuple[str, str]
    games: int


@dataclass(frozen=True)
class Roster:
    """A roster that has been read and checked."""

    path: Path
    name: str
    settings: GameSettings
    players: tuple[PlayerSection, ...]
    kind: ScheduleKind
    games: int
    pairs: dict[Pair, int]
    seed: int = 1
    prior_draws: float = 1.0
    with_black_advantage: bool = False

    def schedule(self) -> Schedule:
        """Who plays whom."""
        names = tuple(player.name for player in self.players)
        extra = {pair: games for pair, games in self.pairs.items() if set(pair) <= set(names)}
        anchors = frozenset(player.name for player in self.players if player.anchor is not None)
        return Schedule(names, self.kind, self.games, extra, anchors, self.seed)

    def terms(self) -> dict[str, object]:
        """What a run is held to, beyond the settings of its games."""
        return {
            "name": self.name,
            "seed": self.seed,
            "schedule": self.kind.value,
            "games": self.games,
            "prior_draws": self.prior_draws,
            "black_advantage": self.with_black_advantage,
        }


def read_roster(path: str | Path) -> Roster:
    """The roster of a file, or of a house ladder by its name; raises KatachiError naming the file
    and what is wrong in it."""
    path = _file_of(Path(path))
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise KatachiError(f"{path}: {error.strerror}") from None
    except RecursionError:
        raise KatachiError(f"{path} is not TOML that can be read: too many brackets") from None
    except ValueError as error:  # a syntax error, no text, or a number of thousands of digits
        raise KatachiError(f"{path} is not TOML: {error}") from None
    try:
        return _roster_from_data(path, data)
    except KatachiError as error:
        raise KatachiError(f"{path}: {error}") from None


def _file_of(path: Path) -> Path:
    """The file itself, or the shipped one of that name; a file that is there goes before."""
    shipped = ROSTERS / f"{path.name}.toml"
    is_name = len(path.parts) == 1 and not path.exists() and shipped.is_file()
    return shipped if is_name else path


def _roster_from_data(path: Path, data: dict[str, object]) -> Roster:
    for key in data:
        if key not in ("ladder", "player", "pair"):
            raise KatachiError(f"unknown key {key!r}: use [ladder], [[player]] and [[pair]]")
    ladder = _read(data.get("ladder", {}), LadderSection, "[ladder]")
    players = tuple(_read_all(data, "player", PlayerSection))
    pairs = list(_read_all(data, "pair", PairSection))
    check_games("[ladder] games", ladder.games)
    if not LEAST_PRIOR_DRAWS <= ladder.prior_draws <= MOST_PRIOR_DRAWS:
        text = f"use {LEAST_PRIOR_DRAWS:g} to {MOST_PRIOR_DRAWS:g} virtual draws"
        raise KatachiError(f"[ladder] prior_draws: {ladder.prior_draws:g}, {text}")
    _check_players(players)
    return Roster(
        path=path,
        name=ladder.name,
        settings=_settings(ladder),
        players=players,
        kind=ladder.schedule,
        games=ladder.games,
        pairs=_pairs(pairs, {player.name for player in players}),
        seed=ladder.seed,
        prior_draws=ladder.prior_draws,
        with_black_advantage=ladder.black_advantage,
    )


def _read(data: object, kind: type[T], place: str) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message = str(error).replace("Object contains unknown", "unknown").replace("`", "'")
        key = message.partition(" - at '$.")[2].rstrip("'")
        text = message.partition(" - at ")[0].replace("unknown field", "unknown key")
        raise KatachiError(f"{place}{' ' + key if key else ''}: {text}") from None


def _read_all(data: dict[str, object], key: str, kind: type[T]) -> list[T]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise KatachiError(f"'{key}' is written [[{key}]], once for each")
    return [_read(entry, kind, f"[[{key}]] {n}") for n, entry in enumerate(entries, 1)]


def _settings(ladder: LadderSection) -> GameSettings:
    """The settings of the games; raises KatachiError for what cannot be played."""
    time = ladder.time
    try:
        return GameSettings(
            size=ladder.size,
            komi=ladder.komi,
            rules=rules_by_name(ladder.rules),
            time=fischer_time(time.main if time else None, time.increment if time else 0.0),
            opening_moves=ladder.opening_moves,
            move_limit=ladder.move_limit,
            referee=ladder.referee,
        )
    except KatachiError as error:
        raise KatachiError(f"[ladder]: {error}") from None


def check_games(place: str, games: int) -> None:
    """Raises KatachiError, naming the place, unless so many games can be played."""
    if not 1 <= games <= MOST_GAMES:
        raise KatachiError(f"{place}: {games} games, use 1 to {MOST_GAMES:,}")


def _check_players(players: tuple[PlayerSection, ...]) -> None:
    if len(players) < 2:
        raise KatachiError("a ladder needs two [[player]]s or more")
    seen: set[str] = set()
    for number, player in enumerate(players, 1):
        place = f"[[player]] {number}"
        name = player.name
        if not (name.isprintable() and name.strip() == name and 0 < len(name) <= LONGEST_NAME):
            raise KatachiError(f"{place} name: {name!r} is no name of 1 to {LONGEST_NAME} letters")
        if is_former(name):
            raise KatachiError(f"{place} name: {name!r} holds a '#', which marks configurations")
        if name in seen:
            raise KatachiError(f"{place} name: there are two players {name!r}")
        seen.add(name)
        if player.anchor is not None:
            check_anchor(name, player.anchor)


def _pairs(pairs: list[PairSection], names: set[str]) -> dict[Pair, int]:
    games: dict[Pair, int] = {}
    for number, pair in enumerate(pairs, 1):
        place = f"[[pair]] {number}"
        check_games(f"{place} games", pair.games)
        for name in pair.players:
            if name not in names:
                raise KatachiError(f"{place} players: no player {name!r} in this roster")
        key = pair_of(*pair.players)
        if key[0] == key[1]:
            raise KatachiError(f"{place} players: {key[0]!r} does not play itself")
        if key in games:
            raise KatachiError(f"{place} players: {key[0]!r} and {key[1]!r} are there already")
        games[key] = pair.games
    return games


def enter_players(roster: Roster) -> tuple[Roster, list[Contestant], list[str]]:
    """The roster with those who can play here, each with its full configuration, and a line for
    each optional player that is left out.

    Every program is started once and asked for its version. Raises KatachiError when a player that
    is not optional cannot play, and for a spec that names no player at all.
    """
    contestants: list[Contestant] = []
    absent: list[str] = []
    for player in roster.players:
        try:
            check_player_name(player.spec)
            check_board(player.spec, roster.settings.size)
            configuration = describe_player(player.spec)
        except KatachiError as error:
            if not (player.optional and _may_be_absent(player.spec)):
                raise KatachiError(f"{roster.path}: player {player.name!r}: {error}") from None
            absent.append(f"{player.name} is left out: {error}")
        else:
            contestants.append(Contestant(player.name, player.spec, configuration, player.anchor))
    present = {contestant.name for contestant in contestants}
    if len(present) < 2:
        raise KatachiError(f"{roster.path}: fewer than two of the players can play here")
    players = tuple(player for player in roster.players if player.name in present)
    return replace(roster, players=players), contestants, absent


def _may_be_absent(spec: str) -> bool:
    """Whether what a player needs may be missing here: its program, its model or its file. A name
    that no player has is a mistake on every machine."""
    return is_program(spec) or split_name(spec)[0] in KINDS


def describe_player(spec: str) -> dict[str, object]:
    """Everything that decides how a player plays: its spec and the version of what plays it.

    A program plays by its own version, so katachi's is not part of its configuration. Raises
    KatachiError when there is no such player, its model cannot be loaded, or a program does not
    start or answer.
    """
    check_player_name(spec)
    check_steady(spec)
    if not is_program(spec):
        make_player(spec).close()  # a model that cannot be loaded is refused before any game
        own = {"spec": spec, "katachi": __version__} | _digest_of_weights(spec)
        if versions := versions_of(spec):
            own["versions"] = versions
        inside = [describe_player(program) for program in programs_inside(spec)]
        return own | ({"programs": inside} if inside else {})
    program = GtpProgram(command_of(spec), START_PATIENCE)
    try:
        name, version = (program.send(word)[:LONGEST_TEXT] for word in ("name", "version"))
    finally:
        program.close()
    found: dict[str, object] = {"spec": spec, "name": name, "version": version}
    is_short = command_of(spec) not in (spec, spec.removeprefix(PROGRAM_PREFIX))
    return found | ({"command": command_of(spec)} if is_short else {})


def _digest_of_weights(spec: str) -> dict[str, object]:
    """A digest of the files a player's weights lie in: other weights, another player."""
    files = files_of(spec)
    if not files:
        return {}
    digest = sha256()
    for file in files:
        digest.update(file.read_bytes())
    return {"weights": digest.hexdigest()[:16]}
