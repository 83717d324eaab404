"""The command `katachi`. Each command imports what it needs when it runs, so that help, and the
first answers of the GTP engine, do not wait for a compiler."""

import errno
import io
import logging
import os
import sys
from pathlib import Path
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter

from katachi import __version__
from katachi.errors import KatachiError
from katachi.interfaces.cold_start import tell
from katachi.one_core import use_one_core

FAILED = 1
MISUSED = 2
INTERRUPTED = 130

REPOSITORY = Path(__file__).parents[4]
"""Where katachi runs from its source tree."""


def version_text() -> str:
    """The version, with the commit where that is known."""
    if not (os.environ.get("KATACHI_COMMIT") or (REPOSITORY / ".git").exists()):
        return __version__  # git would answer for whatever repository this is installed in
    from katachi.files.provenance import commit_of_tree

    commit = commit_of_tree()
    return __version__ if commit == "unknown" else f"{__version__} ({commit})"


app = App(
    name="katachi",
    version=version_text,
    suppress_keyboard_interrupt=False,
    # A file may be called "[x].sgf": that is its name, not a list of files.
    # Nobody needs `--empty-moves`: leave the option out.
    default_parameter=Parameter(json_list=False, json_dict=False, negative_iterable=()),
    help="Learned evaluation of Go positions: the value of a shape, a point, a move.",
)
# The list of commands must not import them. The texts of functions are the first lines of their
# docstrings, which a test compares; the page of a command shows the whole docstring.
_COMMANDS = {
    "demo": "Watch two agents learn Go shape from nothing, by playing each other.",
    "play": "Play a game in the terminal against any player.",
    "web": "Open a page in the browser: play, see territory, see why, review, watch learning.",
    "review": "Review a whole game: who was ahead when, the largest mistakes, and what was better.",
    "gtp": "Speak the Go Text Protocol on standard input and output.",
    "match": "Play a match and save every game; run it again to go on where it stopped.",
    "ladder": "Rate players by a tournament that can be continued for months.",
    "train": "Let an evaluator learn; interrupt and resume at will.",
    "experiment": "Repeat the papers' tables and figures.",
    "cgos": "Play on the Computer Go Server, or run a small one.",
    "analysis": "Answer analysis queries in KataGo's JSON form, one a line: what KaTrain speaks.",
    "gui-config": "Print the entry to paste into a Go client.",
    "games": "Look into game records, or let a program play some.",
    "filters": "Show the filters of a convolutional RBM: what each prefers at every point.",
    "shapes": "Show the best and worst shapes of each set: what it gains to make them.",
    "explain": "Say what the move that was played loses against the best one, and which shapes "
    "it changes.",
    "evaluate": "Measure how well a player's evaluator predicts the moves and the territory of "
    "games.",
    "territory": "Draw who will own each point: now, after a move, after a pass instead, and the "
    "difference.",
    "openings": "Look into openings: their tree, the best line, judges, nets.",
    "players": "List every kind of player: how it is named, what it is good at, its rating.",
    "models": "List the models that come with katachi, or those of folders.",
    "warmup": "Compile every kernel now, so that no later command waits for the compiler.",
    "doctor": "Check this installation: versions, cores, caches, GPU, engines; and how to fix it.",
}
_GROUPS = ("ladder", "train", "experiment", "cgos", "games", "openings")
"""Those that have commands of their own."""
_MODULES = {
    **dict.fromkeys(("gtp", "analysis", "gui-config"), "engine"),
    **dict.fromkeys(("players", "models"), "listing"),
    "territory": "explain",
}
"""Where commands are that have no module of their own name."""


def place_of(name: str) -> str:
    """Where a command is: its module, and what it is called there."""
    what = "app" if name in _GROUPS else name.replace("-", "_")
    return f"katachi.interfaces.cli.{_MODULES.get(name, name)}:{what}"


for _name, _help in _COMMANDS.items():
    app.command(place_of(_name), name=_name, help=_help)
app.command(
    "katachi.interfaces.cli.completion:install_completion",
    name="--install-completion",
    help="Let the Tab key complete commands and options in your shell.",
)
# What a command was called before still works; help shows the new name only.
app.command(place_of("filters"), name="kernels", help=_COMMANDS["filters"], show=False)


def fail(text: object, status: int = FAILED) -> NoReturn:
    """Ends with one line on standard error."""
    tell(text)
    sys.exit(status)


def tell_person(text: object) -> None:
    """One line on standard error where a person looks: that something is on its way."""
    if sys.stderr.isatty():
        tell(text)


class _LogLines(logging.Handler):
    """Warnings of the library, as lines for the user; standard output is for answers."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one line, if anyone keeps standard error open."""
        try:
            tell(record.getMessage())
        except Exception:
            self.handleError(record)


def _prepare_streams() -> None:
    """Lets what a terminal cannot show be shown as `?`, and reports warnings of the library."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    log = logging.getLogger("katachi")
    if not any(isinstance(handler, _LogLines) for handler in log.handlers):
        log.addHandler(_LogLines(logging.WARNING))


def main() -> None:
    """Runs the command line; whatever the user did wrong is reported in one line."""
    use_one_core()
    _prepare_streams()
    try:
        _show_docstrings(sys.argv[1:])
        result = app(
            sys.argv[1:], exit_on_error=False, print_error=False, result_action="return_value"
        )
    except CycloptsError as error:
        fail(f"{error} (see katachi --help)", MISUSED)
    except KatachiError as error:
        fail(error, INTERRUPTED if _follows_interrupt(error) else FAILED)
    except ImportError as error:
        fail(f"{_root_cause(error)}: run `katachi doctor` to see what is missing")
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except Exception as error:
        if (words := _words(error)) is not None:
            fail(words)
        if _follows_interrupt(error):
            fail("interrupted", INTERRUPTED)
        raise
    if isinstance(result, int) and result:
        sys.exit(result)


def _show_docstrings(words: list[str]) -> None:
    """Lets the command that is named show its whole docstring as help, not the one line that the
    list has of it; raises ImportError."""
    place = app
    for word in words:
        if word.startswith("-") or word not in set(place):
            return
        place = place[word]
        if place.default_command is not None:
            place.help = None


def _root_cause(error: BaseException) -> BaseException:
    """The import that failed first: a command's own import only passes it on."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _follows_interrupt(error: BaseException) -> bool:
    """Whether an error was raised while an interrupt was on its way up, as the compiler may."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _words(error: Exception) -> str | None:
    """What the machine has no room for, or refused; None for an error that is our own."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: ask for less at once"
    if _is_card_full(error):
        return "the GPU has not enough memory for this: ask for less at once"
    if not isinstance(error, OSError):
        return None
    what = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"the disk is full{where}: free some space and run the command again"
    return f"{what}{where}"


def _is_card_full(error: Exception) -> bool:
    """Whether a GPU has no memory left, as PyTorch or numba-cuda says it; imports neither."""
    return type(error).__name__ == "OutOfMemoryError" or "CUDA_ERROR_OUT_OF_MEMORY" in str(error)
