"""All experiments, known by ID without loading any of them."""

import importlib
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.experiments.protocol import Experiment


class Entry(NamedTuple):
    """Where an experiment is and what it is about."""

    home: str
    """Its module, within this room; `EXPERIMENT` there is the experiment."""
    title: str
    minutes: int
    """Of one processor for all runs at the standard settings, about: as measured where there is a
    result, else guessed from a part."""


CATALOGUE = {
    "S1-F3": Entry("s1_local_shape.shape_counts", "Shapes in each set at 5x5", 1),
    "S1-F4": Entry("s1_local_shape.set_study", "Shape sets against ALP at 5x5", 370),
    "S1-F4-9": Entry("s1_local_shape.set_study9", "Shape sets at 9x9, against RLGO and ALP", 230),
    "S1-F5": Entry("s1_local_shape.ratings", "Elo of the learned players at 9x9", 35),
    "S1-agents": Entry("s1_local_shape.agents", "The paper's final agents at equal games", 480),
    "S1-F6": Entry("s1_local_shape.single_shapes", "What single shapes say", 8),
    "S1-strength": Entry("s1_local_shape.strength", "Learned players against other programs", 57),
    "S1-grow": Entry("s1_local_shape.growing", "Board growing from 5x5 to 9x9", 22),
    "S1-cascade": Entry("s1_local_shape.cascade", "Online cascade beside plain learning", 9),
    "S1-ablation": Entry(
        "s1_local_shape.ablation", "Loss, step size, location, lambda and komi", 63
    ),
    "S1-permove": Entry("s1_local_shape.update_times", "Learning by move beside by game", 4),
    "S1-large": Entry("s1_local_shape.large_sets", "Large sets with ten times the games", 35),
    "S1-goals": Entry("s1_local_shape.other_goals", "Shapes learned for other goals", 16),
    "S2-T2": Entry("s2_territory.move_prediction", "How likely the moves that were played are", 95),
    "S2-ingredients": Entry(
        "s2_territory.ingredients", "From the paper's recipe to ours, step by step", 125
    ),
    "S2-transfer": Entry("s2_territory.transfer", "What games of 19x19 add to those of 9x9", 110),
    "S2-counted": Entry("s2_territory.counted_moves", "A table of counted moves beside a net", 1),
    "S2-small": Entry("s2_territory.small_nets", "Moves predicted by nets of 6,000 weights", 100),
    "S2-F2a": Entry("s2_territory.learning_epochs", "The error by stones as the net learns", 20),
    "S2-F2b": Entry(
        "s2_territory.top_moves", "Moves of professionals among the best m at 19x19", 1
    ),
    "S2-F3": Entry("s2_territory.one_move", "What one move does to the territory", 1),
    "S2-P": Entry("s2_territory.weight_counts", "Weights of the net by its inputs", 1),
    "S2-t": Entry("s2_territory.cost", "The time of an epoch, and of a move by board size", 3),
    "S2-week": Entry("s2_territory.week", "The paper's week of learning, in minutes", 68),
    "S2-own": Entry("s2_territory.ownership", "Owners predicted in all phases at 9x9", 4),
    "S2-width": Entry("s2_territory.widths", "Wider and deeper nets, and plain convolutions", 45),
    "S2-ablation": Entry("s2_territory.ablation", "Inputs of the net left out one at a time", 32),
    "S2-combination": Entry(
        "s2_territory.combination", "Several players in one, by phase at 9x9", 60
    ),
    "S2-patterns": Entry("s2_territory.patterns", "Larger patterns and richer propensity", 20),
    "S2-plies": Entry("s2_territory.plies", "Two plies ahead against one", 26),
    "S2-play": Entry("s2_territory.by_play", "The net learns by play at 5x5 and 7x7", 36),
    "S3-1": Entry("s3_learned_features.match", "Features of a CRBM against 2x2 templates", 31),
    "S3-2": Entry("s3_learned_features.bootstrap", "Games until a learner beats itself", 5),
    "S3-3": Entry("s3_learned_features.winners", "Winners predicted from boards by an SVM", 5),
    "S3-leak": Entry("s3_learned_features.leak", "Winners that boards show without features", 1),
    "S3-4": Entry("s3_learned_features.filter_shapes", "What kernels look like", 5),
    "S3-5": Entry("s3_learned_features.feature_counts", "Features of a board", 1),
    "S3-crbm": Entry("s3_learned_features.rbm_forms", "How well RBMs model boards", 5),
    "S3-td": Entry("s3_learned_features.convergence", "TD by play, to 60,000 games", 56),
    "S3-play": Entry(
        "s3_learned_features.deeper_play", "Two layers, liberties and the edge in play", 28
    ),
    "S3-tree": Entry("s3_learned_features.tree_priors", "Learned features in tree search", 40),
    "S4-T1": Entry("s4_openings.distribution", "Openings by style and judgement", 1),
    "S4-F2": Entry("s4_openings.learning_curves", "The error as nets of four lambdas learn", 4),
    "S4-a": Entry("s4_openings.first_values", "What nets think of the first move", 2),
    "S4-T2": Entry("s4_openings.first_hits", "Hits of the first prediction by style", 1),
    "S4-T3": Entry("s4_openings.best_openings", "The best opening that each net finds", 5),
    "S4-F3": Entry("s4_openings.cross_play", "Nets play openings against each other", 16),
    "S4-b": Entry("s4_openings.against_programs", "Nets play openings against programs", 30),
    "S4-lambda": Entry("s4_openings.lambda_study", "Lambda by both protocols", 21),
    "S4-fresh": Entry("s4_openings.fresh_openings", "Lambda on openings not judged before", 20),
    "S4-value": Entry("s4_openings.value_by_move", "Learned value and a strong judge by move", 3),
    "X-net9": Entry("search_strength.net9", "The best net alone against GNU Go 10 at 9x9", 60),
    "X-tree9": Entry("search_strength.tree9", "Tree search at GNU Go 10's own time at 9x9", 60),
    "X-tree9-10x": Entry(
        "search_strength.slow_tree9", "Tree search with ten times GNU Go's time at 9x9", 180
    ),
    "X-shape9": Entry("search_strength.shape9", "Local shape by three searches at equal time", 110),
    "X-shape9-2s": Entry(
        "search_strength.slow_shape9", "Local shape by tree search at two seconds a move", 190
    ),
    "X-tree19": Entry("search_strength.tree19", "Tree search against GNU Go 10 at 19x19", 570),
    "X-gpu19": Entry(
        "search_strength.gpu19", "Tree search on a GPU against GNU Go 10 at 19x19", 260
    ),
    "X-visits9": Entry(
        "search_strength.visits9", "What more visits of a tree are worth at 9x9", 330
    ),
    "X-threads9": Entry(
        "search_strength.threads9", "Visits by two threads against fewer by one at 9x9", 30
    ),
    "X-clock9": Entry("search_strength.clock9", "Tree search on a clock of ten seconds", 78),
    "X-levels9": Entry(
        "search_strength.levels9", "A net that draws or searches, rated at 9x9", 170
    ),
    "X-rated9": Entry("search_strength.rated9", "Players of a wanted rating, measured at 9x9", 60),
    "X-selfplay5": Entry(
        "search_strength.selfplay5", "A net learns from its own searches at 5x5", 21
    ),
}


def needs_files(name: str) -> bool:
    """Whether an experiment asks for files that do not come with the package: records of games, or
    RLGO's weights."""
    is_shipped = name in ("S3-1", "S3-2", "S3-4", "S3-crbm", "S3-play", "S3-td", "S3-tree")
    return (needs_games(name) and not is_shipped) or name in ("S1-F4-9", "S1-strength")


def needs_games(name: str) -> bool:
    """Whether it asks for records of games, shipped or not: all but a few of the papers that learn
    from them."""
    return name[:2] in ("S2", "S3", "S4") and name not in ("S2-P", "S2-play", "S2-plies", "S3-5")


def find_id(name: str) -> str:
    """The ID that a name stands for, however it is written; raises KatachiError."""
    for known in CATALOGUE:
        if known.lower() == name.lower():
            return known
    raise KatachiError(f"no experiment {name!r}: choose {', '.join(CATALOGUE)}")


def load_experiment(name: str) -> Experiment:
    """The experiment of an ID."""
    module = importlib.import_module(f"katachi.experiments.{CATALOGUE[name].home}")
    experiment = module.EXPERIMENT
    if not isinstance(experiment, Experiment):
        raise TypeError(f"{module.__name__}.EXPERIMENT is no experiment")
    return experiment
