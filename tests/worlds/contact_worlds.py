"""Scenes, poses and rigid-body motion for the tests of the contact room."""

from __future__ import annotations

import coal
import numpy as np

import standoff as so
from standoff.contact import Body, Scene
from tests.oracles import coal as coal_oracle

RIGID = np.inf


def rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_pose(rng, reach):
    return so.pose(rng.uniform(-reach, reach, size=3), rotation(rng))


def random_solid(rng):
    """A convex body of one of several kinds, some 0.1 to 0.4 m across."""
    kind = rng.integers(5)
    if kind == 0:
        return so.Polyhedron(so.Box(rng.uniform(0.05, 0.4, size=3)).core()[0])
    if kind == 1:
        sides = int(rng.integers(3, 17))
        angle = np.arange(sides) * 2 * np.pi / sides
        radius, half = rng.uniform(0.05, 0.2, size=2)
        ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        return so.Polyhedron([(*p, z) for z in (-half, half) for p in ring])
    if kind == 2:
        return so.Polyhedron(rng.normal(size=(int(rng.integers(5, 30)), 3)) * 0.1)
    if kind == 3:  # a plate
        return so.Polyhedron(so.Box((*rng.uniform(0.1, 0.4, size=2), 0.004)).core()[0])
    return so.Polyhedron(rng.normal(size=(4, 3)) * 0.15)


def numbers_of(step):
    """Of each contact point, normal, depth, velocity, force and how its spring is stretched."""
    names = ("point", "normal", "depth", "velocity", "force", "stretch")
    return np.column_stack([step._rows[name] for name in names])


class CoalPair:
    """What Coal says about two polyhedra."""

    def __init__(self, a, b):
        self.a, self.b = coal_oracle.geometry(a), coal_oracle.geometry(b)

    def distance(self, pose_a, pose_b):
        return coal_oracle.distance(self.a, pose_a, self.b, pose_b)[0]

    def penetration(self, pose_a, pose_b):
        """(depth, direction from b to a)."""
        request = coal.CollisionRequest()
        request.enable_contact = True
        request.num_max_contacts = 1
        request.gjk_tolerance = request.epa_tolerance = 1e-9
        result = coal.CollisionResult()
        t = coal_oracle.transform
        coal.collide(self.a, t(pose_a), self.b, t(pose_b), request, result)
        if not result.isCollision():
            return 0.0, np.zeros(3)
        contact = result.getContact(0)
        return -contact.penetration_depth, -np.array(contact.normal)


def fresh(a, pose_a, b, pose_b, **options):
    """The one step of a scene of two bodies, a rigid, b of 1 N/m: forces are depths."""
    scene = Scene(**options)
    scene.add("a", a, stiffness=RIGID, levels=2 if not isinstance(a, Body) else None)
    scene.add("b", b, stiffness=1.0, levels=1 if not isinstance(b, Body) else None)
    return scene.step({"a": pose_a, "b": pose_b})


class RigidBody:
    """Mass, inertia and motion of a box, for a scene; integrated by velocity Verlet, the rotation
    by its exponential."""

    def __init__(self, name, mass, size, pose):
        x, y, z = size
        self.name, self.mass = name, mass
        self.inertia = mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        self.pose, self.v, self.w = np.array(pose), np.zeros(3), np.zeros(3)

    def energy(self, gravity):
        turn = self.pose[:3, :3]
        spin = turn.T @ self.w
        kinetic = 0.5 * self.mass * self.v @ self.v + 0.5 * spin @ (self.inertia * spin)
        return kinetic + self.mass * gravity * self.pose[2, 3]

    def kick(self, force, moment, gravity, dt):
        self.v = self.v + dt * (force / self.mass - np.array((0.0, 0.0, gravity)))
        turn = self.pose[:3, :3]
        momentum = turn @ (self.inertia * (turn.T @ self.w)) + dt * moment
        self.w = turn @ ((turn.T @ momentum) / self.inertia)

    def drift(self, dt):
        """Half a turn with the present velocity, then with the one that keeps the momentum."""
        self.pose[:3, 3] += dt * self.v
        turn = self.pose[:3, :3]
        momentum = turn @ (self.inertia * (turn.T @ self.w))
        middle = exponential(0.5 * dt * self.w) @ turn
        w = middle @ ((middle.T @ momentum) / self.inertia)
        turn = exponential(dt * w) @ turn
        u, _, vt = np.linalg.svd(turn)
        self.pose[:3, :3] = u @ vt
        turn = self.pose[:3, :3]
        self.w = turn @ ((turn.T @ momentum) / self.inertia)


def exponential(v):
    angle = np.linalg.norm(v)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
