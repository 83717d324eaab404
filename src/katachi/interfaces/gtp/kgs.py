"""Commands of the KGS Go server."""

from katachi.interfaces.gtp.core import color_argument
from katachi.interfaces.gtp.errors import CommandError
from katachi.interfaces.gtp.scoring import blocks_by_life
from katachi.interfaces.gtp.session import Command, Session
from katachi.interfaces.gtp.thinking import choose_move, play_choice
from katachi.rules.color import opponent
from katachi.rules.ruleset import RULESETS

_RULESETS = {"chinese": "cgos", "aga": "aga", "new_zealand": "new-zealand"}
"""KGS forbids repetition under its Chinese rules too."""


def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Chooses and plays a move, but never passes while dead stones of the opponent can be taken."""
    from katachi.rules.point import PASS

    color = color_argument(arguments)
    choice = choose_move(session, color)
    if choice.point is None or choice.point == PASS:
        choice = choice._replace(point=_attack_on_dead_stones(session, color))
    return play_choice(session, color, choice)


def _attack_on_dead_stones(session: Session, color: int) -> int:
    """A legal move beside a dead block of the opponent that fills no own eye, or PASS."""
    from katachi.rules.point import PASS, STRIDE
    from katachi.search.afterstates import sensible_moves

    game = session.strict_game()
    blocks = blocks_by_life(session, is_alive=False)
    other = opponent(color)
    dead = {p for block in blocks if game.board.color_at(block[0]) == other for p in block}
    for point in sensible_moves(game, color).tolist():
        if dead & {point - STRIDE, point - 1, point + 1, point + STRIDE}:
            return int(point)
    return PASS


def set_rules(session: Session, arguments: list[str]) -> str:
    """Sets the rules by KGS's name; Japanese rules cannot be played."""
    name = _RULESETS.get(arguments[0].lower() if arguments else "")
    if name is None:
        raise CommandError(f"unsupported rules: use {', '.join(_RULESETS)}")
    session.game.rules = RULESETS[name]
    return ""


def chat(session: Session, _arguments: list[str]) -> str:
    """A polite answer to whatever is said."""
    return f"I am katachi, a program; my player is {session.options.player}."


def game_over(_session: Session, _arguments: list[str]) -> str:
    """Takes notice that the game is over."""
    return ""


COMMANDS: dict[str, Command] = {
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-rules": set_rules,
    "kgs-chat": chat,
    "kgs-game_over": game_over,
}
