"""All papers at a glance: each table and figure with its claims, and the future work they name."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from katachi.experiments.catalogue import CATALOGUE, load_experiment, needs_files
from katachi.experiments.changes import command_of, plain_settings
from katachi.experiments.protocol import Claim, Key, text_from_number
from katachi.experiments.results import Result, markdown_table, text_from_row
from katachi.records.shipped_games import GNUGO

Results = Mapping[str, Result]
HEAD = ["where", "the paper says", "ours", "95 % interval", "verdict", "command", "core minutes"]
FUTURE_HEAD = ["paper", "future work", "what there is", "numbers", "result"]
LABELS = ("implied: ", "future work: ", "beyond the paper: ", "our goal: ", "our condition: ")
"""What stands before a claim that is not the paper's own."""


class Place(NamedTuple):
    """A table, figure or section of a paper."""

    name: str
    id: str
    """The experiment that measures it again; none where there is no such experiment yet."""
    why: str = ""
    """What is missing where there is none."""


PLACES: dict[str, tuple[Place, ...]] = {
    "S1": (
        Place("Figure 3, section 10", "S1-F3"),
        Place("Figure 4", "S1-F4"),
        Place("Figure 4, at 9x9", "S1-F4-9"),
        Place("Figure 5", "S1-F5"),
        Place("Figure 5, its agents", "S1-agents"),
        Place("Figure 6", "S1-F6"),
        Place("Section 5", "S1-permove"),
        Place("Section 7", "S1-grow"),
        Place("Section 8", "S1-cascade"),
        Place("Future work, longer training", "S1-large"),
        Place("Future work, other goals", "S1-goals"),
        Place("Future work, search at equal time", "X-shape9"),
        Place("Future work, search at two seconds", "X-shape9-2s"),
    ),
    "S2": (
        Place("Section 3.2", "S2-P"),
        Place("Section 3.2, other nets", "S2-width"),
        Place("Table 1, inputs", "S2-ablation"),
        Place("Table 2", "S2-T2"),
        Place("Table 2, by ingredients", "S2-ingredients"),
        Place("Table 2, few weights", "S2-small"),
        Place("Table 2, counted moves", "S2-counted"),
        Place("Abstract, from 9x9 to 19x19", "S2-transfer"),
        Place("Figure 2a", "S2-F2a"),
        Place("Figure 2b", "S2-F2b"),
        Place("Figure 3", "S2-F3"),
        Place("Section 5", "S2-own"),
        Place("Cost", "S2-t"),
        Place("Time of learning", "S2-week"),
        Place("Section 3, two plies", "S2-plies"),
        Place("Future work, combined players", "S2-combination"),
        Place("Future work, patterns", "S2-patterns"),
        Place("Section 4, learning by play", "S2-play"),
    ),
    "S3": (
        Place("Section 3.1", "S3-5"),
        Place("Section 4.1, match", "S3-1"),
        Place("Section 4.1, self-play", "S3-2"),
        Place("Section 4.2, Figures 1 to 3", "S3-4"),
        Place("Section 4.2, kinds of units", "S3-crbm"),
        Place("Section 4.3", "S3-3"),
        Place("Section 4.3, labels", "S3-leak"),
        Place("Section 4.1, 60,000 games", "S3-td"),
        Place("Future work, layers and channels", "S3-play"),
        Place("Future work, UCT", "S3-tree"),
    ),
    "S4": (
        Place("Table 1", "S4-T1"),
        Place("Section 4.1, Figure 2", "S4-F2"),
        Place("Section 4.2", "S4-a"),
        Place("Table 2", "S4-T2"),
        Place("Table 3", "S4-T3"),
        Place("Figure 3", "S4-F3"),
        Place("Section 4.4, programs", "S4-b"),
        Place("Section 4.1, without the leak", "S4-lambda"),
        Place("Section 4.1, fresh openings", "S4-fresh"),
        Place("Section 5, knowledge of Go", "S4-value"),
    ),
}
"""Every table and figure of each paper, in its order."""


class Shown(NamedTuple):
    """A number of a result."""

    id: str
    quantity: str
    key: Key
    words: str


class Item(NamedTuple):
    """Something that a paper names as its future work."""

    paper: str
    item: str
    state: str
    """What there is, or why not."""
    ids: tuple[str, ...] = ()
    """Experiments that answer it."""
    shown: tuple[Shown, ...] = ()


ALP, RIGHT, PLAYED = "final wins v ALP", "winners predicted", "won against 2x2, played out"
FINAL_BOARDS = {"people": "strong amateurs, counted games", "stage": "final"}
GNUGO_10 = "gnugo:10"


def _scored(name: str, player: str, time: str) -> Shown:
    """What a player has scored against GNU Go in a match of so much time."""
    key = {"player": player, "time": time, "opponent": GNUGO_10}
    return Shown(name, "score", key, f"{player}, {time} v GNU Go 10")


ITEMS = (
    Item(
        "S1",
        "longer training of large and located sets",
        "located sets learn faster with the cross-entropy loss; large and located sets with ten "
        "times the paper's games",
        ("S1-large", "S1-ablation"),
        (
            *(Shown("S1-large", ALP, {"sets": each}, each) for each in ("4x3:LD", "4x4:LD")),
            *(
                Shown("S1-ablation", ALP, {"factor": "location", "value": "LD", "loss": loss}, loss)
                for loss in ("squared", "cross-entropy")
            ),
        ),
    ),
    Item(
        "S1",
        "other goals than winning: to capture, to connect, territory",
        "agents that learned by play to capture, to connect and to surround territory, against one "
        "that learned to win",
        ("S1-goals",),
        tuple(
            Shown("S1-goals", "goal reached against an agent that learned to win", {"goal": g}, g)
            for g in ("capture", "connect", "territory")
        ),
    ),
    Item(
        "S1",
        "more features of a point",
        "liberty shapes; no others, since what looks beyond a window is the nets' part (S2)",
        ("S1-F5",),
        (Shown("S1-F5", "score", {"player": "L", "opponent": "B"}, "against those without"),),
    ),
    Item(
        "S1",
        "stronger search with learned shapes",
        "alpha-beta, TD search and tree search by the same weights at equal time",
        ("S1-strength", "X-shape9", "X-shape9-2s"),
        (
            _scored("X-shape9", "tree:shape", "equal time"),
            _scored("X-shape9", "search:shape", "equal time"),
            _scored("X-shape9-2s", "tree:shape", "2 s a move"),
        ),
    ),
    Item(
        "S2",
        "more games and larger boards",
        "nets that learned at 19x19 from records, and what each number of such games adds",
        ("S2-T2", "S2-transfer"),
        tuple(
            Shown(
                "S2-transfer",
                "mean log-probability",
                {"net": "sweeps", "added": added, "games": "19x19"},
                f"{added:,} games added",
            )
            for added in (0, 10, 10_000)
        ),
    ),
    Item(
        "S2",
        "patterns above 3x3 by hashing; propensity by its spread, weighted, window by window",
        "each added to the paper's inputs (`propensity:large` and others); in no shipped model",
        ("S2-patterns",),
        tuple(
            Shown("S2-patterns", "error in owners", {"net": net}, words)
            for net, words in (("propensity:large", "large"), ("the paper's inputs", "without"))
        ),
    ),
    Item(
        "S2",
        "several players combined by size and phase",
        "a player by phase; none by size, since one net plays on boards of every size",
        ("S2-combination",),
        tuple(
            Shown("S2-combination", "score", {"opponent": "GNU Go 3.8, level 0", "player": p}, word)
            for p, word in (
                ("phases:40:territory:moves9,shape:shape9", "combined"),
                ("territory:moves9", "one alone"),
            )
        ),
    ),
    Item(
        "S2",
        "deeper search",
        "alpha-beta over the net's points, and tree search by its moves and owners",
        (
            "S2-plies",
            "X-tree9",
            "X-tree9-10x",
            "X-tree19",
            "X-gpu19",
            "X-visits9",
            "X-threads9",
            "X-clock9",
        ),
        (
            Shown("S2-plies", "two plies against one", {"model": "literal9", "size": 9}, "9x9"),
            _scored("X-tree9", "tree:territory:selfplay9", "equal time"),
            _scored("X-tree9-10x", "tree:territory:selfplay9", "10 times the time"),
            _scored("X-tree19", "tree:territory:owners19", "up to 5 s a move"),
        ),
    ),
    Item(
        "S2",
        "other inputs and targets",
        "inputs left out one at a time, wider nets; targets without stones that stand soon, the "
        "choice of moves and the move itself",
        ("S2-ablation", "S2-width", "S2-ingredients"),
        tuple(
            Shown("S2-ablation", "cross-entropy", {"net": net}, net)
            for net in ("all", "without influence", "without all of these")
        ),
    ),
    Item(
        "S2",
        "learning by play at 5x5 and 7x7",
        "the sweeping net learns owners from its own games at 5x5 and 7x7, from nothing; "
        "convolutional nets learned from their own searches, at 5x5 from nothing, and at 9x9",
        ("S2-play", "X-selfplay5", "X-net9"),
        (
            *(
                Shown(
                    "S2-play", "won against ALP", {"size": n, "generation": 10}, f"{n}x{n}, v ALP"
                )
                for n in (5, 7)
            ),
            Shown("X-selfplay5", "small tree search", {"games": 200}, "5x5, v GNU Go 0"),
        ),
    ),
    Item(
        "S3",
        "UCT with learned features",
        "CRBM features as priors and as values of tree search, against the same search by random "
        "games alone at equal visits; beside them kernels as drawn, and templates",
        ("S3-tree", "X-shape9"),
        tuple(
            Shown(
                "S3-tree", "won against random games alone", {"features": "CRBM", "use": use}, use
            )
            for use in ("priors and values", "priors", "values")
        ),
    ),
    Item(
        "S3",
        "deep belief nets",
        "a second layer in play, and by the SVM on games that were counted",
        ("S3-play", "S3-3"),
        (
            Shown("S3-play", PLAYED, {"machine": "two layers"}, "two layers in play"),
            Shown("S3-play", PLAYED, {"machine": "one layer"}, "one"),
            Shown("S3-3", RIGHT, FINAL_BOARDS | {"set": "CRBM two layers"}, "two layers by SVM"),
            Shown("S3-3", RIGHT, FINAL_BOARDS | {"set": "CRBM multinomial"}, "one"),
        ),
    ),
    Item(
        "S3",
        "liberties and the edge as channels",
        "in play, and by the SVM on games that were counted",
        ("S3-play", "S3-3"),
        (
            Shown("S3-play", PLAYED, {"machine": "with liberties"}, "liberties in play"),
            Shown("S3-play", PLAYED, {"machine": "with liberties and edge"}, "and edge"),
            Shown("S3-3", RIGHT, FINAL_BOARDS | {"set": "CRBM liberties"}, "by SVM"),
        ),
    ),
    Item(
        "S3",
        "60,000 games of play",
        "several step sizes and trainings of each learner, also with features centred and scaled",
        ("S3-td",),
        tuple(
            Shown("S3-td", "won against ALP", {"learner": name, "games": 60_000}, name)
            for name in ("CRBM", "CRBM centred and scaled", "templates 2x2")
        ),
    ),
    Item(
        "S4",
        "a-priori knowledge of Go",
        "inputs of shapes, influence, safety and connectivity; no neuro-fuzzy controller, since "
        "the same knowledge as inputs of the net can be compared with the net without it",
        ("S4-lambda", "S4-value", "S4-F3"),
        (
            Shown("S4-value", "judgement right", {"net": "rich", "moves": 50}, "rich"),
            Shown("S4-value", "judgement right", {"net": "raw", "moves": 50}, "raw"),
        ),
    ),
    Item(
        "S4",
        "which lambda",
        "by both protocols on the openings that settings were chosen on, and on openings that "
        "nothing was chosen on",
        ("S4-lambda", "S4-F2", "S4-fresh"),
        tuple(
            Shown(
                "S4-fresh", "correlation with the winner", {"net": "rich", "lam": lam}, f"{lam:g}"
            )
            for lam in (0.0, 0.3, 0.7, 1.0)
        ),
    ),
)
"""In the order of the papers."""


PAPERS = {
    "S1": "Silver, Sutton and Müller 2007",
    "S2": "Wu and Baldi 2006",
    "S3": "a student's project on CRBM features",
    "S4": "Lee, Guesgen and Baltes",
}
BEYOND = "beyond the papers"


def place_of(name: str) -> str:
    """Where in its paper the table or figure of an experiment stands."""
    places = PLACES.get(name.partition("-")[0], ())
    return next((place.name for place in places if place.id == name), BEYOND)


def minutes_of(result: Result) -> str:
    """Minutes that all runs took together, of one core or of a GPU."""
    minutes = text_from_number(result.seconds / 60, 1)
    return f"{minutes} (GPU)" if result.processor == "GPU" else minutes


def command_for(name: str, result: Result | None) -> str:
    """What does an experiment as its result was done; as it stands where there is none."""
    standard = load_experiment(name).settings
    settings = plain_settings(standard) if result is None else result.settings
    seed = 1 if result is None else result.seed
    has_data = needs_files(name) or settings.get("file", GNUGO.name) != GNUGO.name
    return command_of(name, standard, settings, seed=seed, has_data=has_data)


def _line(first: list[str], claim: Claim, last: list[str]) -> list[str]:
    return [*first, claim.paper, claim.ours, claim.interval, claim.verdict.value, *last]


def lines_of(place: Place, results: Results) -> list[list[str]]:
    """The lines of a place: one a claim, or one that says that nothing is known."""
    result = results.get(place.id)
    if result is None:
        words = place.why or CATALOGUE[place.id].title
        command = f"`{command_for(place.id, None)}`" if place.id else "-"
        return [[place.name, words, "not measured yet", "-", "-", command, "-"]]
    last = [f"`{command_for(place.id, result)}`", minutes_of(result)]
    claims = result.claims
    if not claims:
        return [[place.name, CATALOGUE[place.id].title, "not in this result yet", "-", "-", *last]]
    return [
        _line([place.name if at == 0 else ""], claim, last if at == 0 else ["", ""])
        for at, claim in enumerate(claims)
    ]


def markdown_of_paper(paper: str, results: Results) -> str:
    """All claims of a paper's tables and figures, and how many hold."""
    lines = [line for place in PLACES[paper] for line in lines_of(place, results)]
    said, verdict = HEAD.index("the paper says"), HEAD.index("verdict")
    own = [line[verdict] for line in lines if not line[said].startswith(LABELS)]
    added = [line[verdict] for line in lines if line[said].startswith(LABELS)]
    missing = sum(line[HEAD.index("ours")] == "not measured yet" for line in lines)
    summary = (
        f"What the paper says: {_counts(own)}. What we added: {_counts(added)}. "
        f"Not measured yet: {missing}.\n"
    )
    return f"{summary}\n{markdown_table(HEAD, lines, is_words=True)}"


def _counts(verdicts: list[str]) -> str:
    return ", ".join(f"{verdicts.count(word)} {word}" for word in ("yes", "no", "undecided"))


def number_shown(shown: Shown, results: Results) -> str:
    """A number of a result in words; nothing where it is not known."""
    result = results.get(shown.id)
    if result is None:
        return ""
    quantity = next((each for each in result.quantities if each.name == shown.quantity), None)
    row = None if quantity is None else result.find(quantity, shown.key)
    if quantity is None or row is None:
        return ""
    bare = msgspec.structs.replace(row, remark="")
    return f"{shown.words} {text_from_row(bare, quantity.digits)} {quantity.unit}".strip()


def markdown_of_future_work(results: Results) -> str:
    """What the papers leave open, and what there is of it."""
    lines = []
    for item in ITEMS:
        numbers = [words for each in item.shown if (words := number_shown(each, results))]
        known = [name if name in results else f"{name}: not measured yet" for name in item.ids]
        cells = [item.paper, item.item, item.state, "; ".join(numbers) or "-"]
        lines.append([*cells, "; ".join(known) or "-"])
    return markdown_table(FUTURE_HEAD, lines, is_words=True)
