"""Options of a command made from the records that hold its settings: each knob is declared once.

The text below a field is the help of its option. The default follows in brackets, unless the text
ends with brackets of its own.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import make_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.rules.ruleset import check_komi

MOST = 10**12
"""Games, batches or anything else that is counted."""
LARGEST_WEIGHT = 1e6
NAMES = {
    "lam": "--lambda",
    "sizes": "--size",
    "alphas": "--set-alpha",
    "foretells": "--predict-moves",
}
"""Of options that are called otherwise than their fields."""
OLD_NAMES = {"lam": "--lam", "foretells": "--foretells"}
"""What options were called before: these names work, and help shows the new ones only."""
Form = TypeVar("Form")
CommandT = TypeVar("CommandT", bound=Callable[..., None])


class Options:
    """What can be asked of a command; an option that is not given is None."""

    flags: ClassVar[dict[str, bool]] = {}
    """What each flag makes of its field."""

    def __init__(self, **values: Any) -> None:
        """Options by the names of fields."""
        vars(self).update(values)

    def given(self) -> dict[str, Any]:
        """What was given, by the names of fields; an old option counts as the new one."""
        found = {name: value for name, value in vars(self).items() if value is not None}
        for name in OLD_NAMES:
            if (old := found.pop(f"old_{name}", None)) is not None:
                found.setdefault(name, old)
        return found | {name: value for name, value in self.flags.items() if found.get(name)}


NO_OPTIONS = Options()


class _Knob(NamedTuple):
    """A field that is an option."""

    name: str
    kind: Any
    text: str
    default: Any
    """Where the option is not given."""
    other: Any
    """With another preset."""

    @property
    def option(self) -> str:
        """`--tied` for a field `is_tied`, and `--no-null` for a `has_null` that is usual."""
        if self.kind is bool and self.name not in NAMES:
            bare = self.name.removeprefix("is_").removeprefix("has_").replace("_", "-")
            return f"--no-{bare}" if self.default else f"--{bare}"
        return option_name(self.name)

    def help(self, preset: str) -> str:
        """The text, and the default unless the text names it."""
        words = _shown(self.default)
        if words != _shown(self.other):
            words += f"; {preset} {_shown(self.other)}"
        if not words or re.search(r" \([^()]*\)\.$", self.text):
            return self.text
        return f"{self.text.removesuffix('.')} ({words})."

    def fields(self, preset: str) -> Iterator[tuple[str, Any, Any]]:
        """As fields of a dataclass, whose metadata says what the option is called."""
        shown = Parameter(name=self.option, negative=(), help=self.help(preset))
        yield self.name, Annotated[self.kind | None, shown], None
        if self.name in OLD_NAMES:
            old = Parameter(name=OLD_NAMES[self.name], negative=(), show=False)
            yield f"old_{self.name}", Annotated[self.kind | None, old], None


def options_of(
    *records: msgspec.Struct | type[msgspec.Struct],
    without: tuple[str, ...] = (),
    preset: str = "",
    **kinds: Any,
) -> type[Options]:
    """The options of a command: one for each field of records but for some.

    The values of a record that is an instance are the defaults that help names; where those of its
    class differ they are named as the ones of `preset`. `kinds` are the types of options that
    differ from the types of their fields.
    """
    knobs = [knob for each in records for knob in _knobs(each, kinds) if knob.name not in without]
    fields = [each for knob in knobs for each in knob.fields(preset)]
    # cyclopts looks into no class of a standard module, where it would be without a name of ours.
    flags = {knob.name: not knob.default for knob in knobs if knob.kind is bool}
    ours = {"__module__": __name__, "flags": flags}
    made = make_dataclass(
        "Given", fields, bases=(Options,), namespace=ours, frozen=True, kw_only=True
    )
    return Parameter(name="*")(made)


def taking(options: type[Options]) -> Callable[[CommandT], CommandT]:
    """Lets the parameter `options` of a command be these."""

    def changed(command: CommandT) -> CommandT:
        command.__annotations__["options"] = options
        return command

    return changed


def _knobs(record: msgspec.Struct | type[msgspec.Struct], kinds: dict[str, Any]) -> Iterator[_Knob]:
    form = record if isinstance(record, type) else type(record)
    texts = field_texts(form)
    for each in msgspec.structs.fields(form):
        default = each.default if record is form else getattr(record, each.name)
        name = each.encode_name
        kind = kinds.get(name, _plain(each.type))
        yield _Knob(name, kind, texts.get(each.name, ""), default, each.default)


@cache
def field_texts(form: type) -> dict[str, str]:
    """The text below each field of a class and of those it is made from, by name."""
    found: dict[str, str] = {}
    for each in reversed(form.__mro__):
        if issubclass(each, msgspec.Struct) and each is not msgspec.Struct:
            (body,) = ast.parse(inspect.getsource(each)).body
            assert isinstance(body, ast.ClassDef)
            for line, text in pairwise(body.body):
                if isinstance(line, ast.AnnAssign) and isinstance(text, ast.Expr):
                    name, words = ast.unparse(line.target), ast.literal_eval(text.value)
                    found[name] = " ".join(words.split())
    return found


def _plain(kind: Any) -> Any:
    """The type of an option: without bounds, which are checked later, and without None."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) is tuple:
        return list[get_args(kind)[0]]  # type: ignore[misc]
    parts = [each for each in get_args(kind) if each is not type(None)]
    return _plain(parts[0]) if type(None) in get_args(kind) and len(parts) == 1 else kind


def _shown(value: Any) -> str:
    """A default, if there is one to show."""
    if isinstance(value, Enum):
        return str(value.value)
    if value is None or isinstance(value, (bool, msgspec.Struct)) or value is msgspec.NODEFAULT:
        return ""
    if isinstance(value, (int, float)):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    return value if isinstance(value, str) else ", ".join(value)


def option_name(name: str) -> str:
    """What the option of a field is called."""
    return NAMES.get(name, f"--{name.replace('_', '-')}")


def settings_of(given: dict[str, Any], form: type[Form]) -> Form:
    """The settings that options ask for; raises KatachiError, naming the one that cannot be."""
    check_komi(given.get("komi", 0.0))
    plain = {}
    for name, value in given.items():
        most = LARGEST_WEIGHT if isinstance(value, float) else MOST
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, (int, float)) and not abs(number) <= most:
                option = option_name(name)
                raise KatachiError(
                    f"a setting is out of range: {option} {number}, use at most {most:g}"
                )
        plain[name] = value.value if isinstance(value, Enum) else value
    try:
        return msgspec.convert(plain, form)
    except msgspec.ValidationError as error:
        raise KatachiError(f"a setting is out of range: {error}") from None
