"""How far all bodies are from each other, by trying every pair."""

import itertools

import standoff as so


def all_distances(cell, frames):
    """The distance of each pair that is watched and of which one moves, by its names; ``frames`` of
    the tree, and then of the moving bodies."""
    model, found = cell.model, {}
    for i, j in itertools.combinations(range(len(model.names)), 2):
        a, b = model.names[i], model.names[j]
        if {model.frame[i], model.frame[j]} == {0} or cell.reason(a, b) is not None:
            continue
        found[a, b] = min(
            so.distance(x, frames[model.frame[i]] @ at, y, frames[model.frame[j]] @ other).distance
            for x, at in model.parts[i]
            for y, other in model.parts[j]
        )
    return found
