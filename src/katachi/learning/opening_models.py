"""Opening nets as models: learned from a book, with a card that tells how."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.opening_net import OpeningNet
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.files.provenance import commit_of_tree, versions
from katachi.learning.opening_training import (
    OpeningTrainer,
    OpeningTraining,
    prepare,
    turn_lessons,
)
from katachi.records.openings import Opening

RICH_EVERY = 5
"""Rich inputs are learned from after every so many moves."""
MOST_EPOCHS = 10_000
LARGEST_STEP = 1000.0


class OpeningPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a model learns from, and how."""

    files: tuple[str, ...]
    """Names of the files of games."""
    inputs: str = "rich"
    """`raw` or `rich`."""
    lam: float = 0.7
    alpha: float = 0.03
    epochs: int = 8
    seed: int = 1
    band: float = 2.0
    """Points ahead, less than which was called even."""


def learn_model(
    openings: Sequence[Opening],
    plan: OpeningPlan,
    folder: Path,
    observe: Callable[[], object] = lambda: None,
) -> list[float]:
    """Learns from judged openings and writes the model; returns the error before the first epoch
    and after each, of which `observe` hears.

    Raises KatachiError for openings or numbers that make no sense, OSError.
    """
    is_step = 0.0 < plan.alpha <= LARGEST_STEP
    if not 0.0 <= plan.lam <= 1.0 or not is_step or not 1 <= plan.epochs <= MOST_EPOCHS:
        raise KatachiError(
            f"lambda {plan.lam:g}, step size {plan.alpha:g}, {plan.epochs} epochs: use 0 to 1, a "
            f"number above 0 up to {LARGEST_STEP:g}, and 1 to {MOST_EPOCHS:,}"
        )
    is_raw = plan.inputs == "raw"
    size = openings[0].size if openings else 19
    inputs = OpeningInputs(RAW if is_raw else RICH, size)
    material = prepare(openings, inputs, 1 if is_raw else RICH_EVERY)
    training = OpeningTraining(lam=plan.lam, alpha=plan.alpha, epochs=plan.epochs, seed=plan.seed)
    trainer = OpeningTrainer(training, material)
    lessons = turn_lessons(material.lessons) if is_raw else material.lessons
    errors = [trainer.rmse(material.lessons)]
    for _ in range(plan.epochs):
        trainer.learn_epoch(lessons)
        errors.append(trainer.rmse(material.lessons))
        observe()
    net = trainer.net
    net.moves = len(openings[0])
    net.training = {
        "plan": msgspec.to_builtins(plan),
        "openings": len(openings),
        "rmse": round(errors[-1], 4),
        "versions": versions(),
        "commit": commit_of_tree(),
    }
    net.save(folder, model_card(net, plan, len(openings)))
    return errors


def model_card(net: OpeningNet, plan: OpeningPlan, openings: int) -> str:
    """The card of a model: Markdown."""
    lines = [
        f"# Opening net, {net.inputs.size}x{net.inputs.size}",
        "",
        "Black's chance after an opening by one layer of weights, learned by TD(lambda) "
        "(Lee, Guesgen and Baltes).",
        "",
        f"- inputs: {', '.join(net.inputs.kinds)}; {len(net.weights):,} weights",
        f"- learned from: {openings:,} openings of {net.moves} moves ({', '.join(plan.files)}), "
        f"less than {plan.band:g} points called even",
        f"- lambda {plan.lam:g}, step size {plan.alpha:g}, {plan.epochs} epochs, seed {plan.seed}",
        f"- katachi {net.training['versions']['katachi']}, commit {net.training['commit']}",
        "",
        "```python",
        "from pathlib import Path",
        "",
        "from katachi.evaluators.opening_net import OpeningNet",
        "",
        'model = OpeningNet.load(Path("this folder"))',
        "```",
    ]
    return "\n".join(lines) + "\n"
