"""A GTP engine around any player: `run_engine(EngineOptions(...))`.

Start reading at `engine.py`; each family of commands has a module with its table `COMMANDS`.
"""

from katachi.interfaces.gtp.engine import run_engine, serve
from katachi.interfaces.gtp.session import ENGINE_HELP, Compat, EngineOptions

__all__ = ["ENGINE_HELP", "Compat", "EngineOptions", "run_engine", "serve"]
