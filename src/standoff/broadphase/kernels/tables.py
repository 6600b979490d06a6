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

``low``: the low corner of the root cube, [m]; ``state``: what was chosen, where it stands, and what
was done, see STATE.
"""

from __future__ import annotations

from standoff.compiled.tables import Reals, Record, Tables, Wholes, fields, viewer

NONE = -1
FREE = -2

HEAD, STATE, SEEN, OUT_NEXT, OUT_PREV, MOVED = range(6)
ITEM_COLUMNS = 6
ABSENT, INSIDE, OUTSIDE = range(3)

FIRST, PARENT, CHILD, COUNT, LIST, MARK, LEVEL, PENDING = range(8)
NODE_COLUMNS = 8

ITEM, NODE, NEXT, AFTER = range(4)
LINK_COLUMNS = 4

OCTREE, GRID, NAIVE, REGION = range(4)

#: What was done since the counters were cleared.
COUNTERS = (
    "splits", "merges", "node_tests", "neighbours", "pair_tests", "box_tests", "updates",
    "reinserted",
)  # fmt: skip

#: What was chosen: a leaf with more than ``split_above`` items is split, down to the level
#: ``deepest``, eight of them with no more than ``merge_within`` between them are merged; a grid has
#: ``side`` cells along its ``edge``; with ``from_above`` not 0, the leaves that an item has entered
#: are looked for from above, and not among the neighbours. Where it stands: the last ``visit``,
#: nodes in use, heads of the lists of free blocks, free links and items outside, and ``full``, 1
#: where an item found no room. Then the COUNTERS.
STATE_RECORD = fields(
    kind=int, split_above=int, merge_within=int, deepest=int, side=int, from_above=int, edge=float,
    visit=int, nodes_used=int, free_blocks=int, free_links=int, links_left=int, out_first=int,
    full=int,
    **dict.fromkeys(COUNTERS, int),
)  # fmt: skip


class IndexTables(Tables):
    """All that an index is."""

    boxes = Reals(6, "the box each item is registered with")
    items = Wholes(ITEM_COLUMNS)
    nodes = Reals(6, "the box of each node")
    tree = Wholes(NODE_COLUMNS)
    links = Wholes(LINK_COLUMNS)
    low = Reals(doc="low corner of the root cube, [m]")
    state = Record(STATE_RECORD)


index_at = viewer(IndexTables)
