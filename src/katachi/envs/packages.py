"""The packages that environments are made for, which katachi does not need otherwise."""

from importlib.util import find_spec

from katachi.errors import KatachiError


def need(package: str) -> None:
    """Raises KatachiError, saying what to install, where a package is not there."""
    if find_spec(package) is None:
        raise KatachiError(
            f"{package} is not installed: install it, or all that environments need by "
            "`pip install katachi[env]`"
        )
