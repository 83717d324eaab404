"""What a GTP engine is started with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from katachi.errors import KatachiError
from katachi.players.finish_settings import FinishSettings
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.rules.ruleset import check_komi

if TYPE_CHECKING:
    from katachi.players.protocol import Player

LONGEST_SECONDS = 1e6
ENGINE_HELP = (
    "A player without search gives pseudo-visits: 1000 shared out among the moves by how good they "
    "look, and at least 10 for each move shown, so that clients draw the candidates. They are no "
    "count of anything searched."
)
"""What the help of an analysing engine must say."""


class Compat(Enum):
    """A client whose demands on name and version go beyond the protocol."""

    NONE = "none"
    LIZZIE = "lizzie"
    """Lizzie and LizzieYzy show territory only for a name that begins with KataGo, and ask for a
    version 0.N.x with N at least 15."""


@dataclass(frozen=True)
class EngineOptions:
    """How to play, and the board before a client says otherwise."""

    player: str = DEFAULT_PLAYER
    seed: int = 0
    seconds: float = 5.0
    """Thinking time for a move while no clock is set."""
    size: int = 19
    komi: float = 7.5
    compat: Compat = Compat.NONE
    make_player: Callable[[str, int], Player] | None = None
    """Makes the player from its name and seed; by default the roster does."""
    finish: FinishSettings = field(default_factory=FinishSettings)
    """When to pass and to resign before a client says otherwise."""

    def __post_init__(self) -> None:
        """Raises KatachiError for a time or komi that no command would take either."""
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise KatachiError(
                f"{self.seconds:g} seconds a move: use more than 0, at most {LONGEST_SECONDS:g}"
            )
        check_komi(self.komi)
