"""`katachi --install-completion`: what the Tab key needs to know."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from katachi.errors import KatachiError
from katachi.interfaces.cli import app
from katachi.interfaces.console import Console


def install_completion(
    *,
    shell: Literal["bash", "zsh", "fish", "powershell"] | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> None:
    """Let the Tab key complete commands and options in your shell.

    Run it again after an update of katachi.

    Parameters
    ----------
    shell
        Your shell, where it is not found by itself.
    output
        Write the script there and change nothing else; without it the script goes where the shell
        looks, and the shell's start-up file gets a line that reads it.
    """
    from cyclopts.completion.detect import ShellDetectionError

    try:
        path = app.install_completion(shell=shell, output=output, add_to_startup=output is None)
    except ShellDetectionError:
        raise KatachiError(
            "your shell is not known: say --shell bash, zsh, fish or powershell"
        ) from None
    Console().print(
        Text(f"{path} is written: open a new shell, and Tab completes katachi"), soft_wrap=True
    )
