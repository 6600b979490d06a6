"""Where in the space of the joints between them two bodies may come too close: a map of cells.

Each joint's range is cut into ``2^levels`` equal intervals. Boxes are halved as in `apart`, until
the bounds keep the parts apart on all of one, or it is a cell; all that could not be proved is
marked. To mark too much does no harm.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.paths.kernels import apart_layout as p
from standoff.paths.kernels.apart_bounds import proved_gap, widest_joint
from standoff.paths.kernels.apart_place import place_box


@entry("void(int64, float64[::1], int64[::1], int64, int64, int64[::1])")
def map_apart(general, F, W, levels, budget, cells):
    """Set ``cells``, the last joint's intervals next to each other, to 1 where the bodies were not
    proved farther apart than the clearance. After ``budget`` boxes what is left is marked as it
    is."""
    box, nodes, pairs = wholes(W, p.A_BOX), wholes(W, p.A_NODES), wholes(W, p.A_PAIRS)
    joints = nodes.shape[1] - 2
    looked = 0
    for pair in range(pairs.shape[0]):
        for i in range(joints):
            nodes[0, i] = 1
        waiting = 1
        while waiting > 0:
            # The nodes are a stack: at most one more than there are halvings.
            waiting -= 1
            for i in range(joints):
                box[0, i] = nodes[waiting, i]
            looked += 1
            i = open_joint(general, F, W, pairs[pair, 0], pairs[pair, 1], 1 << levels)
            if i == PROVED:
                continue
            if i == CELL or looked > budget or waiting + 2 > nodes.shape[0]:
                mark(W, levels, cells)
                continue
            for half in range(2):
                for k in range(joints):
                    nodes[waiting, k] = box[0, k]
                nodes[waiting, i] = 2 * box[0, i] + half
                waiting += 1


#: What `open_joint` says beside a joint.
CELL = -1
PROVED = -2


@kernel
def open_joint(general, F, W, a, b, smallest):
    """The joint along which the present box is to be halved; PROVED; or CELL where it is not worth
    halving: a cell, or parts that are too close all over it."""
    place_box(F, W)
    clearance = reals(F, W, p.A_RESULT)[0, p.CLEARANCE]
    proved, status, d, sloped, length = proved_gap(general, F, W, a, b)
    if proved > clearance:
        return PROVED
    if status == DONE and d + length < clearance:
        return CELL
    return widest_joint(F, W, sloped, smallest)


@kernel
def mark(W, levels, cells):
    """Set all cells of the present box."""
    box = wholes(W, p.A_BOX)
    joints = box.shape[1] - 2
    first, count = 0, 1
    for i in range(joints):
        first = (first << levels) + finest(box[0, i], levels)
        count <<= levels - level(box[0, i])
    for n in range(count):
        rest, at = n, first
        shift = 0
        for i in range(joints - 1, -1, -1):
            free = levels - level(box[0, i])
            at += (rest & ((1 << free) - 1)) << shift
            rest >>= free
            shift += levels
        cells[at] = 1


@kernel
def level(number):
    """How often a range was halved for the interval of this number."""
    result = 0
    while number > 1:
        number >>= 1
        result += 1
    return result


@kernel
def finest(number, levels):
    """The first of the finest intervals within the one of this number."""
    return (number << (levels - level(number))) - (1 << levels)
