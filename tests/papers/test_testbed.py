"""Paper 000's test bed: the figures that its prose gives, and three tasks that end as it tells.

Coal is the judge of what comes too close, at every cycle and over every pair that is watched.
"""

import functools

import coal
import numpy as np
import pytest

import standoff as so
from standoff.cell.shipped import shipped_cell
from standoff.errors import CellError, UnknownNameError
from standoff.papers import testbed
from tests.oracles import coal as coal_oracle

INCH = 0.0254
TASK = pytest.mark.parametrize("task", testbed.TASKS, ids=lambda task: f"task{task.name}")


@functools.cache
def cell():
    return testbed.testbed_cell()


@functools.cache
def primitives():
    """(name, shape, frame, pose in the frame) of each, the fourteen capsules first."""
    model = cell().model
    assert all(len(parts) == 1 for parts in model.parts)
    rows = zip(model.names, model.parts, model.frame, strict=True)
    return [(name, *parts[0], frame) for name, parts, frame in rows]


@functools.cache
def placed(task):
    """Poses (cycles, 35, 4, 4) of the primitives throughout a task."""
    frames = cell().tree.forward_batch(task.joints(cell()))
    return np.stack([frames[:, frame] @ local for _, _, local, frame in primitives()], axis=1)


def axis_ends(poses):
    """The ends (…, 2, 3) of a capsule's axis for each of the fourteen (cycles, 14, 4, 4)."""
    half = np.array([shape.length / 2 for _, shape, _, _ in primitives()[:14]])
    along = poses[:, :14, :3, 2] * half[:, None]
    centre = poses[:, :14, :3, 3]
    return np.stack([centre - along, centre + along], axis=2)


def bounds(poses):
    """Bounding boxes (cycles, 35, 2, 3), those of the arms wider by the buffer."""
    radius = np.array([shape.radius for _, shape, _, _ in primitives()[:14]]) + testbed.BUFFER
    ends = axis_ends(poses)
    arms = np.stack([ends.min(axis=2) - radius[:, None], ends.max(axis=2) + radius[:, None]], 2)
    sizes = np.array([shape.size for _, shape, _, _ in primitives()[14:]])
    assert np.array_equal(poses[0, 14:, :3, :3], np.broadcast_to(np.eye(3), (21, 3, 3)))
    still = np.stack([s * sizes / 2 for s in (-1, 1)], axis=1) + poses[0, 14:, None, :3, 3]
    return np.concatenate([arms, np.broadcast_to(still, (len(poses), *still.shape))], axis=1)


def test_the_world_is_35_primitives():
    kinds = [type(shape) for _, shape, _, _ in primitives()]
    assert kinds == [so.Capsule] * 14 + [so.Box] * 21
    assert [name for name, *_ in primitives()[:14]] == [
        f"{arm}/link{i}" for arm in ("left", "right") for i in range(1, 8)
    ]


def test_nothing_may_touch_but_neighbours_in_an_arm():
    assert {(p.a, p.b, p.reason) for p in cell().allowed()} == {
        (f"{arm}/link{i}", f"{arm}/link{i + 1}", "adjacent")
        for arm in ("left", "right")
        for i in range(1, 7)
    }


@pytest.mark.parametrize("arm", ["left", "right"])
def test_an_arm_reaches_75_inches_and_no_further(arm):
    rng = np.random.default_rng(1)
    Q = np.vstack([np.zeros(14), rng.uniform(cell().tree.lower, cell().tree.upper, (500, 14))])
    frames = cell().tree.forward_batch(Q)
    base = cell().pose(f"{arm}/base")[:3, 3]
    reach = np.zeros(len(Q))
    for name, shape, local, frame in primitives():
        if name.startswith(f"{arm}/"):
            poses = frames[:, frame] @ local
            for sign in (-1, 1):
                end = poses[:, :3, 3] + sign * poses[:, :3, 2] * shape.length / 2
                reach = np.maximum(reach, np.linalg.norm(end - base, axis=1) + shape.radius)
    assert reach[0] == pytest.approx(75 * INCH, abs=1e-12)
    assert reach.max() == reach[0]


def test_boxes_stand_on_the_two_tables_in_front_and_to_the_right():
    """Forward is x, left is y; either arm is at x = 0."""
    bodies = cell().bodies

    def sides(name):
        half = np.array(bodies[name].shape.size) / 2
        return bodies[name].pose[:3, 3] - half, bodies[name].pose[:3, 3] + half

    for table, box in (("front_table", "front_box"), ("right_table", "right_box")):
        (low, high), (bottom, top) = sides(table), sides(box)
        assert bottom[2] == pytest.approx(high[2], abs=1e-12)
        assert (low[:2] < bottom[:2]).all() and (top[:2] < high[:2]).all()
    assert sides("front_table")[0][0] > 0.0
    assert sides("right_table")[1][1] < cell().pose("right/base")[1, 3]


@TASK
def test_the_root_cube_holds_everything_at_every_cycle(task):
    centre, edge = np.array(testbed.ROOT[0]), testbed.ROOT[1]
    assert edge == pytest.approx(250 * INCH)
    boxes = bounds(placed(task))
    assert (boxes[:, :, 0] > centre - edge / 2).all() and (boxes[:, :, 1] < centre + edge / 2).all()


def node_counts(boxes, level):
    """How many of the boxes (n, 35, 2, 3) meet each node of a level: (n, 8 ** level)."""
    centre, edge = np.array(testbed.ROOT[0]), testbed.ROOT[1]
    side = edge / 2**level
    low = centre - edge / 2 + side * np.arange(2**level)[:, None]
    meets = (boxes[:, None, :, 0] <= low[:, None] + side) & (boxes[:, None, :, 1] >= low[:, None])
    x, y, z = np.moveaxis(meets.astype(float), -1, 0)
    return np.einsum("nap,nbp,ncp->nabc", x, y, z).reshape(len(boxes), -1)


def octants(split):
    """For each node of the next level, whether its parent is split (both as in `node_counts`)."""
    side = round(split.shape[1] ** (1 / 3))
    cube = split.reshape(-1, side, side, side)
    for axis in (1, 2, 3):
        cube = cube.repeat(2, axis=axis)
    return cube.reshape(len(split), -1)


def test_the_first_octree_has_the_size_of_the_papers():
    """N = 10: a node is split where it holds more than ten, and its octants are so in turn."""
    boxes = bounds(placed(testbed.TASKS[0]))[:1]
    nodes, filled = 1, []
    split = node_counts(boxes, 0) > 10
    for level in (1, 2):
        there = octants(split)
        counts = node_counts(boxes, level)
        split = there & (counts > 10)
        nodes += int(there.sum())
        filled.append(counts[there & ~split])
    assert not split.any()  # two levels below the root, no more
    leaves = np.concatenate(filled)
    assert (nodes, len(leaves), int((leaves == 0).sum())) == (33, 29, 15)
    assert leaves[leaves > 0].mean() == pytest.approx(5.0, abs=0.15)
    assert leaves.sum() / 35 == pytest.approx(2.0, abs=0.1)


def test_the_octree_changes_about_every_600_cycles():
    changes = 0
    for task in testbed.TASKS:
        for level in (0, 1, 2, 3):
            split = node_counts(bounds(placed(task)), level) > 10
            changes += int((split[1:] != split[:-1]).sum())
    assert 500 < sum(task.cycles for task in testbed.TASKS) / changes < 700


def test_there_are_three_tasks_of_the_papers_lengths():
    assert [task.cycles for task in testbed.TASKS] == [1000, 150, 2000]
    for task in testbed.TASKS:
        Q = task.joints(cell())
        assert Q.shape == (task.cycles, 14) and Q.dtype == np.float64
        assert np.array_equal(Q[0], cell().q)
        assert np.array_equal(Q, task.joints(testbed.testbed_cell()))


@TASK
def test_joints_stay_within_their_ranges_and_speeds(task):
    Q, tree = task.joints(cell()), cell().tree
    assert (tree.lower <= Q).all() and (tree.upper >= Q).all()
    assert (np.abs(np.diff(Q, axis=0)) <= tree.velocity * testbed.PERIOD).all()


@TASK
def test_no_end_of_a_link_moves_faster_than_24_inches_a_second(task):
    steps = np.linalg.norm(np.diff(axis_ends(placed(task)), axis=0), axis=-1)
    assert 0.0 < steps.max() <= testbed.MAX_SPEED * testbed.PERIOD


def test_sometimes_both_arms_move_sometimes_one_sometimes_a_wrist():
    steps = [np.diff(task.joints(cell()), axis=0) != 0.0 for task in testbed.TASKS]
    moved = np.concatenate(steps)
    left, right = moved[:, :7].any(axis=1), moved[:, 7:].any(axis=1)
    upper = moved[:, [0, 1, 2, 3, 7, 8, 9, 10]].any(axis=1)
    for kind in (left & right, left & ~right, right & ~left, (left | right) & ~upper):
        assert kind.mean() > 0.02


def violations(task):
    """(cycle, a, b) of every watched pair within its threshold, by Coal, in order."""
    items = primitives()
    shapes = [coal_oracle.geometry(shape) for _, shape, _, _ in items]
    number = {name: i for i, (name, *_) in enumerate(items)}
    pairs = [sorted((number[a], number[b])) for a, b in cell().pairs.watched()]
    assert len(pairs) == 14 * 21 + 7 * 7 + 2 * 15
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    found = []
    for cycle, poses in enumerate(placed(task)):
        at = [coal_oracle.transform(pose) for pose in poses]
        for i, j in pairs:
            result.clear()
            # Buffers add where both move; the first fourteen do.
            limit = 2 * testbed.BUFFER if j < 14 else testbed.BUFFER
            if coal.distance(shapes[i], at[i], shapes[j], at[j], request, result) <= limit:
                found.append((cycle, items[i][0], items[j][0]))
    return found


@TASK
def test_a_task_ends_as_the_paper_tells(task):
    found = violations(task)
    if task.collides is None:
        assert found == []
    else:
        first = min(cycle for cycle, _, _ in found)
        assert [(a, b) for cycle, a, b in found if cycle == first] == [task.collides]
        assert first >= 0.9 * task.cycles


def test_the_arms_come_where_the_paper_has_them_go():
    """Which boxes the arms are near at the end: within 6 in, or far from."""

    def apart(task, link, box):
        i, j = (next(k for k, p in enumerate(primitives()) if p[0] == n) for n in (link, box))
        a, b = (coal_oracle.geometry(primitives()[k][1]) for k in (i, j))
        pose = placed(task)[-1]
        return coal_oracle.distance(a, pose[i], b, pose[j])[0] / INCH

    first, second, third = testbed.TASKS
    assert 1.2 < apart(first, "left/link7", "front_box") < 6.0
    assert 1.2 < apart(first, "right/link7", "right_box") < 6.0
    tip = axis_ends(placed(first))[-1, 13, 1]
    box = cell().bodies["right_box"]
    assert (np.abs(tip - box.pose[:3, 3])[:2] < np.array(box.shape.size[:2]) / 2).all()
    assert tip[2] > box.pose[2, 3]
    assert [task.collides for task in (first, second, third)] == [
        None,
        ("left/link7", "front_table"),
        ("right/link7", "front_table"),
    ]
    assert 1.2 < apart(third, "right/link7", "front_box") < 6.0


def test_a_cell_with_other_joints_is_refused():
    one_arm = so.Cell()
    one_arm.add_robot("builtin:arm7", name="left")
    for other in (so.Cell(), one_arm):
        with pytest.raises(CellError, match="not the joints of the test bed"):
            testbed.TASKS[0].joints(other)


def test_shipped_cells_are_found_by_name():
    assert shipped_cell("testbed").name == "testbed.toml"
    with pytest.raises(UnknownNameError, match=r"shipped cell 'testbad'.*'testbed'"):
        shipped_cell("testbad")
