"""Two convex bodies that overlap are pushed apart with no less than the way out asks for.

The way out, the shortest translation that parts them, is Coal's. Bodies are rigid on 1 N/m, so that
forces are depths."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Scene
from tests.worlds.contact_worlds import RIGID, CoalPair, random_solid, rotation

#: What of the way out the push is at least, [-]. Contacts that make it up may lean towards each
#: other: two of them at right angles, of half the depth each, push with 0.71 of it.
LEAST = 0.7


def sweeps(seed, count, steps, length):
    """Pairs of bodies, half of them tetrahedra, one of which moves through the other by ``length``
    [m]: a scene, Coal's pair, and both poses at each step."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        sharp = so.Polyhedron(rng.normal(size=(4, 3)) * 0.05)
        a = sharp if k % 2 else random_solid(rng)
        b = so.Polyhedron(rng.normal(size=(4, 3)) * 0.05) if k % 2 else random_solid(rng)
        scene = Scene(continuous=False)
        scene.add("a", a, stiffness=RIGID, levels=1)
        scene.add("b", b, stiffness=1.0, levels=1)
        turned, there = so.pose((0, 0, 0), rotation(rng)), so.pose((0, 0, 0), rotation(rng))
        along, aside = rng.normal(size=3), 0.02 * rng.normal(size=3)
        along /= np.linalg.norm(along)
        poses = np.tile(turned, (steps, 1, 1))
        poses[:, :3, 3] = aside + np.linspace(0.5, -0.5, steps)[:, None] * length * along
        yield scene, CoalPair(a, b), poses, there


def push_over_depth(seed, count, steps, length, forget):
    """The force of each step over the penetration depth, where they are 0.1 mm deep or more."""
    shares = []
    for scene, coal, poses, there in sweeps(seed, count, steps, length):
        for pose in poses:
            if forget:
                scene.forget()
            force = np.linalg.norm(scene.step({"a": pose, "b": there}).forces["a"])
            depth = coal.penetration(pose, there)[0]
            if depth > 1e-4:
                shares.append(force / depth)
    return np.array(shares)


@pytest.mark.parametrize("forget", [True, False], ids=["each step anew", "with what was before"])
@pytest.mark.parametrize(("steps", "length"), [(150, 0.4), (200, 0.002)], ids=["far", "10 µm"])
def test_a_vertex_that_grazes_does_not_replace_the_way_out(steps, length, forget):
    """Two tetrahedra 14 mm deep pushed with 143 N, and 10 µm further, where a vertex had come 1 µm
    inside, with 0.01 N."""
    shares = push_over_depth(5, 40, steps, length, forget)
    assert len(shares) > 1500
    assert shares.min() >= LEAST
