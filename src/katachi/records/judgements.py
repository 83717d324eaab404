"""Judgements of openings: who is ahead after so many moves, kept as one JSON object a line.

A line tells `index` (the game's number in its collection, from 0), `moves` (how many were played),
`komi` (it was judged with), and `black_lead` in points or `black_winrate` or both. A dead band
turns that into z: +1, 0 or -1.
"""

import gzip
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.records.dataset import GameSet
from katachi.records.files import DAMAGE, CannotOpen, TooLong, explain_damage, read_chunks
from katachi.records.openings import Opening

MAX_BYTES = 512 << 20
"""The most that is read of one file, unpacked."""


class DeadBand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What counts as even."""

    lead: float = 2.0
    """Points ahead, less than which is even."""
    chance: float = 0.05
    """How far from one half a chance of winning is even, where no lead is known."""

    def judge_lead(self, lead: float) -> float:
        """z of Black's lead in points."""
        return float(lead > self.lead) - float(lead < -self.lead)

    def judge_chance(self, chance: float) -> float:
        """z of Black's chance of winning."""
        return float(chance > 0.5 + self.chance) - float(chance < 0.5 - self.chance)


class Judgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody thinks of one position of an opening."""

    index: int
    moves: int
    komi: float
    black_lead: float | None = None
    black_winrate: float | None = None
    judge: str = ""
    """Who judged, where the file says so."""
    band: DeadBand | None = None
    """The dead band behind `z`."""
    z: float | None = None

    def value(self, band: DeadBand) -> float:
        """z by a dead band."""
        if self.black_lead is not None:
            return band.judge_lead(self.black_lead)
        return band.judge_chance(0.5 if self.black_winrate is None else self.black_winrate)


def read_judgements(path: Path) -> list[Judgement]:
    """All lines of a file, which may be compressed; raises KatachiError, saying which line is no
    judgement."""
    try:
        data = _read_whole(path)
    except DAMAGE as error:
        raise CannotOpen(path, explain_damage(error)) from None
    decoder = msgspec.json.Decoder(Judgement)
    judgements = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise KatachiError(f"{path} line {number} is no judgement: {error}") from None
        if not _is_sensible(found):
            raise KatachiError(
                f"{path} line {number} is no judgement: it needs black_lead or black_winrate (0 to "
                "1), and numbers that can be"
            )
        judgements.append(found)
    return judgements


def _read_whole(path: Path) -> bytes:
    """Raises one of `DAMAGE`, also for what is longer than any file of judgements."""
    chunks, count = [], 0
    for chunk in read_chunks(path):
        chunks.append(chunk)
        count += len(chunk)
        if count > MAX_BYTES:
            raise TooLong(f"longer than {MAX_BYTES >> 20} MiB")
    return b"".join(chunks)


def _is_sensible(judgement: Judgement) -> bool:
    lead, chance = judgement.black_lead, judgement.black_winrate
    is_known = lead is not None or chance is not None
    is_finite = math.isfinite(judgement.komi) and (lead is None or math.isfinite(lead))
    is_chance = chance is None or 0.0 <= chance <= 1.0
    return is_known and is_finite and is_chance and judgement.index >= 0 and judgement.moves >= 0


def write_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    """Writes a file whole or not at all; raises OSError."""
    text = b"".join(msgspec.json.encode(each) + b"\n" for each in judgements)
    write_atomically(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def check_numbers(games: GameSet) -> None:
    """Raises KatachiError where a game of a collection is not read: judgements number them all."""
    if games.rejections:
        raise KatachiError(
            f"judgements number the games, but one of them is not read: {games.rejections[0]}"
        )


def leads_after(judgements: Iterable[Judgement], moves: int, komi: float) -> dict[int, Judgement]:
    """The judgements after so many moves with a komi, by game."""
    return {each.index: each for each in judgements if (each.moves, each.komi) == (moves, komi)}


def judge_openings(
    openings: Sequence[Opening],
    judgements: Sequence[Judgement],
    *,
    komi: float = 6.5,
    band: DeadBand | None = None,
) -> list[Opening]:
    """The openings that were judged after their last move with this komi, each with its z.

    Raises KatachiError where the judgements are of another collection: they name a game or a move
    that is not there, or judge none of the openings.
    """
    games = {opening.game for opening in openings}
    last = max(games, default=-1)
    beyond = next((each for each in judgements if each.index > last), None)
    if beyond is not None:
        raise KatachiError(
            f"the judgements do not match the games: they judge game {beyond.index + 1:,}, the "
            f"collection has {last + 1:,}"
        )
    found = leads_after(judgements, len(openings[0]) if openings else 0, komi)
    band = band or DeadBand()
    judged = [each.judged(found[each.game].value(band)) for each in openings if each.game in found]
    if not judged:
        known = sorted({(each.moves, each.komi) for each in judgements})[:8]
        given = ", ".join(f"move {moves} komi {each:g}" for moves, each in known) or "nothing"
        raise KatachiError(
            f"the judgements do not match the openings: none is after move "
            f"{len(openings[0]) if openings else 0} with komi {komi:g} (there is {given})"
        )
    return judged
