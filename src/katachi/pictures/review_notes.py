"""A review as files: SGF with a remark on every move and what was better, and entries of JSON."""

from typing import Any

from katachi.pictures.review import Mistake, loss_text, mistake_title, value_text
from katachi.records.record import GameRecord
from katachi.records.sgf import Remark, Variation, Verdict, write_annotated
from katachi.rules.color import COLOR_NAMES
from katachi.rules.point import vertex_from_point
from katachi.search.review import (
    LARGE_MISTAKE,
    SMALLEST_MISTAKE,
    GameReview,
    Judgement,
    ReviewedMove,
)


def annotated_review(
    record: GameRecord, source: str, review: GameReview, mistakes: list[Mistake]
) -> bytes:
    """The record with what a review says of it; `source` says who plays and who judges. Raises
    RecordError as `write_annotated` does."""
    by_number = {mistake.move.number: mistake for mistake in mistakes}
    remarks = [
        _remark(review, move, by_number.get(move.number), record.size) for move in review.moves
    ]
    preface = f"Reviewed by katachi: {source}.\n{value_text(review.start)} before the first move."
    return write_annotated(record, preface, remarks)


def _remark(review: GameReview, move: ReviewedMove, mistake: Mistake | None, size: int) -> Remark:
    unit = review.is_in_points
    values = value_text(move.played)
    if mistake is None:
        is_bad = move.loss >= SMALLEST_MISTAKE[unit]
        best = vertex_from_point(move.best.point, size)
        loss = loss_text(move.loss, is_in_points=unit)
        text = f"{values}\nLoses {loss} against {best}." if is_bad else values
        return Remark(text, move.played.win_rate, Verdict.DOUBTFUL if is_bad else None)
    lines = [values, f"{mistake_title(review, move, size)}.", *mistake.reason.lines]
    verdict = Verdict.VERY_BAD if move.loss >= LARGE_MISTAKE[unit] else Verdict.BAD
    point, win_rate, line = move.best.point, move.best.win_rate, move.best.line
    better = Variation(point, value_text(move.best), win_rate, line)
    return Remark("\n".join(lines), move.played.win_rate, verdict, better)


def judgement_entry(judgement: Judgement, size: int) -> dict[str, Any]:
    """A judgement as JSON has it; chances and leads are Black's. Of a tree search it has visits and
    the expected line, too."""
    entry: dict[str, Any] = {
        "vertex": vertex_from_point(judgement.point, size),
        "win_rate": judgement.win_rate,
        "lead": judgement.lead,
    }
    if judgement.visits is not None:
        line = [vertex_from_point(point, size) for point in judgement.line]
        entry |= {"visits": judgement.visits, "line": line}
    return entry


def move_entry(move: ReviewedMove, size: int) -> dict[str, Any]:
    """A reviewed move as JSON has it."""
    return {
        "number": move.number,
        "color": COLOR_NAMES[move.color],
        **judgement_entry(move.played, size),
        "loss": move.loss,
        "rank": move.rank,
        "best": judgement_entry(move.best, size),
    }
