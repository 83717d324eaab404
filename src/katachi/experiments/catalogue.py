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


CATALOGUE = {
    "S1-F3": Entry("s1_local_shape.shape_counts", "Shapes in each set at 5x5"),
    "S1-F4": Entry("s1_local_shape.set_study", "Shape sets against ALP at 5x5"),
    "S1-F4-9": Entry("s1_local_shape.set_study9", "Shape sets at 9x9, against RLGO and ALP"),
    "S1-F5": Entry("s1_local_shape.ratings", "Elo of the learned players at 9x9"),
    "S1-agents": Entry("s1_local_shape.agents", "The paper's final agents at equal games"),
    "S1-F6": Entry("s1_local_shape.single_shapes", "What single shapes say"),
    "S1-strength": Entry("s1_local_shape.strength", "Learned players against other programs"),
    "S1-grow": Entry("s1_local_shape.growing", "Board growing from 5x5 to 9x9"),
    "S1-cascade": Entry("s1_local_shape.cascade", "Online cascade beside plain learning"),
    "S1-ablation": Entry("s1_local_shape.ablation", "Loss, step size, location, lambda and komi"),
    "S1-permove": Entry("s1_local_shape.update_times", "Learning by move beside by game"),
    "S2-T2": Entry("s2_territory.move_prediction", "How likely the moves that were played are"),
    "S2-F2a": Entry("s2_territory.learning_epochs", "The error by stones as the net learns"),
    "S2-F2b": Entry("s2_territory.top_moves", "Moves of professionals among the best m at 19x19"),
    "S2-F3": Entry("s2_territory.one_move", "What one move does to the territory"),
    "S2-P": Entry("s2_territory.weight_counts", "Weights of the net by its inputs"),
    "S2-t": Entry("s2_territory.cost", "The time of an epoch, and of a move by board size"),
    "S2-week": Entry("s2_territory.week", "The paper's week of learning, in minutes"),
    "S2-own": Entry("s2_territory.ownership", "Owners predicted in all phases at 9x9"),
    "S2-width": Entry("s2_territory.widths", "Wider and deeper nets, and plain convolutions"),
    "S2-ablation": Entry("s2_territory.ablation", "Inputs of the net left out one at a time"),
    "S2-combination": Entry("s2_territory.combination", "Several players in one, by phase at 9x9"),
    "S3-1": Entry("s3_learned_features.match", "Features of a CRBM against 2x2 templates"),
    "S3-2": Entry("s3_learned_features.bootstrap", "Games until a learner beats itself"),
    "S3-3": Entry("s3_learned_features.winners", "Winners predicted from boards by an SVM"),
    "S3-leak": Entry("s3_learned_features.leak", "Winners that boards show without features"),
    "S3-4": Entry("s3_learned_features.filter_shapes", "What kernels look like"),
    "S3-5": Entry("s3_learned_features.feature_counts", "Features of a board"),
    "S3-crbm": Entry("s3_learned_features.rbm_forms", "How well RBMs model boards"),
    "S3-td": Entry("s3_learned_features.convergence", "TD by play, to 60,000 games"),
    "S4-T1": Entry("s4_openings.distribution", "Openings by style and judgement"),
    "S4-F2": Entry("s4_openings.learning_curves", "The error as nets of four lambdas learn"),
    "S4-a": Entry("s4_openings.first_values", "What nets think of the first move"),
    "S4-T2": Entry("s4_openings.first_hits", "Hits of the first prediction by style"),
    "S4-T3": Entry("s4_openings.best_openings", "The best opening that each net finds"),
    "S4-F3": Entry("s4_openings.cross_play", "Nets play openings against each other"),
    "S4-b": Entry("s4_openings.against_programs", "Nets play openings against a program"),
    "S4-lambda": Entry("s4_openings.lambda_study", "Lambda by both protocols"),
    "S4-value": Entry("s4_openings.value_by_move", "Learned value and a strong judge by move"),
    "X-tree9": Entry("search_strength.tree9", "Nets and tree search against GNU Go 10 at 9x9"),
    "X-shape9": Entry("search_strength.shape9", "Local shape by three searches at equal time"),
    "X-tree19": Entry("search_strength.tree19", "Nets and tree search against GNU Go at 19x19"),
    "X-visits9": Entry("search_strength.visits9", "What more visits of a tree are worth at 9x9"),
    "X-clock9": Entry("search_strength.clock9", "Tree search on a clock of ten seconds"),
    "X-selfplay5": Entry("search_strength.selfplay5", "A net learns from its own searches at 5x5"),
}


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
