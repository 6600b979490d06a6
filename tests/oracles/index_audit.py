"""Everything that must hold of an index between two operations, checked on its tables."""

from __future__ import annotations

import numpy as np

from standoff.broadphase import Index
from standoff.broadphase.kernels import tables as x


def meets(box, other):
    return bool((box[:3] <= other[3:]).all() and (box[3:] >= other[:3]).all())


def covered(box, node):
    return bool((box[:3] <= node[:3]).all() and (box[3:] >= node[3:]).all())


def inside_root(index, box):
    low, edge = index.tables.low, index.tables.state.edge
    return bool((box[:3] >= low).all() and (box[3:] <= low + edge).all())


def brute_near(boxes, item):
    """The items whose boxes meet that of one; ``boxes`` by item."""
    return [k for k in sorted(boxes) if k != item and meets(boxes[k], boxes[item])]


def chain(table, first, column, bound):
    """A linked list as numbers; longer than ``bound`` it has a loop."""
    found = []
    while first != x.NONE:
        found.append(int(first))
        assert len(found) <= bound, "a list that does not end"
        first = table[first, column]
    return found


def leaves_of(index):
    tree = index.tables.tree
    live = index._live_nodes()
    return [int(n) for n in live if tree[n, x.FIRST] == x.NONE]


def audit(index: Index, boxes: dict[int, np.ndarray], *, full: bool = False) -> None:
    """Check all tables against ``boxes``, what is in the index. ``full``: the tables may be too
    short, so that nodes hold more than they should."""
    tables = index.tables
    items, tree, links = tables.items, tables.tree, tables.links
    state, nodes = tables.state, tables.nodes
    many = len(links) + 1
    assert set(np.flatnonzero(items[:, x.STATE] != x.ABSENT)) == set(boxes)
    outside = chain(items, state.out_first, x.OUT_NEXT, len(items) + 1)
    assert sorted(outside) == sorted(np.flatnonzero(items[:, x.STATE] == x.OUTSIDE))
    before = x.NONE
    for item in outside:
        assert items[item, x.OUT_PREV] == before
        before = item
        assert items[item, x.HEAD] == x.NONE
    leaves = leaves_of(index)
    held = {}
    used = []
    for leaf in leaves:
        lists = chain(links, tree[leaf, x.LIST], x.NEXT, many)
        used += lists
        assert all(links[k, x.NODE] == leaf for k in lists)
        held[leaf] = sorted(int(links[k, x.ITEM]) for k in lists)
        assert len(held[leaf]) == tree[leaf, x.COUNT]
    located = []
    for item, box in boxes.items():
        assert (tables.boxes[item] == box).all()
        own = chain(links, items[item, x.HEAD], x.AFTER, many)
        located += own
        assert all(links[k, x.ITEM] == item for k in own)
        if items[item, x.STATE] == x.INSIDE:
            assert inside_root(index, box)
        elif index.kind != x.NAIVE and not full:
            assert not inside_root(index, box)
    assert sorted(used) == sorted(located) and len(set(used)) == len(used)
    for leaf in leaves:
        expected = [
            item
            for item, box in sorted(boxes.items())
            if items[item, x.STATE] == x.INSIDE and meets(box, nodes[leaf])
        ]
        assert held[leaf] == expected
    free = chain(links, state.free_links, x.AFTER, many)
    assert len(free) == state.links_left == len(links) - len(used)
    assert not {*free} & {*used}
    assert tree[: state.nodes_used, x.MARK].max(initial=0) <= state.visit
    assert items[:, x.SEEN].max(initial=0) <= state.visit
    if index.kind in (x.OCTREE, x.REGION):
        audit_tree(index, held, full)


def audit_tree(index, held, full):
    tree, nodes = index.tables.tree, index.tables.nodes
    state = index.tables.state
    live = [int(n) for n in index._live_nodes()]
    blocks = chain(tree, state.free_blocks, x.PENDING, len(tree))
    freed = {first + c for first in blocks for c in range(8)}
    assert not freed & set(live) and len(freed) + len(live) == state.nodes_used
    below = {}
    for node in reversed(live):
        first = int(tree[node, x.FIRST])
        assert tree[node, x.PENDING] == x.FREE
        if first == x.NONE:
            below[node] = set(held[node])
            room = tree[node, x.LEVEL] < state.deepest
            if index.kind == x.REGION:
                covers = [i for i in held[node] if covered(index.tables.boxes[i], nodes[node])]
                assert full or not room or covers == held[node]
            elif room and not full:
                assert len(held[node]) <= state.split_above
            continue
        assert tree[node, x.COUNT] == 0 and tree[node, x.LIST] == x.NONE
        below[node] = set()
        for c in range(8):
            child = first + c
            assert tree[child, x.PARENT] == node and tree[child, x.CHILD] == c
            assert tree[child, x.LEVEL] == tree[node, x.LEVEL] + 1
            for axis in range(3):
                middle = 0.5 * (nodes[node, axis] + nodes[node, axis + 3])
                ends = (middle, nodes[node, axis + 3]) if c >> axis & 1 else (
                    nodes[node, axis], middle
                )  # fmt: skip
                assert (nodes[child, axis], nodes[child, axis + 3]) == ends
            below[node] |= below[child]
        assert len(below[node]) > state.merge_within, "a node that should have been merged"
