"""The tables of a spatial index: what each column means.

An *item* is a primitive; the index knows its box and nothing else of it. Boxes and nodes are
closed: what touches a face is in the nodes on both sides of it.

``boxes``, float64 (items, 6): the box each item is registered with, low x y z, high x y z, [m]

``items``, int64 (items, 6)
    0 HEAD: first location link, NONE where there is none
    1 STATE: ABSENT, INSIDE (in nodes), or OUTSIDE (in no node: it leaves the root cube, has no end,
      or found no room; it is then held against everything)
    2 SEEN: the visit number at which a walk last met it
    3 OUT_NEXT, 4 OUT_PREV: its place in the list of the items outside
    5 MOVED: 1 where its box was registered anew this cycle

``nodes``, float64 (nodes, 6): low x y z, high x y z, [m]. A child takes its bounds from its
parent's and their middle, so that two nodes with a common face have the very same number there,
whatever their sizes, and no gap of a rounding is between them.

``tree``, int64 (nodes, 8)
    0 FIRST: first of eight children in a row, NONE in a leaf: the paper's ``isSplit`` and
      ``children``; the bits of a child's number say on which side of its parent it lies
    1 PARENT, NONE at the root, 2 CHILD: its number, 3 COUNT: how many items, 4 LIST: first link of
    its list, 5 MARK: the visit number at which it was last looked at, 6 LEVEL, 7 PENDING: next of
    those to be tried for merging, FREE where it is not one of them; chains the free blocks, too

``links``, int64 (links, 4): an item in a leaf; in the list of the leaf and in that of the item
    0 ITEM, 1 NODE, 2 NEXT: next in the leaf's list, 3 AFTER: next location of the item; chains the
    free links, too

``state``, int64 (1, STATE_COLUMNS): the numbers below. ``space``, float64 (1, 4): low corner of the
root cube and its edge.
"""

from __future__ import annotations

NONE = -1
FREE = -2

HEAD, STATE, SEEN, OUT_NEXT, OUT_PREV, MOVED = range(6)
ITEM_COLUMNS = 6
ABSENT, INSIDE, OUTSIDE = range(3)

FIRST, PARENT, CHILD, COUNT, LIST, MARK, LEVEL, PENDING = range(8)
NODE_COLUMNS = 8

ITEM, NODE, NEXT, AFTER = range(4)
LINK_COLUMNS = 4

#: Columns of ``state``: what was chosen. A leaf with more than SPLIT_ABOVE items is split, eight of
#: them with no more than MERGE_WITHIN between them are merged.
KIND, SPLIT_ABOVE, MERGE_WITHIN, DEEPEST, SIDE, WRAP, TECHNIQUES = range(7)
#: Columns of ``state``: where it stands.
VISIT, NODES_USED, FREE_BLOCKS, FREE_LINKS, LINKS_LEFT, OUT_FIRST, FULL = range(7, 14)
#: Columns of ``state``: what was done since the counters were cleared.
SPLITS, MERGES, NODE_TESTS, NEIGHBOURS, PAIR_TESTS, BOX_TESTS, UPDATES, REINSERTED = range(14, 22)
STATE_COLUMNS = 22

OCTREE, GRID, NAIVE, REGION = range(4)

#: Bits of TECHNIQUES, the paper's own; all are on but in its experiment.
ONCE_A_PAIR = 1
OUTWARD_ONLY = 2
INSIDE_CHECK = 4
BOXES_FIRST = 8
ALL_TECHNIQUES = 15
#: Not the paper's: leaves entered are looked for from above and not among the neighbours.
FROM_ABOVE = 16

#: Faces that moved outwards, where it does not matter which.
ANYWHERE = 64

#: Numbers of the tables in an index's arena; the float64 ones first.
BOXES, NODES, SPACE, ITEMS, TREE, LINKS, STATES = range(7)
