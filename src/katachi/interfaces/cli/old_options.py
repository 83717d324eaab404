"""Options that were renamed: the old names still work, and help shows the new ones only."""

from typing import Annotated, Any

from cyclopts import Parameter

OldLambda = Annotated[float | None, Parameter(name="--lam", show=False)]
"""What `--lambda` was called."""


def given_options(options: object) -> dict[str, Any]:
    """The options of a command that were given, by name; an old name counts as the new one."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    if "old_lam" in given:
        given.setdefault("lam", given.pop("old_lam"))
        given.pop("old_lam", None)
    return given
