"""The leaves of a region octree as two sorted arrays, without pointers: 9 bytes a leaf.

``codes`` int64: the low corner of a leaf in cells of the finest level, its three coordinates
interleaved bit by bit (x lowest), so that the leaves below a node are a run of the array.
``levels`` uint8: how far below the root, with the bit SURE where all of the leaf is inside the
body; without it the leaf counts as black because it is too small to be split.

Only black leaves are stored: what no leaf covers is white. The finest level is ``deepest``, at most
20, so that a code has 60 bits.
"""

from __future__ import annotations

from standoff.compiled.jit import inlined, kernel

#: Bit of ``levels``: proved to be inside.
SURE = 128
#: The other bits.
LEVEL = 127

WHITE, GREY, BLACK = range(3)

#: Returned in place of a number of leaves where the arrays are full.
FULL = -1
#: The same for the scratch of a walk.
SCRATCH_FULL = -2

#: Rows of the stack of a walk down the tree: seven nodes left over on each of 20 levels, and one.
STACK = 8 * 20 + 1


@inlined
def level_of(levels, k):
    return int(levels[k]) & LEVEL


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
def emit(codes, levels, count, code, mark, deepest):
    """Append a leaf, ``mark`` its level and bit; the new number of leaves, FULL where there is no
    room. Leaves come in the order of their codes. Eight of one kind that make up a node become that
    node, and so on upwards: a set of cells has one form only."""
    if count >= len(codes):
        return FULL
    level, kind = mark & LEVEL, mark & SURE
    while level > 0 and (code >> (3 * (deepest - level))) & 7 == 7 and count >= 7:
        parent = code & ~(cells(deepest, level - 1) - 1)
        if codes[count - 7] != parent:
            break
        same = True
        for k in range(count - 7, count):
            same = same and int(levels[k]) == (level | kind)
        if not same:
            break
        count -= 7
        level -= 1
        code = parent
    codes[count] = code
    levels[count] = level | kind
    return count + 1


@inlined
def push_children(stack, top, code, x, y, z, level, deepest):
    """Put the eight children of a node on a stack, the last one first: code, low corner in cells,
    level. Returns the new top."""
    half = 1 << (deepest - level - 1)
    below = 3 * (deepest - level - 1)
    for c in range(7, -1, -1):
        stack[top, 0] = code | (c << below)
        stack[top, 1] = x + half * (c & 1)
        stack[top, 2] = y + half * ((c >> 1) & 1)
        stack[top, 3] = z + half * (c >> 2)
        stack[top, 4] = level + 1
        top += 1
    return top


@kernel
def shared_level(a, b, deepest):
    """The level of the smallest node that holds both cells."""
    difference = a ^ b
    level = deepest
    while difference > 0:
        difference >>= 3
        level -= 1
    return level


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
