"""How far all bodies are from each other, by trying every pair."""

import itertools

import standoff as so


def all_distances(cell, frames):
    """The distance of each pair that is watched and of which one moves, by its names; ``frames`` of
    the tree, and then of the moving bodies."""
    world, found = cell.world, {}
    for i, j in itertools.combinations(range(len(world.names)), 2):
        a, b = world.names[i], world.names[j]
        if {world.frame[i], world.frame[j]} == {0} or cell.reason(a, b) is not None:
            continue
        found[a, b] = min(
            so.distance(x, frames[world.frame[i]] @ at, y, frames[world.frame[j]] @ other).value
            for x, at in world.parts[i]
            for y, other in world.parts[j]
        )
    return found
