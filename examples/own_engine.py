"""Your own engine on a ladder, by its name gtp:COMMAND: python examples/own_engine.py."""

import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import katachi

if sys.argv[1:] == ["--gtp"]:  # the engine: plays at 5x5, anywhere but into its own eyes
    game = katachi.Game(5)
    for words in map(str.split, sys.stdin):
        vertex = words[-1] if words[0] == "play" else ""
        color = katachi.BLACK if "black" in words else katachi.WHITE
        game = katachi.Game(5) if words[0] == "clear_board" else game
        if words[0] == "genmove":
            free = [p for p in game.legal_moves(color) if not game.board.is_eye(int(p), color)]
            vertex = katachi.vertex_from_point(int(random.choice(free or [katachi.PASS])), 5)
        if vertex:
            game.play(color, vertex)
        print(f"= {vertex}\n", flush=True)
else:  # the ladder: everyone with everyone
    specs = {"own": f"gtp:{sys.executable} {__file__} --gtp", "random": "random", "alp": "alp"}
    terms = '[ladder]\nname = "small ladder"\nsize = 5\ngames = 2\nschedule = "all"\n'
    players = "".join(f"[[player]]\nname = {n!r}\nspec = {specs[n]!r}\n" for n in specs)
    with TemporaryDirectory() as folder:
        (Path(folder) / "roster.toml").write_text(terms + players)
        run = [sys.executable, "-m", "katachi", "ladder", "run", f"{folder}/roster.toml"]
        subprocess.run([*run, "--database", f"{folder}/games.db"], check=True)
