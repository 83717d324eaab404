"""KataGo's commands about rules, parameters and raw evaluations."""

from __future__ import annotations

import json
from dataclasses import replace

from katachi.interfaces.gtp.analysis_lines import ownership_texts
from katachi.interfaces.gtp.arguments import expect, parse_integer, parse_number
from katachi.interfaces.gtp.core import color_to_move
from katachi.interfaces.gtp.errors import SYNTAX_ERROR, CommandError
from katachi.interfaces.gtp.options import LONGEST_SECONDS
from katachi.interfaces.gtp.session import Command, Session
from katachi.interfaces.gtp.thinking import analyse
from katachi.interfaces.kata_rules import (
    change_rule,
    describe_rules,
    rules_from_name,
    rules_from_object,
)
from katachi.players.finish_settings import counting_of_rules
from katachi.rules.color import WHITE
from katachi.rules.ruleset import Rules

_SYMMETRIES = 8


def parse_rules(text: str) -> Rules:
    """The rules of a name or of a JSON object in KataGo's words."""
    if not text.startswith("{"):
        return rules_from_name(text)
    try:
        wanted = json.loads(text)
    except (ValueError, RecursionError):
        raise CommandError(SYNTAX_ERROR) from None
    return rules_from_object(wanted)


def get_rules(session: Session, _arguments: list[str]) -> str:
    """The rules as a JSON object."""
    return json.dumps(describe_rules(session.game.rules), separators=(",", ":"))


def set_rules(session: Session, arguments: list[str]) -> str:
    """Sets the rules by name or as a JSON object; refuses what cannot be played. A name also says
    how games are counted: under cgos and tromp-taylor all stones are alive."""
    text = " ".join(arguments)
    session.game.rules = parse_rules(text)
    if not text.startswith("{"):
        session.finish = replace(session.finish, counting=counting_of_rules(text))
    return ""


def set_rule(session: Session, arguments: list[str]) -> str:
    """Changes one rule."""
    expect(arguments, 2)
    session.game.rules = change_rule(session.game.rules, *arguments)
    return ""


def _parameters(session: Session) -> dict[str, str]:
    from katachi.search.analysis import PSEUDO_VISITS

    return {"maxTime": f"{session.seconds:g}", "maxVisits": str(PSEUDO_VISITS)}


def list_params(session: Session, _arguments: list[str]) -> str:
    """The names of the parameters."""
    return " ".join(_parameters(session))


def get_param(session: Session, arguments: list[str]) -> str:
    """The value of a parameter."""
    expect(arguments, 1)
    parameters = _parameters(session)
    if arguments[0] not in parameters:
        raise CommandError(f"no parameter {arguments[0][:40]!r}")
    return parameters[arguments[0]]


def get_params(session: Session, _arguments: list[str]) -> str:
    """All parameters as a JSON object."""
    return json.dumps(_parameters(session), separators=(",", ":"))


def parse_seconds(text: str) -> float:
    """A thinking time; raises CommandError unless it is a sensible number of seconds."""
    seconds = parse_number(text)
    if not 0 < seconds <= LONGEST_SECONDS:
        raise CommandError(SYNTAX_ERROR)
    return seconds


def _change_param(session: Session, name: str, value: str) -> None:
    if name == "maxTime":
        session.seconds = parse_seconds(value)
    elif name == "maxVisits":
        parse_integer(value)  # Taken for the client's sake: nothing is searched.
    else:
        raise CommandError(f"no parameter {name[:40]!r}")


def set_param(session: Session, arguments: list[str]) -> str:
    """Sets maxTime, the seconds for a move without a clock; maxVisits has no effect."""
    expect(arguments, 2)
    _change_param(session, *arguments)
    return ""


def set_params(session: Session, arguments: list[str]) -> str:
    """Sets several parameters, given as a JSON object."""
    try:
        wanted = json.loads(" ".join(arguments))
    except (ValueError, RecursionError):
        raise CommandError(SYNTAX_ERROR) from None
    if not isinstance(wanted, dict):
        raise CommandError(SYNTAX_ERROR)
    for name, value in wanted.items():
        _change_param(session, name, str(value))
    return ""


def raw_evaluation(session: Session, arguments: list[str]) -> str:
    """The evaluation of the position: `kata-raw-nn [colour] 0..7|all`; no symmetry changes it."""
    color, rest = color_to_move(session, arguments)
    wanted = rest[0].lower() if rest else "0"
    first, last = (0, _SYMMETRIES - 1) if wanted == "all" else (parse_integer(wanted),) * 2
    if not 0 <= first <= last < _SYMMETRIES:
        raise CommandError(SYNTAX_ERROR)
    body = _raw_body(session, color)
    return "".join(f"symmetry {number}\n{body}\n" for number in range(first, last + 1))


def _raw_body(session: Session, color: int) -> str:
    analysis = analyse(session, color)
    rate = analysis.win_rate if color == WHITE else 1 - analysis.win_rate
    leads = []
    if analysis.lead is not None:
        lead = analysis.lead if color == WHITE else -analysis.lead
        leads = [f"whiteLead {lead:.3f}", f"whiteScoreSelfplay {lead:.3f}"]
    owned = ownership_texts(analysis, 1 if color == WHITE else -1)
    priors = analysis.policy
    lines = [
        f"whiteWin {rate:.6f}",
        f"whiteLoss {1 - rate:.6f}",
        "noResult 0.000000",
        *leads,
        "policy",
        *rows_of(session, _policy(session, priors)),
        f"policyPass {priors.get(0, 0.0):.6f}",
        "whiteOwnership",
        *rows_of(session, owned),
    ]
    return "\n".join(lines)


def _policy(session: Session, priors: dict[int, float]) -> list[str]:
    from katachi.rules.point import points_of

    points = points_of(session.game.size).tolist()
    return [f"{priors[point]:.6f}" if point in priors else "NAN" for point in points]


def rows_of(session: Session, cells: list[str]) -> list[str]:
    """Texts of all points, row by row, as the lines of a board."""
    size = session.game.size
    return [" ".join(cells[start : start + size]) for start in range(0, size * size, size)]


def clear_cache(_session: Session, _arguments: list[str]) -> str:
    """Nothing: no evaluations are kept."""
    return ""


COMMANDS: dict[str, Command] = {
    "kata-get-rules": get_rules,
    "kata-set-rules": set_rules,
    "kata-set-rule": set_rule,
    "kata-list-params": list_params,
    "kata-get-param": get_param,
    "kata-get-params": get_params,
    "kata-set-param": set_param,
    "kata-set-params": set_params,
    "kata-raw-nn": raw_evaluation,
    "clear_cache": clear_cache,
}
