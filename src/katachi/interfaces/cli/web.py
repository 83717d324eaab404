"""`katachi web`: the board in the browser."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cold_start import tell

PORT = 8361


def web(
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    open_browser: Annotated[bool, Parameter(name="--open", negative="--no-open")] = True,
    folder: Path = Path(),
) -> int:
    """Open a page in the browser: play, see territory, see why, review, watch learning.

    Prints the page's address once it can be opened; an interrupt ends it. Only this machine can
    reach the page, unless --host says otherwise: then the address holds a token, and whoever has it
    can use the page.

    Parameters
    ----------
    host
        The address to listen on.
    port
        Where to listen; 0 takes a free one.
    open_browser
        Open the page in the browser; --no-open only prints its address.
    folder
        Where training runs and ladders are looked for; by default the current folder.
    """
    if not folder.is_dir():
        raise KatachiError(f"--folder {folder}: there is no such folder")
    show_page(host, port, folder.resolve(), open_browser=open_browser)
    return 0


def show_page(
    host: str,
    port: int,
    folder: Path,
    *,
    open_browser: bool,
    tab: str = "",
    begin: Callable[[], object] = lambda: None,
) -> None:
    """Serves the page until an interrupt, open on a tab; `begin` is called once it is there."""
    from katachi.interfaces.web.serving import listen, serve

    made, address = listen(host, port)
    if address.token is not None:
        tell(
            f"warning: other machines can reach this page at {host}. Whoever has the address below "
            "can use it; do not pass it on, and end the page when you are done."
        )

    def announce() -> None:
        url = f"{address.url}#{tab}" if tab else address.url
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        begin()
        if open_browser:
            _open(url)

    with made:
        serve(made, address, folder, announce)


def show_learning(seed: int) -> None:
    """Begins a small run and shows it on the page, until an interrupt."""
    from katachi.interfaces.web.run_shelf import check_seed, shelf_at

    check_seed(seed)
    folder = Path.cwd()

    def begin() -> None:
        shelf_at(folder).start("shape5", seed)

    tell("two agents learn on this page, from nothing; an interrupt (Ctrl-C) ends it")
    show_page("127.0.0.1", 0, folder, open_browser=True, tab="learning", begin=begin)


def _open(url: str) -> None:
    """Opens a browser in a window; where there are no windows one would take the terminal."""
    import webbrowser

    has_windows = sys.platform == "darwin" or any(
        name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_windows:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
