"""Analyses in the formats that clients read.

Every number is the mover's. No search stands behind them, so a move's principal variation is the
move itself, its bound is its value, and its visits are pseudo-visits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from katachi.search.analysis import Analysis, Candidate

ENOUGH_MOVES = 10
"""Moves shown even if hardly anything speaks for them, where the client sets no number."""
LEAST_PRIOR = 0.01
_CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+"

VertexName = Callable[[int], str]


def shown_candidates(
    candidates: Sequence[Candidate], fewest: int = 0, most: int | None = None
) -> Sequence[Candidate]:
    """The best candidates: at least `fewest`, at most `most`, and always one."""
    likely = sum(candidate.prior >= LEAST_PRIOR for candidate in candidates)
    count = max(likely, ENOUGH_MOVES, fewest)
    if most is not None:
        count = min(count, most)
    return candidates[: max(1, count)]


def with_choice_first(candidates: Sequence[Candidate], point: int | None) -> list[Candidate]:
    """The candidates, with the chosen one before those that are just as likely."""
    return sorted(candidates, key=lambda c: (-c.prior, c.point != point))


def lz_line(candidates: Sequence[Candidate], vertex: VertexName) -> str:
    """A line of `lz-analyze`: integers, ten thousand for certainty."""
    return " ".join(_lz_info(order, c, vertex(c.point)) for order, c in enumerate(candidates))


def _lz_info(order: int, candidate: Candidate, name: str) -> str:
    rate = round(10_000 * candidate.win_rate)
    return (
        f"info move {name} visits {candidate.visits} winrate {rate} "
        f"prior {round(10_000 * candidate.prior)} lcb {rate} order {order} pv {name}"
    )


def kata_line(candidates: Sequence[Candidate], vertex: VertexName) -> str:
    """The moves of a line of `kata-analyze`."""
    return " ".join(_kata_info(order, c, vertex(c.point)) for order, c in enumerate(candidates))


def _kata_info(order: int, candidate: Candidate, name: str) -> str:
    rate, visits = candidate.win_rate, candidate.visits
    return (
        f"info move {name} visits {visits} edgeVisits {visits} {_kata_value(rate, candidate.lead)} "
        f"prior {candidate.prior:.6f} lcb {rate:.6f} utilityLcb {2 * rate - 1:.6f} "
        f"weight {visits} order {order} pv {name}"
    )


def _kata_value(rate: float, lead: float) -> str:
    return (
        f"utility {2 * rate - 1:.6f} winrate {rate:.6f} scoreMean {lead:.3f} scoreStdev 0.000 "
        f"scoreLead {lead:.3f} scoreSelfplay {lead:.3f}"
    )


def kata_root(analysis: Analysis) -> str:
    """The `rootInfo` part of a line of `kata-analyze`."""
    visits = sum(candidate.visits for candidate in analysis.candidates)
    return (
        f"rootInfo visits {visits} {_kata_value(analysis.win_rate, analysis.lead)} weight {visits}"
    )


def kata_ownership(analysis: Analysis) -> str:
    """The `ownership` part: row by row from the top left, 1 where the mover owns the point."""
    return "ownership " + " ".join(ownership_texts(analysis))


def ownership_texts(analysis: Analysis, sign: int = 1) -> list[str]:
    """Each point's share, the mover's, or with sign -1 the opponent's."""
    # Adding 0 turns -0.0 into 0.0.
    return [f"{sign * share + 0.0:.3f}" for share in analysis.ownership.tolist()]


def cgos_line(analysis: Analysis, candidates: Sequence[Candidate], vertex: VertexName) -> str:
    """The one line of JSON that a CGOS client passes on."""
    record = {
        "winrate": round(analysis.win_rate, 6),
        "score": round(analysis.lead, 3),
        "visits": sum(candidate.visits for candidate in analysis.candidates),
        "moves": [
            {
                "move": vertex(candidate.point),
                "winrate": round(candidate.win_rate, 6),
                "score": round(candidate.lead, 3),
                "prior": round(candidate.prior, 6),
                "pv": "",
                "visits": candidate.visits,
            }
            for candidate in candidates
        ],
        "ownership": cgos_ownership(analysis.ownership.tolist()),
    }
    return json.dumps(record, separators=(",", ":"))


def cgos_ownership(shares: Sequence[float]) -> str:
    """One character a point, from A for -1 to + for 1."""
    return "".join(_CGOS_DIGITS[round((share + 1) / 2 * 62)] for share in shares)
