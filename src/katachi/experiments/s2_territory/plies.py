"""S2-plies: one move ahead by the net's points beside two, the second the opponent's best answer
(section 3)."""

from katachi.evaluators import shipped
from katachi.experiments import matches
from katachi.experiments.bounds import Amount, BoardSize, Count, Komi
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.table_pictures import bars_of_rows
from katachi.pictures.charts import draw_panels

SCORE = Quantity("two plies against one", "% of points", 1)
LABELS = ("{model}, {size}x{size}",)


class PlySettings(Settings, frozen=True, kw_only=True):
    """Who looks further than whom."""

    models: tuple[str, ...] = (shipped.LITERAL,)
    """Territory models that know owners, by name or folder."""
    sizes: tuple[BoardSize, ...] = (7, 9)
    """Board sizes."""
    komi: Komi = 7.5
    """What White is given."""
    opening_moves: Amount = 4
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    games: Count = 60
    """Games of each model on each board."""
    block: Count = 10
    """Games played in one go."""

    def terms(self, size: int) -> matches.BlockSettings:
        """Of the games on one board."""
        return matches.BlockSettings(
            size=size, komi=self.komi, opening_moves=self.opening_moves, block=self.block
        )


QUICK = PlySettings(sizes=(3,), games=2, block=2)


def players_of(model: str) -> tuple[str, str]:
    """Who looks two plies ahead, and who looks one."""
    return f"search:2:territory:{model}", f"territory:{model}"


def measure(settings: PlySettings, task: Task) -> matches.Score:
    """One block of games."""
    terms = settings.terms(task.key["size"]).terms
    return matches.play_block(players_of(task.key["model"]), terms, settings.block, task.seed)


def run(settings: PlySettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing."""
    keys: list[Key] = [
        {"model": model, "size": size} for model in settings.models for size in settings.sizes
    ]
    blocks = -(-settings.games // settings.block)
    tasks = tasks_of(keys, blocks, lambda key: float(key["size"]) ** 4, LABELS)
    behaviour = matches.fingerprint_players(
        name for model in settings.models for name in players_of(model)
    )
    study = Study("S2-plies", settings, seed, tasks, measure, behaviour)
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        "Both choose by the points that the net expects: one after each of its own moves, the "
        "other after the opponent's best answer to each.",
        f"Komi {settings.komi:g}, {settings.opening_moves} random moves first, each opening twice "
        "with colours exchanged; 95 % Wilson intervals.",
    ]
    return Table(quantities=[SCORE], rows=rows, labels=LABELS, notes=notes)


def _rows(key: Key, blocks: list[matches.Score]) -> list[Row]:
    return [matches.total_row(key, SCORE, blocks)]


def judge(table: Table) -> list[Claim]:
    """Whether looking two plies ahead is worth anything, on each board."""
    claims = []
    for row in table.rows_of(SCORE):
        words = (
            f"implied: two plies are stronger than one ({table.label(row)})",
            f"{row.ours:.1f} % of the points",
        )
        claims.append(judge_above(words, number_of(row, 1, " %"), 50.0))
    return claims


def draw(table: Table, title: str) -> str:
    """A bar for each board."""
    return draw_panels(title, "95 % intervals", [], [bars_of_rows(table, SCORE, 100.0)])


EXPERIMENT = Experiment(PlySettings(), QUICK, run, draw, judge)
