"""Meshes from files: every format, and every way a file can be wrong."""

from __future__ import annotations

import os
import struct

import numpy as np
import pytest

from standoff.errors import MeshError
from standoff.shapes.mesh import Mesh
from tests.mesh_shapes import box_arrays, torus_arrays

POINTS, FACES = torus_arrays(around=8, across=5)
POINTS = POINTS.astype(np.float32).astype(np.float64)
TORUS = Mesh(POINTS, FACES)
SOUP = POINTS[FACES]


def binary_stl(soup=SOUP, count=None, head=b"solid but binary"):
    body = b"".join(
        np.zeros(3, "<f4").tobytes() + t.astype("<f4").tobytes() + b"\0\0" for t in soup
    )
    return head.ljust(80) + struct.pack("<I", len(soup) if count is None else count) + body


def ascii_stl(soup=SOUP):
    lines = ["solid thing"]
    for t in soup:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex " + " ".join(repr(float(x)) for x in p) for p in t]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid thing"]).encode()


def obj(points=POINTS, faces=FACES):
    lines = ["# a comment", "mtllib missing.mtl", "o torus", "usemtl grey"]
    lines += ["v " + " ".join(repr(float(x)) for x in p) for p in points]
    lines += ["vn 0 0 1", "vt 0 0", "s off"]
    lines += ["f " + " ".join(f"{i + 1}/1/1" for i in f) for f in faces]
    return "\n".join(lines).encode()


def ply(points=POINTS, faces=FACES):
    lines = ["ply", "format ascii 1.0", f"element vertex {len(points)}"]
    lines += [f"property double {c}" for c in "xyz"]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    lines += [" ".join(repr(float(x)) for x in p) for p in points]
    lines += ["3 " + " ".join(str(i) for i in f) for f in faces]
    return ("\n".join(lines) + "\n").encode()


def binary_ply(order="<", faces=FACES, points=POINTS, extra=b""):
    kind = {"<": "binary_little_endian", ">": "binary_big_endian"}[order]
    head = f"ply\nformat {kind} 1.0\ncomment made here\nelement vertex {len(points)}\n"
    head += "".join(f"property float {c}\n" for c in "xyz") + "property uchar red\n"
    head += f"element face {len(faces)}\nproperty list uchar int vertex_index\nend_header\n"
    body = b"".join(struct.pack(order + "3fB", *p, 7) for p in points)
    body += b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) for f in faces)
    return head.encode() + body + extra


def dae(
    points=POINTS, faces=FACES, unit=1.0, node="", primitive="triangles", instances=1, up="Z_UP"
):
    numbers = " ".join(repr(float(x)) for x in np.ravel(points))
    indices = " ".join(str(i) for i in np.ravel(faces))
    one = f'<node id="n">{node}<instance_geometry url="#g"/></node>'
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
    <unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="c"><phong><diffuse>
    <texture texture="nowhere" texcoord="x"/></diffuse></phong></technique></profile_COMMON>
    </effect></library_effects>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="{np.size(points)}">{numbers}</float_array>
      <technique_common><accessor source="#a" count="{len(points)}" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <{primitive} count="{len(faces)}" material="m">
      <input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></{primitive}>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">{one * instances}</visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>""".encode()


def load(tmp_path, data, name, **options):
    path = tmp_path / name
    path.write_bytes(data)
    return Mesh.load(path, **options)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.stl", binary_stl()),
        ("a.STL", ascii_stl()),
        ("a.obj", obj()),
        ("a.dae", dae()),
        ("a.ply", ply()),
        ("b.ply", binary_ply()),
        ("c.ply", binary_ply(">")),
    ],
)
def test_every_format_gives_the_same_solid(tmp_path, name, data):
    mesh = load(tmp_path, data, name)
    assert mesh.closed and mesh.problems == ()
    assert mesh.triangles == len(FACES) and len(mesh.vertices) == len(POINTS)
    assert mesh.volume == pytest.approx(TORUS.volume) and mesh.area == pytest.approx(TORUS.area)
    assert sorted(map(tuple, mesh.vertices)) == sorted(map(tuple, POINTS))
    assert mesh.source == tmp_path / name and mesh.scale == (1.0, 1.0, 1.0)
    assert mesh.parameters() == {"file": str(tmp_path / name), "scale": [1.0, 1.0, 1.0]}


def test_scale_and_mirror(tmp_path):
    mesh = load(tmp_path, binary_stl(), "a.stl", scale=0.001)
    assert mesh.volume == pytest.approx(TORUS.volume * 1e-9) and mesh.scale == (0.001,) * 3
    mirrored = Mesh.load(mesh.source, scale=(1, -2, 3))
    assert mirrored.problems == () and mirrored.volume == pytest.approx(6 * TORUS.volume)
    assert mirrored.bounds()[1] == pytest.approx(TORUS.bounds()[1] * [1, 2, 3], rel=1e-6)


@pytest.mark.parametrize("scale", [0, (1, 0, 1), (1, 2), float("nan"), "big", (1, 1, float("inf"))])
def test_bad_scale(tmp_path, scale):
    with pytest.raises(MeshError, match="scale"):
        load(tmp_path, binary_stl(), "a.stl", scale=scale)


def test_obj_polygons_negative_indices_and_continued_lines(tmp_path):
    points, _ = box_arrays(1, 2, 3)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)]
    text = obj(points, quads) + b"\nf -7//1 -3//1 \\\n -1//1 -5//1\n"
    mesh = load(tmp_path, text, "a.obj")
    assert mesh.closed and mesh.triangles == 12 and mesh.volume == pytest.approx(6.0)
    dart = [[0, 0, 0], [2, 1, 0], [0, 2, 0], [1, 1, 0]]  # only corners 2 and 4 see everything
    mesh = load(tmp_path, obj(dart, [(0, 1, 2, 3)]), "b.obj")
    assert mesh.area == pytest.approx(1.0)


def test_obj_polygon_that_no_corner_sees(tmp_path):
    comb = [
        [0, 0, 0],
        [5, 0, 0],
        [5, 3, 0],
        [4, 1, 0],
        [3, 3, 0],
        [2, 1, 0],
        [1, 3, 0],
        [0.5, 1, 0],
    ]
    with pytest.raises(MeshError, match="no corner sees") as caught:
        load(tmp_path, obj(comb, [tuple(range(8))]), "a.obj")
    assert caught.value.element.startswith("line ")


def test_ply_polygons(tmp_path):
    points, _ = box_arrays(1, 2, 3)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = load(tmp_path, binary_ply(points=points, faces=quads), "a.ply")
    assert mesh.closed and mesh.volume == pytest.approx(6.0)


def test_dae_units_transforms_and_instances(tmp_path):
    mesh = load(tmp_path, dae(unit=0.01), "a.dae")
    assert mesh.volume == pytest.approx(TORUS.volume * 1e-6)
    mesh = load(tmp_path, dae(node="<translate>1 2 3</translate><scale>2 2 2</scale>"), "b.dae")
    assert mesh.bounds()[0] == pytest.approx(2 * TORUS.bounds()[0] + [1, 2, 3], abs=1e-6)
    assert load(tmp_path, dae(instances=2, up="Y_UP"), "c.dae").triangles == 2 * len(FACES)


def test_dae_surface_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(MeshError):
        load(tmp_path, dae(primitive="nurbs"), "a.dae")
    with pytest.raises(MeshError):
        load(tmp_path, dae().replace(b"<instance_geometry", b"<instance_controller"), "b.dae")
    with pytest.raises(MeshError):
        load(tmp_path, dae().replace(b'url="#g"', b'url="#h"'), "c.dae")


def test_dae_entities_are_refused(tmp_path):
    bomb = dae().replace(
        b"<COLLADA", b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><COLLADA', 1
    )
    with pytest.raises(MeshError, match="DTD"):
        load(tmp_path, bomb, "a.dae")
    outside = dae().replace(
        b"<COLLADA", b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><COLLADA', 1
    )
    with pytest.raises(MeshError, match="DTD"):
        load(tmp_path, outside, "b.dae")


def broken_point(value):
    soup = SOUP.copy()
    soup[3, 1, 2] = value
    return soup


BAD = {
    "empty.stl": b"",
    "empty.obj": b"",
    "empty.dae": b"",
    "empty.ply": b"",
    "nothing.stl": binary_stl(SOUP[:0]),
    "nothing_ascii.stl": b"solid x\nendsolid x\n",
    "nothing.obj": b"# nothing\nv 0 0 0\n",
    "nothing.dae": dae(faces=FACES[:0]),
    "nothing.ply": ply(faces=FACES[:0]),
    "short.stl": binary_stl()[:-7],
    "long.stl": binary_stl(head=b"long") + b"more",
    "header.stl": b"abc",
    "count.stl": binary_stl(count=2**32 - 1, head=b"many"),
    "cut_ascii.stl": ascii_stl()[:-300],
    "words.stl": ascii_stl().replace(b"vertex 0.", b"vertex x.", 1),
    "nan.stl": binary_stl(broken_point(np.nan)),
    "inf.stl": binary_stl(broken_point(np.inf)),
    "nan_ascii.stl": ascii_stl(broken_point(np.nan)),
    "nan.obj": obj().replace(b"\nv 0.", b"\nv nan ", 1),
    "range.obj": obj() + b"\nf 1 2 999\n",
    "range_polygon.obj": obj() + b"\nf 1 2 3 999\n",
    "zero.obj": obj() + b"\nf 0 1 2\n",
    "back.obj": obj() + b"\nf -1 -2 -999\n",
    "words.obj": obj() + b"\nf a b c\n",
    "two.obj": obj() + b"\nf 1 2\n",
    "surface.obj": obj() + b"\nsurf 0 1 0 1 1 2 3\n",
    "vertex.obj": b"v 0 0\nf 1 1 1\n",
    "cut.ply": ply()[:-200],
    "cut_binary.ply": binary_ply()[:-3],
    "many.ply": ply().replace(b"element face", b"element face 9999999999999\nelement face", 1),
    "nan.ply": ply(points=np.where(np.arange(POINTS.size).reshape(-1, 3) == 4, np.nan, POINTS)),
    "two.ply": binary_ply(faces=[(0, 1)]),
    "no_xyz.ply": ply().replace(b"property double y", b"property double t"),
    "words.ply": b"ply\nnonsense\n",
    "range.ply": ply(faces=[(0, 1, 99)]),
    "cut.dae": dae()[:-200],
    "range.dae": dae(faces=[(0, 1, 99)]),
    "nan.dae": dae(points=np.where(np.arange(POINTS.size).reshape(-1, 3) == 4, np.nan, POINTS)),
    "no_scene.dae": dae().replace(b"<instance_visual_scene", b"<instance_other"),
    "html.dae": b"<html><body>404</body></html>",
    "mesh.step": b"ISO-10303-21;",
    "mesh": b"",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file(tmp_path, name):
    with pytest.raises(MeshError) as caught:
        load(tmp_path, BAD[name], name)
    assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae", "ply"])
def test_noise(tmp_path, suffix):
    rng = np.random.default_rng(0)
    for size in (10, 84, 1000, 200_000):
        with pytest.raises(MeshError):
            load(tmp_path, rng.bytes(size), f"noise{size}.{suffix}")
    printable = rng.integers(32, 127, 200_000, dtype=np.uint8).tobytes()
    with pytest.raises(MeshError):
        load(tmp_path, printable, f"text.{suffix}")


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae", "ply"])
def test_a_hundred_megabytes_of_noise(tmp_path, suffix):
    block = np.random.default_rng(1).bytes(1 << 20)
    path = tmp_path / f"noise.{suffix}"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(block)
    with pytest.raises(MeshError):
        Mesh.load(path)


@pytest.mark.parametrize(
    ("name", "good"), [("m.stl", ascii_stl()), ("m.obj", obj()), ("m.dae", dae()), ("m.ply", ply())]
)
def test_mutated_files_never_raise_anything_else(tmp_path, name, good):
    rng = np.random.default_rng(2)
    path = tmp_path / name
    for _ in range(120):
        data = bytearray(good)
        for _ in range(rng.integers(1, 6)):
            at = int(rng.integers(len(data)))
            what = rng.integers(3)
            if what == 0:
                data[at] = rng.integers(256)
            elif what == 1:
                del data[at : at + int(rng.integers(1, 50))]
            else:
                data[at:at] = rng.choice([b"9999999999", b"nan", b"-", b"\n", b"1e400", b"<", b"/"])
        path.write_bytes(bytes(data))
        try:
            Mesh.load(path)
        except MeshError as error:
            assert error.file == str(path)


def test_missing_directory_and_unreadable(tmp_path):
    with pytest.raises(MeshError, match="cannot be read"):
        Mesh.load(tmp_path / "missing.stl")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(MeshError, match="cannot be read"):
        Mesh.load(tmp_path / "folder.stl")
    with pytest.raises(MeshError, match="cannot be read"):
        Mesh.load("a\0b.stl")
    locked = tmp_path / "locked.stl"
    locked.write_bytes(binary_stl())
    locked.chmod(0)
    if not os.access(locked, os.R_OK):
        with pytest.raises(MeshError, match="cannot be read"):
            Mesh.load(locked)


@pytest.mark.parametrize("suffix", ["off", "glb"])
def test_other_formats_are_read_by_trimesh(tmp_path, suffix):
    import trimesh

    box = trimesh.creation.box((0.5, 1.0, 2.0))
    content = box.export(file_type=suffix)
    path = tmp_path / f"box.{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    mesh = Mesh.load(path)
    assert mesh.closed and mesh.volume == pytest.approx(1.0)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(MeshError, match=f"box.{suffix}"):
        Mesh.load(path)
