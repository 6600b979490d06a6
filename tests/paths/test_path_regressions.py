"""What reviews of the path checker found, kept from coming back."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import standoff as so
from standoff.cli import app
from standoff.paths import path_search as scratch
from standoff.paths.certificate import GROUP, PROOF, SPHERE, Claim, Group
from tests.worlds.mesh_shapes import box_arrays


def urdf(*parts: str) -> str:
    return f'<robot name="r"><link name="b"/>{"".join(parts)}</robot>'


def joint(
    name: str, kind: str, parent: str, child: str, limits: tuple[float, float], rest=""
) -> str:
    low, high = limits
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rest}'
        f'<limit lower="{low}" upper="{high}" velocity="9" effort="1"/></joint>'
    )


def ball(at: str, radius: float) -> str:
    return (
        f'<collision><origin xyz="{at}"/><geometry><sphere radius="{radius}"/></geometry>'
        "</collision>"
    )


@pytest.fixture
def tip(tmp_path):
    """A turning link with two small balls far out."""
    path = tmp_path / "tip.urdf"
    link = f'<link name="l">{ball("0.8 0 0", 0.02)}{ball("0.85 0 0", 0.02)}</link>'
    turn = joint("j", "revolute", "b", "l", (-3, 3), '<axis xyz="0 0 1"/>')
    path.write_text(urdf(link, turn))
    return path


@pytest.fixture
def slide(tmp_path):
    """A turning link that carries a slide, among spheres."""
    path = tmp_path / "slide.urdf"
    box = (
        '<collision><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.4"/></geometry>'
        "</collision>"
    )
    path.write_text(
        urdf(
            f'<link name="l1">{ball("0 0 0", 0.05)}</link><link name="l2">{box}</link>',
            joint("j1", "revolute", "b", "l1", (-3, 3), '<axis xyz="0 0 1"/>'),
            joint(
                "j2",
                "prismatic",
                "l1",
                "l2",
                (0, 0.5),
                '<origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>',
            ),
        )
    )
    cell, rng = so.Cell(), np.random.default_rng(0)
    cell.add_robot(path, name="r")
    for k in range(12):
        cell.add_body(f"s{k}", so.Sphere(0.05), so.pose(rng.uniform(-1, 1, 3) * [1, 1, 0.4]))
    return cell


class TestInsideAMesh:
    """A body inside a mesh touches no surface, and is not free for all that."""

    @pytest.fixture
    def checker(self):
        cell = so.Cell()
        cell.add_body("big", so.Mesh(*box_arrays(2, 2, 2)))
        cell.add_body("small", so.Mesh(*box_arrays(0.2, 0.2, 0.2)), moving=True)
        return so.PathChecker(cell)

    @pytest.mark.parametrize("first", [False, True])
    @pytest.mark.parametrize(("start", "way"), [(-0.3, 0.6), (0.0, 2.0), (-0.8, 1.6), (0.0, 0.01)])
    def test_from_the_start(self, checker, start, way, first):
        poses = [so.pose((start, 0, 0)), so.pose((start + way, 0, 0))]
        verdict = checker.segment([], [], moving={"small": poses}, first=first)
        assert verdict.kind == "collision"
        assert verdict.free_until == 0.0
        if first:
            assert verdict.t <= 1e-6

    @pytest.mark.parametrize("start", [-2.0, -5.0])
    def test_on_its_way_in(self, checker, start):
        poses = [so.pose((start, 0, 0)), so.pose((0, 0, 0))]
        verdict = checker.segment([], [], moving={"small": poses}, first=True)
        at = (-1.1 - start) / -start
        assert verdict.free_until <= at + 1e-9
        assert verdict.t == pytest.approx(at, abs=1e-5)


@pytest.mark.parametrize("side", [0.0, 5.0])
def test_a_mesh_that_sinks_into_a_half_space(side):
    """It was free at every instant, wherever the half space's frame was not inside the mesh."""
    cell = so.Cell()
    cell.add_body("floor", so.HalfSpace(), so.pose((side, side, -0.5)))
    cell.add_body("cube", so.Mesh(*box_arrays(0.1, 0.1, 0.1)), moving=True)
    checker = so.PathChecker(cell)

    def lowered_to(height, first=False):
        way = [so.pose((0, 0, 0)), so.pose((0, 0, height))]
        return checker.segment([], [], moving={"cube": way}, first=first)

    assert lowered_to(-0.44)
    assert lowered_to(-0.9).kind == "collision"
    assert lowered_to(-0.9, first=True).t == pytest.approx(0.5, abs=1e-5)


class TestStopsThatStayOpen:
    """A spent budget ends in a warning that names a watched pair, and never in an exception."""

    @pytest.mark.parametrize("budget", [6, 8, 12, 20])
    def test_two_robots(self, tip, budget):
        cell = so.Cell()
        cell.add_robot(tip, name="a")
        cell.add_robot(tip, name="b", base=so.pose((1.64, 0, 0)))
        self.watch(cell, budget, {("a/l", "b/l")})

    @pytest.mark.parametrize("budget", [6, 12])
    def test_posts(self, tip, budget):
        cell = so.Cell()
        cell.add_robot(tip, name="a")
        posts = [f"post{k}" for k in range(30)]
        for k, name in enumerate(posts):
            cell.add_body(
                name, so.Sphere(0.02), so.pose((0.8 * np.cos(0.1 * k), 0.8 * np.sin(0.1 * k), 0.06))
            )
        cell.add_body("zz", so.Sphere(0.1), so.pose((9, 9, 9)))
        self.watch(cell, budget, {("a/l", name) for name in posts})

    def watch(self, cell, budget, pairs):
        stopping = so.Stopping(
            deceleration=10.0, reaction=0.1, budget=budget, limits=False, acceleration=0.0
        )
        monitor = so.Monitor(cell, buffer=1e-3, stopping=stopping)
        n, undecided = len(cell.joints), 0
        for speed in (3.0, 6.0):
            for turn in np.linspace(-3, 3, 121):
                q = np.array([turn, np.pi - 0.9 * turn][:n])
                warning = monitor.update(q, dq=np.array([speed, -speed][:n])).stopping
                if warning is not None:
                    undecided += warning.kind == "undecided"
                    assert tuple(sorted((warning.a, warning.b))) in pairs
        assert undecided > 0


class TestNoHistory:
    """What a checker was asked before does not show in its answers."""

    def test_after_a_slide_beyond_its_limits(self, slide):
        rng = np.random.default_rng(1)
        ends = rng.uniform([-3, 0], [3, 0.5], (120, 2, 2))
        used = so.PathChecker(slide)
        used.segment([0, 0], [1, 50.0])
        for a, b in ends[:40]:
            fresh, again = so.PathChecker(slide).segment(a, b), used.segment(a, b)
            assert (fresh.kind, fresh.t) == (again.kind, again.t)
            assert (fresh.intervals, fresh.distances) == (again.intervals, again.distances)
        answers = []
        for before, threads in ((False, 1), (True, 1), (True, 2)):
            checker = so.PathChecker(slide, budget=40)
            if before:
                checker.segment([0, 0], [1, 50.0])
            answers.append(checker.segment_kinds(ends[:, 0], ends[:, 1], threads=threads).tolist())
        assert answers[0] == answers[1] == answers[2]

    def test_small_tables_count_the_same(self, slide, monkeypatch):
        """A step that is done again because a table was too small counts once."""
        ends = [-3.0, 0.0], [3.0, 0.5]
        usual = so.PathChecker(slide).segment(*ends)
        monkeypatch.setattr(scratch, "_NODES", 4)
        monkeypatch.setattr(scratch, "_POOL", 8)
        small = so.PathChecker(slide).segment(*ends)
        assert (small.intervals, small.distances) == (usual.intervals, usual.distances)


@pytest.mark.parametrize("method", [SPHERE, GROUP])
def test_a_forged_proof_of_meshes_that_overlap(method):
    """Bodies of a mesh may not overlap, however negative the clearance."""
    cell = so.Cell()
    cell.add_body("wall", so.Mesh(*box_arrays(0.2, 0.2, 0.2)))
    cell.add_body("part", so.Mesh(*box_arrays(0.2, 0.2, 0.2)), so.pose((3, 0, 0)), moving=True)
    checker = so.PathChecker(cell, clearance=-0.5)
    overlapping = {"part": [so.pose((0.1, 0, 0)), so.pose((0.05, 0, 0))]}
    honest = checker.segment([], [], moving=overlapping)
    assert honest.kind == "collision"
    certificate = honest.certificate()
    names = [x.body for x in certificate.primitives]
    part, wall = names.index("part"), names.index("wall")
    row = np.zeros(1, dtype=PROOF)
    row["end"], row["a"], row["method"] = 1.0, part, method
    groups, glides = (), certificate.glides.copy()
    if method == SPHERE:
        radii = sum(x.radius for x in certificate.primitives)
        row["b"], row["normal"], row["distance"] = wall, [[1.0, 0, 0]], 0.1 - radii - 1e-9
    else:
        groups = (Group((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1), (wall,)),)
        glides[:, 0, 3], glides[:, 0, 12:15] = 0.16, [-0.03, 0, 0]
    forged = replace(certificate, verdict=Claim("free"), proofs=row, groups=groups, glides=glides)
    for engine in ("plain", "auto"):
        assert not so.verify(cell, forged, engine=engine).verified


def test_what_is_free_with_deviations_has_a_certificate():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="p")
    low, high, rng = cell.tree.lower, cell.tree.upper, np.random.default_rng(0)
    off = np.where(np.arange(len(low)) < 7, 0.05, 0.005)
    checker, free = so.PathChecker(cell, deviation=off, budget=2000), 0
    for _ in range(25):
        a = rng.uniform(low + off, high - off)
        b = np.clip(a + 0.05 * rng.normal(size=len(a)), low + off, high - off)
        verdict = checker.segment(a, b)
        if verdict.free:
            free += 1
            assert verdict.certificate().verdict.kind == "free"
    assert free > 2


class TestBadArguments:
    @pytest.mark.parametrize("budget", [2**63, 10**30, 0, -1, True, 2.0, "9"])
    def test_budget(self, slide, budget):
        with pytest.raises(so.errors.PathError, match="budget"):
            so.PathChecker(slide, budget=budget)

    @pytest.mark.parametrize("thing", [None, [], {}, b"x", float("nan"), np.zeros(3)])
    def test_verify(self, slide, thing):
        with pytest.raises(so.errors.CertificateError, match="certificate"):
            so.verify(slide, thing)

    def test_complex_waypoints(self, slide):
        with pytest.raises(so.errors.ConfigurationError, match="not numbers"):
            so.PathChecker(slide).path(np.array([[0j, 0j], [1j, 0j]]))


class TestFiles:
    @pytest.fixture
    def swinging(self, tmp_path):
        """A trajectory whose points are within limits, and whose polynomial is not."""
        path = tmp_path / "swing.json"
        joints = [f"panda_joint{k}" for k in range(1, 8)] + ["panda_finger_joint1"]
        rest = [-0.5, 0.0, -1.5, 0.0, 1.5, 0.0, 0.02]
        points = [
            {"positions": [2.8, *rest], "velocities": [v] + [0.0] * 7, "time_from_start": t}
            for v, t in ((3.0, 0.0), (-3.0, 2.0))
        ]
        path.write_text(json.dumps({"joint_names": joints, "points": points}))
        return path

    def test_a_swing_beyond_the_limits(self, swinging):
        result = CliRunner().invoke(app, ["check", "builtin:panda", str(swinging)])
        assert isinstance(result.exception, so.errors.PathError)
        assert "panda_joint1" in str(result.exception) and "t = 1" in str(result.exception)
        taken = CliRunner().invoke(app, ["check", "builtin:panda", str(swinging), "--no-limits"])
        assert taken.exit_code in (0, 1)

    def test_a_certificate_is_not_written_over_its_input(self, tmp_path):
        path = tmp_path / "path.csv"
        text = "\n".join(",".join(["0", "-0.5", "0", "-1.5", "0", "1.5", x, "0.02"]) for x in "01")
        path.write_text(text)
        arguments = ["check", "builtin:panda", str(path), "--certificate", str(path)]
        assert isinstance(CliRunner().invoke(app, arguments).exception, so.Error)
        assert path.read_text() == text

    @pytest.mark.parametrize("clearance", [float("nan"), float("inf"), "a", True])
    def test_clearance_asked_of_a_certificate(self, slide, clearance):
        certificate = so.PathChecker(slide).segment([0, 0], [0.01, 0.0]).certificate()
        with pytest.raises(so.errors.CertificateError, match="clearance"):
            so.verify(slide, certificate, clearance=clearance)
