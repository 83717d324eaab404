"""Positions side by side, each with a tree, whose leaves are judged together in large batches."""

from typing import NamedTuple

import numpy as np

from katachi.rules.state import PLY, BoardState, empty_words, new_states, state_of_game
from katachi.search.tree import ROOT, Numbers, Tree, add_node, clear_tree
from katachi.search.tree_leaves import Judge
from katachi.search.tree_many import TreeSizes, collect_all, new_trees, settle_all
from katachi.search.tree_walk import TreeSettings


class Slot(NamedTuple):
    """One of the positions, and its tree."""

    number: int
    tree: Tree
    state: BoardState


class TreeSlots:
    """Room for so many games at once; what is played in them is said from outside."""

    def __init__(self, sizes: TreeSizes, settings: TreeSettings) -> None:
        """No games yet."""
        self._sizes, self._settings = sizes, settings
        self._many = new_trees(sizes)
        # What is judged is used again: fresh memory takes long.
        self._judged = new_states(len(self._many.leaves.words), sizes.size, sizes.moves)
        self._sides = np.zeros(len(self._judged.words), np.int64)

    def new_board(self, number: int) -> Slot:
        """An empty board in a slot."""
        many = self._many
        many.states.words[number] = empty_words(self._sizes.size)
        state = state_of_game(many.states, number)
        state.hashes[:] = 0
        return Slot(number, Tree._make(each[number] for each in many.trees), state)

    def begin(self, slot: Slot, color: int, visits: int, leaves: int | None = None) -> None:
        """Makes the position of a slot, `color` to move, the root of an empty tree that is to be
        visited so often; so many leaves are looked at together, or as many as there is room for."""
        many, tree, state = self._many, slot.tree, slot.state
        clear_tree(tree)
        tree.counts[ROOT] = add_node(tree, state, color)
        batch, number, ply = self._sizes.batch, slot.number, int(state.words[PLY])
        many.sides[number], many.targets[number] = color, visits
        many.widths[number] = batch if leaves is None else min(leaves, batch)
        rows = slice(number * batch, (number + 1) * batch)
        many.leaves.hashes[rows, : ply + 1] = state.hashes[: ply + 1]

    def end(self, slot: Slot) -> None:
        """Nothing is searched in a slot any more."""
        self._many.targets[slot.number] = 0

    def judge(self, judge: Judge) -> None:
        """Has the next leaves of all trees judged together."""
        states, sides = self._judged, self._sides
        count = int(collect_all(self._many, self._settings, states, sides))
        if count:
            some = BoardState(states.words[:count], states.hashes[:count], states.keys)
            settle_all(self._many, judge(some, sides[:count]))

    def visits(self) -> Numbers:
        """[slots]: how often each root has been visited."""
        trees = self._many.trees
        roots = trees.counts[:, ROOT]
        return trees.visits[np.arange(len(roots)), roots].astype(np.int64)

    @property
    def targets(self) -> Numbers:
        """[slots]: how often each is to be; 0 where nothing is searched."""
        return self._many.targets
