"""Moves tables that several shipped territory models have in common into one file.

`python scripts/share_tables.py`. The models stay as they are, number by number: their configs then
name the file by its checksum.
"""

import json
from hashlib import sha256

from safetensors.numpy import load_file, save

from katachi.evaluators.territory import Territory
from katachi.files.atomic import write_atomically
from katachi.files.model_folder import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    Tensors,
    seal_model,
    shared_file,
)
from katachi.files.shipped_folders import MODELS, model_names, read_heading


def parts_of(name: str) -> tuple[Tensors, bytes]:
    """(the net's weights, the tables in the file of a model)."""
    arrays = Territory.load(MODELS / name).arrays
    found: Tensors = load_file(MODELS / name / WEIGHTS_FILE)
    tables = {key: each for key, each in found.items() if key not in arrays}
    return {key: each for key, each in found.items() if key in arrays}, save(tables)


def share(name: str, weights: Tensors, digest: str) -> None:
    """Leaves a model its weights alone; its config then names the file of the tables."""
    folder = MODELS / name
    config = json.loads((folder / CONFIG_FILE).read_text("utf-8")) | {"shared_tables": digest}
    write_atomically(folder / WEIGHTS_FILE, save(weights))
    write_atomically(folder / CONFIG_FILE, (json.dumps(config, indent=2) + "\n").encode())
    seal_model(folder)


def main() -> None:
    """Every territory model whose tables another has, too."""
    names = [each for each in model_names() if read_heading(MODELS / each).kind == Territory.kind]
    parts = {name: parts_of(name) for name in names}
    empty = save({})
    for name, (weights, tables) in parts.items():
        if tables != empty and sum(other == tables for _, other in parts.values()) > 1:
            digest = sha256(tables).hexdigest()
            write_atomically(shared_file(digest), tables)
            share(name, weights, digest)


if __name__ == "__main__":
    main()
