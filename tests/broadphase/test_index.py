"""The indexes alone: every operation against brute force, and the tables whole after each."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.broadphase import Grid, Naive, Octree, RegionOctree
from standoff.broadphase.kernels import entries
from standoff.broadphase.kernels import tables as x
from standoff.errors import ConfigurationError, DuplicateNameError, UnknownNameError
from tests.oracles.index_audit import audit, brute_near, inside_root, leaves_of, meets

pytestmark = pytest.mark.interpreted

#: The octree as the paper has it.
published = partial(Octree, follow="neighbours")

LOW, EDGE = (-1.0, -1.0, -1.0), 2.0
ITEMS = 24
MAKERS = {
    "naive": lambda: Naive().build(ITEMS),
    "grid 1": lambda: Grid(side=1).build(ITEMS, LOW, EDGE),
    "grid 2": lambda: Grid(side=2).build(ITEMS, LOW, EDGE),
    "grid 7": lambda: Grid(side=7).build(ITEMS, LOW, EDGE),
    "above": lambda: Octree(split=2, smallest=0.05).build(ITEMS, LOW, EDGE),
    "above, N 3": lambda: Octree(split=3, smallest=0.05).build(ITEMS, LOW, EDGE),
    "octree": lambda: published(smallest=0.05).build(ITEMS, LOW, EDGE),
    "N 1": lambda: published(split=1, smallest=0.05).build(ITEMS, LOW, EDGE),
    "N 2": lambda: published(split=2, smallest=0.1).build(ITEMS, LOW, EDGE),
    "N 3": lambda: published(split=3, smallest=0.1).build(ITEMS, LOW, EDGE),
    "N 2, smallest 2 cm": lambda: published(split=2, smallest=0.02).build(ITEMS, LOW, EDGE),
    "root alone": lambda: published(split=2, smallest=5.0).build(ITEMS, LOW, EDGE),
    "odd root": lambda: published(split=2, smallest=0.03).build(ITEMS, (-0.7, -0.31, -0.5), 1.1),
    "region": lambda: RegionOctree(smallest=0.25).build(ITEMS, LOW, EDGE),
    "region, odd root": lambda: RegionOctree(smallest=0.1).build(ITEMS, (-0.7, -0.31, -0.5), 1.1),
    "few items": lambda: published(split=2, smallest=0.05).build(2, LOW, EDGE),
}


def box_of(centre, half):
    centre, half = np.asarray(centre, float), np.asarray(half, float)
    return np.concatenate([centre - half, centre + half])


def random_box(rng):
    """Anywhere; every other kind on the planes between nodes, of no size, outside or endless."""
    kind = rng.random()
    if kind < 0.4:
        return box_of(rng.uniform(-0.9, 0.9, 3), rng.uniform(0.0, 0.15, 3))
    if kind < 0.6:  # corners exactly on planes of nodes: multiples of 1/8
        low = rng.integers(-8, 7, 3) / 8
        return np.concatenate([low, np.minimum(low + rng.integers(0, 3, 3) / 8, 1.0)])
    if kind < 0.7:
        return box_of(rng.integers(-8, 9, 3) / 8, 0.0)
    if kind < 0.8:
        return box_of(rng.uniform(-0.9, 0.9, 3), rng.uniform(0.0, 0.9, 3))
    if kind < 0.9:
        return box_of(rng.uniform(-3, 3, 3), rng.uniform(0, 0.5, 3))
    box = box_of(rng.uniform(-0.5, 0.5, 3), rng.uniform(0, 0.5, 3))
    box[int(rng.integers(3))], box[3 + int(rng.integers(3))] = -math.inf, math.inf
    return box


def shifted(rng, box, step):
    """A box after a small move, turn or growth: every face on its own."""
    if not np.isfinite(box).all():
        return random_box(rng)
    result = box + rng.uniform(-step, step, 6) * (rng.random(6) < 0.6)
    if rng.random() < 0.3:
        result = box + np.tile(rng.uniform(-step, step, 3), 2)
    return np.concatenate([np.minimum(result[:3], result[3:]), np.maximum(result[:3], result[3:])])


def play(index, rng, steps, draw=random_box, full=True):
    """Random operations on an index beside a plain dict. ``full``: the tables may run short."""
    boxes = {}
    for _ in range(steps):
        kind = rng.random()
        item = int(rng.integers(ITEMS))
        if item not in boxes:
            boxes[item] = draw(rng)
            index.insert(item, boxes[item])
        elif kind < 0.2:
            del boxes[item]
            index.remove(item)
        else:
            step = float(rng.choice([0.001, 0.02, 0.3]))
            fresh = shifted(rng, boxes[item], step) if kind < 0.9 else draw(rng)
            boxes[item] = fresh
            index.move(item, fresh)
        audit(index, boxes, full=full)
        asked = int(rng.choice(sorted(boxes))) if boxes else None
        if asked is not None:
            assert index.near(asked).tolist() == brute_near(boxes, asked)
    return boxes


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(2))
def test_every_operation_against_brute_force(kind, seed):
    rng = np.random.default_rng((1, seed))
    index = MAKERS[kind]()
    boxes = play(index, rng, 120)
    for item in sorted(boxes):
        assert index.near(item).tolist() == brute_near(boxes, item)


@pytest.mark.parametrize("split", [1, 2, 4])
def test_no_leaf_holds_more_than_it_should(split):
    """Where there is room for every split: with small boxes, and tables for far more of them."""

    def small(rng):
        return box_of(rng.uniform(-0.95, 0.95, 3), rng.uniform(0.0, 0.1, 3))

    index = published(split=split, smallest=0.2).build(20 * ITEMS, LOW, EDGE)
    play(index, np.random.default_rng((10, split)), 150, small, full=False)
    figures = index.figures()
    assert figures.splits > 3 and figures.merges > 0 and figures.depth >= 2
    assert index.tables.state.links_left > 1000


@pytest.mark.parametrize("kind", MAKERS)
def test_nothing_leaks(kind):
    """With all items gone all links are free and one node is left; and again, in no more room."""
    rng = np.random.default_rng(2)
    index = MAKERS[kind]()
    room = None
    for _ in range(3):
        boxes = {k: random_box(np.random.default_rng((7, k))) for k in range(ITEMS)}
        for item in boxes:
            index.insert(item, boxes[item])
        for item in rng.permutation(ITEMS):
            index.remove(int(item))
            del boxes[int(item)]
            audit(index, boxes, full=True)
        state = index.tables.state
        assert state.links_left == len(index.tables.links)
        assert state.out_first == x.NONE
        if index.kind == x.OCTREE:
            assert index.figures().nodes == 1
        room = room or (index.tables.nbytes, int(state.nodes_used))
        assert room == (index.tables.nbytes, int(state.nodes_used))


def test_freed_nodes_are_used_again():
    index = published(split=1, smallest=0.1).build(8, LOW, EDGE)
    for _ in range(50):
        index.insert(0, box_of((-0.8, -0.8, -0.8), 0.01))
        index.insert(1, box_of((-0.6, -0.8, -0.8), 0.01))
        used = index.tables.state.nodes_used
        index.remove(0)
        index.remove(1)
    figures = index.figures()
    assert used == index.tables.state.nodes_used == 1 + 8 * 3
    assert figures.splits == figures.merges == 150 and figures.nodes == 1


def crowd(index, rng, items):
    boxes = {k: box_of(rng.uniform(-0.7, 0.7, 3), rng.uniform(0.01, 0.2, 3)) for k in range(items)}
    for item, box in boxes.items():
        index.insert(item, box)
    return boxes


def clear_counters(index):
    for name in x.COUNTERS:
        index.tables.state[name] = 0


@pytest.mark.parametrize("split", [1, 2, 3])
def test_following_neighbours_alone_equals_inserting_anew(split):
    """Moves smaller than the smallest node: nothing is ever inserted from the root, and the tree is
    that of an index that was built from these boxes at once."""
    rng = np.random.default_rng((3, split))
    index = published(split=split, smallest=0.1).build(10 * ITEMS, LOW, EDGE)
    boxes = crowd(index, rng, 12)
    clear_counters(index)
    for _ in range(60):
        for item in boxes:
            step = np.clip(boxes[item] + rng.uniform(-0.06, 0.06, 6), -0.99, 0.99)
            low, high = np.minimum(step[:3], step[3:]), np.maximum(step[:3], step[3:])
            grown = np.concatenate([low, high])
            if np.abs(grown - boxes[item]).max() >= index.smallest:
                continue
            boxes[item] = grown
            index.move(item, grown)
        audit(index, boxes, full=True)
        assert shape_of(index) == shape_of(rebuilt(index, boxes))
    figures = index.figures()
    assert figures.reinserted == 0 and figures.updates > 500
    assert figures.neighbours > 100 and figures.splits > 0 and figures.merges > 0


def rebuilt(index, boxes):
    state = index.tables.state
    kind = Octree(split=int(state.split_above), smallest=index.smallest, follow="neighbours")
    fresh = kind.build(10 * ITEMS, index.tables.low, float(state.edge))
    for item in sorted(boxes):
        fresh.insert(item, boxes[item])
    return fresh


def shape_of(index):
    """Leaves by their bounds, with the items in each."""
    links, tree = index.tables.links, index.tables.tree
    found = {}
    for leaf in leaves_of(index):
        held, link = [], tree[leaf, x.LIST]
        while link != x.NONE:
            held.append(int(links[link, x.ITEM]))
            link = links[link, x.NEXT]
        found[tuple(index.tables.nodes[leaf])] = sorted(held)
    return found


def test_a_move_within_one_node_looks_at_no_neighbour():
    index = published(split=1, smallest=0.1).build(4, LOW, EDGE)
    index.insert(0, box_of((-0.5, -0.5, -0.5), 0.05))
    index.insert(1, box_of((0.5, 0.5, 0.5), 0.05))
    clear_counters(index)
    for k in range(20):
        index.move(0, box_of((-0.5 + 0.01 * k, -0.5, -0.5), 0.05))
    assert index.figures().neighbours == 0 and index.figures().reinserted == 0


def test_only_faces_that_moved_outwards_are_looked_past():
    index = published(split=1, smallest=0.1).build(4, LOW, EDGE)
    index.insert(0, box_of((0.0, -0.5, -0.5), 0.05))
    index.insert(1, box_of((0.5, 0.5, 0.5), 0.05))
    clear_counters(index)
    index.move(0, box_of((0.0, -0.5, -0.5), 0.04))  # across a plane, and shrinking
    assert index.figures().neighbours == 0
    index.move(0, box_of((0.01, -0.5, -0.5), 0.04))
    assert 0 < index.figures().neighbours <= 2  # one leaf, or both, each past one face


def test_far_moves_are_inserted_from_the_root():
    index = published(split=1, smallest=0.1).build(4, LOW, EDGE)
    boxes = crowd(index, np.random.default_rng(4), 4)
    clear_counters(index)
    boxes[0] = boxes[0] + 0.25
    index.move(0, boxes[0])
    assert index.figures().reinserted == 1
    audit(index, boxes)


def test_a_capsule_that_turns_within_its_box_enters_nodes_its_body_was_not_in():
    """Why items are in the nodes of their box. A rod along one diagonal of a square turns into the
    other diagonal: no face of its box moves, so no neighbour would be looked at; yet its middle
    third enters nodes that it was not in before, and another body there must be found."""

    def rod(angle, reach=0.9, radius=0.02):
        ends = reach * np.array([[math.cos(angle), math.sin(angle), 0.0]])
        points = np.concatenate([-ends, ends])
        return np.concatenate([points.min(axis=0) - radius, points.max(axis=0) + radius])

    before, after = rod(0.25 * math.pi), rod(0.75 * math.pi)
    np.testing.assert_allclose(before, after, atol=1e-15)
    index = published(split=1, smallest=0.1).build(4, LOW, EDGE)
    index.insert(0, before)
    index.insert(1, box_of((-0.5, 0.5, 0.0), 0.02))  # on the other diagonal alone
    index.insert(2, box_of((0.5, 0.5, 0.0), 0.02))
    clear_counters(index)
    index.move(0, np.array(before))
    assert index.figures().neighbours == 0
    assert index.near(0).tolist() == [1, 2]


@pytest.mark.parametrize("maker", [Octree, Grid])
def test_the_visit_number_advances_with_each_item(maker):
    how = {"split": 1, "smallest": 0.1, "follow": "neighbours"} if maker is Octree else {"side": 5}
    index = maker(**how).build(4, LOW, EDGE)
    crowd(index, np.random.default_rng(6), 4)
    for k in range(4):
        before = index.tables.state.visit
        index.near(k)
        assert index.tables.state.visit == before + 1
        box = index.tables.boxes[k].copy()
        box[3] += 0.01
        index.move(k, box)
        assert index.tables.state.visit > before + 1


@pytest.mark.parametrize("maker", [Octree, Grid])
def test_tables_that_are_full_grow(maker):
    """Two items at first; then far more, each in many leaves."""
    how = {"split": 1, "smallest": 0.2, "follow": "neighbours"} if maker is Octree else {"side": 9}
    index = maker(**how).build(2, LOW, EDGE)
    rng = np.random.default_rng(7)
    boxes = {}
    links, items = len(index.tables.links), len(index.tables.items)
    for item in range(ITEMS):
        boxes[item] = box_of(rng.uniform(-0.3, 0.3, 3), rng.uniform(0.1, 0.6, 3))
        index.insert(item, boxes[item])
        audit(index, boxes, full=True)
    assert len(index.tables.links) > links and len(index.tables.items) > items
    assert index.figures().outside == 0
    for item in range(0, ITEMS, 2):
        boxes[item] = boxes[item] + 0.05
        index.move(item, boxes[item])
    audit(index, boxes, full=True)
    for item in boxes:
        assert index.near(item).tolist() == brute_near(boxes, item)


def test_a_tree_grows_with_its_items():
    """An octree made for two items is split as deep as one that was made for them all."""
    rng = np.random.default_rng(8)
    small, large = (published(split=1, smallest=1e-3).build(n, LOW, EDGE) for n in (2, 400))
    for item in range(400):
        box = box_of(rng.uniform(-0.9, 0.9, 3), 0.001)
        small.insert(item, box)
        large.insert(item, box)
    assert small.figures().items_per_leaf <= 2 * large.figures().items_per_leaf


def test_items_outside_are_held_against_everything():
    for kind in ("octree", "region", "grid 7", "naive"):
        index = MAKERS[kind]()
        inf = math.inf
        boxes = {
            0: np.array([-inf, -inf, -inf, inf, inf, -0.5]),  # a floor
            1: box_of((0, 0, 0), 0.2),
            2: box_of((0, 0, -0.5), 0.1),
            3: box_of((5, 5, -5), 0.1),
            4: box_of((1, 1, 1), 0.0),  # a corner of the root
            5: box_of((1, 1, 1), 0.5),  # half out
        }
        for item, box in boxes.items():
            index.insert(item, box)
        audit(index, boxes)
        for item in boxes:
            assert index.near(item).tolist() == brute_near(boxes, item)
        assert index.near(0).tolist() == [2, 3] and index.near(5).tolist() == [4]
        boxes[5] = box_of((0.9, 0.9, 0.9), 0.1)
        index.move(5, boxes[5])  # and back in
        audit(index, boxes)


def test_what_touches_a_node_plane_is_in_both_nodes():
    index = published(split=1, smallest=0.1).build(4, LOW, EDGE)
    boxes = {0: np.array([-0.5, -0.5, -0.5, 0.0, -0.4, -0.4]), 1: box_of((0.3, -0.45, -0.45), 0.1)}
    boxes[2] = np.array([0.0, -0.5, -0.5, 0.1, -0.4, -0.4])  # touches 0 on the plane x = 0
    for item, box in boxes.items():
        index.insert(item, box)
    audit(index, boxes)
    assert index.near(0).tolist() == [2]
    boxes[0] = boxes[0] - np.array([0, 0, 0, np.spacing(0.0), 0, 0])
    index.move(0, boxes[0])
    audit(index, boxes)
    assert index.near(0).tolist() == []


corners = st.integers(-8, 8).map(lambda k: k / 8) | st.floats(-1, 1)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.tuples(*([corners] * 6)), min_size=2, max_size=12), st.integers(1, 3))
def test_boxes_on_planes_are_followed(places, split):
    """One item goes from box to box while the others stay; the last is on its way back."""
    rows = [np.sort(np.array(p).reshape(2, 3), axis=0).ravel() for p in places]
    index = published(split=split, smallest=0.26).build(ITEMS, LOW, EDGE)
    boxes = dict(enumerate(rows))
    for item, box in boxes.items():
        index.insert(item, box)
    for goal in rows[1:]:
        for part in (0.2, 0.4, 0.6, 0.8, 1.0):
            step = boxes[0] + part * (goal - boxes[0])
            boxes[0] = np.sort(step.reshape(2, 3), axis=0).ravel()  # rounding may swap its sides
            index.move(0, boxes[0])
            audit(index, boxes, full=True)
            assert index.near(0).tolist() == brute_near(boxes, 0)


#: In the root cube, on planes of nodes and off them, of no size too; beyond it; without an end;
#: and the box of a body with no pose, which holds no point.
wide = corners | st.floats(-3, 3) | st.sampled_from([-math.inf, math.inf])
inner_boxes, any_boxes = (
    st.tuples(*([each] * 6)).map(lambda p: np.sort(np.array(p).reshape(2, 3), axis=0).ravel())
    for each in (corners, wide)
)
points = st.tuples(*([corners] * 3)).map(lambda p: np.array(p + p))
nowhere = st.just(np.array([math.inf] * 3 + [-math.inf] * 3))
nudges = st.tuples(*([st.sampled_from([0.0, 1e-9, -1e-9]) | st.floats(-0.1, 0.1)] * 6)).map(
    np.array
)
operations = st.lists(
    st.tuples(
        st.sampled_from(["remove", "nudge", "put", "put"]),
        st.integers(0, 11),
        inner_boxes | points | any_boxes | nowhere,
        nudges,
    ),
    min_size=10,
    max_size=40,
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(operations, st.integers(1, 3))
def test_search_from_above_keeps_its_invariants(operations, split):
    """The three invariants at the head of `broadphase.kernels.octree_update`, which `audit` checks
    on the tables, after every operation; and that no pair is missed. The index is made for two
    items and grows. No neighbour is looked at, and only who leaves the root cube, or was in no
    leaf, is taken out and put in anew."""
    index = Octree(split=split, smallest=0.1).build(2, LOW, EDGE)
    boxes, reinserted = {}, 0
    for kind, item, box, nudge in operations:
        which = np.array([item])
        if item not in boxes:
            boxes[item] = box
            index.insert_many(which, box[None])
        elif kind == "remove":
            index.remove(item)
            del boxes[item]
        else:
            if kind == "nudge":
                moved = boxes[item] + nudge
                box = moved if (moved[:3] <= moved[3:]).all() else boxes[item]
            head, state = index.tables.items[item, [x.HEAD, x.STATE]]
            stays = head != x.NONE and inside_root(index, box)
            reinserted += state == x.INSIDE and not stays
            boxes[item] = box
            with np.errstate(invalid="ignore"):  # from no end to no end: no way that is a number
                entries.move_all(index.tables.address, which, box[None].copy(), index.smallest)
            index.make_room()
        audit(index, boxes, full=True)
        for other in boxes:
            assert index.near(other).tolist() == brute_near(boxes, other)
    assert index.figures().neighbours == 0 and index.figures().reinserted == reinserted


def test_near_has_no_item_twice_and_not_itself():
    for kind in MAKERS:
        index = MAKERS[kind]()
        boxes = crowd(index, np.random.default_rng(9), 10)
        for item in boxes:
            found = index.near(item).tolist()
            assert len(set(found)) == len(found) and item not in found
            assert all(meets(boxes[item], boxes[k]) for k in found)


def test_a_node_takes_at_most_200_bytes():
    for index in (Octree().build(10, LOW, EDGE), Grid().build(10, LOW, EDGE)):
        tree, nodes = index.tables.tree, index.tables.nodes
        assert (tree.nbytes + nodes.nbytes) / len(tree) <= 200


def test_what_makes_no_index_is_refused():
    for make in (
        lambda: Octree().build(1, LOW, 0.0),
        lambda: Octree().build(1, LOW, math.nan),
        lambda: Octree().build(1, (0.0, 0.0), 1.0),
        lambda: published(split=0).build(1, LOW, EDGE),
        lambda: published(smallest=-1.0).build(1, LOW, EDGE),
        lambda: Grid(side=0).build(1, LOW, EDGE),
        lambda: Grid(side=1000).build(1, LOW, EDGE),
        lambda: Octree().build(1, LOW, EDGE).insert(0, (1, 0, 0, 0, 0, 0)),
        lambda: Octree().build(1, LOW, EDGE).insert(0, (0, 0, 0, math.nan, 0, 0)),
        lambda: Octree().build(1, LOW, EDGE).insert(0, (0, 0, 0)),
    ):
        with pytest.raises(ConfigurationError):
            make()
    index = Octree().build(1, LOW, EDGE)
    index.insert(0, (0, 0, 0, 0, 0, 0))
    with pytest.raises(DuplicateNameError):
        index.insert(0, (0, 0, 0, 0, 0, 0))
    for ask in (index.near, index.remove):
        with pytest.raises(UnknownNameError):
            ask(5)


@pytest.mark.parametrize("make", ["octree", "grid"])
def test_moves_by_next_to_a_whole_node_far_from_the_origin_lose_nothing(make):
    """Faces of nodes are rounded, so that a node may be a little smaller than its edge."""
    rng = np.random.default_rng(5)
    low = np.full(3, 1e6 / 3.0)
    for edge in (0.3, 0.7):
        if make == "octree":
            index = published(split=1, smallest=edge / 8).build(24, low, edge)
        else:
            index = Grid(side=7).build(24, low, edge)
        naive = Naive().build(24)
        corner = low + rng.uniform(0.0, 0.8, (24, 3)) * edge
        for i, c in enumerate(corner):
            for each in (index, naive):
                each.insert(i, (*c, *(c + 0.02 * edge)))
        for _ in range(300):
            i = int(rng.integers(24))
            step = index.smallest * (1.0 - rng.choice([0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-3], 3))
            corner[i] = np.clip(
                corner[i] + rng.choice([-1, 0, 1], 3) * step, low, low + 0.95 * edge
            )
            for each in (index, naive):
                each.move(i, (*corner[i], *(corner[i] + 0.02 * edge)))
            assert index.near(i).tolist() == naive.near(i).tolist()
