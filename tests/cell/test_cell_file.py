"""Cell files: exact round trips, and messages for what cannot be read."""

from pathlib import Path

import numpy as np
import pytest

import standoff as so

CELLS = Path(__file__).parents[2] / "cells"


def same(a, b):
    """Two cells that nobody can tell apart."""
    ta, tb = a.model.tables, b.model.tables
    for field in ("owner", "frame", "local", "rows", "refs"):
        assert getattr(ta, field).tobytes() == getattr(tb, field).tobytes(), field
    for field in ("points", "faces", "nodes", "ints"):
        x, y = getattr(ta.geometry, field), getattr(tb.geometry, field)
        assert x.tobytes() == y.tobytes(), field
    assert a.model.names == b.model.names
    assert a.joints == b.joints and a.moving == b.moving
    assert a.q.tobytes() == b.q.tobytes()
    assert a.allowed() == b.allowed() and a.user_pairs == b.user_pairs
    assert list(a.pairs.watched()) == list(b.pairs.watched())
    for x, y in zip(a.bodies.values(), b.bodies.values(), strict=True):
        assert x.pose.tobytes() == y.pose.tobytes() and x.moving == y.moving
        assert (x.attachment is None) == (y.attachment is None)
        if x.attachment:
            assert x.attachment.link == y.attachment.link
            assert x.attachment.touch == y.attachment.touch
            assert x.attachment.pose.tobytes() == y.attachment.pose.tobytes()
    for x, y in zip(a.robots.values(), b.robots.values(), strict=True):
        assert x.base.tobytes() == y.base.tobytes()
        assert (x.choice, x.swaps) == (y.choice, y.swaps)


def turned(rng):
    q = rng.normal(size=4)
    return so.pose(rng.normal(size=3), q / np.linalg.norm(q))


def crowded(rng, folder):
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left", base=turned(rng))
    cell.add_robot("builtin:irb2400", name="b.c d", base=turned(rng), geometry="capsules")
    mesh = so.Mesh(*cube())
    (folder / "parts").mkdir(exist_ok=True)
    write_obj(folder / "parts" / "cube.obj", mesh)
    shapes = {
        "ball": so.Sphere(rng.uniform(0.1, 1)),
        "pill": so.Capsule(rng.uniform(0.1, 1), 0),
        "crate": so.Box(rng.uniform(0, 1, 3)),
        "drum": so.Cylinder(0.1, 1 / 3),
        "wedge": so.Polyhedron(rng.normal(size=(9, 3))),
        "made": mesh,
        "part": so.Mesh.load(folder / "parts" / "cube.obj", (0.001, 2, -3)),
    }
    for name, shape in shapes.items():
        cell.add_body(name, shape, turned(rng), moving=bool(rng.integers(2)))
    cell.add_body("wall", so.HalfSpace(), turned(rng))
    cell.set_state(rng.uniform(-0.5, 0.5, len(cell.joints)))
    cell.attach("pill", "left/panda_hand", touch=["left/panda_leftfinger"])
    cell.allow("crate", "left", "soft")
    cell.allow("drum", "ball")
    cell.swap_geometry("left/panda_link3", "capsules", capsules_per_link=1)
    return cell


def cube():
    v = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    f = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    f += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return np.array(v, float), np.array(f)


def write_obj(path, mesh):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces.tolist()]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("seed", range(5))
def test_round_trip_is_exact(tmp_path, seed):
    cell = crowded(np.random.default_rng(seed), tmp_path)
    cell.save(tmp_path / "cell.toml")
    again = so.Cell.load(tmp_path / "cell.toml")
    same(cell, again)
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == (tmp_path / "cell.toml").read_text()


def test_paths_are_relative_to_the_file(tmp_path, monkeypatch):
    cell = crowded(np.random.default_rng(0), tmp_path)
    cell.save(tmp_path / "cell.toml")
    assert str(tmp_path) not in (tmp_path / "cell.toml").read_text()
    moved = tmp_path.parent / (tmp_path.name + "-moved")
    tmp_path.rename(moved)
    monkeypatch.chdir("/")
    same(crowded(np.random.default_rng(0), moved), so.Cell.load(moved / "cell.toml"))


@pytest.mark.parametrize("path", sorted(CELLS.glob("*.toml")), ids=lambda p: p.stem)
def test_shipped_cells_load_and_round_trip(tmp_path, path):
    cell = so.Cell.load(path)
    cell.save(tmp_path / "copy.toml")
    same(cell, so.Cell.load(tmp_path / "copy.toml"))


@pytest.mark.parametrize("path", sorted(CELLS.glob("*.toml")), ids=lambda p: p.stem)
def test_shipped_cells_explain_their_keys(path):
    text = path.read_text()
    assert text.count("#") >= 8


BOX = '[[body]]\nname = "b"\nshape = { box = { size = [1, 1, 1] } }\n'
BAD = {
    "unknown top key": ("robots = 1\n", "robots", "robot"),
    "unknown body key": (BOX + "colour = 1\n", "body[0]", "colour"),
    "unknown robot key": ('[[robot]]\nurdf = "builtin:panda"\nbasse = {}\n', "robot[0]", "'base'"),
    "unknown pose key": (BOX + "pose = { posittion = [0, 0, 0] }\n", "body[0].pose", "'position'"),
    "unknown shape": ('[[body]]\nname = "b"\nshape = { cube = {} }\n', "shape", "box"),
    "two shapes": (
        '[[body]]\nname = "b"\nshape = { sphere = { radius = 1 }, halfspace = {} }\n',
        "one shape",
        "sphere",
    ),
    "missing size": ('[[body]]\nname = "b"\nshape = { box = {} }\n', "shape.box", "size"),
    "negative size": (
        '[[body]]\nname = "b"\nshape = { box = { size = [1, -1, 1] } }\n',
        "size[1]",
        "-1",
    ),
    "zero radius": (
        '[[body]]\nname = "b"\nshape = { sphere = { radius = 0 } }\n',
        "radius",
        "1e-09",
    ),
    "nan": (BOX + "pose = { position = [nan, 0, 0] }\n", "body[0].pose", "finite"),
    "inf": (BOX + "pose = { position = [inf, 0, 0] }\n", "body[0].pose", "finite"),
    "text for a number": (BOX + 'pose = { position = ["a", 0, 0] }\n', "body[0].pose", "numbers"),
    "short position": (BOX + "pose = { position = [0, 0] }\n", "position", "3 numbers"),
    "quaternion": (BOX + "pose = { quaternion = [1, 1, 0, 0] }\n", "quaternion", "length"),
    "matrix": (BOX + "pose = { matrix = [[1, 0], [0, 1]] }\n", "pose", "(4, 4)"),
    "missing shape": ('[[body]]\nname = "b"\n', "body[0]", "shape"),
    "missing name": ("[[body]]\nshape = { halfspace = {} }\n", "body[0]", "name"),
    "doubled name": (BOX + BOX, "body[1]", "taken"),
    "name of the wrong type": ("[[body]]\nname = 1\nshape = { halfspace = {} }\n", "name", "text"),
    "moving is no bool": (BOX + "moving = 1\n", "moving", "true"),
    "body is no list": ("[body]\nname = 1\n", "body", "list"),
    "robot without urdf": ('[[robot]]\nname = "a"\n', "robot[0]", "urdf"),
    "missing urdf": ('[[robot]]\nurdf = "gone.urdf"\n', "robot[0]", "gone.urdf"),
    "unknown model": ('[[robot]]\nurdf = "builtin:pandas"\n', "robot[0]", "panda"),
    "missing mesh": (
        '[[body]]\nname = "b"\nshape = { mesh = { file = "gone.stl" } }\n',
        "shape.mesh",
        "gone.stl",
    ),
    "allow an unknown name": (BOX + '[[allow]]\npair = ["b", "c"]\n', "allow[0]", "'c'"),
    "allow three": (BOX + '[[allow]]\npair = ["b", "c", "d"]\n', "allow[0]", "two"),
    "state of an unknown joint": (BOX + "[state]\njoint = 0\n", "state", "joint"),
    "attached to nothing": (
        BOX + 'attached = { link = "a/b", pose = {} }\n',
        "attached",
        "a/b",
    ),
    "attached without a pose": (BOX + 'attached = { link = "a/b" }\n', "attached", "pose"),
    "open faces of a polyhedron": (
        '[[body]]\nname = "b"\nshape = { polyhedron = { vertices = [[0,0,0],[1,0,0],[0,1,0],'
        "[0,0,1]], faces = [[0,1,2]] } }\n",
        "polyhedron",
        "",
    ),
    "flat polyhedron": (
        '[[body]]\nname = "b"\nshape = { polyhedron = { vertices = [[0,0,0],[1,0,0],[0,1,0],'
        "[1,1,0]] } }\n",
        "polyhedron",
        "",
    ),
    "radius that is a truth value": (
        '[[body]]\nname = "b"\nshape = { sphere = { radius = true } }\n',
        "Sphere.radius",
        "True",
    ),
    "radius in quotes": (
        '[[body]]\nname = "b"\nshape = { sphere = { radius = "1" } }\n',
        "Sphere.radius",
        "'1'",
    ),
    "position in quotes": (BOX + 'pose = { position = ["1", "2", "3"] }\n', "pose", "not numbers"),
    "a key nested a thousand deep": ("robot" + ".a" * 3000 + " = 1\n", "robot", "list"),
    "huge number": (BOX + f"pose = {{ position = [{10**400}, 0, 0] }}\n", "body[0].pose", ""),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_with_file_place_and_what_is_allowed(tmp_path, case):
    text, *parts = BAD[case]
    path = tmp_path / "cell.toml"
    path.write_text("standoff = 1\n" + text)
    with pytest.raises(so.Error) as caught:
        so.Cell.load(path)
    assert caught.value.file == str(path)
    for part in ("cell.toml", *parts):
        assert part in str(caught.value)


def test_version_is_needed_and_must_be_known(tmp_path):
    path = tmp_path / "cell.toml"
    path.write_text("")
    with pytest.raises(so.errors.CellError, match="standoff"):
        so.Cell.load(path)
    path.write_text("standoff = 99")
    with pytest.raises(so.errors.CellError, match="99"):
        so.Cell.load(path)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"standoff = [", b"a" * 1000, b"\x00" * 99])
def test_noise_is_refused(tmp_path, content):
    path = tmp_path / "cell.toml"
    path.write_bytes(content)
    with pytest.raises(so.errors.CellError, match=r"cell\.toml"):
        so.Cell.load(path)


def test_a_hundred_megabytes_of_noise_are_refused_unread(tmp_path):
    path = tmp_path / "cell.toml"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(so.errors.CellError, match="too large"):
        so.Cell.load(path)


def test_folder_and_missing_file_are_refused(tmp_path):
    with pytest.raises(so.errors.CellError):
        so.Cell.load(tmp_path)
    with pytest.raises(so.errors.CellError, match=r"none\.toml"):
        so.Cell.load(tmp_path / "none.toml")


def test_saving_where_one_cannot_write_is_our_error(tmp_path):
    with pytest.raises(so.errors.CellError, match="written"):
        so.Cell().save(tmp_path / "gone" / "cell.toml")


def test_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "cell.toml"
    path.write_text("old")
    monkeypatch.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(so.errors.CellError, match="disk full"):
        so.Cell().save(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["cell.toml"]


def test_errors_keep_their_kind_and_their_parts_through_a_file(tmp_path):
    path = tmp_path / "cell.toml"
    kinds = {
        BOX + BOX: so.errors.DuplicateNameError,
        BOX + '[[allow]]\npair = ["b", "c"]\n': so.errors.UnknownNameError,
        '[[body]]\nname = "b"\nshape = { sphere = { radius = -1 } }\n': so.errors.ShapeError,
        '[[body]]\nname = "b"\nshape = { mesh = { file = "gone.stl" } }\n': so.errors.MeshError,
        '[[robot]]\nurdf = "gone.urdf"\n': so.errors.RobotError,
    }
    for text, kind in kinds.items():
        path.write_text("standoff = 1\n" + text)
        with pytest.raises(kind) as caught:
            so.Cell.load(path)
        assert type(caught.value) is kind and caught.value.file == str(path)
    path.write_text("standoff = 1\n" + list(kinds)[2])
    with pytest.raises(so.errors.ShapeError) as caught:
        so.Cell.load(path)
    assert caught.value.value == -1 and "1e-09 to 1e+09" in caught.value.allowed


def test_round_trip_is_exact_after_a_thousand_grasps(tmp_path):
    """Products of rotations drift from rigid, and a file is read as the nearest rigid pose."""
    rng = np.random.default_rng(3)
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("box", so.Box((0.1, 0.1, 0.1)), turned(rng))
    for _ in range(1000):
        cell.attach("box", "arm/panda_hand", q=rng.uniform(-1, 1, len(cell.joints)))
        cell.detach("box", q=rng.uniform(-1, 1, len(cell.joints)))
    cell.save(tmp_path / "cell.toml")
    same(cell, so.Cell.load(tmp_path / "cell.toml"))


def test_a_linked_urdf_keeps_the_meshes_beside_the_link(tmp_path):
    urdf = '<robot name="r"><link name="l"><collision><geometry>'
    urdf += '<mesh filename="../meshes/a.obj"/></geometry></collision></link></robot>'
    for place, factor in (("here", 1.0), ("there", 0.1)):
        (tmp_path / place / "urdf").mkdir(parents=True)
        (tmp_path / place / "meshes").mkdir()
        vertices, faces = cube()
        write_obj(tmp_path / place / "meshes" / "a.obj", so.Mesh(factor * vertices, faces))
    (tmp_path / "there" / "urdf" / "r.urdf").write_text(urdf)
    link = tmp_path / "here" / "urdf" / "r.urdf"
    link.symlink_to(tmp_path / "there" / "urdf" / "r.urdf")
    cell = so.Cell()
    cell.add_robot(link)
    cell.save(tmp_path / "cell.toml")
    same(cell, so.Cell.load(tmp_path / "cell.toml"))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    import os

    os.mkfifo(tmp_path / "cell.toml")
    with pytest.raises(so.errors.CellError, match="regular file"):
        so.Cell.load(tmp_path / "cell.toml")


def test_saving_what_cannot_be_encoded_leaves_nothing_behind(tmp_path):
    cell = so.Cell()
    cell.add_body("a", so.Sphere(1))
    cell.add_body("b", so.Sphere(1), moving=True)
    with pytest.raises(so.errors.CellError, match="reason"):
        cell.allow("a", "b", "\ud800")
    assert cell.user_pairs == {}
    with pytest.raises(so.errors.CellError):
        cell.save("\0")
    assert list(tmp_path.iterdir()) == []
