"""`katachi demo`: a game to watch, and how fast the board is."""

import time

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from katachi.interfaces.board_text import render_board
from katachi.interfaces.cli.kernels import compile_kernels
from katachi.interfaces.cold_start import playing_steps
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.errors import KatachiError
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.size import check_size

SPEED_SECONDS = 1.0
LONGEST_DELAY = 60.0


def demo(*, size: int = 9, seed: int = 1, delay: float = 0.06) -> None:
    """Watch ALP play a random player, then see how many games a second the rules kernel plays.

    Parameters
    ----------
    size
        Board size.
    seed
        Another seed is another game.
    delay
        Seconds each position stays on the screen.
    """
    check_size(size)
    if not 0 <= delay <= LONGEST_DELAY:
        raise KatachiError(f"a delay of {delay:g} seconds: use 0 to {LONGEST_DELAY:g}")
    console = Console()
    compile_kernels(console, playing_steps())
    game = Game(size)
    players = {BLACK: make_player("alp", seed), WHITE: make_player("random", seed)}
    _watch(console, game, players, delay if console.is_terminal else 0.0)
    console.print(_verdict(game, players))
    console.print(_speed(size))


def _watch(console: Console, game: Game, players: dict[int, Player], delay: float) -> None:
    limit = 3 * game.size * game.size
    with Live(_picture(console, game), console=console, auto_refresh=False) as live:
        while not game.is_over and len(game.moves) < limit:
            color = game.to_play
            choice = players[color].choose(game, color)
            game.play(color, choice.point or PASS)
            if delay:
                live.update(_picture(console, game), refresh=True)
                time.sleep(delay)
        live.update(_picture(console, game), refresh=True)


def _picture(console: Console, game: Game) -> Group:
    black, white = game.captures
    title = f"ALP (black) v random (white), move {len(game.moves)}"
    captured = f"captured: ALP {black}, random {white}\n"
    return Group(Text(title, style="bold"), render_board(console, game), Text(captured))


def _verdict(game: Game, players: dict[int, Player]) -> str:
    if not game.is_over:
        return f"stopped after {len(game.moves)} moves"
    score = game.area_score()
    winner = players[BLACK if score > 0 else WHITE].name
    return f"{winner} wins by {abs(score):g} points in {len(game.moves)} moves (komi {game.komi:g})"


def _speed(size: int) -> str:
    from katachi.batch.cpu import play_unrecorded

    games = 2000
    begin = time.perf_counter()
    moves = play_unrecorded(size, games, seed=1)
    while time.perf_counter() - begin < SPEED_SECONDS:
        moves += play_unrecorded(size, 2000, seed=games)
        games += 2000
    seconds = time.perf_counter() - begin
    rate = f"{games / seconds:,.0f} random {size}x{size} games a second on one core"
    return f"{rate}, {1e9 * seconds / moves:.0f} ns a move"
