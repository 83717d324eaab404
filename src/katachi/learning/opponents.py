"""Somebody to learn against: any player by name, or the frozen agent of a model's folder."""

import os
from hashlib import sha256

from katachi.evaluators.local_shape import LocalShape
from katachi.files.shipped_folders import find_model
from katachi.learning.loop import Source
from katachi.learning.material import Material
from katachi.learning.shape_training import TrainingSettings, terms_of
from katachi.learning.sources import AgainstOpponent
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.kinds import LEARNING_NAME, split_name, versions_of
from katachi.players.names import check_no_plugin, is_program, programs_inside
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Player, Seeded
from katachi.players.roster import files_of, make_player


class Opponent:
    """A player by name, or a model that stays as it is. An external program is started once and
    plays all games; everybody else begins each game anew, from its seed."""

    def __init__(self, name: str, frozen: LocalShape | None = None) -> None:
        """Raises KatachiError where there is no such player."""
        # A run that goes on reads the name in its folder, and files must not run code.
        check_no_plugin(name, "learn against a model or a program")
        self.name = name
        self.frozen = frozen
        self._player = make_player(name) if frozen is None else EvaluatingPlayer(name, frozen)

    @classmethod
    def find(cls, name: str) -> "Opponent":
        """The shape model in a folder of that name, or of the training run there, or else the
        player; raises KatachiError."""
        is_shape = os.path.isdir(name) and split_name(name)[0] == LEARNING_NAME
        return cls(name, LocalShape.load(find_model(name)) if is_shape else None)

    def material(self) -> Material:
        """A digest of what decides how it plays, its files and the versions of its kinds; none of a
        frozen model, of which the run keeps a copy, nor of an external program."""
        if self.frozen is not None or is_program(self.name):
            return {}
        files, versions = files_of(self.name), versions_of(self.name)
        digest = sha256(b"".join(sha256(file.read_bytes()).digest() for file in files))
        digest.update("".join(versions).encode())
        known = files or versions
        return {f"the model behind {self.name}": digest.hexdigest()} if known else {}

    def play_anew(self, seed: int) -> Player:
        """The opponent for one game."""
        if isinstance(self._player, EvaluatingPlayer):
            return EvaluatingPlayer(self.name, self._player.evaluator, seed)
        if isinstance(self._player, Seeded):
            self._player.reseed(seed)
        if isinstance(self._player, ProgramPlayer) or programs_inside(self.name):
            return self._player
        return make_player(self.name, seed)

    def resized(self, size: int) -> "Opponent":
        """The same for a board: a model is laid out anew."""
        if self.frozen is None or self.frozen.size == size:
            return self
        return Opponent(self.name, self.frozen.resized(size))

    def source(self, settings: TrainingSettings, agents: list[LocalShape]) -> Source:
        """The games of the first agent against this opponent."""
        make = self.resized(settings.size).play_anew
        return AgainstOpponent(agents[0], make, terms_of(settings))

    def close(self) -> None:
        """Ends what the opponent has started."""
        self._player.close()
