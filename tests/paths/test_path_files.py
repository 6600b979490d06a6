"""Path files: what is read, and what each kind of bad input is told."""

import json
import math
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.errors import PathError
from standoff.paths.path_file import read_path
from tests.worlds.robot_files import robot_text

#: A waypoint of the Panda, in the order of its joints.
REST = [0.0, -0.5, 0.25, -1.5, 0.125, 1.5, 0.75, 0.02]


@pytest.fixture(scope="module")
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    return cell


@pytest.fixture(scope="module")
def two():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, 1.0, 0.0)))
    return cell


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """One continuous joint and one that slides, without limits to speak of."""
    urdf = tmp_path_factory.mktemp("wheel") / "wheel.urdf"
    urdf.write_text(robot_text(joint="", kind="continuous"))
    cell = so.Cell(unwatched="allow")
    cell.add_robot(urdf, name="r")
    return cell


def short(cell):
    return [name.partition("/")[2] for name in cell.joints]


def line(values, mark=","):
    return mark.join(map(repr, values))


def write(tmp_path, name, text):
    path = tmp_path / name
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text, encoding="utf-8")
    return path


def moved(k):
    return [x + 0.001 * k for x in REST]


ROWS = [REST, moved(1), moved(2)]


@pytest.mark.parametrize("mark", [",", ", ", ";", "\t", " ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_any_mark_between_the_numbers(cell, tmp_path, mark, header):
    lines = [mark.join(short(cell))] if header else []
    text = "\n".join([*lines, *(line(row, mark) for row in ROWS)])
    read = read_path(write(tmp_path, "p.csv", text), cell)
    assert read.waypoints.tolist() == ROWS
    assert read.times is None and read.motion is None and read.notes == ()
    assert read.lines == ((2, 3, 4) if header else (1, 2, 3))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".dat", ".CSV"])
def test_any_suffix_of_a_text(cell, tmp_path, suffix):
    path = write(tmp_path, f"p{suffix}", "\r\n".join(line(row) for row in ROWS))
    assert read_path(path, cell).waypoints.tolist() == ROWS


def test_columns_in_any_order_with_or_without_the_robot_and_with_units(cell, tmp_path):
    order = [3, 0, 7, 1, 2, 6, 5, 4]
    units = cell.tree.units
    for names in (
        [cell.joints[k] for k in order],
        [short(cell)[k] for k in order],
        [f"{short(cell)[k]} [{units[k]}]" for k in order],
        [f'"{cell.joints[k]}"' for k in order],
    ):
        lines = [",".join(names), *(line([row[k] for k in order]) for row in ROWS)]
        assert (
            read_path(write(tmp_path, "p.csv", "\n".join(lines)), cell).waypoints.tolist() == ROWS
        )


def test_comments_blank_lines_a_bom_and_marks_at_the_end(cell, tmp_path):
    lines = [
        "\ufeff# made by hand",
        "",
        ",".join(short(cell)) + ",",
        "# the start",
        line(ROWS[0]) + ",",
        "   ",
        line(ROWS[1]) + " # there",
        line(ROWS[2]) + ",",
        "",
    ]
    read = read_path(write(tmp_path, "p.csv", "\n".join(lines)), cell)
    assert read.waypoints.tolist() == ROWS
    assert read.lines == (5, 7, 8)


def test_decimal_commas_between_semicolons(cell, tmp_path):
    text = "\n".join(line(row, ";").replace(".", ",") for row in ROWS)
    assert read_path(write(tmp_path, "p.csv", text), cell).waypoints.tolist() == ROWS


def test_the_header_that_savetxt_hides_in_a_comment_counts(cell, tmp_path):
    """NumPy's own way to write a table; without its header the joints would be mixed up."""
    order = [7, 6, 5, 4, 3, 2, 1, 0]
    path = tmp_path / "p.csv"
    header = ",".join(short(cell)[k] for k in order)
    np.savetxt(path, np.array(ROWS)[:, order], delimiter=",", header=header, fmt="%.17g")
    assert read_path(path, cell).waypoints.tolist() == ROWS


@pytest.mark.parametrize("name", ["time", "t", "Time [s]", "time_from_start"])
def test_a_column_of_times(cell, tmp_path, name):
    lines = [",".join([*short(cell), name])]
    lines += [line([*row, 0.5 * k]) for k, row in enumerate(ROWS)]
    read = read_path(write(tmp_path, "p.csv", "\n".join(lines)), cell)
    assert read.waypoints.tolist() == ROWS
    assert read.times.tolist() == [0.0, 0.5, 1.0]


def test_json_in_each_of_its_forms(cell, tmp_path):
    names = short(cell)[::-1]
    backwards = [row[::-1] for row in ROWS]
    times = [0, 1, 2.5]
    by_name = [dict(zip(names, row)) for row in backwards]
    for content, timed in (
        (ROWS, False),
        ({"waypoints": ROWS}, False),
        ({"joints": names, "waypoints": backwards}, False),
        ({"joints": names, "waypoints": backwards, "times": times}, True),
        (by_name, False),
        ({"waypoints": by_name}, False),
        ([{"time": t, **row} for t, row in zip(times, by_name)], True),
    ):
        read = read_path(write(tmp_path, "p.json", json.dumps(content)), cell)
        assert read.waypoints.tolist() == ROWS and read.lines is None
        assert (read.times is not None and read.times.tolist() == times) == timed


def test_numpy_arrays(cell, tmp_path):
    array = np.array(ROWS)
    np.save(tmp_path / "p.npy", np.asfortranarray(array))
    assert read_path(tmp_path / "p.npy", cell).waypoints.tolist() == ROWS
    np.save(tmp_path / "p.npy", array.astype(np.float32))
    assert read_path(tmp_path / "p.npy", cell).waypoints == pytest.approx(array, abs=1e-6)
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "p.npz", waypoints=array)
        assert read_path(tmp_path / "p.npz", cell).waypoints.tolist() == ROWS
        names = np.array(short(cell)[::-1])
        save(tmp_path / "p.npz", waypoints=array[:, ::-1], joints=names, times=[1, 2, 3])
        read = read_path(tmp_path / "p.npz", cell)
        assert read.waypoints.tolist() == ROWS and read.times.tolist() == [1.0, 2.0, 3.0]


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.lists(st.lists(st.floats(-0.1, 0.1), min_size=8, max_size=8), min_size=2, max_size=6))
def test_what_is_written_is_read_to_the_last_bit(cell, tmp_path_factory, rows):
    rows = [[a + b for a, b in zip(REST, row)] for row in rows]
    folder = tmp_path_factory.mktemp("same")
    write(folder, "p.csv", "\n".join(map(line, rows)))
    write(folder, "p.json", json.dumps(rows))
    np.save(folder / "p.npy", np.array(rows))
    for name in ("p.csv", "p.json", "p.npy"):
        assert read_path(folder / name, cell, limits=False).waypoints.tolist() == rows


HEADER = ",".join(f"panda_{n}" for n in [*(f"joint{k}" for k in range(1, 8)), "finger_joint1"])


def at(k, value):
    """A row with another value in one place."""
    row = [repr(x) for x in REST]
    row[k] = value
    return ",".join(row)


GOOD = line(REST)


def test_a_column_of_a_mimic_joint_was_refused(tmp_path, cell):
    """Recordings have one: of the second finger."""
    rows = [f"{line(REST)},{REST[-1] + off!r}" for off in (0.0, 5e-5)]
    file = write(tmp_path, "p.csv", "\n".join([f"{HEADER},panda_finger_joint2", *rows]))
    path = read_path(file, cell)
    assert (path.waypoints == REST).all()
    (note,) = path.notes
    assert "mimic joint arm/panda_finger_joint2 follows arm/panda_finger_joint1" in note


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("p.csv", "", ["p.csv", "empty", "two"]),
        ("p.csv", "\n# nothing\n\n", ["no waypoints", "two or more"]),
        ("p.csv", HEADER, ["no waypoints", "two or more"]),
        ("p.csv", GOOD, ["line 1", "one waypoint", "two or more"]),
        ("p.csv", f"{HEADER}\n{GOOD}", ["line 2", "one waypoint"]),
        ("p.csv", f"{GOOD}\n{GOOD},1", ["line 2", "number of values", "got 9", "8", "no header"]),
        ("p.csv", f"{HEADER}\n{GOOD}\n0,0", ["line 3", "got 2", "line 1", "panda_joint1"]),
        ("p.csv", f"{HEADER.replace('joint3', 'jiont3')}\n{GOOD}\n{GOOD}",
         ["line 1, column 3", "panda_jiont3", "did you mean", "'arm/panda_joint3'"]),
        ("p.csv", f"{HEADER.replace('joint3', 'joint2')}\n{GOOD}\n{GOOD}",
         ["line 1", "two columns for joint 'arm/panda_joint2'", "columns 2 and 3"]),
        ("p.csv", f"{HEADER[:-20]}\n0,0\n", ["nothing for", "arm/panda_finger_joint1", "--rest"]),
        ("p.csv", f"{HEADER},panda_finger_joint2\n{GOOD},0\n{GOOD},0",
         ["line 2", "mimic joint 'arm/panda_finger_joint2'", "does not follow", "got 0.0", "0.02"]),
        ("p.csv", f"{HEADER},panda_finger_joint2,arm/panda_finger_joint2\n{GOOD},0,0",
         ["two columns for joint 'arm/panda_finger_joint2'", "9 and 10"]),
        ("p.csv", f"{HEADER},time,t\n", ["no waypoints"]),
        ("p.csv", f"{HEADER},time,t\n{GOOD},0,0", ["two columns for the time", "9 and 10"]),
        ("p.csv", f"{HEADER},time\n{GOOD},0\n{GOOD},0", ["line 3", "increase", "more than 0"]),
        ("p.csv", f"{HEADER},time\n{GOOD},0\n{GOOD},inf", ["line 3", "time", "not finite"]),
        ("p.csv", f"{HEADER},time\n{GOOD},0\n{GOOD},soon", ["line 3, time", "'soon'"]),
        ("p.csv", f"{HEADER.replace('joint3', 'joint3 [deg]')}\n{GOOD}\n{GOOD}",
         ["column 3", "'deg'", "allowed: rad"]),
        ("p.csv", f"{GOOD}\n{at(2, 'left')}",
         ["line 2", "joint 'arm/panda_joint3'", "not a number", "'left'"]),
        ("p.csv", f"{GOOD}\n{at(2, '1_0')}", ["not a number", "'1_0'"]),
        ("p.csv", f"{at(2, 'left')}\n{GOOD}", ["line 1", "not a number", "'left'"]),
        ("p.csv", f"{GOOD}\n{at(2, '')}", ["line 2", "arm/panda_joint3", "no number"]),
        ("p.csv", f"{GOOD}\n{at(4, 'nan')}", ["line 2", "arm/panda_joint5", "finite", "got nan"]),
        ("p.csv", f"{GOOD}\n{at(4, '-inf')}", ["line 2", "arm/panda_joint5", "got -inf"]),
        ("p.csv", f"{GOOD}\n{at(4, '1e999')}", ["line 2", "arm/panda_joint5", "got inf"]),
        ("p.csv", f"{GOOD}\n{at(1, '1.8')}\n{at(1, '-1.8')}",
         ["line 2", "arm/panda_joint2", "limits", "got 1.8", "-1.7628 to 1.7628 [rad]",
          "--no-limits", "1 more"]),
        ("p.csv", f"{at(1, '-45')}\n{at(1, '45.0')}",
         ["line 1", "limits", "got -45.0", "look like degrees"]),
        ("p.csv", f"{at(7, '20')}\n{GOOD}", ["finger_joint1", "look like millimetres", "[m]"]),
        ("p.csv", b"\xff\xfe0,1", ["UTF-8", "byte 0"]),
        ("p.csv", f'{GOOD}\n"{GOOD}', ["line 2", "table"]),
        ("p.csv", b"\x00" * 40, ["p.csv"]),
        ("p.step", GOOD, ["unknown kind", "'.step'", ".csv", ".json", ".npz"]),
        ("p", GOOD, ["unknown kind", "''"]),
        ("p.json", "", ["empty"]),
        ("p.json", "[[1, 2,", ["line 1", "not JSON"]),
        ("p.json", "[" * 100000, ["not JSON"]),
        ("p.json", "3", ["not a path", "got 3", "waypoints"]),
        ("p.json", "[]", ["no waypoints"]),
        ("p.json", "{}", ["missing key 'waypoints'", "joints"]),
        ("p.json", '{"waypoints": []}', ["no waypoints in it"]),
        ("p.json", '{"waypoints": [], "speed": 3}', ["unknown key", "'speed'", "times"]),
        ("p.json", '{"waypoints": [], "waypoints": []}', ["twice", "'waypoints'"]),
        ("p.json", f'{{"joints": "a", "waypoints": [[{GOOD}]]}}', ["joints", "a list", "'a'"]),
        ("p.json", f"[[{GOOD}], 3]", ["[1]", "a list", "got 3"]),
        ("p.json", f"[[{GOOD}], [1, 2]]", ["[1]", "number of values", "got 2"]),
        ("p.json", f"[[{GOOD}], [{at(3, 'true')}]]", ["[1]", "panda_joint4", "got True"]),
        ("p.json", f"[[{GOOD}], [{at(3, '[1]')}]]", ["[1]", "panda_joint4", "got [1]"]),
        ("p.json", f"[[{GOOD}], [{at(3, 'NaN')}]]", ["[1]", "panda_joint4", "got nan"]),
        ("p.json", f"[[{GOOD}], [{at(3, '1' + '0' * 400)}]]", ["panda_joint4", "not a number"]),
        ("p.json", f'{{"waypoints": [[{GOOD}], [{GOOD}]], "times": [1]}}', ["times", "2 numbers"]),
        ("p.json", f'{{"waypoints": [[{GOOD}], [{GOOD}]], "times": [1, "x"]}}',
         ["times[1]", "'x'"]),
        ("p.json", '[{"panda_joint1": 0}, {"panda_joint2": 0}]',
         ["[1]", "first waypoint", "panda_joint2"]),
        ("p.json", '[{"panda_joint1": 0}]', ["nothing for", "panda_joint2"]),
        ("p.json", '{"joints": ["panda_joint1"], "waypoints": [{"panda_joint1": 0}]}', ["twice"]),
        ("p.npy", b"", ["empty"]),
        ("p.npy", b"not an array", ["p.npy", "not an array"]),
        ("p.npz", b"PK not a zip", ["p.npz", "not an .npz"]),
    ],
)  # fmt: skip
def test_bad_input_is_told_what_is_wrong_and_where(cell, tmp_path, name, text, words):
    with pytest.raises(PathError) as caught:
        read_path(write(tmp_path, name, text), cell)
    message = str(caught.value)
    assert caught.value.file.endswith(name) and "\n" not in message
    for word in words:
        assert word in message, message


def test_a_file_that_is_not_there_and_one_that_is_a_folder(cell, tmp_path):
    with pytest.raises(PathError, match=r"gone.csv: cannot be read: No such file"):
        read_path(tmp_path / "gone.csv", cell)
    with pytest.raises(PathError, match="folder"):
        read_path(tmp_path, cell)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"waypoints": np.zeros(8)}, ["waypoints", "shape", "(8,)", "(waypoints, joints)"]),
        ({"waypoints": np.zeros((2, 8), complex)}, ["waypoints", "not numbers", "complex128"]),
        ({"waypoints": np.zeros((2, 8), bool)}, ["waypoints", "not numbers", "bool"]),
        ({"waypoints": np.zeros((2, 8, 1))}, ["shape", "(2, 8, 1)"]),
        ({"waypoints": np.zeros((0, 8))}, ["no waypoints"]),
        ({"waypoints": np.zeros((1, 8))}, ["one waypoint"]),
        ({"waypoints": np.zeros((2, 7))}, ["waypoints[0]", "got 7", "8"]),
        ({"waypoints": np.full((2, 8), np.nan)}, ["waypoints[0]", "arm/panda_joint1", "nan"]),
        ({"waypoints": np.zeros((2, 8)), "velocities": np.zeros(2)}, ["unknown", "'velocities'"]),
        ({"path": np.zeros((2, 8))}, ["unknown array", "'path'"]),
        ({"joints": np.array(["a"])}, ["no waypoints"]),
        ({"waypoints": np.zeros((2, 8)), "joints": np.zeros(8)}, ["joints", "names"]),
        ({"waypoints": np.zeros((2, 8)), "times": np.zeros(3)}, ["times", "got 3", "2"]),
        ({"waypoints": np.array([[None] * 8] * 2)}, ["waypoints", "allow_pickle"]),
    ],
)
def test_bad_arrays(cell, tmp_path, arrays, words):
    np.savez(tmp_path / "p.npz", **arrays)
    with pytest.raises(PathError) as caught:
        read_path(tmp_path / "p.npz", cell)
    for word in words:
        assert word in str(caught.value)


def test_no_pickle_is_opened(cell, tmp_path):
    np.save(tmp_path / "p.npy", np.array([[None] * 8] * 2), allow_pickle=True)
    with pytest.raises(PathError, match="not an array that can be read"):
        read_path(tmp_path / "p.npy", cell)


def test_an_array_that_claims_to_be_huge_is_refused(cell, tmp_path):
    np.save(tmp_path / "p.npy", np.zeros((2, 8)))
    data = (tmp_path / "p.npy").read_bytes()
    huge = data.replace(b"(2, 8), }" + b" " * 12, b"(99999999999, 8), }  ")
    assert huge != data
    (tmp_path / "p.npy").write_bytes(huge)
    with pytest.raises(PathError):
        read_path(tmp_path / "p.npy", cell)


def test_a_joint_that_two_robots_have_needs_the_robots_name(two, tmp_path):
    lines = [",".join(short(two)), *[line(REST * 2)] * 2]
    with pytest.raises(PathError, match="left/panda_joint1 or right/panda_joint1"):
        read_path(write(tmp_path, "p.csv", "\n".join(lines)), two)
    lines[0] = ",".join(two.joints)
    assert read_path(write(tmp_path, "p.csv", "\n".join(lines)), two).waypoints.shape == (2, 16)


def test_joints_left_out_rest_where_the_cell_has_them_if_asked(two, tmp_path):
    two.set_state(dict(zip(two.joints, REST * 2)))
    names = [n for n in two.joints if n.startswith("right/")]
    path = write(tmp_path, "p.csv", "\n".join([",".join(names), line(moved(1)), line(moved(2))]))
    with pytest.raises(PathError, match="left/panda_joint1"):
        read_path(path, two)
    read = read_path(path, two, rest=True)
    assert read.waypoints.tolist() == [REST + moved(1), REST + moved(2)]
    (note,) = read.notes
    assert "left/panda_joint1" in note and "right" not in note


def test_limits_can_be_left_alone_and_rounding_is_not_beyond_them(cell, tmp_path):
    path = write(tmp_path, "p.csv", f"{at(1, '5.0')}\n{GOOD}")
    assert read_path(path, cell, limits=False).waypoints[0, 1] == 5.0
    path = write(tmp_path, "p.csv", f"{at(1, '1.7628005')}\n{GOOD}")
    assert read_path(path, cell).waypoints[0, 1] == 1.7628005


def test_whether_a_jump_of_a_continuous_joint_is_one_is_asked(wheel, tmp_path):
    path = write(tmp_path, "p.csv", "3.0\n-3.0\n-2.5\n3.1")
    with pytest.raises(PathError) as caught:
        read_path(path, wheel)
    for word in ("line 2", "'r/j'", "half a turn", "1 more", "(3.0, -3.0)", "--unwrap"):
        assert word in str(caught.value)
    turn = 2.0 * math.pi
    shorter = read_path(path, wheel, unwrap=True).waypoints[:, 0]
    assert shorter == pytest.approx([3.0, turn - 3.0, turn - 2.5, 3.1])
    assert read_path(path, wheel, unwrap=False).waypoints[:, 0].tolist() == [3.0, -3.0, -2.5, 3.1]


@pytest.mark.parametrize("angles", [[0.0, 6.5, 13.0], [0.0, math.pi], [-4.0, 0.0, -4.0]])
def test_a_joint_that_counts_its_turns_is_left_as_it_is(wheel, tmp_path, angles):
    path = write(tmp_path, "p.csv", "\n".join(map(repr, angles)))
    read = read_path(path, wheel)
    assert read.waypoints[:, 0].tolist() == angles and read.notes == ()


def trajectory(cell, names=None, **fields):
    """A message of two points as ROS writes it, at rest at both ends."""
    names = short(cell) if names is None else names
    count = len(names)
    points = [
        {"positions": row[:count], "velocities": [0.0] * count, "time_from_start": when, **fields}
        for row, when in zip(ROWS, ({"sec": 0, "nanosec": 0}, {"sec": 1, "nanosec": 500000000}))
    ]
    return {"joint_names": names, "points": points}


@pytest.mark.parametrize("around", [False, True])
def test_a_trajectory_of_ros_is_the_curve_it_means(cell, tmp_path, around):
    message = trajectory(cell)
    content = {"joint_trajectory": message} if around else message
    read = read_path(write(tmp_path, "p.json", json.dumps(content)), cell)
    assert read.waypoints == pytest.approx(np.array(ROWS[:2]))
    assert read.times.tolist() == [0.0, 1.5] and read.notes == ()
    quarter = np.array(REST) + (3 / 16 - 2 / 64) * 0.001  # 3 u² - 2 u³, and not the chord
    assert read.motion.at(0.375) == pytest.approx(quarter, abs=1e-12)


def test_joints_that_a_trajectory_leaves_out(cell, tmp_path):
    path = write(tmp_path, "p.json", json.dumps(trajectory(cell, short(cell)[:7])))
    with pytest.raises(
        PathError, match=r"joint_names: nothing for joint 'arm/panda_finger_joint1'"
    ):
        read_path(path, cell)
    read = read_path(path, cell, rest=True)
    assert (read.waypoints[:, 7] == cell.q[7]).all()
    assert "arm/panda_finger_joint1" in read.notes[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": []}, ["points", "no point"]),
        ({"joint_names": ["elbow"] * 8}, ["joint_names[0]", "unknown joint 'elbow'"]),
        ({"points": [{"positions": REST, "time_from_start": 0.0}]}, ["one point"]),
        ({"points": [{"positions": [9.0] * 8, "time_from_start": t} for t in (0, 1)]},
         ["points[0]", "'arm/panda_joint1'", "limits"]),
    ],
)  # fmt: skip
def test_a_trajectory_that_is_none(cell, tmp_path, change, words):
    path = write(tmp_path, "p.json", json.dumps({**trajectory(cell), **change}))
    with pytest.raises(so.Error) as caught:
        read_path(path, cell)
    assert caught.value.file == str(path)
    for word in words:
        assert word in str(caught.value)


def test_a_trajectory_in_yaml_needs_a_reader_of_it(cell, tmp_path):
    path = write(tmp_path, "p.yaml", json.dumps(trajectory(cell)))  # JSON is YAML
    if find_spec("yaml") is None:
        with pytest.raises(PathError, match="PyYAML"):
            read_path(path, cell)
    else:
        assert read_path(path, cell).times.tolist() == [0.0, 1.5]


PIECES = st.sampled_from(
    ["0", "1.5", "-2", "nan", "x", '"', "'", ",", ";", "\t", " ", "\n", "\r", "#", "[", "]", "{",
     "}", ":", "panda_joint1", "arm/panda_joint2", "time", '"waypoints"', '"joints"', '"points"',
     "null", "1e999", "\x00", "\ufeff", "é", "\u2028", "(deg)", "[rad]"]
)  # fmt: skip


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    st.sampled_from([".csv", ".json", ".npy", ".npz", ".txt", ".yaml"]),
    st.one_of(
        st.lists(PIECES, max_size=60).map(lambda words: "".join(words).encode()),
        st.binary(max_size=300),
        st.binary(max_size=60).map(lambda tail: b"\x93NUMPY\x01\x00" + tail),
    ),
)
def test_whatever_a_file_holds_is_read_or_refused(cell, tmp_path_factory, suffix, data):
    path = tmp_path_factory.getbasetemp() / f"hostile{suffix}"
    path.write_bytes(data)
    try:
        read = read_path(path, cell)
    except so.Error as error:
        assert str(path) in str(error)
    else:
        assert read.waypoints.shape[1] == 8 and np.isfinite(read.waypoints).all()


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.data())
def test_a_damaged_array_is_read_or_refused(cell, tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    save = data.draw(st.sampled_from([np.savez, np.savez_compressed]))
    save(folder / "damaged.npz", waypoints=np.array(ROWS), joints=np.array(short(cell)))
    whole = bytearray((folder / "damaged.npz").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    (folder / "damaged.npz").write_bytes(whole[: cut or None])
    try:
        read_path(folder / "damaged.npz", cell)
    except so.Error as error:
        assert "damaged.npz" in str(error)
