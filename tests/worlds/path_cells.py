"""Small cells, each with a motion that is free, for tests of certificates."""

from __future__ import annotations

import numpy as np

import standoff as so
from tests.oracles.path_prover import Prover, glide_rows, path_coefficients
from tests.worlds.mesh_shapes import star, torus


def urdf(*joints):
    """A chain of links; each joint is (kind, axis, origin, shape of its link, more)."""
    links, rest = ['<link name="base"/>'], []
    parent = "base"
    for i, (kind, axis, origin, shape, *more) in enumerate(joints):
        body = f"<collision>{shape}</collision>" if shape else ""
        links.append(f'<link name="l{i}">{body}</link>')
        rest.append(
            f'<joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/>'
            f'<origin xyz="{origin}" rpy="0.1 -0.2 0.3"/><axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" velocity="2" effort="1"/>{"".join(more)}</joint>'
        )
        parent = f"l{i}"
    return f'<robot name="arm">{"".join(links)}{"".join(rest)}</robot>'


CAPSULE = (
    '<origin xyz="0.2 0 0" rpy="0 1.5707963 0"/>'
    '<geometry><cylinder radius="0.04" length="0.4"/></geometry>'
)
BOX = '<origin xyz="0.15 0 0"/><geometry><box size="0.3 0.08 0.06"/></geometry>'
BALL = '<origin xyz="0.05 0 0.02"/><geometry><sphere radius="0.06"/></geometry>'


def written(folder, name, *joints):
    path = folder / f"{name}.urdf"
    path.write_text(urdf(*joints))
    return path


def one_arm(folder):
    """One turning link and boxes, one of them in a group with the other."""
    cell = so.Cell()
    cell.add_robot(written(folder, "one", ("revolute", "0 0 1", "0 0 0", BOX)), name="arm")
    cell.add_body("box", so.Box((0.2, 0.2, 0.2)), so.pose((0.3, 0.33, 0.0), rpy=(0.2, 0.1, 0.4)))
    cell.add_body("far", so.Box((0.2, 0.2, 0.2)), so.pose((0.9, 0.9, 0.3)))
    return Prover(cell, path_coefficients([[-1.4], [0.25]]), clearance=0.01)


def two_arms(folder):
    """Two robots that pass each other, a floor, several pieces."""
    cell = so.Cell()
    path = written(
        folder,
        "two",
        ("revolute", "0 0 1", "0 0 0.2", BOX),
        ("continuous", "0 1 0", "0.3 0 0", BALL),
    )
    cell.add_robot(path, name="left")
    cell.add_robot(path, name="right", base=so.pose((0.75, 0.1, 0.05), rpy=(0, 0, 3.0)))
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.1), rpy=(0.05, 0.02, 0)))
    way = [[-0.5, 0.2, 0.6, -0.4], [0.3, 1.0, 1.2, 0.4], [0.4, 1.5, 1.0, 2.0]]
    return Prover(cell, path_coefficients(way), clearances={("left/l1", "right/l1"): 0.02})


def slides(folder):
    """Prismatic joints before and after a turning one, past their limits; deviations."""
    cell = so.Cell()
    path = written(
        folder,
        "slide",
        ("prismatic", "1 0 0", "0 0 0", BALL),
        ("revolute", "0 1 1", "0.1 0.2 0", BOX),
        ("prismatic", "1 2 0", "0.3 0 0.1", CAPSULE),
    )
    cell.add_robot(path, name="s")
    way = [[2.8, 0.3, 2.9], [3.3, 0.9, 3.2]]
    middle = np.mean(way, axis=0)
    for name, link, shape, away in (
        ("post", "s/l2", so.Cylinder(0.1, 1.0), (0.9, 0.6, 0.5)),
        ("ball", "s/l1", so.Sphere(0.1), (-0.3, -0.7, 0.5)),
    ):
        at = cell.tree.link_pose(middle, link)[:3, 3] + away
        cell.add_body(name, shape, so.pose(at, rpy=(0.3, 0.1, 0)))
    return Prover(cell, path_coefficients(way), deviation=[0.005, 0.01, 0.002], spheres=False)


def mimics(folder):
    """Joints that follow another one, forwards and backwards, on a quintic."""
    cell = so.Cell()
    path = written(
        folder,
        "mimic",
        ("revolute", "0 0 1", "0 0 0", BOX),
        ("revolute", "0 1 0", "0.3 0 0", BOX, '<mimic joint="j0" multiplier="-0.7" offset="0.4"/>'),
        ("prismatic", "1 0 0", "0.3 0 0", BALL, '<mimic joint="j0" multiplier="0.1"/>'),
        ("continuous", "0 0 1", "0.1 0 0", CAPSULE),
    )
    cell.add_robot(path, name="m")
    cell.add_body("wall", so.Box((0.1, 1.5, 1.0)), so.pose((1.35, 0.2, 0.0)))
    corners = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.3]], float)
    cell.add_body("tip", so.Polyhedron(corners), so.pose((0.4, 0.85, -0.1)))
    coefficients = np.zeros((2, 6, 2))
    coefficients[0] = [[-0.4, 0.2], [0.9, -1.0], [-0.5, 0.4], [0.3, 0.2], [-0.6, 0.0], [0.4, 0.1]]
    coefficients[1, 0] = coefficients[0].sum(axis=0)
    coefficients[1, 1] = [0.2, 0.3]
    return Prover(cell, coefficients)


def glides(folder):
    """A body that turns while it passes an arm, and another that stands still."""
    cell = so.Cell()
    cell.add_robot(written(folder, "glide", ("revolute", "0 0 1", "0 0 0", BOX)), name="arm")
    cell.add_body("cart", so.Cylinder(0.1, 0.3), so.pose((0.9, -0.5, 0)), moving=True)
    cell.add_body("crate", so.Box((0.2, 0.2, 0.2)), so.pose((-0.5, 0.1, 0)), moving=True)
    cell.add_body("table", so.Box((0.5, 0.5, 0.1)), so.pose((0.2, 0.9, -0.1)))
    cell.allow("crate", "table")
    moves = np.stack(
        [
            glide_rows(
                so.pose((0.5, -0.5, 0), rpy=(0.3, 0, 0)), (0.0, 1.0, 0.1), (0.5, 2.0, 1.0), 2
            ),
            glide_rows(so.pose((-0.5, 0.1, 0)), pieces=2),
        ],
        axis=1,
    )
    return Prover(cell, path_coefficients([[-0.3], [0.2], [0.5]]), glides=moves, spheres=False)


def meshes(folder):
    """A held mesh among a mesh, a cylinder, a box, a capsule, a polyhedron and a floor."""
    cell = so.Cell()
    path = written(
        folder, "mesh", ("revolute", "0 0 1", "0 0 0", BOX), ("revolute", "0 1 0", "0.35 0 0", BALL)
    )
    cell.add_robot(path, name="arm")
    cell.add_body("ring", torus(ring=0.12, tube=0.03, around=12, across=6), so.pose((0.5, 0, 0)))
    cell.attach("ring", "arm/l1", pose=so.pose((0.2, 0, 0.05), rpy=(1.0, 0.3, 0)))
    cell.add_body("stone", star(seed=2, radius=0.15, around=6, rings=3), so.pose((0.5, 0.75, 0.1)))
    cell.add_body("post", so.Cylinder(0.06, 0.8), so.pose((0.9, 0.2, 0.0), rpy=(0.1, 0, 0)))
    cell.add_body("block", so.Box((0.2, 0.2, 0.2)), so.pose((0.1, -0.85, 0.2), rpy=(0.3, 0, 0.5)))
    cell.add_body("bar", so.Capsule(0.03, 0.5), so.pose((0.7, 0.1, 0.5), rpy=(1.3, 0, 0)))
    corners = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.3]], float)
    cell.add_body("tip", so.Polyhedron(corners), so.pose((0.5, -0.8, -0.1)))
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.6)))
    return Prover(cell, path_coefficients([[-0.6, -0.3], [0.1, 0.2]]))


def groups(folder):
    """Static boxes in one group, far from the arm and then near it."""
    prover = one_arm(folder)
    c = prover.certificate
    cell = prover.cell
    cell.add_body("high", so.Sphere(0.1), so.pose((0.5, 0.7, 0.8)))
    return Prover(cell, c.coefficients, grouped=True, clearance=0.005)


CASES = {f.__name__: f for f in (one_arm, two_arms, slides, mimics, glides, meshes, groups)}
