"""The leaves of a region octree as three arrays in one order, without pointers: 10 bytes a leaf.

``codes``: the low corner of a leaf in cells of the finest level, its three coordinates interleaved
bit by bit (x lowest), so that the leaves below a node are a run of the array. ``depths``: how far
below the root. ``sure``: 1 where all of the leaf is inside the body; otherwise the leaf counts as
black because it is too small to be split.

Only black leaves are stored: what no leaf covers is white. The finest level is ``deepest``, at most
20, so that a code has 60 bits.

On such leaves work the union of two trees of one root, a tree with fewer levels, one grown by a
distance, and where two trees, or many, meet. Distances are counted in cells: whole numbers, squared
and summed without rounding, as the cube has no more than 2^20 of them along an edge.
"""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import entry, inlined, kernel
from standoff.compiled.tables import Record, Records, Tables, Wholes, fields, viewer

#: What a walk returns: all is written, or there is no room for more leaves, or none in its lists.
DONE, FULL, LISTS_FULL = range(3)

#: Rows of the stack of a walk down the tree: seven nodes left over on each of 20 levels, and one.
STACK = 8 * 20 + 1


class Bytes(Wholes):
    """uint8, as `Wholes`."""

    dtype = np.dtype(np.uint8)


class Leaves(Tables):
    """Leaves in the order of their codes."""

    codes = Wholes(doc="low corners, interleaved")
    depths = Bytes(doc="levels below the root")
    sure = Bytes(doc="1: proved to be inside")


#: The root cube, its low corner and the edge of its finest nodes, [m], which are ``deepest`` levels
#: below it; and the body: by how much it is grown, what rounding may do to a distance, and how near
#: to an edge a segment may pass a triangle and still tell on which side, [m].
CUBE = fields(
    x=float, y=float, z=float, cell=float, deepest=int, grow=float, slack=float, near=float
)
#: How many leaves were written, and how many nodes the paper's traversal looks at on the way.
FOUND = fields(leaves=int, visited=int)
#: A node that waits: its code, low corner in cells, level, and the run of what may fill it (leaves
#: or triangles), of a second tree as well.
NODE = fields(
    code=int, x=int, y=int, z=int, level=int, first=int, last=int, other=int, other_last=int
)
#: A point of a node, and how often a mesh winds about it.
POINT = fields(x=float, y=float, z=float, winding=int)


class Walk(Leaves):
    """A walk down from a root cube that writes leaves, and its scratch."""

    cube = Record(CUBE)
    found = Record(FOUND)
    stack = Records(NODE, "STACK of them")
    lists = Wholes(doc="numbers of what may fill the nodes that wait, run by run")
    corners = Wholes(3, "low corners of leaves, in cells")
    points = Records(POINT, "of each level, and of the space outside of all before them")


#: Where two of several trees meet: their numbers, code and depth of the place, which is sure where
#: both are.
MEETING = fields(first_tree=int, second_tree=int, place=int, depth=np.int32, sure=np.int32)


class Forest(Walk):
    """Several trees of one root, their leaves one after the other."""

    starts = Wholes(doc="of the leaves of each tree, and where the last one ends")
    runs = Wholes(-1, "for each node that waits, from and to which leaf each tree lies below it")
    meetings = Records(MEETING)


leaves_at, walk_at, forest_at = viewer(Leaves), viewer(Walk), viewer(Forest)


@inlined
def cells(deepest, level):
    """How many codes a node of a level covers."""
    return 1 << (3 * (deepest - level))


@kernel
def spread(x):
    """The bits of a number below 2^20, each followed by two zeros."""
    x = (x | (x << 32)) & 0x1F00000000FFFF
    x = (x | (x << 16)) & 0x1F0000FF0000FF
    x = (x | (x << 8)) & 0x100F00F00F00F00F
    x = (x | (x << 4)) & 0x10C30C30C30C30C3
    return (x | (x << 2)) & 0x1249249249249249


@kernel
def gathered(code):
    """Every third bit of a code, from the lowest: the reverse of `spread`."""
    x = code & 0x1249249249249249
    x = (x | (x >> 2)) & 0x10C30C30C30C30C3
    x = (x | (x >> 4)) & 0x100F00F00F00F00F
    x = (x | (x >> 8)) & 0x1F0000FF0000FF
    x = (x | (x >> 16)) & 0x1F00000000FFFF
    return (x | (x >> 32)) & 0xFFFFF


@kernel
def emit(walk, code, level, is_sure):
    """Append a leaf; whether there was room. Leaves come in the order of their codes. Eight of one
    kind that make up a node become that node, and so on upwards: a set of cells has one form
    only."""
    codes, depths, sure, deepest = walk.codes, walk.depths, walk.sure, walk.cube.deepest
    count = walk.found.leaves
    if count >= len(codes):
        return False
    while level > 0 and (code >> (3 * (deepest - level))) & 7 == 7 and count >= 7:
        parent = code & ~(cells(deepest, level - 1) - 1)
        if codes[count - 7] != parent:
            break
        same = True
        for k in range(count - 7, count):
            same = same and int(depths[k]) == level and int(sure[k]) == is_sure
        if not same:
            break
        count -= 7
        level -= 1
        code = parent
    codes[count], depths[count], sure[count] = code, level, is_sure
    walk.found.leaves = count + 1
    return True


@kernel
def start(walk, last, other_last):
    """Put the root on the stack, with all that may fill it, and write from the first leaf on."""
    walk.found.leaves = 0
    root = walk.stack[0]
    root.code = root.x = root.y = root.z = root.level = root.first = root.other = 0
    root.last, root.other_last = last, other_last


@inlined
def push_children(walk, top, first, last):
    """Put the eight children of the node of row ``top`` there, the last one first, each with a run
    of what may fill it. Returns the new top."""
    stack = walk.stack
    node = stack[top]
    code, x, y, z, level = node.code, node.x, node.y, node.z, node.level + 1
    half = 1 << (walk.cube.deepest - level)
    below = 3 * (walk.cube.deepest - level)
    for c in range(7, -1, -1):
        child = stack[top]
        child.code = code | (c << below)
        child.x = x + half * (c & 1)
        child.y = y + half * ((c >> 1) & 1)
        child.z = z + half * (c >> 2)
        child.level, child.first, child.last = level, first, last
        top += 1
    return top


@kernel
def first_at(codes, low, high, code):
    """The first place from ``low`` on whose code is not below ``code``, by doubling steps and then
    halves: quick where it is near. ``high`` where there is none."""
    if low >= high or codes[low] >= code:
        return low
    step = 1
    while low + step < high and codes[low + step] < code:
        low += step
        step += step
    high = min(high, low + step)
    low += 1
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


#: What the leaves of a tree make of a node.
NOTHING, PARTLY, DOUBTED, FILLED = range(4)


@entry("int64(int64, int64, int64)")
def union_leaves(one, other, walk):
    """Write the leaves of the union of two trees. A place is sure where it is in either."""
    one, other, walk = leaves_at(one), leaves_at(other), walk_at(walk)
    start(walk, len(one.codes), len(other.codes))
    top = 1
    while top > 0:
        top -= 1
        node = walk.stack[top]
        code, level = node.code, node.level
        i, i_end, j, j_end = node.first, node.last, node.other, node.other_last
        a = _colour(one, i, i_end, level)
        b = _colour(other, j, j_end, level)
        room = True
        if a == NOTHING and b == NOTHING:
            continue
        if a == FILLED or b == FILLED:
            room = emit(walk, code, level, 1)
        elif a != PARTLY and b != PARTLY:
            room = emit(walk, code, level, 0)
        elif a == NOTHING:
            room = _copy(other, j, j_end, walk)
        elif b == NOTHING:
            room = _copy(one, i, i_end, walk)
        else:
            _push_both(one, other, walk, top, a == DOUBTED, b == DOUBTED)
            top += 8
        if not room:
            return FULL
    return DONE


@kernel
def _push_both(one, other, walk, top, one_whole, other_whole):
    """Put the eight children of the node of row ``top`` there, the last one first, each with its
    runs of the leaves of two trees; of one whose leaf covers the ``whole`` node, that leaf."""
    stack = walk.stack
    node = stack[top]
    code, level = node.code, node.level + 1
    i, i_end, j, j_end = node.first, node.last, node.other, node.other_last
    part = cells(walk.cube.deepest, level)
    for c in range(8):
        child = stack[top + c]
        child.code, child.level = code + (7 - c) * part, level
        child.last, child.other_last = i_end, j_end
        child.first = i if one_whole else first_at(one.codes, i, i_end, child.code)
        child.other = j if other_whole else first_at(other.codes, j, j_end, child.code)
        if not one_whole:
            i_end = child.first
        if not other_whole:
            j_end = child.other


@inlined
def _colour(leaves, first, last, level):
    """What the leaves ``first`` to ``last`` make of a node of that level."""
    if first >= last:
        return NOTHING
    if leaves.depths[first] > level:
        return PARTLY
    return FILLED if leaves.sure[first] else DOUBTED


@kernel
def _copy(leaves, first, last, walk):
    """Append leaves as they are; whether there was room."""
    room = True
    for k in range(first, last):
        room = room and emit(walk, leaves.codes[k], int(leaves.depths[k]), int(leaves.sure[k]))
    return room


@entry("int64(int64, int64, int64)")
def coarser_leaves(leaves, deepest, walk):
    """The same leaves in the tree of the walk, which has fewer levels: smaller ones become the node
    of the finest level they are in, which is not sure."""
    leaves, walk = leaves_at(leaves), walk_at(walk)
    coarse = walk.cube.deepest
    walk.found.leaves = 0
    last = -1
    for k in range(len(leaves.codes)):
        code = leaves.codes[k] >> (3 * (deepest - coarse))
        level, is_sure = int(leaves.depths[k]), int(leaves.sure[k])
        if level > coarse:
            if code == last:
                continue
            level, is_sure = coarse, 0
        last = code
        if not emit(walk, code, level, is_sure):
            return FULL
    return DONE


@kernel
def shared_level(a, b, deepest):
    """The level of the smallest node that holds both cells."""
    difference = a ^ b
    level = deepest
    while difference > 0:
        difference >>= 3
        level -= 1
    return level


@entry("int64(int64, float64, float64, int64)")
def grown_leaves(leaves, outer, inner, walk):
    """Write the leaves of the tree grown by a distance.

    ``outer`` and ``inner`` are the square of the distance in cells, rounded up and down: white is
    what is farther than ``outer`` from all leaves, sure what is wholly within ``inner`` of a sure
    one."""
    leaves, walk = leaves_at(leaves), walk_at(walk)
    lists, corners, deepest = walk.lists, walk.corners, walk.cube.deepest
    for k in range(len(leaves.codes)):
        for axis in range(3):
            corners[k, axis] = gathered(leaves.codes[k] >> axis)
        lists[k] = k
    start(walk, len(leaves.codes), 0)
    top = 1
    while top > 0:
        top -= 1
        node = walk.stack[top]
        level, last = node.level, node.last
        if len(lists) < 2 * last - node.first:
            return LISTS_FULL
        end, colour = _near_leaves(leaves, walk, node, outer, inner)
        if end == last:
            continue
        if colour == PARTLY and level < deepest:
            top = push_children(walk, top, last, end)
        elif not emit(walk, node.code, level, int(colour == FILLED)):
            return FULL
    return DONE


@kernel
def _near_leaves(leaves, walk, node, outer, inner):
    """The leaves of the node's run that are as near as ``outer``, behind that run in the lists:
    where they end, and what they make of the node. DOUBTED only where none that is sure can fill a
    part of it."""
    lists, corners, deepest = walk.lists, walk.corners, walk.cube.deepest
    size = 1 << (deepest - node.level)
    end = node.last
    doubted = hopeful = False
    for n in range(node.first, node.last):
        k = lists[n]
        long = 1 << (deepest - int(leaves.depths[k]))
        a, b, c = node.x - corners[k, 0], node.y - corners[k, 1], node.z - corners[k, 2]
        if _square(_gap(a, size, long), _gap(b, size, long), _gap(c, size, long)) > outer:
            continue
        lists[end] = k
        end += 1
        sure = leaves.sure[k] != 0
        hopeful = hopeful or sure
        if _square(_far(a, size, long), _far(b, size, long), _far(c, size, long)) <= inner:
            if sure:
                return end, FILLED
            doubted = True
    return end, DOUBTED if doubted and not hopeful else PARTLY


@inlined
def _gap(a, size, long):
    """Between [a, a + size] and [0, long]."""
    return max(a - long, -a - size, 0)


@inlined
def _far(a, size, long):
    """How far [a, a + size] stands out of [0, long]."""
    return max(-a, a + size - long, 0)


@inlined
def _square(a, b, c):
    return float(a * a + b * b + c * c)


@entry("int64(int64, int64, int64, int64)")
def meet_pair(one, other, most, walk):
    """Write the smaller leaf of each two of two trees that overlap, sure where both are. No more
    than ``most`` are looked for.

    This is one pass over both, which steps over all that is white in the other. The nodes that the
    paper's traversal looks at are counted all the same: the root and the eight children of each
    node that is grey in both. A node is grey in both when it holds a leaf of either, so when it
    holds two leaves, one of either tree, that follow each other in the order of their codes; it has
    been counted already when it also holds the first of the two such leaves before."""
    one, other, walk = leaves_at(one), leaves_at(other), walk_at(walk)
    A, LA, B, LB = one.codes, one.depths, other.codes, other.depths
    SA, SB = one.sure, other.sure
    codes, depths, sure, deepest = walk.codes, walk.depths, walk.sure, walk.cube.deepest
    i = j = count = grey = 0
    before = -1
    while i < len(A) and j < len(B) and count < most:
        a, b = A[i], B[j]
        first = min(a, b)
        if a + cells(deepest, int(LA[i])) <= b:
            i = first_at(A, i + 1, len(A), b)
            if A[i - 1] + cells(deepest, int(LA[i - 1])) > b:
                i -= 1
                continue
            first = A[i - 1]
            above = shared_level(first, b, deepest)
        elif b + cells(deepest, int(LB[j])) <= a:
            j = first_at(B, j + 1, len(B), a)
            if B[j - 1] + cells(deepest, int(LB[j - 1])) > a:
                j -= 1
                continue
            first = B[j - 1]
            above = shared_level(first, a, deepest)
        else:
            if count >= len(codes):
                return FULL
            level_a, level_b = int(LA[i]), int(LB[j])
            above = min(level_a, level_b) - 1
            codes[count] = a if level_a >= level_b else b
            depths[count] = max(level_a, level_b)
            sure[count] = SA[i] & SB[j]
            count += 1
            if level_a >= level_b:
                i += 1
            else:
                j += 1
        known = -1 if before < 0 else shared_level(before, first, deepest)
        grey += max(above - known, 0)
        before = first
    walk.found.leaves = count
    walk.found.visited = 1 + 8 * grey
    return DONE


@entry("int64(int64)")
def meet_many(forest):
    """Write where any two of the trees meet.

    This is the traversal of corresponding nodes that paper 002 has: it goes on below a node as long
    as two trees are grey there. A tree that is black meets all others that are not white in this
    very node, and none of them below it again. A tree that is white or was black above has an empty
    run."""
    forest = forest_at(forest)
    codes, depths, stack, runs = forest.codes, forest.depths, forest.stack, forest.runs
    trees = len(forest.starts) - 1
    start(forest, 0, 0)
    looked = 0
    for k in range(trees):
        runs[0, 2 * k], runs[0, 2 * k + 1] = forest.starts[k], forest.starts[k + 1]
    top = 1
    while top > 0:
        top -= 1
        looked += 1
        code, level = stack[top].code, stack[top].level
        grey = black = 0
        for k in range(trees):
            first = runs[top, 2 * k]
            if first < runs[top, 2 * k + 1]:
                if depths[first] > level:
                    grey += 1
                else:
                    black += 1
        if black > 0 and not _write_meetings(forest, top):
            return FULL
        if grey < 2:
            continue
        part = cells(forest.cube.deepest, level + 1)
        # From the last child down to the first, which takes the place of its parent's row.
        for c in range(7, -1, -1):
            child = stack[top + 7 - c]
            child.code, child.level = code + c * part, level + 1
        for k in range(trees):
            first, last = runs[top, 2 * k], runs[top, 2 * k + 1]
            if first < last and depths[first] <= level:
                last = first  # black
            for c in range(8):
                end = last if c == 7 else first_at(codes, first, last, code + (c + 1) * part)
                runs[top + 7 - c, 2 * k], runs[top + 7 - c, 2 * k + 1] = first, end
                first = end
        top += 8
    forest.found.visited = looked
    return DONE


@kernel
def _write_meetings(forest, top):
    """Append the leaves below the node of row ``top`` that lie in a tree that is black there;
    whether there was room."""
    depths, sure, runs, meetings = forest.depths, forest.sure, forest.runs, forest.meetings
    code, level = forest.stack[top].code, forest.stack[top].level
    trees = len(forest.starts) - 1
    for k in range(trees):
        first = runs[top, 2 * k]
        if first >= runs[top, 2 * k + 1] or depths[first] > level:
            continue
        for m in range(trees):
            other = runs[top, 2 * m]
            if m == k or other >= runs[top, 2 * m + 1]:
                continue
            if m < k and depths[other] <= level:
                continue  # black as well, and met already
            for leaf in range(other, runs[top, 2 * m + 1]):
                if forest.found.leaves >= len(meetings):
                    return False
                found = meetings[forest.found.leaves]
                forest.found.leaves += 1
                below = int(depths[leaf])
                found.first_tree, found.second_tree = min(k, m), max(k, m)
                found.place = forest.codes[leaf] if below > level else code
                found.depth = max(below, level)
                found.sure = int(sure[first] & sure[leaf])
    return True
