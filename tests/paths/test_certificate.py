"""Certificates as files: every bit comes back, and what is wrong is named."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.cell.files import load_text
from standoff.errors import CertificateError
from standoff.paths.certificate import PROOF, Certificate, Claim, Group, Primitive

JOINTS, MOVING, PIECES = ("arm/a", "arm/b"), ("cart",), 2


def certificate(**changes):
    """One with something awkward in every field."""
    rng = np.random.default_rng(0)
    proofs = np.zeros(3, dtype=PROOF)
    proofs["piece"] = [0, 1, 1]
    proofs["end"] = [0.1 + 0.2, 5e-324, 1.0]
    proofs["at"] = [0.1 + 0.2, 0.0, 0.0]
    proofs["method"] = [0, 3, 2]
    proofs["a"], proofs["b"] = [0, 1, 1], [1, 0, 0]
    proofs["distance"] = [1 / 3, -0.0, 1.7976931348623157e308]
    proofs["normal"] = rng.normal(size=(3, 3))
    pose = np.concatenate([np.eye(4)[:3].ravel(), rng.normal(size=6)])
    values = {
        "joints": JOINTS, "moving": MOVING, "clearance": -0.01, "tolerance": 1e-3,
        "clearances": {("a", "b"): 0.02}, "deviation": [0.0, 2.2250738585072014e-308],
        "times": [0.0, 0.7, 1.1], "coefficients": rng.normal(size=(PIECES, 6, 2)),
        "rounding": np.abs(rng.normal(size=(PIECES, 2))), "glides": np.tile(pose, (PIECES, 1, 1)),
        "verdict": Claim("too_close", 1, 0.3, 0.82, (0.1, -0.2), ("a", "b"), (0, 2), 1e-4),
        "primitives": (
            Primitive("a", 0, (0.1, 0.2, 0.3), 0.4), Primitive("b", 2, (-0.0, 1e-9, 7.0), np.inf)
        ),
        "groups": (Group((0.0, -1.0, -2.0), (1.0, 1.0, 0.1), (1,)),),
        "proofs": proofs, "cell": None,
    }  # fmt: skip
    return Certificate(**{**values, **changes})


def same(a, b):
    for field in fields(Certificate):
        one, two = getattr(a, field.name), getattr(b, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == two.dtype and one.tobytes() == two.tobytes(), field.name
        else:
            assert repr(one) == repr(two), field.name


def test_every_bit_comes_back(tmp_path):
    given_ = certificate()
    given_.save(tmp_path / "c.json")
    same(given_, Certificate.load(tmp_path / "c.json"))
    given_.save(tmp_path / "d.json")
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "d.json").read_bytes()


finite = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(finite, min_size=24, max_size=24), finite, st.text(max_size=5))
def test_any_numbers_and_names_come_back(tmp_path_factory, values, distance, name):
    proofs = certificate().proofs.copy()
    proofs["distance"] = distance
    changed = certificate(
        coefficients=np.reshape(values, (PIECES, 6, 2)), proofs=proofs, joints=(name, "arm/b")
    )
    path = tmp_path_factory.mktemp("c") / "c.json"
    changed.save(path)
    same(changed, Certificate.load(path))


def test_arrays_are_copies_that_cannot_be_written_to():
    times = np.array([0.0, 0.7, 1.1])
    made = certificate(times=times)
    times[0] = 9.0
    assert made.times[0] == 0.0
    with pytest.raises(ValueError):
        made.times[0] = 1.0
    with pytest.raises(ValueError):
        made.proofs["a"][0] = 1


def altered(path, change):
    certificate().save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


def put(*keys):
    """Sets the value at the end of a way of keys."""

    def change(content):
        *way, last, value = keys
        for key in way:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("format", "other"), ("format", "other", "standoff-certificate")),
        (put("version", 2), ("version", "2", "1")),
        (put("version", True), ("version", "True")),
        (lambda c: c.pop("rounding"), ("missing key 'rounding'",)),
        (put("tolerence", 1.0), ("unknown key 'tolerence'", "tolerance")),
        (put("clearance", "0.1"), ("clearance", "'0.1'", "a finite number")),
        (put("clearance", True), ("clearance", "True")),
        (put("clearance", math.nan), ("clearance", "nan", "a finite number")),
        (put("clearance", -math.inf), ("clearance", "-inf", "a finite number")),
        (put("clearance", 10**400), ("clearance", "a finite number")),
        (put("tolerance", -1.0), ("tolerance", "-1.0")),
        (put("deviation", 0, -1e-9), ("deviation[0]", "-1e-09", ">= 0")),
        (put("deviation", [0.0]), ("deviation", "(1,)", "(2,)")),
        (put("rounding", 1, 1, -1.0), ("rounding[1, 1]", "-1.0")),
        (put("times", [0.0, 0.0, 1.0]), ("times[1]", "increasing")),
        (put("times", [0.0, 0.5]), ("coefficients", "(2, 6, 2)", "(1, 6, 2)")),
        (put("times", []), ("times", "(0,)")),
        (put("coefficients", 0, 5, 0, None), ("coefficients[0][5][0]", "None")),
        (put("coefficients", 0, [[0.0, 0.0]]), ("coefficients",)),
        (put("glides", 0, 0, "pose", 3, [0, 0, 0, 2]), ("glides[0][0].pose", "0 0 0 1")),
        (put("glides", 0, 0, "spin", [0, 0, 0]), ("glides[0][0]", "'spin'")),
        (put("glides", []), ("glides",)),
        (put("verdict", "kind", "maybe"), ("verdict.kind", "'maybe'", "free, collision")),
        (put("verdict", "q", None), ("verdict.q", "witness")),
        (put("verdict", "q", [0.1]), ("verdict.q", "1", "2 joints")),
        (put("verdict", "u", 1.5), ("verdict.u", "1.5", "0 to 1")),
        (put("verdict", "piece", 2), ("verdict.piece", "2", "0 to 1")),
        (put("verdict", "pair", ["a"]), ("verdict.pair", "two names")),
        (put("primitives", 0, ["a", 0, 1.0, 2.0, 3.0]), ("primitives[0]", "radius")),
        (put("primitives", 0, 5, -1.0), ("primitives[0].radius", "-1.0")),
        (put("primitives", 0, 1, 0.5), ("primitives[0]", "0.5", "a whole number")),
        (put("groups", 0, 2, [7]), ("groups[0].members", "7", "0 to 1")),
        (put("groups", 0, 0, [2.0, 0.0, 0.0]), ("groups[0]", "lower above upper")),
        (put("proofs", 1, [0, 1]), ("proofs[1]", "piece, start, end")),
        (put("proofs", 1, 4, "magic"), ("proofs[1]", "'magic'", "shape, sphere, mesh, group")),
        (put("proofs", 0, 0, 2), ("proofs[0].piece", "2")),
        (put("proofs", 0, 1, 0.9), ("proofs[0].start", "0.9")),
        (put("proofs", 2, 2, 1.1), ("proofs[2].end", "1.1")),
        (put("proofs", 2, 3, 0.5), ("proofs[2].at", "0.5", "the start or the end")),
        (put("proofs", 2, 5, -1), ("proofs[2].a", "-1")),
        (put("proofs", 2, 6, 1), ("proofs[2].b", "another primitive")),
        (put("proofs", 1, 6, 1), ("proofs[1].b", "group")),
        (put("clearances", [["a", "b"]]), ("clearances[0]", "two names")),
        # The last one counted: the file said 20 mm, and -1 m was proved.
        (put("clearances", [["a", "b", 0.02], ["a", "b", -1.0]]), ("clearances[1]", "twice")),
        (put("joints", "ab"), ("joints", "'ab'")),
        (put("cell", 3), ("cell", "3", "text")),
    ],
)
def test_what_is_wrong_is_named(tmp_path, change, words):
    path = altered(tmp_path / "c.json", change)
    with pytest.raises(CertificateError) as caught:
        Certificate.load(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"[1]", "a JSON object"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b"\xff{}", "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_certificate_is_refused(tmp_path, content, words):
    (tmp_path / "c.json").write_bytes(content)
    with pytest.raises(CertificateError, match=words):
        Certificate.load(tmp_path / "c.json")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(CertificateError, match="cannot be read"):
        Certificate.load(tmp_path / "none.json")
    with pytest.raises(CertificateError, match="a folder, not a file"):
        Certificate.load(tmp_path)
    with pytest.raises(CertificateError, match="cannot be written"):
        certificate().save(tmp_path / "no folder" / "c.json")


def test_a_file_brings_its_cell_along(tmp_path):
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="p")
    cell.add_body("box", so.Box((1, 2, 3)), so.pose((4, 5, 6), rpy=(0.1, 0.2, 0.3)))
    certificate().save(tmp_path / "c.json", cell=cell)
    back = Certificate.load(tmp_path / "c.json")
    assert back.cell is not None
    again = load_text(back.cell, "c.json", tmp_path)
    assert again.joints == cell.joints and again.bodies["box"].shape == cell.bodies["box"].shape
    np.testing.assert_array_equal(again.bodies["box"].pose, cell.bodies["box"].pose)
    replace(back, clearance=0.5).save(tmp_path / "d.json")  # keeps what it brought
    assert Certificate.load(tmp_path / "d.json").cell == back.cell
    with pytest.raises(so.errors.CellError, match=r"c\.json: not a TOML"):
        load_text("robot = [", "c.json", tmp_path)
