"""Region octrees held against each other: two, many, and against Coal."""

import numpy as np
import pytest

import standoff as so
from standoff.interference.findings import Gap, Overlap
from standoff.interference.parts import Part, parts_of
from standoff.interference.region_meets import OctreeMethod
from standoff.interference.region_watch import STATIC
from tests.oracles import coal as coal_oracle
from tests.worlds.mesh_shapes import torus
from tests.worlds.region_shapes import ROOT, random_pose, shapes


def brute_places(a, b):
    """The smaller of each two leaves that overlap, as rows of numbers, in order."""
    found = []
    for n, box in enumerate(a.boxes()):
        others = b.boxes()
        for m in np.flatnonzero(
            (others[:, :3] < box[3:] - 1e-9).all(axis=1)
            & (others[:, 3:] > box[:3] + 1e-9).all(axis=1)
        ):
            smaller = box if a.leaf_levels[n] >= b.leaf_levels[m] else others[m]
            found.append((*smaller, a.sure[n] and b.sure[m]))
    return sorted(found)


def places(meeting):
    return sorted((*box, sure) for box, sure in zip(meeting.places, meeting.sure))


def grey_in_both(a, b):
    """The nodes above leaves of both trees, walked one by one."""
    grey = []
    for tree in (a, b):
        grey.append(
            {
                (code >> 3 * (tree.levels - k), k)
                for code, level in zip(tree.codes.tolist(), tree.leaf_levels)
                for k in range(level)
            }
        )
    return grey[0] & grey[1]


def random_trees(rng, count, levels=4, reach=0.7):
    kinds = list(shapes(rng).values())
    chosen = [kinds[k] for k in rng.integers(len(kinds), size=count)]
    return [
        so.interference.RegionTree.build(s, random_pose(rng, reach), root=ROOT, levels=levels)
        for s in chosen
    ]


def test_two_trees_meet_where_their_leaves_overlap():
    rng = np.random.default_rng(1)
    apart = 0
    for _ in range(60):
        a, b = random_trees(rng, 2, levels=int(rng.integers(0, 5)), reach=1.2)
        meeting = so.interference.meets(a, b)
        assert places(meeting) == brute_places(a, b)
        assert meeting.visited == 1 + 8 * len(grey_in_both(a, b))
        assert meeting.apart != (len(meeting.places) > 0 or (a.outside and b.outside))
        first = so.interference.meets(a, b, first=True)
        assert len(first.places) == min(1, len(meeting.places))
        assert first.visited <= meeting.visited
        apart += meeting.apart
    assert 5 < apart < 55


def test_many_trees_meet_as_each_two_of_them_do():
    rng = np.random.default_rng(2)
    for count in (2, 3, 7):
        for _ in range(8):
            trees = random_trees(rng, count, reach=1.0)
            found = so.interference.meets_many(trees)
            expected = {}
            looked = set()
            for i in range(count):
                for j in range(i + 1, count):
                    meeting = so.interference.meets(trees[i], trees[j])
                    looked |= grey_in_both(trees[i], trees[j])
                    if not meeting.apart:
                        expected[i, j] = meeting
            assert found.pairs.keys() == expected.keys()
            for pair, meeting in expected.items():
                assert places(found.pairs[pair]) == places(meeting)
                assert found.pairs[pair].doubt == meeting.doubt
            assert found.visited == 1 + 8 * len(looked)
    assert (
        so.interference.meets_many([]).pairs == {}
        and so.interference.meets_many(trees[:1]).pairs == {}
    )


def test_no_overlap_is_missed_that_coal_finds():
    """Convex and non-convex parts, touching nearly and deeply, with and without clearance."""
    rng = np.random.default_rng(3)
    hits = false_alarms = certain = 0
    bodies = [s for k, s in shapes(rng).items() if k not in ("half space", "sheet", "bowl")]
    models = [coal_oracle.geometry(s) for s in bodies]
    for n in range(300):
        i, j = rng.integers(len(bodies), size=2)
        pose_a, pose_b = random_pose(rng, 0.6), random_pose(rng, 0.6)
        clearance = 0.0 if n % 3 else 0.1
        method = OctreeMethod(
            [Part("a", bodies[i], pose_a), Part("b", bodies[j], pose_b)],
            resolution=0.1,
            clearance=clearance,
        )
        verdict = method.judge(0, 1)
        value, *_ = coal_oracle.distance(models[i], pose_a, models[j], pose_b)
        exact = so.distance(bodies[i], pose_a, bodies[j], pose_b).distance
        if isinstance(verdict, Gap):
            assert value > clearance and exact >= verdict.distance >= clearance
        else:
            assert isinstance(verdict, Overlap)
            hits += exact <= clearance
            false_alarms += exact > clearance
            certain += verdict.certain
            assert not verdict.certain or exact <= clearance + 1e-9
            assert (verdict.low < verdict.high).all()
    assert hits > 50 and certain > 30 and false_alarms < 60


def test_half_spaces_are_missed_nowhere():
    rng = np.random.default_rng(4)
    kinds = [s for s in shapes(rng).values() if s.bounded]
    gaps = 0
    for _ in range(60):
        shape = kinds[int(rng.integers(len(kinds)))]
        parts = {
            "part": (shape, random_pose(rng)),
            "floor": (so.HalfSpace(), random_pose(rng, 1.5)),
        }
        verdict = OctreeMethod(parts_of(parts), resolution=0.1, clearance=0.0).judge(0, 1)
        exact = so.distance(*parts["part"], *parts["floor"]).distance
        gaps += isinstance(verdict, Gap)
        assert isinstance(verdict, Overlap) or exact >= verdict.distance
    assert 5 < gaps < 55
    walls = {"a": so.HalfSpace(), "b": (so.HalfSpace(), so.pose((0, 0, 0.5), rpy=(np.pi, 0, 0)))}
    assert isinstance(
        OctreeMethod(parts_of(walls), resolution=None, clearance=0.4).judge(0, 1), Gap
    )
    for clearance in (0.5, 0.6):
        method = OctreeMethod(parts_of(walls), resolution=None, clearance=clearance)
        assert isinstance(method.judge(0, 1), Overlap)


def test_a_part_inside_another_overlaps():
    for outer in (so.Sphere(1.0), torus(ring=1.0, tube=0.4), so.Box((2, 2, 2))):
        at = (1.0, 0.0, 0.0) if outer.kind == torus().kind else (0.0, 0.0, 0.0)
        parts = parts_of({"outer": outer, "inner": (so.Sphere(0.1), so.pose(at))})
        verdict = OctreeMethod(parts, resolution=0.05, clearance=0.0).judge(0, 1)
        assert isinstance(verdict, Overlap) and verdict.certain


def test_interleaved_tori_that_do_not_touch_are_told_apart():
    ring = torus(ring=0.5, tube=0.2, around=60, across=24)
    parts = parts_of({"a": ring, "b": (ring, so.pose((0.5, 0, 0), rpy=(np.pi / 2, 0, 0)))})
    fine = OctreeMethod(parts, resolution=0.02, clearance=0.0)
    assert isinstance(fine.judge(0, 1), Gap) and fine.tests["trees"] == 2
    assert isinstance(OctreeMethod(parts, resolution=0.2, clearance=0.0).judge(0, 1), Overlap)


def test_the_usual_resolution_follows_the_smallest_part():
    parts = parts_of({"a": so.Sphere(0.01), "b": (so.Sphere(1.0), so.pose((1.2, 0, 0)))})
    method = OctreeMethod(parts, resolution=None, clearance=0.0)
    assert method.levels == 8
    assert isinstance(method.judge(0, 1), Gap)
    assert OctreeMethod(parts[:1], resolution=None, clearance=0.0).levels == 5
    with pytest.raises(so.errors.InterferenceError, match="resolution"):
        OctreeMethod(parts, resolution=-1.0, clearance=0.0)
    with pytest.raises(so.errors.InterferenceError, match="clearance"):
        OctreeMethod(parts, resolution=None, clearance=float("nan"))


def test_parts_that_only_touch_overlap():
    parts = parts_of({"a": so.Box((1, 1, 1)), "b": (so.Box((1, 1, 1)), so.pose((1.0, 0, 0)))})
    for resolution in (1.0, 0.1, 0.013):
        verdict = OctreeMethod(parts, resolution=resolution, clearance=0.0).judge(0, 1)
        assert isinstance(verdict, Overlap)


def test_a_watch_warns_before_anything_touches():
    """Two bodies and a wall, moved at random as fast as allowed: no contact comes between a look
    without a warning and the end of braking after the next look."""
    rng = np.random.default_rng(5)
    interval, speed, braking = 0.1, 1.5, 0.08
    wall = (so.Box((0.1, 2.0, 2.0)), so.pose((0.8, 0.0, 0.0)))
    watch = so.interference.RegionWatch(
        {"wall": wall}, root=((0, 0, 0), 6.0), resolution=0.05, interval=interval,
        speeds={"a": speed, "b": 0.5 * speed}, braking=braking,
    )  # fmt: skip
    assert watch.growth("a") == pytest.approx(braking + speed * interval)
    a, b = so.Capsule(0.1, 0.4), so.Sphere(0.15)
    quiet = loud = 0
    for _ in range(120):
        at_a, at_b = rng.uniform(-0.7, 0.7, 3), rng.uniform(-0.7, 0.7, 3)
        turned = random_pose(rng)
        pose_a, pose_b = turned.copy(), so.pose(at_b)
        pose_a[:3, 3] = at_a
        check = watch.check({"a": (a, pose_a), "b": (b, pose_b)})
        ways = [rng.normal(size=3) for _ in range(2)]
        for pose, way, fast in ((pose_a, ways[0], speed), (pose_b, ways[1], 0.5 * speed)):
            pose[:3, 3] += way / np.linalg.norm(way) * (fast * interval + braking)
        contacts = {
            ("a", "b"): so.distance(a, pose_a, b, pose_b).distance,
            ("a", STATIC): so.distance(a, pose_a, *wall).distance,
            ("b", STATIC): so.distance(b, pose_b, *wall).distance,
        }
        for pair, value in contacts.items():
            assert pair in check.warnings or value > 0.0
            quiet += pair not in check.warnings
            loud += pair in check.warnings
    assert quiet > 100 and loud > 50
    with pytest.raises(so.errors.UnknownNameError, match="speeds"):
        watch.check({"c": b})


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "no pose was given for n"),
        ({"n": None}, "no pose was given for n"),
        ({"n": (so.Sphere(0.1), np.full((4, 4), np.nan))}, "the pose of n is unknown: "),
        ({"n": (so.Sphere(0.1), 3 * np.eye(4))}, "the pose of n is unknown: "),
        ({"n": (so.Sphere(0.1), np.eye(3))}, "the pose of n is unknown: "),
        ({"n": "a sphere"}, "the shape of n is unknown: "),
    ],
)
@pytest.mark.parametrize("own", ["speeds", "braking"])
def test_a_body_that_a_look_is_not_told_about_may_be_anywhere(told, why, own):
    settings = {"speeds": 1.0, "braking": 0.0, own: {"m": 1.0, "n": 1.0}}
    post = {"post": (so.Sphere(0.1), so.pose((1.8, 1.8, 1.8)))}
    watch = so.interference.RegionWatch(
        post, root=((0, 0, 0), 4.0), resolution=0.1, interval=0.1, **settings
    )
    ball = so.Sphere(0.1)
    for moving in ({"m": ball, **told}, {**told, "m": ball}):
        found = watch.check(moving)
        assert list(found.trees) == ["m"] and list(found.lost) == ["n"]
        assert found.lost["n"].startswith(why)
        assert {frozenset(pair) for pair in found.warnings} == {
            frozenset("mn"), frozenset(("n", STATIC))
        }  # fmt: skip
        assert all(pair.doubt and not pair.apart for pair in found.warnings.values())
    # The watch goes on, and is silent again once it is told.
    free = {"m": ball, "n": (ball, so.pose((-1.8, 0.0, 0.0)))}
    assert own == "braking" or not watch.check(free).warnings
    for nothing in (None, 5, {}):
        found = watch.check(nothing)
        assert set(found.warnings) == {("m", "n"), ("m", STATIC), ("n", STATIC)}


def test_a_watch_says_at_once_what_it_can_never_do():
    how = {"root": ((0, 0, 0), 4.0), "resolution": 0.1}
    with pytest.raises(so.errors.InterferenceError, match="ways too long"):
        so.interference.RegionWatch({}, interval=1e200, speeds=1e200, **how)
    with pytest.raises(so.errors.InterferenceError, match="speeds: not names"):
        so.interference.RegionWatch({}, interval=0.1, speeds={3: 1.0}, **how)
    with pytest.raises(so.errors.InterferenceError, match="not bodies"):
        so.interference.RegionWatch({}, interval=0.1, speeds=1.0, **how).check(None)
    with pytest.raises(so.errors.InterferenceError, match="not a name"):
        so.interference.RegionWatch({}, interval=0.1, speeds=1.0, **how).check(
            {STATIC: so.Sphere(0.1)}
        )


def test_parts_moved_into_the_slightest_contact_overlap():
    """Along their own normal, from apart until they are 1e-9 m deep in each other."""
    rng = np.random.default_rng(6)
    bodies = [s for k, s in shapes(rng).items() if k != "half space"]
    tried = 0
    while tried < 80:
        a, b = (bodies[k] for k in rng.integers(len(bodies), size=2))
        pose_a, pose_b = random_pose(rng, 0.9), random_pose(rng, 0.9)
        found = so.distance(a, pose_a, b, pose_b)
        if found.distance <= 0.0:
            continue
        pose_b[:3, 3] += (found.distance + 1e-9) * found.normal
        parts = [Part("a", a, pose_a), Part("b", b, pose_b)]
        resolution = float(rng.choice([0.3, 0.05]))
        verdict = OctreeMethod(parts, resolution=resolution, clearance=0.0).judge(0, 1)
        assert isinstance(verdict, Overlap)
        # And with a clearance, when they are as far apart as that.
        pose_b[:3, 3] -= 0.05 * found.normal
        parts = [Part("a", a, pose_a), Part("b", b, pose_b)]
        verdict = OctreeMethod(parts, resolution=resolution, clearance=0.05).judge(0, 1)
        assert isinstance(verdict, Overlap)
        tried += 1
