"""S1-ablation: what loss, step size, location, lambda and komi each change in learning at 5x5.

One thing is changed at a time, with either loss.
"""

import msgspec

from katachi.experiments.bounds import Count, Komi, Rate, Share
from katachi.experiments.protocol import Experiment, Key, Table
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.shape_training import Loss, TrainingSettings
from katachi.pictures.charts import draw_panels
from katachi.statistics import T_INTERVAL

LABELS = ("{factor} {value}, {loss}",)
AVERAGED = "LI+LD averaged"


class AblationSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """What is changed, beyond how each is learned."""

    runs: Count = 12
    """Independent runs of each setting."""
    templates: str = "1x1-3x3"
    """The templates in use."""
    location: str = "LI"
    """Their location rule, where it is not what is changed."""
    alphas: tuple[Rate, ...] = (0.1, 0.3, 1.0, 3.0)
    """Step sizes."""
    locations: tuple[str, ...] = ("LI", "LD", "LI+LD")
    """Location rules."""
    averaged_alphas: tuple[Rate, ...] = (0.3, 0.5, 0.7, 1.0)
    """Step sizes with both location rules, the weights of the last games averaged."""
    lams: tuple[Share, ...] = (0.0, 0.4, 0.8, 1.0)
    """Lambdas of TD(lambda)."""
    komis: tuple[Komi, ...] = (0.5, 6.5, 7.5, 24.5)
    """Komi, tried on the shapes whose learning curve the paper states."""
    komi_sets: str = "2x2:LI"
    """Those shapes."""


QUICK = AblationSettings(
    runs=2,
    templates="1x1-2x2",
    alphas=(0.1, 1.0),
    locations=("LI", "LI+LD"),
    averaged_alphas=(1.0,),
    lams=(0.0, 0.8),
    komis=(0.5, 7.5),
    games=100,
    test_every=50,
    test_games=10,
    final_games=20,
)


def variants_of(settings: AblationSettings) -> list[tuple[Key, TrainingSettings]]:
    """The training of each setting; the plain one is part of each."""
    plain = settings.training(f"{settings.templates}:{settings.location}", 1)
    shapes = settings.training(settings.komi_sets, 1)
    change = msgspec.structs.replace
    found: list[tuple[Key, TrainingSettings]] = []
    for loss in Loss:
        base = change(plain, loss=loss)
        both = change(base, sets=f"{settings.templates}:LI+LD")
        choices = {
            "alpha": {f"{a:g}": change(base, alpha=a) for a in settings.alphas},
            "location": {
                where: change(base, sets=f"{settings.templates}:{where}")
                for where in settings.locations
            },
            f"{AVERAGED}, alpha": {
                f"{a:g}": change(both, alpha=a, final_alpha=a, horizon=settings.games)
                for a in settings.averaged_alphas
            },
            "lambda": {f"{lam:g}": change(base, lam=lam) for lam in settings.lams},
            f"{settings.komi_sets}, komi": {
                f"{komi:g}": change(shapes, komi=komi, loss=loss) for komi in settings.komis
            },
        }
        found += [
            ({"factor": factor, "value": value, "loss": loss.value}, training)
            for factor, trainings in choices.items()
            for value, training in trainings.items()
        ]
    return found


def run(settings: AblationSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every setting as often as the settings say."""
    variants = variants_of(settings)
    table = trials.learn_all("S1-ablation", settings, seed, runner, LABELS, variants)
    plain = f"{settings.templates}:{settings.location}"
    notes = [
        f"Changed one at a time from sets {plain}, alpha {settings.alpha:g}, lambda 0, "
        f"komi {settings.komi:g}; the paper's choice is the squared loss with those.",
        f"{AVERAGED}: sets {settings.templates}:LI+LD, and the weights tested at the end are the "
        "mean of those of the last 40 % of the games.",
        T_INTERVAL,
        trials.CENSORED,
        trials.BY_GAME,
    ]
    return msgspec.structs.replace(table, notes=notes)


def draw(table: Table, title: str) -> str:
    """For each thing that is changed: wins at the end, and learning time."""
    panels = []
    for factor in table.values("factor"):
        axes = Axes("value", "loss", {"factor": factor})
        for quantity, top in ((trials.FINAL, 100.0), (trials.HALF_TIME, None)):
            panels.append(panel_of(table, quantity, axes, f"{factor}: {quantity.name}", top))
    text = f"mean of {table.rows[0].n} runs; a number over a bar: only so many runs got there"
    return draw_panels(title, text, [f"{loss.value} loss" for loss in Loss], panels)


EXPERIMENT = Experiment(AblationSettings(), QUICK, run, draw)
