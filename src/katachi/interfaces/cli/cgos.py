"""`katachi cgos`: playing on the Computer Go Server, and a small server of our own."""

import asyncio
import contextlib
import getpass
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line
from katachi.players.kinds import DEFAULT_PLAYER

if TYPE_CHECKING:
    from katachi.interfaces.cgos.career import Career
    from katachi.interfaces.cgos.client import Client
    from katachi.interfaces.cgos.server import Server

app = App(name="cgos")

PASSWORD_VARIABLE = "KATACHI_CGOS_PASSWORD"
_LONGEST_FILE = 4096


@Parameter(name="*")
@dataclass(frozen=True)
class Account:
    """Where to play, and as whom."""

    name: str
    "The name to play under; its first use registers it."
    host: str = "127.0.0.1"
    "The server."
    port: int = 6867
    "Its port."
    password_file: Path | None = None
    "A file that holds nothing but the password."


@app.command
def connect(
    *,
    account: Account,
    player: str = DEFAULT_PLAYER,
    games: Annotated[int | None, Parameter(name=["--games", "-n"])] = None,
    analysis: bool = True,
    lag: float = 0.5,
    seed: int = 0,
) -> int:
    """Play on a Computer Go Server until interrupted.

    The password comes from --password-file, else from the variable KATACHI_CGOS_PASSWORD, else it
    is asked for. The first interrupt (or hang-up of the terminal) ends after the game under way,
    the second at once. A player too slow for its clock is replaced by simple moves until the game
    is over; one that keeps failing ends the client after it.

    Parameters
    ----------
    player
        A player by name, or gtp:COMMAND for another program.
    games
        Games to play; any number by default.
    analysis
        Send what the player thinks with its moves, where the server takes it.
    lag
        Seconds of the clock kept back for the way to the server.
    seed
        Equal seeds play equal moves.
    """
    from katachi.interfaces.cgos.client import Client, ClientSettings
    from katachi.interfaces.cgos.playing import make_server_player
    from katachi.interfaces.cold_start import announce_cold_start
    from katachi.interfaces.views.player_lines import chosen_models
    from katachi.players.names import check_player_name

    check_player_name(player)
    for line in chosen_models(player):
        write_log(line)
    settings = ClientSettings(
        host=account.host,
        port=account.port,
        name=account.name,
        password=read_password(account.password_file),
        games=games,
        with_analysis=analysis,
        lag=lag,
    )
    announce_cold_start()
    client = Client(settings, lambda: make_server_player(player, seed), write_log)
    career = asyncio.run(_play(client))
    write_log(career.summary())
    return 0


async def _play(client: "Client") -> "Career":
    end_on_signals(client.request_end)
    return await client.run()


def end_on_signals(act: Callable[[], None]) -> None:
    """Calls `act` at every interrupt, termination or hang-up."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Who starts us with nohup wants us to outlive the terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, act)


def read_password(file: Path | None) -> str:
    """The password from a file, the environment or the keyboard; raises KatachiError for none."""
    if file is not None:
        try:
            with file.open("rb") as stream:
                return stream.read(_LONGEST_FILE).decode().strip()
        except OSError as error:
            raise KatachiError(f"cannot read {file}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise KatachiError(f"{file} does not hold a password") from None
    if PASSWORD_VARIABLE in os.environ:
        return os.environ[PASSWORD_VARIABLE]
    if not sys.stdin.isatty():
        raise KatachiError(f"no password: use --password-file or the variable {PASSWORD_VARIABLE}")
    return getpass.getpass("password: ")


def write_log(text: str) -> None:
    """One line with the time on standard error; nothing where that is gone with its terminal."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{datetime.now():%H:%M:%S} {one_line(text)}\n")
        sys.stderr.flush()


@Parameter(name="*")
@dataclass(frozen=True)
class Rounds:
    """How games are played and paired."""

    size: int = 9
    "Board size."
    komi: float = 7.0
    "Komi."
    time: float = 300.0
    "Seconds each player has for a game."
    first_look: float = 45.0
    "Seconds until the first round is paired."
    look_every: float = 15.0
    "Seconds between looks at who waits."
    pause: float = 3.0
    "Seconds between the setup of a game and its first move."


@app.command
def serve(
    *,
    rounds: Rounds | None = None,
    port: int = 6867,
    host: str = "127.0.0.1",
    folder: Path | None = None,
    dialect: Literal["classic", "lite"] = "classic",
    anchor: Annotated[tuple[str, ...], Parameter(negative=())] = (),
) -> int:
    """Run a small Computer Go Server; only this machine can reach it unless --host says otherwise.

    Rounds are paired as on the public server. An interrupt ends the server; with --folder, games
    under way go on at the next start, and `katachi cgos standings` tells who stands where. Viewers
    such as cgosview can watch.

    Parameters
    ----------
    port
        Where to listen; 0 takes a free one.
    host
        The address to listen on.
    folder
        Where accounts, ratings, games and SGF files are kept; without it, nothing is.
    dialect
        Speak like the public server, or like cgos-lite.
    anchor
        NAME=RATING of a player whose rating is fixed; may be given several times.
    """
    from katachi.interfaces.cgos.server import Server
    from katachi.interfaces.cgos.settings import Dialect, ServerSettings
    from katachi.interfaces.cold_start import announce_cold_start

    settings = ServerSettings(
        host=host,
        port=port,
        dialect=Dialect(dialect),
        folder=folder,
        anchors=dict(_anchor(text) for text in anchor),
        **vars(rounds or Rounds()),
    )
    announce_cold_start()
    asyncio.run(_serve(Server(settings, write_log)))
    return 0


@app.command
def standings(folder: Path) -> int:
    """Print who stands where on a server of ours, also while it serves.

    Parameters
    ----------
    folder
        The --folder of the server.
    """
    from katachi.interfaces.cgos.store import read_standings, standings_text

    sys.stdout.write(standings_text(read_standings(folder)) + "\n")
    return 0


def _anchor(text: str) -> tuple[str, float]:
    name, _, rating = text.partition("=")
    try:
        return name, float(rating)
    except ValueError:
        raise KatachiError(f"{text!r} is no anchor: write NAME=RATING") from None


async def _serve(server: "Server") -> None:
    from katachi.interfaces.cgos.server import describe

    end = asyncio.Event()
    end_on_signals(end.set)
    await server.start()
    write_log(describe(server))
    try:
        await end.wait()
    finally:
        await server.close()
