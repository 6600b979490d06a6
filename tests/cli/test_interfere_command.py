"""`standoff interfere`: files in, a table of pairs out."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import standoff as so
from standoff import cli
from standoff.view import interfere_picture
from tests.interference.test_interference_touching import ELL
from tests.worlds.command_line import PNG, ROOT, run, words
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, joined, torus_arrays
from tests.worlds.robot_files import example

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def write_stl(path, points, faces):
    corners = np.asarray(points)[np.asarray(faces)]
    records = np.zeros(len(corners), dtype=RECORD)
    records["corners"] = corners
    path.write_bytes(bytes(80) + len(corners).to_bytes(4, "little") + records.tobytes())
    return path


def write_obj(path, points, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in points] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces
    ]
    path.write_text("\n".join(lines))
    return path


def write_ply(path, points, faces):
    head = ["ply", "format ascii 1.0", f"element vertex {len(points)}"]
    head += [f"property float {axis}" for axis in "xyz"]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    rows = [f"{x} {y} {z}" for x, y, z in points] + [f"3 {a} {b} {c}" for a, b, c in faces]
    path.write_text("\n".join([*head, *rows, ""]))
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cube of 0.1 m, a ring around it that goes through it, and a cube far off."""
    write_stl(tmp_path / "cube.stl", *box_arrays(0.1, 0.1, 0.1))
    write_obj(tmp_path / "ring.obj", *torus_arrays(0.06, 0.02, 24, 12))
    write_ply(tmp_path / "far.ply", *box_arrays(0.1, 0.1, 0.1, centre=(0.5, 0, 0)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


@pytest.fixture
def command(folder, monkeypatch, capsys):
    """Runs the command within this process: exit status, stdout, stderr."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["standoff", "interfere", *map(str, args)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        shown = capsys.readouterr()
        return caught.value.code or 0, shown.out, shown.err

    return call


METHODS = ("exact", "projection", "octree")


@pytest.mark.parametrize("method", METHODS)
def test_parts_that_overlap_and_parts_that_do_not(command, method):
    status, shown, errors = command("cube.stl", "ring.obj", "far.ply", "--method", method)
    assert status == 1, errors
    rows = [line.split() for line in shown.splitlines() if line[:3].strip() in ("yes", "may", "no")]
    assert [row[:3] for row in rows[1:]] and {tuple(row[1:3]) for row in rows} == {
        ("cube.stl", "ring.obj"), ("cube.stl", "far.ply"), ("ring.obj", "far.ply"),
    }  # fmt: skip
    assert rows[0][1:3] == ["cube.stl", "ring.obj"] and {row[0] for row in rows[1:]} == {"no"}
    assert f"method {method}" in shown
    if method == "exact":
        assert rows[0][0] == "yes" and "a vertex of ring.obj in cube.stl" in words(shown)
        assert re.search(r"≥ 2\d\.\d+ mm deep", shown) and "370 mm" in shown and "400 mm" in shown
    status, shown, errors = command("cube.stl", "far.ply", "--method", method)
    assert status == 0 and "no interference" in shown


def test_help_has_an_example_and_units():
    shown = " ".join(run("interfere", "--help").stdout.split())
    assert "Example: standoff interfere" in shown and "[m]" in shown
    assert "Exit status: 0 none, 1 some, 2 bad input" in shown


def test_a_clearance(command):
    assert command("cube.stl", "far.ply", "--clearance", 0.39)[0] == 0
    status, shown, _ = command("cube.stl", "far.ply", "--clearance", 0.41)
    told = " ".join(shown.split())  # a narrow table breaks its lines
    assert status == 1 and "nearer than the clearance of 410 mm" in told and "400 mm" in told


def test_one_file_twice_has_two_names(command):
    status, shown, _ = command("cube.stl", "cube.stl", "far.ply")
    assert status == 1 and "cube.stl (2)" in shown and "100 mm deep" in shown


def test_json(command):
    status, shown, _ = command("cube.stl", "ring.obj", "far.ply", "--json", "--picture", "x.png")
    told = json.loads(shown)
    assert status == 1 and told["interference"] and told["method"] == "exact"
    (overlap,) = told["overlaps"]
    assert (overlap["a"], overlap["b"], overlap["certain"]) == ("cube.stl", "ring.obj", True)
    assert -0.03 < overlap["distance"] < -0.02
    assert np.allclose(overlap["low"], [-0.05, -0.05, -0.02], atol=1e-3)
    assert [part["name"] for part in told["parts"]] == ["cube.stl", "ring.obj", "far.ply"]
    assert told["parts"][0]["closed"] and told["parts"][0]["triangles"] == 12
    assert [gap["exact"] for gap in told["gaps"]] == [True, True] and told["gaps_left_out"] == 0
    assert told["pictures"] == ["x.png"]


def test_pictures_in_a_file_and_in_a_folder(command, folder):
    status, shown, _ = command("cube.stl", "ring.obj", "cube.stl", "--picture", "sub/pair.png")
    assert status == 1 and shown.count("picture: ") == 3
    for name in ("pair.png", "pair-2.png", "pair-3.png"):
        assert (folder / "sub" / name).read_bytes().startswith(PNG)
    command("cube.stl", "ring.obj", "far.ply", "--picture", "pairs")
    assert [p.name for p in (folder / "pairs").iterdir()] == ["cube.stl--ring.obj.png"]
    status, shown, _ = command("cube.stl", "far.ply", "--picture", "none.png")
    assert status == 0 and "picture" not in shown and not (folder / "none.png").exists()


def test_pictures_beyond_the_most_are_told(command, monkeypatch, folder):
    monkeypatch.setattr(interfere_picture, "MOST", 1)
    _, shown, _ = command("cube.stl", "ring.obj", "cube.stl", "--picture", "pairs")
    assert "first 1 of 3 pairs" in shown and len(list((folder / "pairs").iterdir())) == 1


def test_without_matplotlib_there_is_a_word_on_it(command, monkeypatch):
    monkeypatch.setattr("standoff.view.plots.have_matplotlib", lambda: False)
    status, shown, _ = command("cube.stl", "ring.obj", "--picture", "pair.png")
    assert status == 1 and "matplotlib is not installed" in shown


def bad_files(folder):
    """Files that are no parts, and what is said of each."""
    (folder / "empty.stl").write_bytes(b"")
    (folder / "junk.stl").write_bytes(b"no triangles here " * 20)
    (folder / "cut.stl").write_bytes((folder / "cube.stl").read_bytes()[:-20])
    (folder / "none.obj").write_text("# nothing\n")
    (folder / "nan.obj").write_text("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "note.txt").write_text("hello")
    (folder / "bad.toml").write_text("[[bodies]\n")
    (folder / "dir.stl").mkdir()
    shut = folder / "shut.stl"
    shut.write_bytes((folder / "cube.stl").read_bytes())
    shut.chmod(0)
    found = {
        "empty.stl": "empty file", "junk.stl": "binary STL", "cut.stl": "binary STL",
        "none.obj": "no triangles", "nan.obj": "not finite", "note.txt": "not a part",
        "missing.stl": "missing.stl", "bad.toml": "bad.toml", "dir.stl": "dir.stl",
    }  # fmt: skip
    if not os.access(shut, os.R_OK):  # root reads everything
        found["shut.stl"] = "shut.stl"
    return found


def test_files_that_are_no_parts(command, folder):
    bad = bad_files(folder)
    for name, says in bad.items():
        status, shown, errors = command("cube.stl", name)
        assert status == 2 and name in errors and says in words(errors), (name, errors)
        assert "Traceback" not in errors and not shown
    status, _, errors = command("cube.stl", *bad)
    assert status == 2 and f"{len(bad)} of {len(bad) + 1} files cannot be used" in errors
    assert all(name in errors for name in bad)


def odd_files(folder):
    """Parts that are odd, far from each other, and what is said of each."""
    points, faces = box_arrays(0.1, 0.1, 0.1)
    disagree = faces.copy()
    disagree[0] = disagree[0, ::-1]
    flat = np.concatenate([faces, [[0, 0, 1]]])
    twice = np.concatenate([faces, faces[:1]])
    crossed = joined((points, faces), (points + np.array([0.03, 0.04, 0.05]), faces))
    made = {
        "flipped": (points, faces[:, ::-1]), "open": bowl_arrays(0.06),
        "disagree": (points, disagree), "flat": (points, flat), "crossed": crossed,
        "twice": (points, twice),
    }  # fmt: skip
    for k, (name, (vertices, triangles)) in enumerate(made.items()):
        moved = vertices + np.array([1.0 + k, 0.0, 0.0])
        write_stl(folder / f"{name}.stl", moved, triangles)
    surface = "14 edges belong to one triangle only: not closed; assumed: a surface"
    return {
        "flipped.stl": "1 of 1 closed parts were inside out and were turned",
        "open.stl": surface,
        "disagree.stl": "1 triangles disagreed",
        "flat.stl": "1 triangles have no area",
        "crossed.stl": "12 pairs of triangles cross each other, between 4.95",
        "twice.stl": "1 repeated triangles were left out",
    }


def test_odd_meshes_are_used_and_told_of(command, folder):
    odd = odd_files(folder)
    status, shown, errors = command(*odd)
    assert status == 0, errors
    said = words(shown)
    for name, text in odd.items():
        assert f"note {name}: {text}" in said, (name, said)
    told = json.loads(command(*odd, "--json")[1])
    assert all(part["notes"] for part in told["parts"])


def test_a_flipped_cube_is_solid_all_the_same(command, folder):
    points, faces = box_arrays(0.3, 0.3, 0.3)
    write_stl(folder / "shell.stl", points, faces[:, ::-1])
    status, shown, _ = command("shell.stl", "cube.stl")
    assert status == 1 and "yes" in shown and "were turned" in shown


@pytest.mark.parametrize("method", METHODS)
def test_a_pin_in_a_housing_that_lacks_a_triangle_may_overlap(command, folder, method):
    points, faces = box_arrays(0.3, 0.3, 0.3)
    write_stl(folder / "housing.stl", points, faces[1:])
    status, shown, _ = command("housing.stl", "cube.stl", "--method", method)
    assert status == 1 and "proved" not in shown and "1 may overlap" in shown
    status, shown, _ = command("housing.stl", "far.ply", "--method", method)
    assert status == 0 and "apart (proved; of open meshes for their surfaces)" in words(shown)


def test_a_gap_at_the_very_clearance_is_a_number_for_machines(command, folder):
    faces = [[2, 1, 0], [3, 2, 0], [1, 3, 0], [2, 3, 1]]
    a = [[31, 94, -87], [52, -54, 72], [-98, -61, 95], [15, -74, -99]]
    b = [[-223, -17, 246], [-169, -73, 203], [-294, 95, 224], [-169, -47, 168]]
    for name, corners in (("a.stl", a), ("b.stl", b)):
        write_stl(folder / name, np.array(corners, np.float32) / np.float32(1000), faces)
    asked = ("--method", "projection", "--clearance", "0.10183319779642808", "--json")
    status, shown, errors = command("a.stl", "b.stl", *asked)
    assert status == 0, errors
    assert json.loads(shown)["gaps"][0]["distance"] > 0.1018


def test_what_nobody_thought_of_is_no_answer(command, monkeypatch):
    """1 says that parts overlap: a crash must not."""

    def broken(*args, **options):
        raise RuntimeError("[red]nobody thought of this")

    monkeypatch.setattr("standoff.view.interfere.compare", broken)
    status, shown, errors = command("cube.stl", "far.ply")
    assert status == cli.CRASHED == 70 and not shown
    assert "RuntimeError: [red]nobody thought of this" in errors and "Traceback" in errors
    assert "nothing is known of what was asked" in errors


def test_a_part_in_millimetres(command, folder):
    points, faces = box_arrays(100.0, 100.0, 100.0, centre=(200.0, 0, 0))
    write_stl(folder / "mm.stl", points, faces)
    status, shown, _ = command("cube.stl", "mm.stl")
    assert "note mm.stl: 173.2 m across, 1,000 times as large as the others" in words(shown)
    assert "mm.stl@mm" in shown and "--unit mm" in shown
    status, shown, _ = command("cube.stl", "mm.stl@mm", "far.ply")
    assert status == 0 and "100 mm" in shown and "note" not in shown
    for scale in (("--unit", "mm"), ("--scale", 0.001)):
        _, shown, _ = command("mm.stl", "mm.stl", *scale)
        assert "100 mm deep" in shown
    _, shown, _ = command("cube.stl", "far.ply", "mm.stl")
    assert shown.count("times as") == 1 and "mm.stl: 173.2 m across, 1,000 times as large" in shown
    _, shown, _ = command("cube.stl@0.001", "far.ply", "ring.obj")
    assert "note cube.stl: 0.1732 mm across, 1,000 times as small" in words(shown)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("cube.stl",), "nothing to compare"),
        (("cube.stl", "far.ply", "--method", "guess"), "unknown method"),
        (("cube.stl", "far.ply", "--clearance", "-1"), "clearance"),
        (("cube.stl", "far.ply", "--clearance", "nan"), "clearance"),
        (("cube.stl", "far.ply", "--planes", "3"), "--method projection"),
        (("cube.stl", "far.ply", "--outline", "true"), "--method projection"),
        (("cube.stl", "far.ply", "--resolution", "1"), "--method octree"),
        (("cube.stl", "far.ply", "--method", "projection", "--planes", "0"), "planes"),
        (("cube.stl", "far.ply", "--method", "projection", "--outline", "x"), "outline"),
        (("cube.stl", "far.ply", "--method", "octree", "--resolution", "-1"), "resolution"),
        (("cube.stl", "far.ply", "--unit", "yard"), "m, cm, mm, in, ft"),
        (("cube.stl", "far.ply", "--scale", "0"), "scale"),
        (("cube.stl", "far.ply", "--scale", "2", "--unit", "mm"), "one of the two"),
        (("cube.stl@yard", "far.ply"), "not a scale"),
        (("cube.stl@1e300", "far.ply"), "too far out"),
        (("cube.stl@1e309", "far.ply"), "scale"),
        (("cube.stl", "cube.stl@1e11", "--method", "octree"), "too large a scene for an octree"),
        (("cube.stl", "far.ply", "--method", "octree", "--resolution", "1e-320"), "resolution"),
        (("cube.stl", "far.ply", "--method", "octree", "--resolution", "2e-6"), "resolution: too"),
        (("cube.stl", "far.ply", "--q", "0"), "--q"),
        (("cube.stl", "far.ply", "--picture", "cube.stl"), "cube.stl"),
        ((), "Missing argument"),
    ],
)
def test_what_makes_no_sense_has_status_2(command, args, says):
    status, shown, errors = command(*args)
    assert status == 2 and says in words(errors), errors
    assert "Traceback" not in errors and not shown


@pytest.fixture
def cell(folder):
    """An arm in capsules, a table it stands on, a post that touches the table, a loose block."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm", base=so.pose((0.0, 0.0, 0.1)))
    cell.add_body("table", so.Box((2.0, 2.0, 0.2)), so.pose((0.0, 0.0, -0.1)))
    cell.add_body("post", so.Box((0.1, 0.1, 0.4)), so.pose((-0.5, 0.0, 0.2)))
    cell.add_body("block", so.Box((0.1, 0.1, 0.1)), so.pose((0.5, 0.4, 0.3)), moving=True)
    cell.save(folder / "cell.toml")
    return cell


BENT = "0,-0.8,0,-2.4,0,1.6,0.8,0.02"


def test_a_cell_and_what_it_allows(command, cell):
    status, shown, errors = command("cell.toml", "--q", BENT)
    assert status == 1, shown + errors
    assert "pairs left out" in words(shown) and "arm/panda_link0" not in shown.split("no")[0]
    told = json.loads(command("cell.toml", "--q", BENT, "--json")[1])
    assert [(o["a"], o["b"]) for o in told["overlaps"]] == [("table", "post")]
    cell.allow("table", "post")
    cell.save("cell.toml")
    assert command("cell.toml", "--q", BENT)[0] == 0


def test_bodies_that_stand_still_are_compared(command, folder):
    cell = so.Cell()
    cell.add_body("a", so.Box((1.0, 1.0, 1.0)))
    cell.add_body("b", so.Box((1.0, 1.0, 1.0)), so.pose((0.2, 0.0, 0.0)))
    cell.save(folder / "still.toml")
    status, shown, _ = command("still.toml")
    assert status == 1 and "1 overlap" in words(shown)
    cell.allow("a", "b")
    cell.save(folder / "still.toml")
    status, shown, errors = command("still.toml")
    assert status == 2 and "nothing to compare" in words(errors) and "proved" not in shown


def test_a_part_in_a_cell(command, folder, cell):
    cell.allow("table", "post")
    cell.save(folder / "cell.toml")
    points, faces = box_arrays(0.1, 0.1, 0.1, centre=(0.5, 0.4, 0.36))
    write_stl(folder / "lid.stl", points, faces)
    told = json.loads(command("cell.toml", "lid.stl", "--q", BENT, "--json")[1])
    assert [(o["a"], o["b"]) for o in told["overlaps"]] == [("cell:block", "lid.stl")]
    assert told["overlaps"][0]["distance"] == pytest.approx(-0.04, abs=1e-6)


def test_two_cells_side_by_side(command, cell):
    told = json.loads(command("cell.toml", "cell.toml", "--json")[1])
    names = [part["name"] for part in told["parts"]]
    assert len(set(names)) == len(names) and "cell:table (2)" in names
    assert any({o["a"], o["b"]} == {"cell:table", "cell:table (2)"} for o in told["overlaps"])


def test_many_gaps_are_cut_to_the_nearest(command, folder):
    files = []
    for k in range(9):
        points, faces = box_arrays(0.1, 0.1, 0.1, centre=(0.2 * k, 0.01 * k * k, 0))
        files.append(write_stl(folder / f"p{k}.stl", points, faces).name)
    status, shown, _ = command(*files)
    rows = [line for line in shown.splitlines() if line.startswith("no ")]
    assert status == 0 and len(rows) == 20 and "and 16 more pairs" in shown
    told = json.loads(command(*files, "--json")[1])
    assert len(told["gaps"]) == 36
    distances = [gap["distance"] for gap in told["gaps"]]
    assert distances == sorted(distances) and distances[0] == pytest.approx(0.1, abs=1e-6)


def test_ctrl_c_is_no_verdict(command, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("standoff.view.interfere.compare", interrupted)
    status, shown, errors = command("cube.stl", "far.ply")
    assert status == 130 and not shown and "interrupted" in errors and "Traceback" not in errors


def test_the_example_runs():
    file = ROOT / "examples" / "07_do_parts_interfere.py"
    result = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    exact, _, rest = result.stdout.partition("projection:")
    assert "block and bolt overlap" in exact and "shaft and key overlap" in exact
    assert "block and shaft may overlap" in rest and "block and shaft" not in exact


def test_real_parts(command, folder):
    """Links of a Panda as their makers drew them, all at the origin, where they overlap."""
    meshes = "panda_description/meshes/collision"
    parts = [example(f"{meshes}/{name}.stl") for name in ("link0", "link1", "hand")]
    for method in METHODS:
        told = json.loads(command(*parts, "--json", "--method", method)[1])
        assert len(told["parts"]) == 3
        assert {(o["a"], o["b"]) for o in told["overlaps"]} >= {("link0.stl", "hand.stl")}


def test_a_real_part_in_millimetres(command):
    """A wheel of 53,000 triangles, one solid through another, among links in metres."""
    wheel = example("centauro_description/meshes/v2/mesh_wheel23.stl")
    links = [example(f"panda_description/meshes/collision/link{k}.stl") for k in (0, 1)]
    told = json.loads(command(wheel, *links, "--json")[1])
    crossing, unit = told["parts"][0]["notes"]
    assert "pairs of triangles cross each other" in crossing
    assert "times as large as the others: are its lengths in millimetres?" in unit
    told = json.loads(command(f"{wheel}@mm", *links, "--json")[1])
    (crossing,) = told["parts"][0]["notes"]


def test_what_crosses_is_listed_before_what_touches(command, folder):
    """The same part twice, a mate of both, and one that is only near."""
    heights = {"one": 0.0, "twin": 0.0, "upon": 0.1, "near": 0.201}
    parts = [write_stl(folder / f"{name}.stl", ELL.vertices + np.array([0, 0, z]), ELL.faces)
             for name, z in heights.items()]  # fmt: skip
    status, shown, _ = command(*parts, "--clearance", "0.01")
    assert status == 1 and "1 touch" not in shown and "2 touch only" in shown
    firsts = [line.split()[0] for line in shown.splitlines() if line.strip()]
    found = [word for word in firsts if word in ("yes", "touch", "no")]
    assert found == ["yes", "touch", "touch", "yes", "no", "no"]
    assert "depth unknown" in shown and "the same part twice" in shown
    told = json.loads(command(*parts, "--json")[1])
    assert [o["touching"] for o in told["overlaps"]] == [False, True, True]
