"""ROS trajectories: how they are read, interpolated as the controller does, and refused."""

import copy
import datetime
import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import interpolate

import standoff as so
from standoff.paths import trajectory as trajectory_message
from tests.oracles.exact_curves import horner, instants, polynomial, when

LAWS = settings(deadline=None, max_examples=40, derandomize=True)
NAMES = [f"joint{i}" for i in range(1, 8)]


@pytest.fixture(scope="module")
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    return cell


def message(times, positions, velocities=None, accelerations=None, names=NAMES):
    points = []
    for k, (t, p) in enumerate(zip(times, positions, strict=True)):
        nanoseconds = round(t * 1e9)
        point = {
            "positions": list(map(float, p)),
            "velocities": [],
            "accelerations": [],
            "effort": [],
            "time_from_start": {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9},
        }
        if velocities is not None:
            point["velocities"] = list(map(float, velocities[k]))
        if accelerations is not None:
            point["accelerations"] = list(map(float, accelerations[k]))
        points.append(point)
    return {"header": {"frame_id": "base"}, "joint_names": list(names), "points": points}


def as_object(value):
    """The same as an object with attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{k: as_object(v) for k, v in value.items()})
    return [as_object(v) for v in value] if isinstance(value, list) else value


def random_message(rng, order, n=4):
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 2.0, n - 1))])
    q, v, a = rng.normal(size=(3, n, 7))
    return message(times, q, v if order > 0 else None, a if order > 1 else None)


def exact(point_a, point_b, j, t0, t1, t):
    """The controller's polynomial from its own conditions, in rational arithmetic."""
    h, s = t1 - t0, t - t0
    p0, p1 = (Fraction(p["positions"][j]) for p in (point_a, point_b))
    if not point_a["velocities"] or not point_b["velocities"]:
        return p0 + (p1 - p0) * s / h
    v0, v1 = (Fraction(p["velocities"][j]) for p in (point_a, point_b))
    if not point_a["accelerations"] or not point_b["accelerations"]:
        c2 = (3 * (p1 - p0) - (2 * v0 + v1) * h) / h**2
        c3 = (2 * (p0 - p1) + (v0 + v1) * h) / h**3
        return p0 + v0 * s + c2 * s**2 + c3 * s**3
    a0, a1 = (Fraction(p["accelerations"][j]) for p in (point_a, point_b))
    c3 = (20 * (p1 - p0) - (8 * v1 + 12 * v0) * h - (3 * a0 - a1) * h**2) / (2 * h**3)
    c4 = (30 * (p0 - p1) + (14 * v1 + 16 * v0) * h + (3 * a0 - 2 * a1) * h**2) / (2 * h**4)
    c5 = (12 * (p1 - p0) - 6 * (v1 + v0) * h - (a0 - a1) * h**2) / (2 * h**5)
    return p0 + v0 * s + a0 / 2 * s**2 + c3 * s**3 + c4 * s**4 + c5 * s**5


@LAWS
@given(st.integers(0, 2**32 - 1), st.integers(0, 2))
def test_the_controllers_polynomials_are_met_within_the_rounding(cell, seed, order):
    rng = np.random.default_rng(seed)
    m = random_message(rng, order)
    for point in m["points"]:  # some points without what the others have
        if rng.random() < 0.2:
            point["accelerations"] = []
            point["velocities"] = [] if rng.random() < 0.5 else point["velocities"]
    motion = so.joint_trajectory(cell, m)
    for k in range(3):
        t0, t1 = Fraction(float(motion.times[k])), Fraction(float(motion.times[k + 1]))
        for u in instants(rng, 2):
            t = when(motion.times, k, u)
            for j in range(7):
                truth = exact(m["points"][k], m["points"][k + 1], j, t0, t1, t)
                c, allowed = motion.coefficients[k, :, j], Fraction(float(motion.rounding[k, j]))
                assert abs(polynomial(c, Fraction(u)) - truth) <= allowed
                assert abs(horner(c, u) - truth) <= allowed
    assert motion.rounding.max() < 1e-12


@pytest.mark.parametrize("order", [0, 1, 2])
def test_scipy_interpolates_the_same_derivatives(cell, order):
    rng = np.random.default_rng(order)
    m = random_message(rng, order, 6)
    motion = so.joint_trajectory(cell, m)
    given_ = [
        [p[name] for p in m["points"]] for name in ("positions", "velocities", "accelerations")
    ]
    curve = interpolate.BPoly.from_derivatives(motion.times, np.stack(given_[: order + 1], axis=1))
    t = rng.uniform(motion.start, motion.end, 100)
    np.testing.assert_allclose(motion.at(t), curve(t), rtol=0, atol=1e-12)
    if order:
        inside = motion.times[:-1]
        np.testing.assert_allclose(motion.velocity(inside), given_[1][:-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.velocity(motion.end), given_[1][-1], atol=1e-12)


def test_a_message_an_object_a_text_and_a_file_say_the_same(cell, tmp_path):
    m = random_message(np.random.default_rng(4), 1)
    expected = so.joint_trajectory(cell, m)
    (tmp_path / "t.json").write_text(json.dumps(m))
    stamps = copy.deepcopy(m)
    for p in stamps["points"]:
        t = p["time_from_start"]
        p["time_from_start"] = {"secs": t["sec"], "nsecs": t["nanosec"]}
    seconds, spans, nanoseconds = copy.deepcopy(m), copy.deepcopy(m), copy.deepcopy(m)
    for k, t in enumerate(expected.times):
        seconds["points"][k]["time_from_start"] = float(t)
        spans["points"][k]["time_from_start"] = datetime.timedelta(seconds=round(float(t), 6))
        whole = m["points"][k]["time_from_start"]
        nanoseconds["points"][k]["time_from_start"] = SimpleNamespace(
            nanoseconds=whole["sec"] * 10**9 + whole["nanosec"]
        )
    forms = [
        as_object(m),
        json.dumps(m),
        str(tmp_path / "t.json"),
        tmp_path / "t.json",
        stamps,
        as_object(stamps),
        seconds,
        nanoseconds,
        {"joint_trajectory": m, "multi_dof_joint_trajectory": {"joint_names": [], "points": []}},
        as_object({"joint_trajectory": m}),
        {"trajectory": [{"joint_trajectory": m}]},
        {"goal": {"trajectory": m}},
    ]
    for form in forms:
        got = so.paths.as_pieces(cell, form)
        np.testing.assert_array_equal(got.times, expected.times)
        np.testing.assert_array_equal(got.coefficients, expected.coefficients)
    np.testing.assert_allclose(so.paths.as_pieces(cell, spans).times, expected.times, atol=1e-6)


def test_yaml_as_echo_prints_it(cell, tmp_path):
    yaml = pytest.importorskip("yaml")
    m = random_message(np.random.default_rng(4), 1)
    text = yaml.safe_dump(m, default_flow_style=False) + "---\n"
    (tmp_path / "t.yaml").write_text(text)
    for form in (text, tmp_path / "t.yaml"):
        np.testing.assert_array_equal(
            so.joint_trajectory(cell, form).coefficients, so.joint_trajectory(cell, m).coefficients
        )
    with pytest.raises(so.errors.PathError, match="not one message; got 2"):
        so.joint_trajectory(cell, text + text)
    m["points"][0]["positions"][1] = "..."
    with pytest.raises(so.errors.PathError, match="--full-length"):
        so.joint_trajectory(cell, m)


def test_yaml_without_its_package_is_an_error(cell, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(trajectory_message, "import_module", missing)
    with pytest.raises(so.errors.MissingPackageError, match=r"PyYAML.*pip install pyyaml"):
        so.joint_trajectory(cell, "joint_names: []\npoints: []\n")


def test_seconds_and_nanoseconds_are_rounded_once():
    seconds = trajectory_message._seconds
    assert seconds({"sec": 3, "nanosec": 300000000}, "t") == 3.3
    assert seconds({"sec": 0, "nanosec": 1}, "t") == 1e-9
    assert seconds(SimpleNamespace(secs=12345, nsecs=678901234), "t") == 12345.678901234


def two_arms():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="left")
    cell.add_robot("builtin:irb2400", name="right", base=so.pose((0, 3, 0)))
    cell.set_state(np.linspace(0.1, 0.5, 13))
    return cell


def test_joints_are_found_with_or_without_their_robot():
    cell = two_arms()
    q = np.random.default_rng(0).normal(size=(2, 13))
    names = [f"left/joint{i}" for i in range(1, 8)] + [f"joint_{i}" for i in range(1, 7)]
    order = np.random.default_rng(1).permutation(13)
    m = message([0, 1], q[:, order], names=[names[i] for i in order])
    np.testing.assert_allclose(so.joint_trajectory(cell, m).at([0.0, 1.0]), q, atol=1e-15)


def test_joints_left_out_stay_only_if_asked():
    cell = two_arms()
    m = message([0, 1], np.zeros((2, 7)))
    with pytest.raises(so.errors.PathError, match=r'right/joint_1.*rest="cell"'):
        so.joint_trajectory(cell, m)
    at = so.joint_trajectory(cell, m, rest="cell").at(0.5)
    np.testing.assert_array_equal(at, [0.0] * 7 + cell.q[7:].tolist())
    at = so.joint_trajectory(cell, m, rest=np.ones(13)).at(0.5)
    np.testing.assert_array_equal(at, [0.0] * 7 + [1.0] * 6)
    with pytest.raises(so.errors.PathError, match=r'rest: unknown.*"cell"'):
        so.joint_trajectory(cell, m, rest="home")
    with pytest.raises(so.errors.ConfigurationError):
        so.joint_trajectory(cell, m, rest=np.ones(3))


def test_equal_robots_need_a_name():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="left")
    cell.add_robot("builtin:arm7", name="right", base=so.pose((0, 3, 0)))
    m = message([0, 1], np.ones((2, 7)))
    with pytest.raises(so.errors.ConfigurationError, match="left/joint1 or right/joint1"):
        so.joint_trajectory(cell, m, rest="cell")
    at = so.joint_trajectory(cell, m, robot="right", rest="cell").at(0.0)
    np.testing.assert_array_equal(at, [0.0] * 7 + [1.0] * 7)
    with pytest.raises(so.errors.UnknownNameError, match="right"):
        so.joint_trajectory(cell, m, robot="rihgt", rest="cell")


def panda_message(finger2):
    names = [f"panda_joint{i}" for i in range(1, 8)]
    names += ["panda_finger_joint1", "panda_finger_joint2"]
    q = np.zeros((2, 9))
    q[:, 7] = 0.01, 0.03
    q[:, 8] = finger2
    return message([0, 1], q, names=names)


def test_a_mimic_joint_may_be_named_if_it_follows():
    cell = so.Cell()
    cell.add_robot("builtin:panda")
    exactly = so.joint_trajectory(cell, panda_message([0.01, 0.03]))
    nearly = so.joint_trajectory(cell, panda_message([0.01, 0.03 + 5e-7]))
    np.testing.assert_array_equal(exactly.coefficients, nearly.coefficients)
    assert exactly.rounding[0, 7] < 1e-15 and nearly.rounding[0, 7] >= 5e-7
    with pytest.raises(so.errors.PathError, match=r"panda_finger_joint2.*does not follow"):
        so.joint_trajectory(cell, panda_message([0.01, 0.02]))


def test_a_late_first_point_needs_a_start(cell):
    m = message([0.5, 1.0], np.ones((2, 7)), np.ones((2, 7)))
    with pytest.raises(so.errors.PathError, match="the way to the first point is not known"):
        so.joint_trajectory(cell, m)
    first = so.joint_trajectory(cell, m, start="first")
    assert first.start == 0.5 and len(first) == 1
    for start in ("cell", np.zeros(7), dict.fromkeys(cell.joints, 0.0)):
        motion = so.joint_trajectory(cell, m, start=start)
        np.testing.assert_array_equal(motion.times, [0.0, 0.5, 1.0])
        assert not motion.at(0.0).any() and not motion.velocity(0.0).any()
        np.testing.assert_allclose(motion.velocity(0.5), np.ones(7), atol=1e-14)
    single = message([2.0], np.ones((1, 7)))
    assert so.joint_trajectory(cell, single, start="cell").at(1.0)[0] == 0.5
    with pytest.raises(so.errors.PathError, match="one point is no motion"):
        so.joint_trajectory(cell, single, start="first")
    with pytest.raises(so.errors.PathError, match="start: unknown"):
        so.joint_trajectory(cell, m, start="here")
    with pytest.raises(so.errors.PathError, match="does not begin at its start"):
        so.joint_trajectory(cell, message([0, 1], np.ones((2, 7))), start="cell")


def _broken(change):
    m = random_message(np.random.default_rng(0), 2)
    change(m)
    return m


def _set(value, *keys):
    def change(m):
        for key in keys[:-1]:
            m = m[key]
        m[keys[-1]] = value

    return change


BAD = {
    "joint_names: missing": lambda m: m.pop("joint_names"),
    "not a trajectory": lambda m: m.pop("points"),
    "points: no point": lambda m: m["points"].clear(),
    "one point is no motion": lambda m: m["points"].__delitem__(slice(1, None)),
    r"points\[1\]: no positions": _set([], "points", 1, "positions"),
    r"points\[1\].positions: wrong length; got \(2,\)": _set([0, 0], "points", 1, "positions"),
    r"points\[2\].velocities: not finite": _set([np.nan] * 7, "points", 2, "velocities"),
    r"points\[2\].velocities: wrong length": _set([1.0] * 6, "points", 2, "velocities"),
    r"points\[0\].positions: not numbers": _set(["a"] * 7, "points", 0, "positions"),
    "accelerations without velocities": _set([], "points", 1, "velocities"),
    r"points\[1\].time_from_start: not a duration": _set("1 s", "points", 1, "time_from_start"),
    "time_from_start: times do not increase": _set(0.0, "points", 1, "time_from_start"),
    "before the start": _set(-1.0, "points", 0, "time_from_start"),
    "a joint twice": _set("joint2", "joint_names", 0),
    r"joint_names\[0\]: not a name": _set(3, "joint_names", 0),
    "unknown joint 'jiont1'.*did you mean 'arm/joint1'": _set("jiont1", "joint_names", 0),
    "points: not a list": _set({}, "points"),
}


@pytest.mark.parametrize("problem", BAD)
def test_what_is_no_trajectory_is_refused(cell, problem):
    with pytest.raises(so.Error, match=problem):
        so.joint_trajectory(cell, _broken(BAD[problem]))


def test_floating_joints_are_refused(cell):
    m = random_message(np.random.default_rng(0), 0)
    around = {"joint_trajectory": m, "multi_dof_joint_trajectory": {"points": [{}]}}
    with pytest.raises(so.errors.PathError, match="several degrees of freedom"):
        so.joint_trajectory(cell, around)


def test_files_that_cannot_be_read_are_named(cell, tmp_path):
    with pytest.raises(so.errors.PathError, match=r"gone\.json: cannot be read"):
        so.joint_trajectory(cell, tmp_path / "gone.json")
    with pytest.raises(so.errors.PathError, match=r"\.json, \.yaml or \.yml"):
        so.joint_trajectory(cell, tmp_path / "t.txt")
    (tmp_path / "t.json").write_text("{")
    with pytest.raises(so.errors.PathError, match=r"t\.json: .*not JSON"):
        so.joint_trajectory(cell, tmp_path / "t.json")
    (tmp_path / "t.json").write_bytes(b"\xff\xfe")
    with pytest.raises(so.errors.PathError, match="not UTF-8"):
        so.joint_trajectory(cell, tmp_path / "t.json")
    (tmp_path / "t.json").write_text('{"a": 1}')
    with pytest.raises(so.errors.PathError, match=r"t\.json: not a trajectory; got \['a'\]"):
        so.joint_trajectory(cell, tmp_path / "t.json")


def continuous_cell(tmp_path):
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="spin" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="turn" type="revolute"><parent link="b"/><child link="c"/>'
        '<limit lower="-7" upper="7" effort="1" velocity="1"/></joint></robot>'
    )
    cell = so.Cell(unwatched="allow")
    cell.add_robot(tmp_path / "r.urdf")
    return cell


def test_angles_are_taken_as_given_and_unwrapped_on_request(tmp_path):
    cell = continuous_cell(tmp_path)
    q = np.array([[3.0, 3.0], [-3.0, -3.0], [-0.5, -0.5], [3.0, 0.0]])
    m = message([0, 1, 2, 3], q, names=["spin", "turn"])
    np.testing.assert_allclose(so.joint_trajectory(cell, m).at([0.0, 1.0, 2.0, 3.0]), q)
    turn = 2 * np.pi
    expected = np.array([[3.0, 3.0], [turn - 3.0, -3.0], [turn - 0.5, -0.5], [3.0, 0.0]])
    np.testing.assert_allclose(so.paths.unwrap(cell, q), expected)
    unwrapped = so.joint_trajectory(cell, m, unwrap=True)
    np.testing.assert_allclose(unwrapped.at([0.0, 1.0, 2.0, 3.0]), expected, atol=1e-14)


@LAWS
@given(st.integers(0, 2**32 - 1))
def test_unwrapping_finds_the_way_that_was_wrapped(tmp_path_factory, seed):
    cell = continuous_cell(tmp_path_factory.mktemp("r"))
    rng = np.random.default_rng(seed)
    way = np.cumsum(rng.uniform(-3.1, 3.1, (20, 2)), axis=0)
    wrapped = way.copy()
    wrapped[:, 0] = (way[:, 0] + np.pi) % (2 * np.pi) - np.pi
    got = so.paths.unwrap(cell, wrapped)
    np.testing.assert_array_equal(got[:, 1], way[:, 1])
    np.testing.assert_allclose(got[:, 0] - got[0, 0], way[:, 0] - way[0, 0], atol=1e-12)


def test_half_a_turn_is_not_unwrapped_either_way(tmp_path):
    cell = continuous_cell(tmp_path)
    with pytest.raises(
        so.errors.PathError, match="joint 'r/spin' from waypoint 1 to 2: half a turn"
    ):
        so.paths.unwrap(cell, [[0.0, 0.0], [1.0, 0.0], [1.0 + np.pi, 0.0]])
    with pytest.raises(so.errors.ConfigurationError):
        so.paths.unwrap(cell, [[0.0]])


def test_what_curve_advises_can_be_done():
    """It advised an option that only `joint_trajectory` has."""
    cell = two_arms()
    checker = so.PathChecker(cell)
    with pytest.raises(
        so.errors.PathError, match=r'so\.joint_trajectory\(cell, message, rest="cell"\)'
    ):
        checker.curve(message([0, 1], np.zeros((2, 7))))
    equal = so.Cell()
    equal.add_robot("builtin:arm7", name="left")
    equal.add_robot("builtin:arm7", name="right", base=so.pose((0, 3, 0)))
    with pytest.raises(
        so.errors.ConfigurationError, match=r"so\.joint_trajectory\(cell, message, robot=…\)"
    ):
        so.PathChecker(equal).curve(message([0, 1], np.zeros((2, 7))))
    with pytest.raises(so.errors.ConfigurationError, match="left/joint1 or right/joint1"):
        equal.configuration({"joint1": 0.0})


def test_a_mimic_joint_in_a_configuration_is_not_called_unknown():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    q = {**dict(zip(cell.joints, cell.q)), "arm/panda_finger_joint2": 0.02}
    with pytest.raises(
        so.errors.ConfigurationError, match=r"mimic.*not follow 'arm/panda_finger_joint1'"
    ):
        cell.configuration(q)
