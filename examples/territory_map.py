"""Who owns what in the last position of a game, as a picture:
python examples/territory_map.py GAME.sgf [PICTURE.svg].

A square on each point says whose it is likely to be: the larger, the surer.
"""

import sys
from pathlib import Path

import katachi
from katachi.pictures.boards import draw_position, draw_squares
from katachi.pictures.drawing import Drawing, write_picture

record = katachi.open_games(sys.argv[1])[0]
picture = Path(sys.argv[2] if len(sys.argv) > 2 else "territory.svg")
game = katachi.Game.from_record(record)
owners = katachi.load_evaluator("territory").evaluate(game.states).ownership
assert owners is not None  # of an evaluator that knows owners
leanings = 2 * owners[0] - 1  # 1 is surely Black's, -1 surely White's

drawing = Drawing(f"{record.texts.black} v {record.texts.white}")
place = draw_position(drawing, game, (24, 24))
draw_squares(drawing, place, leanings.tolist(), widest=0.6)
write_picture(drawing, picture, None)
black, white = (leanings > 0).sum(), (leanings < 0).sum()
print(f"{picture}: Black is likely to own {black} points, White {white}")
