"""GNU Go as a player of ours: by its name, with a seed."""

from katachi.players.names import command_of
from katachi.players.program import ProgramPlayer, Setting

SEEDS = 1 << 31
"""GNU Go reads seeds of fewer bits than ours."""


class GnuGoPlayer(ProgramPlayer):
    """GNU Go with the flags that fit area counting; equal seeds play equal games."""

    def __init__(self, name: str, seed: int = 0) -> None:
        """The player of a name such as `gnugo:5`."""
        super().__init__(command_of(name), name=name)
        self.seed = seed

    def reseed(self, seed: int) -> None:
        """Plays the next game by another seed."""
        self.seed = seed
        self._setting = None

    def _restart(self, setting: Setting) -> None:
        super()._restart(setting)
        # GNU Go begins each move with the seed it was given last.
        self.program.send(f"set_random_seed {self.seed % SEEDS}")
