"""Meshes from files: every format, and every way a file can be wrong."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
import pytest

from standoff.errors import MeshError
from standoff.geometry.mesh import Mesh
from standoff.geometry.mesh_files import collada
from standoff.geometry.mesh_files.collada import MAX_MESH_BYTES
from standoff.geometry.mesh_files.mesh_file import read_mesh
from tests.worlds.mesh_shapes import box_arrays, torus_arrays

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


def test_a_scale_that_takes_vertices_too_far_out_is_to_blame(tmp_path):
    for scale, says in ((1e300, "too far out"), (1e308, "a scale that takes vertices too far out")):
        with pytest.raises(MeshError, match=says):
            load(tmp_path, binary_stl(1e3 * SOUP), "a.stl", scale=scale)


def test_a_text_that_is_no_stl_file_is_said_to_be_one(tmp_path):
    for text in (
        b"hello",
        b"These are notes about the part, and no part.\n" * 9,
        "Größe\n".encode(),
    ):
        with pytest.raises(MeshError, match="text, but not that of an STL file") as caught:
            load(tmp_path, text, "notes.stl")
        assert "triangles of its header" not in str(caught.value)
    with pytest.raises(MeshError, match="triangles of its header"):
        load(tmp_path, binary_stl(head=b"long") + b"more", "long.stl")


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


def test_a_polygon_of_a_million_corners_is_refused(tmp_path):
    """Each corner was tried against all others: one of 1.5 million did not end in 25 s."""
    text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf " + 300_000 * b"1 2 3 "
    with pytest.raises(MeshError, match="too many corners"):
        load(tmp_path, text, "a.obj")


def test_binary_ply_vertices_with_a_list_are_read(tmp_path):
    """Their numbers are read one by one, and made points of a shape that no mesh took."""
    head = b"ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
    head += b"property float x\nproperty float y\nproperty float z\nproperty list uchar int tags\n"
    head += b"element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    body = b"".join(struct.pack("<fffBi", *corner, 1, 7) for corner in corners)
    mesh = load(tmp_path, head + body + struct.pack("<Biii", 3, 0, 1, 2), "a.ply")
    assert mesh.vertices.tolist() == [list(corner) for corner in corners]


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
    twice = load(tmp_path, dae(instances=2, up="Y_UP"), "c.dae")  # two in one place are one
    assert len(read_mesh(tmp_path / "c.dae")[1]) == 2 * len(FACES)
    assert twice.closed and twice.problems == (f"{len(FACES)} repeated triangles were left out",)


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


@pytest.mark.parametrize("suffix", ["glb", "dae"])
def test_vertices_that_many_triangles_share_are_not_repeated_without_end(
    tmp_path, monkeypatch, suffix
):
    """Only triangles were counted: a .glb of 62 kB took more than 6 GB."""

    def repeat(tree):
        tree["accessors"][0]["count"] = 3  # one triangle, and all vertices
        tree["meshes"][0]["primitives"] *= 20

    data = glb(repeat) if suffix == "glb" else dae(faces=FACES[:1], instances=40)
    load(tmp_path, data, f"a.{suffix}")
    monkeypatch.setattr(collada, "MAX_MESH_TRIANGLES", 50)
    with pytest.raises(MeshError, match="too large a scene"):
        load(tmp_path, data, f"b.{suffix}")


@pytest.mark.parametrize("suffix", ["off", "glb"])
def test_what_trimesh_writes_is_read(tmp_path, suffix):
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


def glb(change=lambda tree: None, cut=None):
    """Two boxes: one turned, mirrored and moved; one in a node below it."""
    points, faces = box_arrays(1, 2, 3)
    corners = faces.astype("<u2").tobytes()
    blob = corners + points.astype("<f4").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {
                "mesh": 0,
                "children": [1],
                "rotation": [0, 0, 0.5**0.5, 0.5**0.5],
                "scale": [2, -1, 1],
                "translation": [5, 0, 0],
            },
            {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5123, "type": "SCALAR", "count": faces.size},
            {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": len(points)},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(corners)},
            {"buffer": 0, "byteOffset": len(corners), "byteLength": len(blob) - len(corners)},
        ],
        "buffers": [{"byteLength": len(blob)}],
    }
    change(tree)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(blob), 0x004E4942) + blob
    return (b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)[:cut]


def test_glb_instances_stand_where_trimesh_puts_them(tmp_path):
    import io

    import trimesh

    mesh = load(tmp_path, glb(), "a.glb")
    other = trimesh.load_scene(io.BytesIO(glb()), file_type="glb", process=False).to_mesh()
    assert mesh.closed and mesh.problems == () and mesh.triangles == 24
    assert mesh.volume == pytest.approx(24.0)
    assert np.array(mesh.bounds()) == pytest.approx(np.array(other.bounds), abs=1e-6)


def put(*way, **values):
    def change(tree):
        for step in way:
            tree = tree[step]
        tree.update(values)

    return change


PRIMITIVE = ("meshes", 0, "primitives", 0)
LOSING = {
    "points": put(*PRIMITIVE, mode=0),
    "lines": put(*PRIMITIVE, mode=1),
    "strip": put(*PRIMITIVE, mode=5),
    "fan": put(*PRIMITIVE, mode=6),
    "mode true": put(*PRIMITIVE, mode=True),
    "morph": put(*PRIMITIVE, targets=[{"POSITION": 1}]),
    "draco": put(*PRIMITIVE, extensions={"KHR_draco_mesh_compression": {}}),
    "instancing": put("nodes", 0, extensions={"EXT_mesh_gpu_instancing": {}}),
    "quantized": put(extensionsUsed=["KHR_mesh_quantization"]),
    "skin": put("nodes", 0, skin=0),
    "two transforms": put("nodes", 1, scale=[2, 2, 2]),
    "two scenes": put(scenes=[{"nodes": [0]}, {"nodes": [1]}]),
    "node twice": put("nodes", 1, children=[0]),
    "node before the first": put("nodes", 0, children=[-1]),
    "sparse": put("accessors", 1, sparse={}),
    "half a triangle": put("accessors", 0, count=34),
    "too many indices": put("accessors", 0, count=39),
    "too many points": put("accessors", 1, count=9),
    "too few points": put("accessors", 1, count=7),
    "outside file": put("buffers", 0, uri="other.bin"),
    "short buffer": put("buffers", 0, byteLength=10_000),
    "no rotation": put("nodes", 0, rotation=[0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", LOSING)
def test_glb_that_would_lose_surface_is_refused(tmp_path, name):
    with pytest.raises(MeshError, match=r"a\.glb"):
        load(tmp_path, glb(LOSING[name]), "a.glb")


OFF = b"OFF\n# square and roof\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 2 0\n"
OFF += b"4 0 1 2 3\n3 3 2 4 255 0 0\n"


def test_off_polygons_colours_and_counts_on_the_first_line(tmp_path):
    for data in (
        OFF,
        OFF.replace(b"OFF\n# square and roof\n", b"COFF "),
        OFF.replace(b" 0\n", b" 0 \r\n"),
    ):
        mesh = load(tmp_path, data, "a.off")
        assert mesh.triangles == 3 and mesh.area == pytest.approx(1.5)


@pytest.mark.parametrize(
    "data",
    [
        OFF.replace(b"5 2 0", b"5 3 0"),
        OFF.replace(b"5 2 0", b"5 1 0"),
        OFF.replace(b"5 2 0", b"4 2 0"),
        OFF.replace(b"5 2 0", b"6 2 0"),
        OFF.replace(b"4 0 1 2 3", b"4 0 1 2"),
        OFF.replace(b"4 0 1 2 3", b"4 0 1 2 -1"),
        OFF.replace(b"4 0 1 2 3", b"2 0 1"),
        OFF.replace(b"4 0 1 2 3", b"-1 0 1 2"),
        OFF.replace(b"3 3 2 4", b"3 3 2 5"),
        OFF.replace(b"OFF", b"4OFF"),
        OFF.replace(b"OFF", b"OFF BINARY"),
    ],
)
def test_off_with_other_counts_than_it_declares_is_refused(tmp_path, data):
    with pytest.raises(MeshError, match=r"a\.off"):
        load(tmp_path, data, "a.off")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'stride="3"', b'stride="4"'),
        (b' stride="3"', b""),
        (b'stride="3"', b'stride="3" offset="3"'),
        (f'count="{len(POINTS)}" stride'.encode(), b'count="7" stride'),
        (f'count="{POINTS.size}"'.encode(), b'count="6"'),
        (f'<triangles count="{len(FACES)}"'.encode(), b'<triangles count="3"'),
        (f'<triangles count="{len(FACES)}"'.encode(), b'<triangles count="999999999999"'),
        (b'source="#a"', b'source="#b"'),
        (b'<param name="Y" type="float"/>', b'<param type="float"/>'),
    ],
)
def test_dae_accessors_and_counts_that_pycollada_passes_over_are_refused(tmp_path, old, new):
    assert old in dae()
    with pytest.raises(MeshError, match=r"a\.dae"):
        load(tmp_path, dae().replace(old, new), "a.dae")


@pytest.mark.parametrize("unit", ["0", "-1", "nan", "inf", "1e999", "0,001", "", "mm", "1_0"])
def test_dae_unit_that_is_no_length_is_refused(tmp_path, unit):
    with pytest.raises(MeshError, match="not a unit"):
        load(tmp_path, dae(unit=unit), "a.dae")


def test_ascii_stl_facets_of_four_and_two_vertices_are_not_regrouped(tmp_path):
    lines = ascii_stl().splitlines()
    fourth = lines.pop(12)
    assert b"vertex" in fourth
    lines.insert(6, fourth)
    with pytest.raises(MeshError, match="facet 1"):
        load(tmp_path, b"\n".join(lines), "a.stl")
    with pytest.raises(MeshError, match="facet 3"):
        load(tmp_path, ascii_stl(SOUP[:3]).replace(b"endfacet\nend", b"end"), "b.stl")


def test_ascii_stl_names_may_hold_any_words(tmp_path):
    data = ascii_stl().replace(b"solid thing", b"solid a vertex 1 2 3 endfacet")
    assert load(tmp_path, data, "a.stl").triangles == len(FACES)


def test_pipes_devices_and_huge_files_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "zero.stl").symlink_to("/dev/zero")
    for name in ("pipe.stl", "zero.stl"):
        with pytest.raises(MeshError, match="not a regular file"):
            Mesh.load(tmp_path / name)
    with (tmp_path / "huge.stl").open("wb") as file:
        file.truncate(MAX_MESH_BYTES + 1)  # a hole, which takes no space
    with pytest.raises(MeshError, match="too large"):
        Mesh.load(tmp_path / "huge.stl")


@pytest.mark.parametrize("path", [None, 5, b"x.stl", ["a.stl"]])
def test_what_is_no_path_is_a_mesh_error(path):
    with pytest.raises(MeshError, match="not a path"):
        Mesh.load(path)
