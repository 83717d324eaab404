"""Records, overlays and reasons on the page in a browser."""

import re
from functools import cache
from itertools import islice

import pytest

from katachi.evaluators.names import OPENINGS
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games, write_game
from katachi.rules.diagram import diagram_from_board
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point
from tests.interfaces.web.browser.screen import Screen

