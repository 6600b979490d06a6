"""`so.interference`: what overlaps is found by every method, and the exact one tells no tales."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.bodies import PairScratch
from standoff.interference.exact import AT_LEAST, ExactMethod
from standoff.interference.findings import WorldBoxes
from standoff.interference.mesh_faults import self_crossing
from standoff.interference.parts import parts_of
from tests.oracles import coal as coal_oracle
from tests.worlds.interference_scenes import CONVEX, coal_collides, scene
from tests.worlds.mesh_shapes import (
    bowl_arrays,
    box_arrays,
    box_mesh,
    joined,
    random_poses,
    star,
    star_arrays,
    torus,
    torus_arrays,
)

SOAK = bool(os.environ.get("STANDOFF_SOAK"))
LAW = settings(deadline=None, max_examples=40, derandomize=True)

METHODS = {
    "exact": {"method": "exact"},
    "3 planes": {"method": "projection"},
    "9 planes": {"method": "projection", "planes": 9},
    "true outlines": {"method": "projection", "planes": 5, "outline": "true"},
    "octree": {"method": "octree", "resolution": 0.05},
}


def only(parts, **how):
    """The one finding about two parts."""
    found = so.interference.compare(parts, **how)
    (finding,) = [*found.overlaps, *found.gaps]
    return finding


def at(x=0.0, y=0.0, z=0.0):
    return so.pose((x, y, z))


def hollow():
    """A cube of 2 m with a cavity of 1 m."""
    points, faces = box_arrays(1, 1, 1)
    return so.Mesh(*joined(box_arrays(2, 2, 2), (points, faces[:, ::-1])))


SMALL = {
    "sphere": so.Sphere(0.1),
    "cylinder": so.Cylinder(0.1, 0.2),
    "box": box_mesh(0.2, 0.2, 0.2),
    "torus": torus(ring=0.1, tube=0.03),
    "bowl": so.Mesh(*bowl_arrays(0.1)),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(
    ("big", "x"),
    [(so.Box((1, 1, 1)), 0.0), (box_mesh(1, 1, 1), 0.0), (torus(ring=1.0, tube=0.4), 1.0)],
)
def test_a_part_wholly_inside_another_interferes(name, big, x):
    place = at(x)
    for parts in ({"a": big, "b": (SMALL[name], place)}, {"b": (SMALL[name], place), "a": big}):
        found = only(parts)
        assert isinstance(found, so.interference.Overlap) and found.certain
        assert found.distance < -0.1


@pytest.mark.parametrize("name", SMALL)
def test_a_part_in_a_cavity_does_not(name):
    found = only({"a": hollow(), "b": (SMALL[name], at(0.05))})
    assert isinstance(found, so.interference.Gap) and found.exact and 0.3 < found.distance < 0.5
    found = only({"a": hollow(), "b": (SMALL[name], at(0.75))})  # in the wall, without touching it
    assert isinstance(found, so.interference.Overlap) and found.distance < -0.1


def test_the_distance_to_an_open_mesh_is_said_to_be_one_to_its_surface():
    found = only({"sheet": so.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 1]], [[0, 1, 2]]),
                  "pea": (so.Sphere(0.01), at(0.5, 0.1, 0.5))})  # fmt: skip
    assert isinstance(found, so.interference.Gap) and found.exact
    assert found.evidence == "distance of the surfaces; sheet is open and has no inside"


@pytest.mark.parametrize("method", ["exact", "projection", "octree"])
def test_touching_counts_as_overlap(method):
    for a, b, x in (
        (so.Box((1, 1, 1)), so.Box((1, 1, 1)), 1.0),
        (so.Sphere(0.5), so.Box((1, 1, 1)), 1.0),
        (box_mesh(1, 1, 1), box_mesh(1, 1, 1), 1.0),
        (so.HalfSpace(), so.Sphere(1.0), 0.0),
    ):
        found = only({"a": a, "b": (b, at(x, z=0.0 if x else 1.0))}, method=method)
        assert isinstance(found, so.interference.Overlap)
        assert found.distance is None or abs(found.distance) < 1e-12


@pytest.mark.parametrize("method", ["exact", "projection", "octree"])
def test_as_near_as_the_clearance_counts(method):
    parts = {"a": so.Sphere(0.5), "b": (so.Sphere(0.5), at(1.5))}
    assert so.interference.find(parts, method, clearance=0.5)
    (found,) = so.interference.find(parts, method, clearance=0.6)
    assert (found.a, found.b, found.method) == ("a", "b", method)
    if method == "exact":
        assert found.certain and found.distance == pytest.approx(0.5, abs=1e-12)
        assert "clearance of 600 mm" in found.evidence
    assert not so.interference.find(parts, method, clearance=0.3)
    assert (found.low <= found.high).all()


def test_no_rounding_hides_a_clearance():
    """A gap of 0.1 is 0.09999999999999998 to a computer, or 0.10000000000000009."""
    for x in (1.1, 0.1 + 1.0, 10.1 - 9.0, 3.3 / 3.0):
        parts = {"a": so.Sphere(0.5), "b": (so.Sphere(0.5), at(x))}
        assert so.interference.find(parts, clearance=0.1 * (1 + 1e-15))
        assert not so.interference.find(parts, clearance=0.1 - 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_depths_of_convex_pairs_are_coals(seed):
    parts = scene(seed, kinds=(*CONVEX, "convex mesh"))
    deep = 0
    for found in so.interference.find(parts):
        a, b = parts[found.a], parts[found.b]
        if found.distance > -1e-3:
            continue
        twins = [so.Polyhedron(s.vertices) if isinstance(s, so.Mesh) else s for s in (a[0], b[0])]
        theirs, _, _ = coal_oracle.distance(
            coal_oracle.geometry(twins[0]), a[1], coal_oracle.geometry(twins[1]), b[1]
        )
        assert found.certain and found.evidence == "penetration depth"
        # No shorter translation separates them; Coal's may be longer than the shortest.
        assert found.distance >= theirs - 2e-4 * (1 + abs(theirs))
        deep += abs(found.distance - theirs) < 2e-4
    assert deep > 5


@pytest.mark.soak
@pytest.mark.parametrize("name", METHODS)
def test_no_method_misses_an_overlap(name):
    """20,000 random pairs in the soak, some hundred in the suite. What Coal calls a collision is
    an overlap by every method, and what the exact method finds beyond that is one part inside
    another."""
    pairs = alarms = hits = 0
    for seed in range(304 if SOAK else 6):
        parts = scene(seed)
        truth = coal_collides(parts)
        found = so.interference.compare(parts, **METHODS[name])
        told = {(o.a, o.b): o for o in found.overlaps}
        missed = truth - set(told)
        for a, b in missed:
            # Coal's own rounding: it calls some pairs that are apart by 1e-7 a collision.
            apart = so.distance(*parts[a], *parts[b])
            assert 0.0 < apart.distance < 1e-6, (seed, a, b, apart.distance)
        pairs += len(parts) * (len(parts) - 1) // 2
        hits += len(truth)
        alarms += len(set(told) - truth)
        for a, b in set(told) - truth:
            if name == "exact":
                assert told[a, b].distance <= 1e-6, (seed, a, b)
        for gap in found.gaps:
            distance = so.distance(*parts[gap.a], *parts[gap.b]).distance
            assert gap.distance <= distance * (1 + 1e-9) + 1e-9, (seed, gap)
    print(f"{name}: {pairs} pairs, {hits} collide, {alarms} more reported")
    assert hits > 0.05 * pairs


def test_the_depth_of_meshes_that_cross_is_a_lower_bound():
    """Moved by less, whichever way, they still overlap."""
    rng = np.random.default_rng(3)
    looked = 0
    for seed in range(12):
        poses = random_poses(rng, 2, 0.25)
        a, b = star(seed), so.Mesh(*torus_arrays(ring=0.4, tube=0.2))
        found = only({"a": (a, poses[0]), "b": (b, poses[1])})
        if not isinstance(found, so.interference.Overlap) or found.distance > -0.01:
            continue
        assert AT_LEAST in found.evidence
        looked += 1
        for way in rng.normal(size=(30, 3)):
            moved = poses[0].copy()
            moved[:3, 3] -= 0.999 * found.distance * way / np.linalg.norm(way)
            assert so.interference.find({"a": (a, moved), "b": (b, poses[1])})
    assert looked >= 5


@pytest.mark.parametrize(
    "small", [so.Sphere(0.1), so.Capsule(0.05, 0.2), so.Cylinder(0.1, 0.2), so.Box((0.2, 0.2, 0.2))]
)
def test_how_deep_a_round_body_is_in_a_mesh(small):
    """In the middle of a tube of radius 0.4 it takes 0.4 and its own thickness to leave."""
    fat = torus(ring=1.0, tube=0.4, around=96, across=48)
    found = only({"fat": fat, "small": (small, at(1.0))})
    assert -0.56 < found.distance < -0.44 and AT_LEAST in found.evidence
    assert "of small in fat" in found.evidence


def test_doubt_counts_as_overlap(monkeypatch):
    """An iteration that did not converge gives a proved lower bound."""
    parts = parts_of({"a": so.Box((1, 1, 1)), "b": (so.Box((1, 1, 1)), at(0.5))})
    method = ExactMethod(parts, clearance=0.1)
    monkeypatch.setattr(method, "_distance", lambda i, j: (0.05, 0.0, False))
    found = method.judge(0, 1)
    assert (
        isinstance(found, so.interference.Overlap) and not found.certain and found.distance is None
    )
    monkeypatch.setattr(method, "_distance", lambda i, j: (0.2, 0.05, False))
    found = method.judge(0, 1)
    assert (
        isinstance(found, so.interference.Gap)
        and not found.exact
        and found.distance <= 0.15 + 1e-12
    )
    # converged, but its error bound reaches below the clearance
    monkeypatch.setattr(method, "_distance", lambda i, j: (0.11, 0.02, True))
    found = method.judge(0, 1)
    assert (
        isinstance(found, so.interference.Overlap) and not found.certain and found.distance == 0.11
    )


def test_half_spaces():
    parts = {
        "floor": so.HalfSpace(),
        "ceiling": (so.HalfSpace(), so.pose((0, 0, 2), (0.0, 1.0, 0.0, 0.0))),
        "wall": (so.HalfSpace(), so.pose((0, 0, 0), (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))),
        "ball": (so.Sphere(0.5), at(3.0, 0.0, 0.4)),
        "star": (star(1), at(3.0, 2.0, 1.0)),
    }
    found = so.interference.compare(parts)
    overlaps = {(o.a, o.b): o for o in found.overlaps}
    assert overlaps["floor", "ball"].distance == pytest.approx(-0.1)
    assert ("floor", "ceiling") not in overlaps
    assert overlaps["floor", "wall"].distance == -math.inf
    assert len(found.gaps) + len(overlaps) == 10


@LAW
@given(st.integers(0, 10_000), st.integers(0, 40), st.floats(0.0, 0.3))
def test_the_sweep_finds_what_all_pairs_give(seed, count, reach):
    rng = np.random.default_rng(seed)
    parts = {
        str(k): (so.Box(rng.uniform(0.01, 0.4, 3)), pose)
        for k, pose in enumerate(random_poses(rng, count, 1.0))
    }
    if count > 5:
        parts["floor"] = (so.HalfSpace(), at())
    boxes = WorldBoxes(parts_of(parts))
    n = len(parts)
    wanted = [[i, j] for i, j in itertools.combinations(range(n), 2) if boxes.gap(i, j) <= reach]
    assert boxes.near(reach).tolist() == wanted


@LAW
@given(st.integers(0, 10_000))
def test_the_gap_of_boxes_is_a_lower_bound(seed):
    parts = scene(seed, count=5, reach=1.5)
    boxes = WorldBoxes(parts_of(parts))
    for (i, a), (j, b) in itertools.combinations(enumerate(parts.values()), 2):
        assert boxes.gap(i, j) <= max(so.distance(*a, *b).distance, 0.0) + 1e-15


def test_every_pair_is_an_overlap_or_a_gap_in_the_order_of_the_parts():
    parts = {
        str(k): (so.Box((0.3, 0.3, 0.3)), pose)
        for k, pose in enumerate(random_poses(np.random.default_rng(1), 30, 1.0))
    }
    found = so.interference.compare(parts, allowed=[("3", "4"), ("29", "0")])
    gaps = list(found.gaps)
    assert len(found.gaps) == len(gaps) and found.overlaps
    assert [found.gaps[k].evidence for k in range(len(gaps))] == [g.evidence for g in gaps]
    names = [(int(g.a), int(g.b)) for g in gaps]
    assert names == sorted(names) and all(a < b for a, b in names)
    assert [(int(g.a), int(g.b)) for g in map(found.gaps.__getitem__, range(len(gaps)))] == names
    assert found.gaps[-1].distance == gaps[-1].distance and len(found.gaps[3:7]) == 4
    with pytest.raises(IndexError):
        found.gaps[len(gaps)]
    both = {(o.a, o.b) for o in found.overlaps} | {(g.a, g.b) for g in gaps}
    assert len(both) + found.tests["allowed"] == found.tests["pairs"] == 30 * 29 // 2
    nearest = [g.distance for g in found.gaps.nearest(25)]
    assert nearest == sorted(g.distance for g in gaps)[:25]


def test_parts_alone_and_few():
    for parts in ({}, {"a": so.Sphere(1.0)}):
        for method in ("exact", "projection", "octree"):
            found = so.interference.compare(parts, method)
            assert not found.overlaps and len(found.gaps) == 0 and list(found.gaps) == []
            assert found.gaps.nearest(3) == [] and found.tests["pairs"] == 0


def test_the_order_of_parts_changes_no_finding():
    parts = scene(3)
    there = {frozenset((o.a, o.b)): o.distance for o in so.interference.find(parts)}
    back = {frozenset((o.a, o.b)): o for o in so.interference.find(dict(reversed(parts.items())))}
    assert there.keys() == back.keys()
    for pair, distance in there.items():
        assert back[pair].distance == pytest.approx(distance, abs=1e-6)


def test_progress_is_told():
    seen = []
    so.interference.compare(scene(0), progress=lambda done, total: seen.append((done, total)))
    assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1] == len(seen) - 1


@pytest.mark.parametrize(
    ("parts", "how", "says"),
    [
        ([so.Sphere(1.0)], {}, "not parts"),
        ({"a": 3}, {}, "not a part"),
        ({"": so.Sphere(1.0)}, {}, "not a name"),
        ({"a": so.Sphere(1.0)}, {"method": "guess"}, "exact, projection, octree"),
        ({"a": so.Sphere(1.0)}, {"clearance": -0.1}, "clearance"),
        ({"a": so.Sphere(1.0)}, {"clearance": math.nan}, "clearance"),
        ({"a": so.Sphere(1.0)}, {"clearance": "wide"}, "clearance"),
        ({"a": so.Sphere(1.0)}, {"allowed": [("a", "b")]}, "unknown part 'b'"),
        ({"a": so.Sphere(1.0)}, {"allowed": [(["a"], "a")]}, "unknown part"),
        *(
            ({"a": so.Sphere(1.0)}, {"allowed": allowed}, "allowed: not")
            for allowed in (None, 5, [("a",)], ("a", "b", "a"), "ab", [("a", "a", "a")], [5])
        ),
        ({"a": so.Sphere(1.0)}, {"method": np.array(["exact", "octree"])}, "method"),
        ({"a": so.Sphere(1.0)}, {"progress": 5}, "progress: not a function"),
        *(
            (
                {"a": so.Sphere(0.1), "b": so.Sphere(0.1)},
                {"method": "octree", "resolution": resolution},
                "resolution: too fine",
            )
            for resolution in (1e-320, 1e-310, 1e-12, 1e-6)
        ),
        (
            {
                "near": so.Sphere(1),
                "far": (so.Sphere(1), at(1e9)),
                "back": (so.Sphere(1), at(-1e9)),
            },
            {"method": "octree"},
            "back to far: too large a scene for an octree",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(parts, how, says):
    with pytest.raises(so.Error, match=says):
        so.interference.compare(parts, **how)


def crossing_pairs(mesh):
    """Pairs of triangles without a common vertex of which an edge of one pierces the other, by
    signed volumes of all of them."""
    corners = mesh.vertices[mesh.faces]

    def volume(a, b, c, d):
        return np.linalg.det(np.stack([b - a, c - a, d - a]))

    found = set()
    for i, j in itertools.permutations(range(len(corners)), 2):
        if set(mesh.faces[i]) & set(mesh.faces[j]):
            continue
        p, q, r = corners[j]
        for k in range(3):
            x, y = corners[i][k], corners[i][(k + 1) % 3]
            if volume(x, p, q, r) * volume(y, p, q, r) < 0:
                around = [volume(x, y, *edge) for edge in ((p, q), (q, r), (r, p))]
                if min(around) > 0 or max(around) < 0:
                    found.add((min(i, j), max(i, j)))
    return sorted(found)


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", range(4))
def test_self_crossings_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.5, 0.5, (14, 1, 3)) + rng.uniform(-0.3, 0.3, (14, 3, 3))
    mesh = so.Mesh(points.reshape(-1, 3), np.arange(42).reshape(-1, 3))
    wanted = crossing_pairs(mesh)
    found = self_crossing(mesh)
    assert wanted and found.count == len(wanted)
    assert [tuple(pair) for pair in found.pairs.tolist()] == wanted
    corners = mesh.vertices[mesh.faces[found.pairs]]
    assert (corners >= found.low).all() and (corners <= found.high).all()


def test_clean_meshes_cross_nowhere():
    stacked = so.Mesh(*joined(box_arrays(1, 1, 1), box_arrays(0.5, 0.4, 0.3, centre=(0.75, 0, 0))))
    shifted = so.Mesh(*joined(box_arrays(1, 1, 1), box_arrays(1, 1, 1, centre=(1.0, 0.3, 0.2))))
    solids = (torus(), star(2), hollow(), box_mesh(1, 2, 3), stacked, shifted)
    for mesh in (*solids, so.Mesh(*bowl_arrays())):
        assert self_crossing(mesh) is None
    single = so.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert self_crossing(single) is None


def test_cubes_that_cross_exactly_along_the_diagonals_of_their_faces():
    """Every edge goes through the other cube where two of its triangles meet."""
    for shift in (0.25, 0.5):
        cubes = joined(box_arrays(1, 1, 1), box_arrays(1, 1, 1, centre=(shift, shift, shift)))
        assert self_crossing(so.Mesh(*cubes)).count >= 6


@pytest.mark.interpreted
def test_the_deepest_vertex_without_the_compiler():
    cube = box_arrays(1, 1, 1)
    dented = so.Mesh(*star_arrays(np.random.default_rng(0), radius=0.4, around=5, rings=3))
    found = only({"a": so.Mesh(*cube), "b": (dented, at(0.6))})
    vertices = dented.vertices + np.array([0.6, 0.0, 0.0])
    depth = (0.5 - np.abs(vertices)).min(axis=1).max()
    assert found.distance <= -depth + 1e-12 and AT_LEAST in found.evidence


def test_scratch_is_as_large_as_the_kernels_want():
    """The method shares one row of scratch among all its pairs."""
    method = ExactMethod(parts_of(scene(1)))
    work, out = method._scratch.work, method._out
    assert len(work) == len(PairScratch().work)
    assert out.shape == (1, layout.OUT_COLUMNS)


@pytest.mark.parametrize("first", ["so.interference.compare", "standoff.interference.parts"])
def test_the_package_is_called_as_the_function_that_it_is_named_after(first):
    """Importing one of its modules binds the package to the name of the function."""
    code = (
        "import importlib, standoff as so\n"
        + (first if first.startswith("so.") else f"importlib.import_module({first!r})")
        + "\nassert so.interference.find({'a': so.Sphere(1.0), 'b': so.Box((1, 1, 1))})"
        + "\nimport standoff.interference.region_tree\nassert so.interference.find({}) == []"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
