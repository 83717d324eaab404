"""Names of players, known without loading what they play with."""

from katachi.rules.errors import KatachiError

PLAYER_NAMES = ("random", "alp", "influence")
PROGRAM_PREFIX = "gtp:"


def check_player_name(name: str) -> None:
    """Raises KatachiError, naming the choices, unless a player has this name."""
    if name not in PLAYER_NAMES and not name.startswith(PROGRAM_PREFIX):
        choices = ", ".join(PLAYER_NAMES)
        raise KatachiError(f"no player {name!r}: choose {choices} or {PROGRAM_PREFIX}COMMAND")
