"""What a ladder's SQLite file holds, and how it is known from other files."""

import struct
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.errors import KatachiError

APPLICATION_ID = 0x4B415443
"""What SQLite keeps in the header to tell whose file it is: "KATC"."""
VERSION = 1
VERSION_WITH_EARLIER = 2
"""Of a file in which the results of an earlier ladder count: an older katachi would miss them."""
_FORMER = "#"
"""Stands in the label of a player as it was, and in no name."""
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_VERSION_AT, _APPLICATION_AT = 60, 68

TABLES = """
CREATE TABLE ladder (
    settings TEXT NOT NULL,
    terms TEXT NOT NULL
);
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    configuration TEXT NOT NULL,
    digest TEXT NOT NULL,
    anchor REAL,
    added TEXT NOT NULL,
    seen TEXT NOT NULL,
    UNIQUE (name, digest)
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    black INTEGER NOT NULL REFERENCES players (id),
    white INTEGER NOT NULL REFERENCES players (id),
    number INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    seed TEXT NOT NULL,
    winner INTEGER NOT NULL CHECK (winner IN (0, 1, 2)),
    ending TEXT NOT NULL,
    margin REAL,
    reason TEXT NOT NULL,
    moves INTEGER NOT NULL,
    started TEXT NOT NULL,
    seconds REAL NOT NULL,
    sgf TEXT NOT NULL,
    settings TEXT NOT NULL,
    CHECK (black <> white),
    UNIQUE (black, white, number)
);
CREATE INDEX games_of_white ON games (white);
CREATE TABLE fits (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    games INTEGER NOT NULL,
    settings TEXT NOT NULL
);
CREATE TABLE ratings (
    fit INTEGER NOT NULL REFERENCES fits (id),
    player INTEGER NOT NULL REFERENCES players (id),
    elo REAL NOT NULL,
    error REAL NOT NULL,
    games INTEGER NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (fit, player)
);
"""
EARLIER_TABLES = """
CREATE TABLE earlier_scores (
    black INTEGER NOT NULL REFERENCES players (id),
    white INTEGER NOT NULL REFERENCES players (id),
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    CHECK (black <> white),
    PRIMARY KEY (black, white)
);
CREATE TABLE earlier_losses (
    loser INTEGER NOT NULL REFERENCES players (id),
    ending TEXT NOT NULL,
    games INTEGER NOT NULL
);
CREATE TABLE earlier_reports (
    report TEXT NOT NULL
);
"""


class EarlierReport(msgspec.Struct, frozen=True):
    """Where games come from that are not kept."""

    time: str
    commit: str
    games: int
    same: list[str] = []
    """Players whose files or version were others then, and who are taken for the same."""


class EarlierResults(NamedTuple):
    """Results whose games are not kept, by numbers of players."""

    scores: list[tuple[int, int, int, int, int]]
    """(black, white, wins, draws, losses)."""
    losses: list[tuple[int, str, int]]
    """(loser, ending, games) of those lost otherwise than by score or resignation."""
    reports: list[EarlierReport]
    """The oldest first."""


def check_file(path: Path, *, must_exist: bool) -> None:
    """Raises KatachiError unless the file is a ladder of this version, or is yet to be made.

    The header is read as bytes: to open the file with SQLite may change it.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        if must_exist or not path.parent.is_dir():
            raise KatachiError(f"{path}: there is no such ladder database") from None
        return
    except OSError as error:
        raise KatachiError(f"{path}: {error.strerror}") from None
    if not header and not must_exist:
        return
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise KatachiError(f"{path} is not a database")
    if struct.unpack_from(">i", header, _APPLICATION_AT)[0] != APPLICATION_ID:
        raise KatachiError(f"{path} is a database, but not one of katachi's ladders")
    version = struct.unpack_from(">i", header, _VERSION_AT)[0]
    if version not in (VERSION, VERSION_WITH_EARLIER):
        known = f"this katachi reads versions {VERSION} and {VERSION_WITH_EARLIER}"
        text = f"{path} is a ladder of version {version}, but {known}"
        raise KatachiError(f"{text}: nothing was changed")


def former_label(name: str, digest: str) -> str:
    """What a player of this name is called as it was before it changed."""
    return f"{name}{_FORMER}{digest[:6]}"


def is_former(label: str) -> bool:
    """Whether a label is of a player as it was before it changed."""
    return _FORMER in label


def name_of(label: str) -> str:
    """The player's name without what tells an old one from the new one."""
    return label.partition(_FORMER)[0]
