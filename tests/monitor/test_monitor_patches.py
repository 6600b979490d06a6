"""A change of the cell is taken over as a patch, and the answers are those of a new monitor."""

import threading

import numpy as np
import pytest

import standoff as so
from standoff.monitor.scene import Scene
from tests.worlds.monitor_worlds import TINY_ROOT, at, shape, write_rail

INDEXES = {
    "octree": so.Octree(split=2),
    "neighbours": so.Octree(split=2, follow="neighbours"),
    "region": so.RegionOctree(smallest=0.2),
    "grid": so.Grid(6, root=TINY_ROOT),
    "naive": so.Naive(),
}


CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])

#: Bodies that the options name: a new monitor asks for them.
NAMED = ("body0", "body7")


class Changes:
    """A cell, and changes of it that are drawn by a seed."""

    def __init__(self, seed, folder):
        self.rng = np.random.default_rng((81, seed))
        cell = self.cell = so.Cell()
        cell.add_robot(write_rail(folder), name="rail", base=so.pose((0, 0, 0.1)))
        cell.add_robot("builtin:arm7", name="arm", base=so.pose((0.5, 0, -0.5)))
        self.made = 0
        for moving in (False,) * 6 + (True,) * 4:
            self.add(moving)
        self.options = {
            "buffer": {"default": 0.05, "arm": 0.1},
            "thresholds": so.Thresholds(0.02, None, 0.15, {("arm", "body0"): 0.3}),
            "zones": [so.KeepOut("island", so.Box((0.5, 0.5, 0.5)), only=["arm", "body7"])],
        }

    def add(self, moving):
        name = f"body{self.made}"
        self.made += 1
        self.cell.add_body(name, shape(self.rng), at(self.rng), moving=moving)
        return name

    def one(self):
        """One change; returns what it was."""
        rng, cell = self.rng, self.cell
        bodies = cell.bodies.values()
        still = [b.name for b in bodies if not b.moving and not b.attachment]
        held = [b.name for b in bodies if b.attachment]
        loose = [b.name for b in bodies if not b.attachment]
        links = [n for n in cell.model.names if "/" in n]
        kind = str(rng.choice(["add", "remove", "move", "attach", "detach", "allow", "forbid",
                               "swap", "again"]))  # fmt: skip
        if kind == "add":
            self.add(bool(rng.random() < 0.5))
        elif kind == "remove" and (free := [n for n in loose if n not in NAMED]):
            cell.remove_body(str(rng.choice(free)))
        elif kind == "move" and still:
            cell.move_body(str(rng.choice(still)), at(rng))
        elif kind == "attach" and loose:
            touch = [str(rng.choice(links))] if rng.random() < 0.5 else []
            body, link = str(rng.choice(loose)), str(rng.choice(links))
            held = np.linalg.inv(cell.pose(link)) @ cell.pose(body)
            cell.attach(body, link, pose=held, touch=touch)
        elif kind == "detach" and held:
            cell.detach(str(rng.choice(held)), q=cell.q)
        elif kind in ("allow", "forbid"):
            a, b = map(str, rng.choice(cell.model.names, 2, replace=False))
            (cell.allow if kind == "allow" else cell.forbid)(a, b)
        elif kind == "swap":
            cell.swap_geometry("rail/tip", "capsules" if rng.random() < 0.5 else "auto")
        elif kind == "again" and still:  # its name comes back, behind all others
            name = str(rng.choice(still))
            body = cell.bodies[name]
            if name not in NAMED:
                cell.remove_body(name)
                cell.add_body(name, body.shape, at(rng))
        return kind

    def reading(self):
        cell = self.cell
        low, high = np.maximum(cell.tree.lower, -2.0), np.minimum(cell.tree.upper, 2.0)
        q = self.rng.uniform(low, high)
        return q, np.array([at(self.rng) for _ in cell.moving]).reshape(-1, 4, 4)


def compare(cycle, new):
    """Who is too close and how near; never a speed, which a new monitor does not know. Which of two
    primitives comes first may be another one, and so the last digit of a distance."""
    assert not cycle.faults
    assert cycle.clearance == pytest.approx(new.clearance, abs=1e-9)
    found, expected = ({(w.a, w.b): w for w in c.warnings} for c in (cycle, new))
    assert found.keys() == expected.keys()
    for pair, one in found.items():
        assert one.distance == pytest.approx(expected[pair].distance, abs=1e-9)
        assert one.threshold == expected[pair].threshold


@pytest.mark.parametrize("thread", [False, True])
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("seed", range(3))
def test_a_patched_monitor_answers_as_a_new_one(seed, index, thread, tmp_path, monkeypatch):
    world = Changes(seed, tmp_path)
    laid_out = []
    lay_out = Scene._lay_out
    monkeypatch.setattr(Scene, "_lay_out", lambda *given: laid_out.append(0) or lay_out(*given))
    options = {**world.options, "index": INDEXES[index], "max_speed": 1e6}
    monitor = so.Monitor(world.cell, **options)
    between = so.Monitor(world.cell, **options, between=True)
    warned = anew = 0
    for _ in range(40):
        for _ in range(int(world.rng.integers(1, 4))):
            if thread:
                change = threading.Thread(target=lambda: (world.one(), world.cell.compile()))
                change.start()
                change.join()
            else:
                world.one()
        q, poses = world.reading()
        before = len(laid_out)
        cycle, whole = monitor.update(q, poses), between.update(q, poses)
        anew += len(laid_out) - before
        new = so.Monitor(world.cell, **{**options, "index": "naive"}).update(q, poses)
        compare(cycle, new)
        assert {w[:2] for w in cycle.pairs} <= {w[:2] for w in whole.pairs}
        warned += len(cycle.warnings)
    assert warned > 20 and anew <= 12


def test_a_patch_keeps_what_others_know(tmp_path):
    """Bodies that did not change keep their slots, and so their speeds."""
    cell = so.Cell()
    for k in range(3):
        cell.add_body(f"cart{k}", so.Sphere(0.1), moving=True)
    cell.add_body("post", so.Sphere(0.1), so.pose((0.3, 0, 0)))
    monitor = so.Monitor(cell, 0.5)
    there = np.array([so.pose((2.0 * k, 0, 0)) for k in range(3)])
    monitor.update([], there)
    scene = monitor.scene
    slots = {p.body: s for p, s in scene._slots.items()}
    cell.move_body("post", so.pose((0.4, 0, 0)))
    there[:, 0, 3] += 0.02
    cycle = monitor.update([], there)
    assert monitor.scene is scene and slots == {p.body: s for p, s in scene._slots.items()}
    assert cycle.warnings[0].closing_speed == pytest.approx(2.0) and not cycle.faults


def test_a_name_that_comes_back_stands_behind_the_others():
    cell = so.Cell()
    for name in ("a", "b"):
        cell.add_body(name, so.Sphere(0.1))
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell, 0.1)
    first = monitor.update([], np.eye(4)[None])
    cell.remove_body("a")
    cell.add_body("a", so.Sphere(0.1))
    pairs = [p[:2] for p in monitor.update([], np.eye(4)[None]).pairs]
    assert pairs == [p[:2] for p in so.Monitor(cell, 0.1).update([], np.eye(4)[None]).pairs]
    assert ("cart", "a") in pairs and ("a", "cart") in [p[:2] for p in first.pairs]


def test_geometry_that_comes_and_goes_is_laid_out_anew_before_it_fills_the_memory(monkeypatch):
    from standoff.monitor import scene

    monkeypatch.setattr(scene, "_MOST_ADDED", 200)
    rng = np.random.default_rng(4)
    cell = so.Cell(unwatched="allow")
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell, 0.1)
    sizes = []
    for _ in range(60):
        cell.add_body("part", so.Polyhedron(rng.uniform(0.5, 1.0, (8, 1)) * CORNERS))
        assert monitor.update([], np.eye(4)[None]).pairs
        cell.remove_body("part")
        assert not monitor.update([], np.eye(4)[None]).pairs
        sizes.append(monitor.nbytes)
    assert max(sizes[30:]) <= 1.2 * max(sizes[:30])
