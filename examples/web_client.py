"""Asks a running `katachi web` for the best move: python examples/web_client.py [ADDRESS]."""

import json
import sys

from websockets.sync.client import connect

address = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8361/"
game = {"size": 9, "komi": 7, "moves": ["E5", "C3", "G4"]}
with connect(address.replace("http", "ws", 1) + "api/v1/live") as page:
    fields = {"game": game, "evaluator": "territory"}
    page.send(json.dumps({"id": 1, "op": "analyse", "fields": fields}))
    answer = json.loads(page.recv())
    while "part" in answer:  # parts come first, then one result or one error
        answer = json.loads(page.recv())
if "error" in answer:
    sys.exit(answer["error"])
best = answer["result"]["candidates"][0]
print(f"{answer['result']['to_play']} {best['vertex']}, Black wins {best['win_rate']:.0%}")
