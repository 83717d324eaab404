"""The worst moves of each game in files or folders: python examples/review_games.py PLACE [GAMES].

Every move is judged by the points that a net expects after it and after the best one.
"""

import sys

import katachi

place = sys.argv[1] if len(sys.argv) > 1 else "."
most = int(sys.argv[2]) if len(sys.argv) > 2 else 10
evaluator = katachi.load_evaluator("territory")
games = katachi.open_games(place)
for number, record in enumerate(games[:most], 1):
    game = katachi.Game.from_record(record)
    review = katachi.review(evaluator, game)
    names = f"{record.texts.black or 'Black'} v {record.texts.white or 'White'}"
    print(f"game {number}: {names}, {len(game.moves)} moves")
    for move in review.all_mistakes(most=2):
        played, best = (
            katachi.vertex_from_point(judged.point, game.size)
            for judged in (move.played, move.best)
        )
        print(f"  move {move.number} ({played}) lost {move.loss:.1f} points; {best} was better")
