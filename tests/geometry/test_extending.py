"""The cone of docs/extending.md, added to a copy of the package by the page's own blocks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent

ARM = """<robot name="arm"><link name="base"/>
<link name="slide"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<link name="hand"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry>
</collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="turn" type="revolute"><parent link="slide"/><child link="hand"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""


def blocks() -> list[tuple[str, str]]:
    """The files of the page's blocks, and the differences."""
    page = (ROOT / "docs" / "extending.md").read_text()
    return re.findall(r"```diff\n\+\+\+ (\S+)\n(.*?)```", page, re.S)


def changed(text: str, difference: str) -> str:
    """A text after a difference, each hunk of which fits in one place."""
    for hunk in difference.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        assert all(line[0] in " +-" for line in lines)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        if not text.count(before) == 1:
            raise AssertionError(f"found {text.count(before)} times:\n{before}")
        text = text.replace(before, after)
    return text


def test_a_cone_takes_five_places_and_works_everywhere(tmp_path):
    pytest.importorskip("coal")
    given = blocks()
    assert len(given) == len({file for file, _ in given}) == 5
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "standoff", tmp_path / "src" / "standoff", ignore=leave)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=leave)
    for file, difference in given:
        path = tmp_path / file
        path.write_text(changed(path.read_text(), difference))
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.geometry.test_extending", str(tmp_path)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == [check.__name__ for check in CHECKS]


def poses(rng, n, spread):
    import standoff as so

    for _ in range(n):
        q = rng.normal(size=4)
        yield so.pose(rng.normal(size=3) * spread, q / np.linalg.norm(q))


def obstacles(rng):
    """One shape of each kind."""
    import standoff as so

    rock = so.Polyhedron(0.2 * rng.normal(size=(12, 3)))
    mesh = so.Mesh(rock.vertices, rock.faces)
    primitives = (so.Sphere(0.2), so.Capsule(0.1, 0.4), so.Box((0.2, 0.3, 0.4)))
    return *primitives, so.Cylinder(0.2, 0.3), so.HalfSpace(), so.Cone(0.2, 0.5), rock, mesh


def distances(folder):
    """Against every shape as Coal has them; of meshes those that are apart. Coal's own search ends
    at 1e-6."""
    import coal

    import standoff as so
    from tests.oracles import coal as oracle

    rng = np.random.default_rng(0)
    cone = so.Cone(0.3, 0.6)
    theirs = coal.Cone(0.3, 0.6)
    for shape in obstacles(rng):
        other = coal.Cone(0.2, 0.5) if isinstance(shape, so.Cone) else oracle.geometry(shape)
        signs = set()
        for spread in (0.1, 0.3, 1.0):
            for at, there in zip(poses(rng, 12, 0.1), poses(rng, 12, spread), strict=True):
                found = so.distance(cone, at, shape, there)
                again = so.distance(shape, there, cone, at)
                assert found.exact and abs(found.distance - again.distance) <= 1e-8, (shape, found)
                signs.add(found.distance > 0.0)
                if found.distance > 0.0 or shape.convex:
                    expected = oracle.distance(theirs, at, other, there)[0]
                    assert abs(found.distance - expected) <= 4e-6, (shape, found, expected)
                else:
                    assert oracle.distance(theirs, at, other, there)[0] <= 1e-6
                witness = found.point_a - found.point_b - found.distance * found.normal
                assert np.abs(witness).max() <= 1e-9
        assert signs == {True, False}


def inside(folder):
    """A mesh within the cone and the cone within a mesh, apart from its surface."""
    import standoff as so

    cone = so.Cone(0.3, 0.6)
    corners = so.Polyhedron(so.Box((0.02, 0.02, 0.02)).core()[0])
    small = so.Mesh(corners.vertices, corners.faces)
    found = so.distance(cone, None, small, so.pose((0.05, 0.0, 0.0)))
    slope = np.array([0.6, 0.3]) / np.hypot(0.6, 0.3)
    deep = slope @ (0.3 - np.hypot(0.06, 0.01), -0.3 - 0.01)
    assert found.distance == pytest.approx(-deep, abs=1e-8) and deep > 0.05
    big = so.Mesh(100.0 * corners.vertices, corners.faces)
    assert so.distance(cone, None, big, None).distance == pytest.approx(-0.7)


def measures(folder):
    """Box, ball and outline hold the shape; volume, and what is drawn of it."""
    import standoff as so
    from standoff.cell.model import ball
    from standoff.geometry.shape import directions
    from standoff.geometry.soup import soup_of_shapes
    from standoff.view.live.nodes import extended
    from standoff.view.render import triangles

    cone = so.Cone(0.3, 0.6)
    ways = directions(48)
    points = cone.support(ways)
    low, high = cone.bounds()
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [low, high], atol=1e-12)
    centre, radius = ball(cone)
    assert np.linalg.norm(points - centre, axis=1).max() <= radius <= 0.45
    heights = (points * ways).sum(axis=1)
    covered = soup_of_shapes([(cone, np.eye(4))]).balls[:, :3]
    for around in (cone.core()[0], cone.outline(8), covered):
        assert ((ways @ around.T).max(axis=1) >= heights - 1e-12).all()
    drawn = triangles(cone)
    volume = np.einsum("ij,ij->i", drawn[:, 0], np.cross(drawn[:, 1], drawn[:, 2])).sum() / 6.0
    assert 0.98 * cone.volume <= volume <= cone.volume
    assert np.abs(extended(cone, 0.1).vertices).max() <= 0.4 + 1e-9


def monitored(folder):
    """Warned of by a reading and between two, in step with the distance."""
    import standoff as so

    cell = so.Cell()
    cell.add_body("post", so.Cone(0.3, 0.6), so.pose((0.5, 0.0, 0.3)))
    cell.add_body("free", so.Cone(0.1, 0.3), moving=True)
    one, other = so.Monitor(cell, 0.02), so.Monitor(cell, 0.02, between=True)
    turned = np.array([np.cos(0.7), 0.0, np.sin(0.7), 0.0])
    warned = []
    for x in np.linspace(1.2, 0.8, 21):
        at = so.pose((x, 0.05, 0.1), turned)
        cycles = [monitor.update({}, {"free": at}) for monitor in (one, other)]
        value = so.distance(
            so.Cone(0.3, 0.6), so.pose((0.5, 0, 0.3)), so.Cone(0.1, 0.3), at
        ).distance
        for cycle in cycles:
            assert bool(cycle.warnings) == (value <= 0.02) and not cycle.faults
            assert all(w.distance == pytest.approx(value, abs=1e-8) for w in cycle.warnings)
        warned.append(value <= 0.02)
    assert warned[-1] and not warned[0]
    jump = so.pose((-0.2, 0.0, 0.3), turned)  # through the post
    assert not one.update({}, {"free": jump}).warnings
    assert other.update({}, {"free": jump}).warnings


def _cell(folder):
    """An arm that carries a cone past a cone and a mesh."""
    import standoff as so

    file = folder / "arm.urdf"
    file.write_text(ARM)
    cell = so.Cell()
    cell.add_robot(file)
    cell.add_body("post", so.Cone(0.3, 0.6), so.pose((0.0, 0.45, 0.0)))
    rock = so.Polyhedron(0.1 * np.random.default_rng(1).normal(size=(14, 3)))
    cell.add_body("rock", so.Mesh(rock.vertices, rock.faces), so.pose((0.0, -0.6, 0.0)))
    cell.add_body("load", so.Cone(0.05, 0.1))
    cell.attach("load", "arm/hand", pose=so.pose((0.45, 0.0, 0.0), (0.8, 0.0, 0.6, 0.0)))
    return cell


def moved(folder):
    """Verdicts on the way past them agree with samples; proofs are checked without kernels."""
    import standoff as so

    cell = _cell(folder)
    checker, kinds, pairs = so.PathChecker(cell), set(), set()
    for start, end in (
        ((-1.5, 0.1), (1.5, 0.3)),
        ((-1.5, 0.6), (1.5, 0.8)),
        ((0.15, -0.75), (-0.36, -0.97)),
        ((0.19, -1.52), (-0.2, -1.4)),
    ):
        verdict = checker.segment(start, end)
        free = all(least > 0.0 for least in _samples(cell, np.array(start), np.array(end)))
        assert verdict.kind == ("free" if free else "collision"), (start, end, verdict)
        certificate = verdict.certificate()
        checked = so.verify(cell, certificate)
        assert checked, checked.reason
        kinds.add(verdict.kind)
        bodies = [primitive.body for primitive in certificate.primitives]
        for proof in certificate.proofs:
            if proof["method"] in (0, 2):  # by the shapes, or by a mesh
                pairs.add((int(proof["method"]), bodies[proof["a"]], bodies[proof["b"]]))
    assert kinds == {"free", "collision"}
    assert {(0, "load", "post"), (2, "load", "rock"), (2, "arm/hand", "rock")} <= pairs


def _samples(cell, start, end):
    """The least distance of what moves from what does not, at many instants."""
    import standoff as so

    model = cell.model
    for t in np.linspace(0.0, 1.0, 51):
        frames = cell.tree.forward(start + t * (end - start))
        for a in ("arm/hand", "load"):
            for b in ("post", "rock"):
                (((one, own),), ((other, there),)) = (model.parts[model.index[x]] for x in (a, b))
                yield so.distance(one, frames[model.frame_of(a)] @ own, other, there).distance


def written(folder):
    """A cell file gives the cone back, and names its keys where one is wrong."""
    import standoff as so

    cell = _cell(folder)
    cell.save(folder / "cell.toml")
    again = so.Cell.load(folder / "cell.toml")
    assert again.bodies["post"].shape == so.Cone(0.3, 0.6)
    assert repr(again.bodies["post"].shape) == "Cone(radius=0.3, length=0.6)"
    text = (folder / "cell.toml").read_text()
    assert text.count("[body.shape.cone]\nradius = 0.3\nlength = 0.6\n") == 1
    (folder / "wrong.toml").write_text(text.replace("length = 0.6", "height = 0.6"))
    with pytest.raises(so.errors.CellError, match=r"unknown key .height.; allowed: radius, length"):
        so.Cell.load(folder / "wrong.toml")
    with pytest.raises(so.errors.ShapeError, match=r"Cone\.radius"):
        so.Cone(-1.0, 0.6)


def compared(folder):
    """Parts, region octrees and bodies for contact."""
    import standoff as so

    cone, box = so.Cone(0.3, 0.6), so.Box((0.2, 0.2, 0.2))
    for x, meet in ((0.2, True), (0.36, False)):
        parts = {"cone": (cone, None), "box": (box, so.pose((x, 0.0, 0.0)))}
        assert bool(so.interference.find(parts)) is meet
        assert so.interference.find(parts, "projection") or not meet
        assert so.interference.find(parts, "octree", resolution=0.1) or not meet
    body = so.contact.Body(cone, sides=24, levels=0)
    assert body.volume == pytest.approx(cone.volume, rel=0.02)
    np.testing.assert_allclose(body.centroid, (0.0, 0.0, -0.15), atol=1e-3)  # a quarter up


CHECKS = (distances, inside, measures, monitored, moved, written, compared)

if __name__ == "__main__":
    for check in CHECKS:
        check(Path(sys.argv[1]))
        print(check.__name__)
