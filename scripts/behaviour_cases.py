"""What scripts/behaviour.py records: short runs, players, positions, texts and experiments."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Relative to the root, where commands run: some texts name the file.
GAMES9 = Path("tests/data/gnugo9.sgf")
GAMES19 = Path("src/katachi/collections/openings19.sgf")
JUDGED19 = Path("src/katachi/collections/openings19_judged.jsonl")
MODELS = Path("src/katachi/models")

# A command as the tables below write it: what it is called now, and its words that are called
# something else now. A case whose command is None is left out.
PRESENT: dict[str, tuple[str | None, dict[str, str]]] = {
    "train shape": ("train shape", {}),
    "train linear": ("train linear", {"--lessons": "--lessons", "--teacher": "--teacher"}),
    "train crbm": ("train features", {}),
    "train territory": (
        "train territory",
        {"--foretells": "--predict-moves", "--others": "--others"},
    ),
    "openings learn": ("train openings", {}),
    "experiment run": ("experiment run", {"--data": "--data"}),
}

SHAPE = "train shape --size 5 --games 400 --test-every 200 --test-games 10 --final-games 20"
SLOW = SHAPE.replace("--games 400", "--games 40")
SHAPE9 = SHAPE.replace("--size 5 --games 400", "--size 9 --games 100")
LINEAR = "train linear --lessons 40 --measure-every 20 --seed 3"
SHORT = f"{LINEAR.replace('40', '10')} --games {GAMES9}"
CRBM = f"train crbm --games {GAMES9} --kernels 6 --batch 20 --steps 12 --measure-every 6"
TERRITORY = (
    f"train territory --games {GAMES9} --hidden 4 --states 3 --batch 8 --steps 12 --measure-every 6"
)
CONVOLUTION = TERRITORY.replace("--states 3", "--net convolution")
OPENINGS = "openings learn --epochs 2"
LEARNERS = {
    "shape/default": SHAPE,
    "shape/seed": f"{SHAPE} --seed 7",
    "shape/paper2007": f"{SHAPE} --preset paper2007",
    "shape/paper2007-9x9": f"{SHAPE9} --preset paper2007",
    "shape/li": f"{SHAPE} --sets 1x1-2x2:LI",
    "shape/ld": f"{SHAPE} --sets 1x1-3x2:LD",
    "shape/liberty": f"{SHAPE} --sets 1x1-2x2:LI:liberty",
    "shape/hashed": f"{SHAPE} --sets 3x3:LI:liberty --bins 1000",
    "shape/cascade": f"{SHAPE} --cascade",
    "shape/cascade-paper2007": f"{SHAPE} --preset paper2007 --cascade --sets 1x1-2x2:LI+LD",
    "shape/grow": f"{SHAPE} --preset paper2007 --sets 1x1-2x2:LI --grow-to 7 --grow-games 100",
    "shape/lambda": f"{SHAPE} --lambda 0.5",
    "shape/squared": f"{SHAPE} --loss squared --alpha 0.1 --final-alpha 0.01",
    "shape/cross-entropy": f"{SHAPE} --preset paper2007 --loss cross-entropy",
    "shape/set-alpha": f"{SHAPE} --sets 1x1-2x2:LI --set-alpha 2x2:LI=0.5 --epsilon 0.3 --komi 0.5",
    "shape/self": f"{SHAPE} --source self",
    "shape/against-alp": f"{SLOW} --source alp",
    "shape/against-player": f"{SLOW} --source search:1:influence",
    "shape/against-model": f"{SLOW} --source shape5",
    "shape/start": f"{SHAPE} --start {MODELS / 'shape5'}",
    "shape/start-9x9": f"{SHAPE9} --start {MODELS / 'shape5'}",
    "linear/records": f"{LINEAR} --games {GAMES9}",
    "linear/lambda": f"{LINEAR} --games {GAMES9} --lambda 0.7 --loss cross-entropy",
    "linear/templates3": f"{LINEAR} --games {GAMES9} --features templates:3x3",
    "linear/shapes": f"{LINEAR} --games {GAMES9} --features shapes:1x1-2x2:LI",
    "linear/crbm": f"{SHORT} --features crbm:crbm9",
    "linear/several": f"{SHORT} --features templates:2x2 --features crbm:crbm9",
    "linear/self": f"{LINEAR} --teacher self --epsilon 0.3 --final-epsilon 0.1",
    "linear/frozen": f"{LINEAR} --teacher frozen",
    "linear/start": f"{SHORT} --start linear9",
    "crbm/multinomial": CRBM,
    "crbm/real": f"{CRBM} --visible real",
    "crbm/tied": f"{CRBM} --tied",
    "crbm/no-null": f"{CRBM} --tied --no-null",
    "crbm/persistent": f"{CRBM} --persistent --gibbs-steps 2",
    "crbm/sparse": f"{CRBM} --sparsity-weight 1 --inputs stones,liberties,edge",
    "crbm/second-layer": f"{CRBM} --below crbm9",
    "territory/owners": TERRITORY,
    "territory/tied": f"{TERRITORY} --tied --layers 2",
    "territory/convolution": f"{CONVOLUTION} --layers 2",
    "territory/inputs": f"{TERRITORY} --inputs stones,liberties",
    "territory/choice": f"{TERRITORY} --others 2 --choice-weight 0.5",
    "territory/owners-and-moves": f"{TERRITORY} --foretells",
    "territory/moves": f"{TERRITORY} --foretells --cell-weight 0",
    "territory/moves-convolution": f"{CONVOLUTION} --foretells --cell-weight 0",
    "openings/rich": OPENINGS,
    "openings/raw": f"{OPENINGS} --inputs raw",
    "openings/lambda": f"{OPENINGS} --lambda 0 --alpha 0.1 --band 4 --seed 5",
    "openings/style": f"{OPENINGS} --style two-star --length 30",
}
NET_LEARNERS = ("crbm/", "territory/")

# Players and the boards they are asked on.
PLAYERS = {
    **dict.fromkeys(("random", "alp", "influence", "playouts:10", "search:2:alp"), (5, 9, 19)),
    **dict.fromkeys(("shape", "shape9", "cascade9", "liberty9", "gibbs:0.5:shape"), (5, 9, 19)),
    **dict.fromkeys(("shape5", "shape19", "search:2:shape", "dyna:30:shape"), (5, 9, 19)),
    **dict.fromkeys(("territory", "owners9", "territory9", "paper9", "moves9"), (5, 9, 19)),
    **dict.fromkeys(("moves9_3166", "moves19", "small19"), (5, 9, 19)),
    **dict.fromkeys(("linear9", "crbm", "linear:linear9"), (5, 9, 19)),
    **dict.fromkeys(("opening", "opening19", "opening:opening19:20:alp"), (5, 9, 19)),
    **dict.fromkeys(("phases:10:shape,territory", "gibbs:1:alp"), (5, 9, 19)),
    **dict.fromkeys(("search:1:territory", "search:3:influence"), (5, 9)),
}
NET_PLAYERS = re.compile(r"territory|owners|moves|paper9|small19")
POSITIONS: dict[str, tuple[int, str]] = {
    "5x5-empty": (5, ""),
    "5x5-open": (5, "C3 C2 D2 B3 D3"),
    "5x5-fight": (5, "C3 C4 D4 B3 B4 B2 C5 C2 D3 D2"),
    "9x9-empty": (9, ""),
    **{f"9x9-game{game}-{moves}": (9, f"@{game}:{moves}")
       for game, moves in ((1, 5), (2, 14), (3, 23), (4, 40), (5, 38))},
    **{f"19x19-game{game}-{moves}": (19, f"@{game}:{moves}")
       for game, moves in ((1, 3), (2, 17), (3, 34), (4, 50))},
}  # fmt: skip
MATCHES = ("alp shape5", "influence territory", "search:1:alp gibbs:0.5:shape9")
EVALUATED = ("alp", "influence", "shape9", "linear9", "crbm", "territory", "moves9", "paper9")

TEXTS = {
    "players": "players",
    "models": "models",
    "shapes": "shapes shape9 --count 4 --self-play 50",
    "shapes-json": "shapes shape9 --count 4 --self-play 50 --json",
    "shapes-weight": "shapes shape5 cascade9 --by weight --count 4",
    "shapes-wins": f"shapes shape9 --by wins --games {GAMES9} --count 4",
    "explain": f"explain shape9 {GAMES9} --move 20 --details",
    "explain-json": f"explain shape9 {GAMES9} --game 3 --move 11 --json",
    "territory": f"territory {GAMES9} --move 25",
    "territory-json": f"territory {GAMES9} --move 25 --player paper9 --json",
    "review": f"review {GAMES9} --game 2",
    "review-json": f"review {GAMES9} --game 2 --player shape9 --json",
    "kernels": "filters crbm9 --count 4",
    "openings-tree": "openings tree",
    "openings-best": "openings best --player opening19",
}

EXPERIMENTS = (
    "S1-F3",
    "S1-F4",
    "S1-F4-9",
    "S1-F5",
    "S1-F6",
    "S1-permove",
    "S1-grow",
    "S1-cascade",
    "S1-ablation",
    "S1-large",
    "S1-goals",
    "S2-T2",
    "S2-ingredients",
    "S2-transfer",
    "S2-counted",
    "S2-small",
    "S2-F2a",
    "S2-F3",
    "S2-P",
    "S2-own",
    "S2-width",
    "S2-ablation",
    "S2-combination",
    "S2-plies",
    "S2-patterns",
    "S2-play",
    "S3-1",
    "S3-2",
    "S3-3",
    "S3-4",
    "S3-5",
    "S3-crbm",
    "S3-td",
    "S3-play",
    "S3-tree",
    "S4-T1",
    "S4-F2",
    "S4-a",
    "S4-T2",
    "S4-T3",
    "S4-F3",
    "S3-leak",
    "S4-lambda",
    "S4-value",
    "X-visits9",
)
LEFT_OUT = {
    "S1-strength": "GNU Go plays",
    "S1-agents": "GNU Go plays",
    "S4-b": "GNU Go plays",
    "S4-fresh": "every shipped opening is judged",
    "S2-F2b": "no shipped 19x19 game is long enough",
    "S2-t": "its rows are times",
    "S2-week": "its rows are times",
    "X-selfplay5": "its rows are times",
    "X-threads9": "threads meet as they will",
    **dict.fromkeys(("X-net9", "X-levels9", "X-rated9"), "GNU Go plays"),
    **dict.fromkeys(
        ("X-tree9", "X-tree9-10x", "X-shape9", "X-shape9-2s", "X-tree19", "X-gpu19", "X-clock9"),
        "time decides",
    ),
}
# Rows that a clock decides.
TIME_UNITS = ("s", "minutes", "ms a position")
TIMED_SETTING = "equal time"
NET_EXPERIMENTS = re.compile(r"S2-|S3-")
STAND_INS = {
    **dict.fromkeys(("gnugo9_1000", "ogs9_other", "ogs9_scored", "pro9"), GAMES9),
    **dict.fromkeys(("fuseki19", "pro19", "pro13"), GAMES19),
}
