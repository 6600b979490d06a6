"""A robot cell whose motion is known: alarms are ruled out only by what is known of this cell now.

An arm sweeps towards a post. What the arm does is asked of the path checker, at each reading by
itself: that is where it collides, whatever the predictor says.
"""

import numpy as np
import pytest

import standoff as so

PERIOD = 0.01


def arm(*, post=False, cart=False):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    if post:
        cell.add_body("post", so.Box((0.1, 0.1, 0.5)), so.pose((0.6, 0.0, 0.4)))
    if cart:
        cell.add_body("cart", so.Box((0.2, 0.2, 0.6)), so.pose((3.0, 0.0, 0.3)), moving=True)
    return cell


def sweep(t):
    q, dq = np.zeros(7), np.zeros(7)
    q[0], q[1], dq[0] = -1.5 + t, 1.2, 1.0
    return q, dq


PLANNED = so.paths.Pieces.path([sweep(0.0)[0], sweep(3.0)[0]], [0.0, 3.0])


def watch(cell, exact, motion, *, until=3.0, margin=0.0, change=None, **options):
    """Steps until the cell collides: the time of the first alarm that stood, whether a fault was
    told before, and when it collided."""
    cart = "cart" in cell.moving
    predictor = so.Predictor.from_cell(
        cell, max_joint_acceleration=3.0, max_joint_speed=1.5, period=PERIOD, margin=margin,
        moving={"cart": (0.6, 1.0)} if cart else None, exact=exact, **options,
    )  # fmt: skip
    true, fault = None, None
    checker = so.PathChecker(cell)
    for k in range(int(until / PERIOD)):
        t = PERIOD * k
        q, dq = motion(t)
        poses = {"cart": so.pose((3.0 - 0.5 * t, 0.0, 0.3))} if cart else None
        twists = np.array([[0.0, 0.0, 0.0, -0.5, 0.0, 0.0]]) if cart else None
        step = predictor.step_cell(q, dq, t, poses=poses, twists=twists)
        if true is None and step.true.any():
            true = t
        if fault is None and step.faults:
            fault = t
            assert not step.safe
        if change is not None and k == 5:
            change(cell)
        at = {name: np.stack([pose, pose]) for name, pose in (poses or {}).items()}
        if k % 5 == 0 and checker.segment(q, q, moving=at or None).kind == "collision":
            return true, fault, t
    return true, fault, None


def test_a_sweep_into_a_post_is_ruled_out_until_it_is_near():
    cell = arm(post=True)
    checker = so.PathChecker(cell)
    free = checker.curve(PLANNED, first=True).free_until
    exact = so.predict.ExactMotion(checker, PLANNED)
    true, fault, met = watch(cell, exact, sweep)
    plain, _, _ = watch(cell, None, sweep)
    assert fault is None and free <= met <= free + 0.06
    assert free - 3.5 * PERIOD <= true <= free
    assert plain < true


def test_a_body_that_is_given_in_each_step_is_not_of_the_motion():
    cell = arm(cart=True)
    rest = so.paths.Pieces.path(np.zeros((2, 7)), [0.0, 100.0])
    exact = so.predict.ExactMotion(so.PathChecker(cell), rest)
    true, _, met = watch(cell, exact, lambda t: (np.zeros(7), np.zeros(7)), until=8.0)
    assert met is not None and true < met


def test_a_robot_that_is_not_where_the_motion_says_keeps_its_alarms():
    cell = arm(post=True)
    stays = so.paths.Pieces.path([sweep(0.0)[0]] * 2, [0.0, 10.0])
    true, _, met = watch(cell, so.predict.ExactMotion(so.PathChecker(cell), stays), sweep)
    assert met is not None and true < met
    # Within the deviation that the checker allows for, it is where the motion says.
    off = lambda t: (sweep(t)[0] + 0.004, sweep(t)[1])  # noqa: E731
    for deviation, early in ((0.005, False), (0.003, True)):
        checker = so.PathChecker(cell, deviation=deviation)
        true, _, met = watch(cell, so.predict.ExactMotion(checker, PLANNED), off)
        assert (true < met - 0.12) == early and true < met


def test_before_it_begins_and_after_it_ends_a_motion_says_nothing():
    cell = arm(post=True)
    checker = so.PathChecker(cell)
    plain, _, _ = watch(cell, None, sweep)
    end = plain + 0.07
    away = so.paths.Pieces.path([sweep(0.0)[0], sweep(end)[0]], [0.0, end])
    true, _, met = watch(cell, so.predict.ExactMotion(checker, away), sweep)
    assert plain < end - 3.0 * PERIOD <= true <= end < met
    begin = plain + 0.05
    late = so.paths.Pieces.path([sweep(begin)[0], sweep(3.0)[0]], [begin, 3.0])
    assert watch(cell, so.predict.ExactMotion(checker, late), sweep)[0] == plain


def test_clearances_of_single_pairs_count():
    cell = arm(post=True)
    few = {(name, "post"): -0.3 for name in cell.model.names if name != "post"}
    exact = so.predict.ExactMotion(so.PathChecker(cell, clearance=0.02, clearances=few), PLANNED)
    with pytest.raises(so.errors.PredictError, match="clearance"):
        watch(cell, exact, sweep, margin=0.02)


def test_the_checker_is_of_the_same_cell():
    cell = arm(post=True)
    exact = so.predict.ExactMotion(so.PathChecker(arm()), PLANNED)
    with pytest.raises(so.errors.PredictError, match="another cell"):
        watch(cell, exact, sweep)
    with pytest.raises(so.errors.PredictError, match="another cell"):
        so.Predictor([0.5] * 2, 1.0, exact=exact)
    with pytest.raises(so.errors.PredictError, match="checker"):
        so.predict.ExactMotion(None, PLANNED)


def test_a_cell_that_changes_is_a_fault_from_then_on():
    def add(cell):
        cell.add_body("post", so.Box((0.1, 0.1, 0.5)), so.pose((0.6, 0.0, 0.4)))

    _, fault, met = watch(arm(), None, sweep, change=add)
    assert fault == 6 * PERIOD and met is not None


def test_spheres_of_a_cell_are_not_held_against_shapes_that_do_not_turn_with_them():
    """A rod on a turning joint met a pin, and each alarm was ruled out: the stage never learned how
    the rod was turned."""
    cell = arm(post=True)
    spheres = so.predict.cell_spheres(cell, 3.0, max_joint_speed=1.5)
    exact = so.predict.ExactShapes([so.Sphere(radius) for radius in spheres.radii], max_turn=3.0)
    with pytest.raises(so.errors.PredictError, match="ExactMotion"):
        watch(cell, exact, sweep)


def test_a_stage_that_a_second_predictor_shares_still_knows_the_moving_bodies():
    """It kept whose sphere is whose of the predictor that was made last."""
    cell = arm(cart=True)
    rest = so.paths.Pieces.path(np.zeros((2, 7)), [0.0, 100.0])
    exact = so.predict.ExactMotion(so.PathChecker(cell), rest)
    options = {"max_joint_speed": 1.5, "moving": {"cart": (0.6, 1.0)}, "exact": exact}
    first = so.Predictor.from_cell(cell, 3.0, period=PERIOD, radius=0.04, **options)
    so.Predictor.from_cell(cell, 3.0, period=PERIOD, radius=10.0, **options)
    inside = {"cart": so.pose((0.1, 0.0, 0.3))}
    step = first.step_cell(np.zeros(7), np.zeros(7), 0.0, poses=inside, twists=np.zeros((1, 6)))
    names = np.array(first.spheres.names)[step.alarms]
    with_cart = (names == "cart").any(axis=1)
    assert with_cart.any() and step.true[with_cart].all() and not step.safe


@pytest.mark.parametrize("schedule", [so.predict.DynamicUrgency(), so.predict.Deadlines()])
def test_a_moving_body_without_a_pose_is_not_where_it_was_at_the_start(schedule):
    """The cart stands inside the arm, and a step that was given no pose of it called all safe."""
    cell = arm(cart=True)
    cell.add_body("lid", so.Box((0.1, 0.1, 0.1)), so.pose((5.0, 0.0, 0.0)), moving=True)
    predictor = so.Predictor.from_cell(
        cell, 3.0, period=PERIOD, max_joint_speed=1.5, schedule=schedule, leave_out=("lid",),
        moving={"cart": (0.6, 1.0)},
    )  # fmt: skip
    at = {"cart": so.pose((3.0, 0.0, 0.3))}
    both = np.stack([at["cart"], so.pose((5.0, 0.0, 0.0))])
    q, rest = np.zeros(7), np.zeros((2, 6))
    given = [
        {}, {"poses": {}}, {"poses": at}, {"poses": {}, "twists": rest}, {"twists": rest},
        {"poses": {"lid": so.pose()}, "twists": rest},
    ]  # fmt: skip
    assert not predictor.step_cell(q, q, 0.0, poses=at, twists=rest).faults
    for k, missing in enumerate(given, 1):
        step = predictor.step_cell(q, q, PERIOD * k, **missing)
        assert not step.safe and not step.keeping_up
        fault = next(f for f in step.faults if f.kind == "missing")
        assert predictor.spheres.names[fault.body] == "cart" and "cart" in fault.value
    for k, whole in enumerate((at, both), len(given) + 1):
        step = predictor.step_cell(q, q, PERIOD * k, poses=whole, twists=rest)
        assert not step.faults


def test_the_bounds_of_a_moving_body_are_those_of_its_points():
    rng = np.random.default_rng(4)
    for seed in range(3):
        shape = so.Polyhedron(rng.normal(size=(8, 3)) * [0.3, 0.2, 0.1])
        cell = so.Cell()
        cell.add_body("wall", so.Box((0.1, 1.0, 1.0)), so.pose((5.0, 0.0, 0.0)))
        cell.add_body("part", shape, moving=True)
        spheres = so.predict.cell_spheres(cell, 1.0, moving={"part": (1.0, 1.0)}, radius=0.08)
        mine = np.array([name == "part" for name in spheres.names])
        for _ in range(20):
            turn, along = rng.normal(size=3), rng.normal(size=3)
            fastest = np.linalg.norm(along + np.cross(turn, shape.vertices), axis=1).max()
            twist = np.concatenate([turn, along])[None] / fastest
            x, v = spheres.place(np.zeros(0), np.zeros(0), None, twist)
            assert (np.linalg.norm(v[mine], axis=1) <= 1.0 + 1e-9).all(), seed
        # and they hold it still
        weights = rng.dirichlet(np.ones(len(shape.vertices)), 500)
        points = weights @ shape.vertices
        gaps = np.linalg.norm(points[:, None] - x[None, mine], axis=2)
        assert (gaps <= spheres.radii[mine]).any(axis=1).all()


def test_more_spheres_than_memory_is_an_error_that_names_the_body():
    cell = arm()
    cell.add_body("floor", so.Box((60.0, 60.0, 0.1)), so.pose((0.0, 0.0, -0.2)))
    with pytest.raises(so.errors.PredictError, match=r"floor.*static_radius"):
        so.Predictor.from_cell(cell, 1.0)
    assert so.Predictor.from_cell(cell, 1.0, static_radius=2.0).spheres is not None


def test_shapes_lie_inside_their_balls():
    inside = [so.Box((0.1, 0.1, 0.1)), so.Sphere(0.1), so.Cylinder(0.06, 0.16)]
    so.Predictor([0.1] * 3, 1.0, exact=so.predict.ExactShapes(inside))
    for shape in (so.Box((1.2, 0.1, 0.1)), so.HalfSpace(), so.Capsule(0.06, 0.1)):
        with pytest.raises(so.errors.PredictError, match=r"shapes\[2\]"):
            so.Predictor([0.1] * 3, 1.0, exact=so.predict.ExactShapes([*inside[:2], shape]))


class Rude:
    """Raises whatever it is asked."""

    def __array__(self, *_, **__):
        raise RuntimeError("no")

    def __float__(self):
        raise RuntimeError("no")


def test_no_input_raises_what_is_not_ours():
    cell = arm(cart=True)
    options = {"max_joint_acceleration": 3.0, "max_joint_speed": 1.5, "moving": {"cart": (1, 1)}}
    predictor = so.Predictor.from_cell(cell, **options)
    good = np.zeros(7)
    for given in (
        (Rude(), good, None), (good, Rude(), None), (good, good, Rude()), (good, good, 10**400)
    ):  # fmt: skip
        step = predictor.step_cell(given[0], given[1], 0.0, twists=given[2])
        assert step.faults and not step.safe
    balls = so.Predictor([0.5] * 2, 1.0, exact=so.predict.ExactShapes([so.Sphere(0.5)] * 2))
    x, v = np.array([[0.0, 0, 0], [1.05, 0, 0]]), np.zeros((2, 3))
    for rotations in ({}, [10**400] * 2, Rude()):
        assert balls.step(x, v, rotations=rotations).true.all()
    spheres = so.predict.cell_spheres
    for bad in (
        lambda: spheres(cell, 1.0, moving="abc"),
        lambda: spheres(cell, 1.0, moving={"cart": (1, 1)}, leave_out=None),
        lambda: spheres(cell, 1.0, moving={"cart": (1, 1)}, leave_out="cart"),
        lambda: so.predict.ExactShapes(None),
        lambda: so.predict.ExactShapes(so.Sphere(1.0)),
    ):
        with pytest.raises(so.Error):
            bad()
