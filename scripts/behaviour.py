"""Records what katachi learns, plays, measures and prints, and compares two such records.

    python scripts/behaviour.py record FILE.json [--games FOLDER] [--only PREFIX]
    python scripts/behaviour.py compare OLD.json NEW.json

A record is a JSON object: the name of a result to its SHA-256, or to a list of numbers where a net
computed it. Numbers may differ by 1e-6, digests not at all. Everything goes through the command
line, so a record outlives the modules; when a command, an option or an option's value gets another
name, only `PRESENT` in behaviour_cases.py changes. Equal results under another name of the same
case are a rename and no difference.

--games names a folder of outside game records; without it shipped games stand in for them.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from behaviour_cases import (
    EVALUATED,
    EXPERIMENTS,
    GAMES9,
    GAMES19,
    JUDGED19,
    LEARNERS,
    MATCHES,
    NET_EXPERIMENTS,
    NET_LEARNERS,
    NET_PLAYERS,
    PLAYERS,
    POSITIONS,
    PRESENT,
    ROOT,
    STAND_INS,
    TEXTS,
    TIME_UNITS,
    TIMED_SETTING,
)
from safetensors.numpy import load_file

TOLERANCE = 1e-6
Results = dict[str, Any]
Case = Callable[[Path], Results]


class Left(Exception):
    """A case whose command is no longer there."""


def digest(data: object) -> str:
    """The SHA-256 of bytes, of a text, or of anything else as JSON."""
    if not isinstance(data, bytes):
        text = data if isinstance(data, str) else json.dumps(data, sort_keys=True)
        data = text.encode()
    return hashlib.sha256(data).hexdigest()


def words_of(command: str) -> list[str]:
    """A command of the tables in the words of today; raises Left where there is none."""
    for name, (present, words) in PRESENT.items():
        if command.startswith(name + " "):
            if present is None:
                raise Left(name)
            rest = command[len(name) :].split()
            return [*present.split(), *(words.get(word, word) for word in rest)]
    return command.split()


def run(command: str, given: str = "") -> str:
    """What katachi prints for a command line; raises RuntimeError where it fails."""
    alone = {"OMP_NUM_THREADS": "1", "COLUMNS": "80", "NO_COLOR": "1", "CI": "true"}
    line = [sys.executable, "-m", "katachi", *words_of(command)]
    done = subprocess.run(
        line,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | alone,
    )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def numbers_of(data: Any) -> Iterator[float]:
    """Every number of a JSON value, in order."""
    if isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from numbers_of(part)
    elif isinstance(data, int | float):
        yield float(data)


def tensor_result(tensor: np.ndarray, *, net: bool) -> Any:
    """The digest of a tensor's type, shape and bytes; of a net's, its sum and up to 200 numbers."""
    if not net or not np.issubdtype(tensor.dtype, np.floating):
        return digest(f"{tensor.dtype}{tensor.shape}".encode() + tensor.tobytes())
    flat = tensor.astype(np.float64).ravel()
    return [float(flat.sum()), *flat[:: max(1, flat.size // 200)].tolist()]


def weights(folder: Path, *, net: bool) -> Results:
    """Every tensor of the models in a folder, by file and name; checkpoints are left out."""
    results = {}
    for path in sorted(folder.rglob("*.safetensors")):
        where = path.relative_to(folder)
        if "checkpoints" not in where.parts:
            for name, tensor in sorted(load_file(path).items()):
                results[f"{where.as_posix()}:{name}"] = tensor_result(tensor, net=net)
    return results


def learned(name: str, work: Path) -> Results:
    """The final weights of a short run."""
    out = work / "run"
    run(f"{LEARNERS[name]} --out {out}")
    # What learned from openings was a model at first, and is a run around one now.
    is_inside = name.startswith("openings/") and (out / "model").is_dir()
    folder = out / "model" if is_inside else out
    return weights(folder, net=name.startswith(NET_LEARNERS))


def moves_of(text: str) -> list[tuple[str, str]]:
    """Colours and vertices of the moves of one SGF game, passes too."""
    height = int(match[1]) if (match := re.search(r"SZ\[(\d+)\]", text)) else 19

    def vertex(point: str) -> str:
        if not point:
            return "pass"
        return f"{'ABCDEFGHJKLMNOPQRST'[ord(point[0]) - 97]}{height - ord(point[1]) + 97}"

    return [(color, vertex(point)) for color, point in re.findall(r";\s*([BW])\[(\w*)\]", text)]


def moves_before(position: str) -> tuple[int, list[tuple[str, str]]]:
    """The size of a fixed position's board, and the moves that lead to it."""
    size, text = POSITIONS[position]
    if not text.startswith("@"):
        return size, list(zip("BW" * 50, text.split(), strict=False))
    game, count = map(int, text[1:].split(":"))
    games = (ROOT / (GAMES9 if size == 9 else GAMES19)).read_text("utf-8").split("(;")[1:]
    return size, moves_of(";" + games[game - 1])[:count]


def asked(player: str) -> list[str]:
    """The positions that a player is asked in."""
    return [name for name, (size, _) in POSITIONS.items() if size in PLAYERS.get(player, (9,))]


def side(moves: list[tuple[str, str]]) -> str:
    """Who moves next."""
    return "W" if moves and moves[-1][0] == "B" else "B"


def played(player: str, _: Path) -> Results:
    """The move a player makes in each position, or that it refuses."""
    lines, asks = [], {}
    for position in asked(player):
        size, moves = moves_before(position)
        lines += [f"boardsize {size}", "clear_board", "komi 6.5"]
        lines += [f"play {color} {vertex}" for color, vertex in moves]
        lines.append(f"genmove {side(moves)}")
        asks[position] = (len(lines) - 3 - len(moves) - 1, len(lines) - 1)
    command = f"gtp --player {player} --seed 5 --time 600 --resign never"
    output = run(command, "\n".join([*lines, "quit"]) + "\n")
    answers = re.findall(r"^([=?])[^\n\S]*(.*)$", output, re.MULTILINE)
    results = {}
    for position, (first, last) in asks.items():
        refused = any(status == "?" for status, _ in answers[first : last + 1])
        results[position] = digest("refused" if refused else answers[last][1])
    return results


def opinion(answer: dict[str, Any], *, net: bool) -> Any:
    """What an analysis says: of a net the numbers, moves in the order of their names."""
    if "moveInfos" not in answer:
        return digest("refused")
    keys = ["winrate", "scoreLead", "prior"] if net else ["winrate", "scoreLead", "prior", "pv"]
    moves = {move["move"]: [move.get(key) for key in keys] for move in answer["moveInfos"]}
    root = [answer["rootInfo"].get(key) for key in keys]
    parts = [sorted(moves.items()), root, answer.get("ownership")]
    return list(numbers_of(parts)) if net else digest(parts)


def judged(player: str, _: Path) -> Results:
    """What a player thinks of each position and its moves; nothing of one that does not analyse."""
    queries = []
    for position in asked(player):
        size, moves = moves_before(position)
        query = {"id": position, "moves": moves, "rules": "chinese", "komi": 6.5}
        query |= {"boardXSize": size, "boardYSize": size, "includeOwnership": True}
        queries.append(json.dumps(query | {"initialPlayer": "B"}))
    try:
        lines = run(f"analysis --player {player} --seed 5", "\n".join(queries) + "\n").splitlines()
    except RuntimeError as error:
        if "no analysis" not in str(error):
            raise
        return {"analysis": digest("refused")}
    net = bool(NET_PLAYERS.search(player))
    answers = [json.loads(line) for line in lines]
    return {answer["id"]: opinion(answer, net=net) for answer in answers if "id" in answer}


def match_games(players: str, work: Path) -> Results:
    """The moves of a short match."""
    run(f"match {players} --games 4 --seed 3 --out {work / 'match'}")
    texts = [path.read_text("utf-8") for path in sorted((work / "match").rglob("*.sgf"))]
    games = [moves_of(";" + game) for text in texts for game in text.split("(;")[1:]]
    return {"moves": digest(sorted(games))}


def measured(player: str, _: Path) -> Results:
    """How well a player predicts moves and territory of shipped games."""
    data = json.loads(run(f"evaluate {player} {GAMES9} --limit 6 --json"))["boards"]
    values = list(numbers_of(data))
    return {"numbers": values if NET_PLAYERS.search(player) else digest(values)}


def printed(command: str, _: Path) -> Results:
    """What a command prints."""
    return {"text": digest(run(command))}


def stand_ins(folder: Path) -> Path:
    """A folder where shipped games have the names of the outside ones."""
    folder.mkdir()
    files = {f"{name}.sgf.gz": path for name, path in STAND_INS.items()}
    for name, path in (files | {"fuseki19_judged.jsonl.gz": JUDGED19}).items():
        (folder / name).write_bytes(gzip.compress((ROOT / path).read_bytes(), 1, mtime=0))
    return folder


def steady_rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table that no clock decides."""
    timed = {part["name"] for part in table["quantities"] if part["unit"] in TIME_UNITS}
    rows = [row for row in table["rows"] if row["quantity"] not in timed]
    return [row for row in rows if TIMED_SETTING not in row["setting"]]


def read_table(path: Path) -> dict[str, Any]:
    """The table of a result, what each setting is called in its rows."""
    from katachi.experiments.protocol import label_of

    table: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for row in table["rows"]:
        row["setting"] = label_of(table["labels"], row["key"])
    return table


def tabled(games: Path | None, name: str, work: Path) -> Results:
    """The table of a quick experiment: numbers, labels, and the same of its claims."""
    data = games.resolve() if games else stand_ins(work / "games")
    run(f"experiment run {name} --quick --work {work} --out {work} --data {data}")
    table = read_table(work / f"{name}.quick.json")
    steady = steady_rows(table)
    rows = [[row[key] for key in ("ours", "low", "high", "n", "paper")] for row in steady]
    labels = [[row[key] for key in ("setting", "quantity", "remark")] for row in steady]
    claims = [claim for claim in table["claims"] if TIMED_SETTING not in claim["paper"]]
    net = NET_EXPERIMENTS.match(name)
    return {
        "numbers": list(numbers_of(rows)) if net else digest(rows),
        "labels": digest(labels),
        "claims": digest([claim["verdict"] for claim in claims]),
        "claims' texts": digest([[claim["paper"], claim["ours"]] for claim in claims]),
    }


def cases(games: Path | None) -> dict[str, Case]:
    """Every case by its name: what makes its results, given an empty folder."""
    found: dict[str, Case] = {f"learners/{name}": partial(learned, name) for name in LEARNERS}
    files = sorted(games.resolve().glob("*.w")) if games else []
    players = {player: player for player in PLAYERS} | {
        f"rlgo:{f.name}": f"rlgo:{f}" for f in files
    }
    for name, player in players.items():
        found[f"players/{name}/move"] = partial(played, player)
        found[f"players/{name}/values"] = partial(judged, player)
    found |= {f"matches/{pair}": partial(match_games, pair) for pair in MATCHES}
    found |= {f"evaluate/{player}": partial(measured, player) for player in EVALUATED}
    found |= {f"texts/{name}": partial(printed, command) for name, command in TEXTS.items()}
    return found | {f"experiments/{name}": partial(tabled, games, name) for name in EXPERIMENTS}


def results_of(case: Case) -> Results:
    """The results of a case in a folder of its own; a failure is a result, too."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return case(Path(folder))
        except Left:
            return {}
        except RuntimeError as error:
            sys.stderr.write(f"failed: {error}\n")
            return {"failed": digest("failed")}


def record(file: Path, games: Path | None, prefix: str) -> None:
    """Writes the record of all cases whose name starts so, again after each of them."""
    found: Results = {}
    for name, case in cases(games).items():
        if name.startswith(prefix):
            start = time.monotonic()
            results = results_of(case)
            found |= {f"{name} {detail}": value for detail, value in results.items()}
            file.write_text(json.dumps(found, indent=0) + "\n", "utf-8")
            sys.stderr.write(f"{name} {time.monotonic() - start:.1f} s, {len(results)} results\n")


def same(old: Any, new: Any) -> bool:
    """Whether two results are equal; numbers may differ by the tolerance."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return bool(np.allclose(old, new, rtol=TOLERANCE, atol=1.001 * TOLERANCE, equal_nan=True))
    return bool(old == new)


def case_of(name: str) -> str:
    """The case that a result belongs to."""
    return name.rpartition(" ")[0]


def differences(old: Results, new: Results) -> list[str]:
    """A line for each name that differs; a result that only changed its name does not."""
    lines = []
    spare = {name: value for name, value in new.items() if name not in old}
    for name, value in old.items():
        if name in new:
            if not same(value, new[name]):
                lines.append(f"{name}: differs")
            continue
        twins = [n for n in spare if case_of(n) == case_of(name) and same(value, spare[n])]
        if twins:
            del spare[twins[0]]
        else:
            lines.append(f"{name}: gone")
    return lines + [f"{name}: new" for name in spare]


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="write a record")
    recording.add_argument("file", type=Path)
    recording.add_argument("--games", type=Path, help="a folder of outside game records")
    recording.add_argument("--only", default="", help="only names that start so")
    comparing = commands.add_parser("compare", help="say what differs between two records")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    return parser.parse_args()


def main() -> int:
    """Records or compares; returns 1 where records differ."""
    options = parsed()
    if options.command == "record":
        record(options.file, options.games, options.only)
        return 0
    old, new = (json.loads(path.read_text("utf-8")) for path in (options.old, options.new))
    lines = differences(old, new)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.write(f"{len(old)} results, {len(lines)} differ\n")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
