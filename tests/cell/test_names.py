"""Names of joints, groups and named states: one meaning wherever they are given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.tolerances import ENCODER_TOLERANCE

ARM = [f"panda_joint{k}" for k in range(1, 8)]
FINGER, FOLLOWER = "panda_finger_joint1", "panda_finger_joint2"
READY = dict(zip(ARM, (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)))


@pytest.fixture(scope="module")
def one():
    """One Panda."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    return cell


@pytest.fixture(scope="module")
def mixed():
    """A Panda, and a robot without an SRDF whose joints have other names."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:arm7", name="right", base=so.pose((0.0, 2.0, 0.0)))
    return cell


@pytest.fixture(scope="module")
def pair():
    """Two Pandas."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, 2.0, 0.0)))
    return cell


def half_named(cell, picks, values):
    """A dict of all joints, some of them by their short names."""
    names = [n.partition("/")[2] if short else n for n, short in zip(cell.joints, picks)]
    return dict(zip(names, values))


FACTORS = st.lists(st.floats(-1.0, 1.0), min_size=15, max_size=15)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=15, max_size=15), FACTORS, st.randoms())
def test_short_names_mean_what_full_names_mean(mixed, picks, values, random):
    items = [*half_named(mixed, picks, values).items()]
    random.shuffle(items)
    assert mixed.configuration(dict(items)).tolist() == values
    monitor = so.Monitor(mixed, 0.0)
    by_name, by_place = monitor.update(dict(items)), so.Monitor(mixed, 0.0).update(values)
    assert by_name.faults == by_place.faults and by_name.pairs == by_place.pairs


def test_short_names_in_every_dict_of_joints(mixed, tmp_path):
    q = mixed.q
    q[3] = -1.5
    short = half_named(mixed, [True] * 15, q.tolist())
    some = {"panda_joint4": 0.5}
    full = {"left/panda_joint4": 0.5}
    checker, other = (so.PathChecker(mixed, deviation=d) for d in (some, full))
    assert np.array_equal(checker._options.deviations(mixed), other._options.deviations(mixed))
    assert so.Planner(mixed, weights=some)
    brakes = {"panda_joint4": 1.0, "right": 2.0, "default": 3.0}
    stop = so.paths.braking_curve(mixed, short, dict.fromkeys(short, 0.1), brakes)
    named = {"left/panda_joint4": 1.0, "right": 2.0, "default": 3.0}
    like = so.paths.braking_curve(mixed, q, np.full(15, 0.1), named)
    assert np.array_equal(stop.coefficients, like.coefficients)
    stopping = so.Stopping(deceleration=brakes, reaction=0.0)
    rest = dict.fromkeys(short, 0.0)
    monitor = so.Monitor(mixed, 0.0, stopping=stopping)
    assert monitor.update(short, dq=rest, time=0.0).faults == ()
    file = tmp_path / "cell.toml"
    file.write_text(
        'standoff = 1\n[[robot]]\nname = "left"\nurdf = "builtin:panda"\n'
        '[[robot]]\nname = "right"\nurdf = "builtin:arm7"\nbase = { position = [0, 2, 0] }\n'
        "[state]\npanda_joint4 = -1.25\n"
    )
    assert so.Cell.load(file).q[3] == -1.25


def test_a_short_name_of_several_robots_is_refused_with_both(pair):
    q = {**dict(zip(pair.joints, pair.q)), "panda_joint1": 0.0}
    with pytest.raises(so.errors.ConfigurationError, match="left/panda_joint1 or right/panda_"):
        pair.configuration(q)
    faults = so.Monitor(pair, 0.0).update(q).faults
    assert [(f.kind, f.allowed) for f in faults] == [
        ("unknown", "left/panda_joint1 or right/panda_joint1")
    ]


def test_a_joint_under_two_names_is_refused(one):
    q = {**dict(zip(one.joints, one.q)), "panda_joint1": 0.5}
    with pytest.raises(so.errors.ConfigurationError, match=r"arm/panda_joint1.*there twice"):
        one.configuration(q)
    faults = so.Monitor(one, 0.0).update(q).faults
    assert [(f.kind, f.element) for f in faults] == [("length", "arm/panda_joint1")]
    with pytest.raises(so.errors.ConfigurationError, match="is there twice"):
        so.paths.braking_curve(one, one.q, one.q, {"panda_joint1": 1.0, "arm/panda_joint1": 1.0})


@settings(deadline=None)
@given(st.floats(0.0, 0.04), st.floats(-2.0, 2.0))
def test_a_mimic_joint_is_where_its_master_puts_it(one, at, off):
    """What is off by more than an encoder is refused, with both values."""
    q = {**READY, FINGER: at, FOLLOWER: at + off * ENCODER_TOLERANCE}
    if abs(q[FOLLOWER] - at) <= ENCODER_TOLERANCE:
        assert one.configuration(q)[7] == at
    else:
        with pytest.raises(so.errors.ConfigurationError, match="does not follow") as refused:
            one.configuration(q)
        assert f"{at:g}" in str(refused.value) and repr(q[FOLLOWER]) in str(refused.value)


def test_a_mimic_joint_that_is_no_number_or_alone(one):
    with pytest.raises(so.errors.ConfigurationError, match=FOLLOWER):
        one.configuration({**READY, FINGER: 0.01, FOLLOWER: np.nan})
    with pytest.raises(so.errors.ConfigurationError, match=f"missing.*{FINGER}"):
        one.configuration({**READY, FOLLOWER: 0.01})
    with pytest.raises(so.errors.ConfigurationError, match=f"no value of its own.*{FINGER}"):
        so.PathChecker(one, deviation={FOLLOWER: 0.01})


def test_velocities_of_mimic_joints_have_no_offset(tmp_path):
    file = tmp_path / "r.urdf"
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    file.write_text(
        f'<robot name="r"><link name="a"/><link name="b">{ball}</link><link name="c">{ball}</link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="continuous"><parent link="a"/><child link="c"/>'
        '<mimic joint="j" multiplier="-2" offset="0.5"/></joint></robot>'
    )
    cell = so.Cell(unwatched="allow")
    cell.add_robot(file)
    assert cell.configuration({"j": 1.0, "k": -1.5}).tolist() == [1.0]
    cell.tree.velocities({"j": 1.0}, {"j": 1.0, "k": -2.0})
    with pytest.raises(so.errors.ConfigurationError, match=r"dq.*does not follow"):
        cell.tree.velocities({"j": 1.0}, {"j": 1.0, "k": -1.5})


def test_groups_and_states_of_a_cell(mixed):
    assert mixed.groups == {
        "left/panda_arm": tuple(f"left/{j}" for j in ARM),
        "left/hand": (f"left/{FINGER}", f"left/{FOLLOWER}"),
    }
    assert [*mixed.states] == ["left/ready", "left/open", "left/close"]
    assert mixed.states["left/ready"] == {f"left/{j}": at for j, at in READY.items()}


@pytest.mark.parametrize("name", ["ready", "left/ready", "panda_arm/ready", "left/panda_arm/ready"])
def test_a_named_state_leaves_the_other_joints_where_the_cell_has_them(mixed, name):
    before = mixed.q
    q = np.linspace(0.01, 0.15, 15)
    mixed.set_state(q)
    q[:7] = [*READY.values()]
    assert np.array_equal(mixed.configuration(name), q)
    assert np.array_equal(mixed.pose("left/panda_hand", name), mixed.pose("left/panda_hand", q))
    mixed.set_state(name)
    mixed.set_state("open")
    q[7] = 0.035
    assert np.array_equal(mixed.q, q)
    mixed.set_state(before)


def test_names_that_nobody_bears_say_what_there_is(one, pair):
    with pytest.raises(so.errors.UnknownNameError, match="arm/ready, arm/open, arm/close"):
        one.set_state("raedy")
    with pytest.raises(so.errors.ConfigurationError, match="left/ready or right/ready"):
        pair.set_state("ready")
    pair.set_state("right/ready")
    planner = so.Planner(one)
    with pytest.raises(
        so.errors.UnknownNameError, match="groups: arm/panda_arm, arm/hand; robots: arm"
    ):
        planner.plan("ready", "ready", joints="panda_hand")
    with pytest.raises(so.errors.ConfigurationError, match="left/panda_arm or right/panda_arm"):
        so.Planner(pair).plan(pair.q, pair.q, joints="panda_arm")


def test_a_state_of_several_groups_is_called_with_its_group(tmp_path):
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    joint = '<joint name="{1}" type="continuous"><parent link="{0}"/><child link="{1}"/></joint>'
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="a"/><link name="b">{ball}</link><link name="c">{ball}</link>'
        + joint.format("a", "b") + joint.format("b", "c") + "</robot>"
    )  # fmt: skip
    (tmp_path / "r.srdf").write_text(
        '<robot name="r"><group name="g"><joint name="b"/></group>'
        '<group name="h"><joint name="c"/></group><group name="e"/>'
        '<group_state name="up" group="g"><joint name="b" value="1"/></group_state>'
        '<group_state name="up" group="h"><joint name="c" value="2"/></group_state></robot>'
    )
    cell = so.Cell(unwatched="allow")
    cell.add_robot(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")
    assert [*cell.states] == ["r/g/up", "r/h/up"]
    assert cell.configuration("h/up").tolist() == [0.0, 2.0]
    assert cell.configuration("r/g/up").tolist() == [1.0, 0.0]
    for name in ("up", "r/up"):
        with pytest.raises(so.errors.ConfigurationError, match=r"several groups.*r/g/up or r/h/up"):
            cell.configuration(name)
    with pytest.raises(so.errors.PlanError, match="no joint to plan"):
        so.Planner(cell).plan("g/up", "h/up", joints="e")


def test_a_plan_with_a_group_and_named_states(one):
    start = one.configuration({**{j: at + 0.1 for j, at in READY.items()}, FINGER: 0.035})
    plan = so.Planner(one).plan(start, "ready", joints="panda_arm", timeout=600.0)
    assert plan.solved
    assert plan.waypoints[-1].tolist() == [*READY.values(), 0.035]
    assert (plan.waypoints[:, 7] == 0.035).all()
    assert plan.joints == one.joints[:7] and "moving arm/panda_arm (7 joints)," in str(plan)
    goals = [start, {"panda_joint1": 0.4}]
    back = so.Planner(one).plan(plan.waypoints[-1], goals, joints="arm/panda_arm", timeout=600.0)
    assert back.solved and back.waypoints[-1, 0] == (0.1, 0.4)[back.goal]
    with pytest.raises(so.errors.PlanError, match=r"panda_finger_joint1.*is not planned"):
        so.Planner(one).plan("ready", "open", joints="panda_arm")


def test_a_plan_says_what_moves(pair):
    """Also without joints=, where everything may."""
    pair = pair.snapshot()
    pair.set_state("left/ready")
    pair.set_state("right/ready")
    goal = {"left/panda_joint1": 0.4, "right/panda_joint2": -0.5}
    plan = so.Planner(pair).plan(pair.q, goal, joints=[*goal], timeout=600.0)
    assert plan.joints == ("left/panda_joint1", "right/panda_joint2")
    assert "moving left/panda_joint1, right/panda_joint2," in str(plan)
    names = pair.tree.names
    assert names.words(pair.joints[:9]) == "8 of 8 joints of left, right/panda_joint1"
    assert names.words(pair.joints[8:13]) == "5 of 8 joints of right"
    still = so.Planner(pair).plan(pair.q, pair.q)
    assert still.joints == () and "moving no joint," in str(still)


def test_a_motion_of_a_group_with_a_mimic_joint_that_follows(one):
    times = [0.0, 1.0]
    arm = np.stack([[*READY.values()], [0.0] * 7])
    from scipy.interpolate import PPoly

    line = np.stack([arm[1:] - arm[:1], arm[:1]])
    pieces = so.paths.as_pieces(one, PPoly(line, times), joints="panda_arm")
    assert np.allclose(pieces.at([1.0])[0], [*[0.0] * 7, one.q[7]])
    finger = np.array([[[0.04, 0.04]], [[0.0, 0.0]]])
    both = so.paths.as_pieces(one, PPoly(finger, times), joints=[FINGER, FOLLOWER])
    assert both.at([0.5])[0, 7] == 0.02
    with pytest.raises(so.errors.PathError, match="does not follow"):
        so.paths.as_pieces(one, PPoly(finger * [1.0, 0.5], times), joints=[FINGER, FOLLOWER])


def test_a_cell_file_may_start_in_a_named_state(one, tmp_path):
    file = tmp_path / "cell.toml"
    file.write_text('standoff = 1\nstate = "ready"\n[[robot]]\nurdf = "builtin:panda"\n')
    assert so.Cell.load(file).q[:7].tolist() == [*READY.values()]
    file.write_text('standoff = 1\nstate = "raedy"\n[[robot]]\nurdf = "builtin:panda"\n')
    with pytest.raises(so.errors.CellError, match=r"cell\.toml: state: .*panda/ready"):
        so.Cell.load(file)


def test_a_stream_may_be_renamed_to_short_names(mixed, pair):
    mixed = mixed.snapshot()
    mixed.map_stream("csv:*", rename={"a1": "panda_joint1", "g": FOLLOWER})
    assert mixed.streams[0].rename == {"a1": "left/panda_joint1", "g": f"left/{FOLLOWER}"}
    with pytest.raises(so.errors.ConfigurationError, match="left/panda_joint1 or right/panda"):
        pair.map_stream("csv:*", rename={"a1": "panda_joint1"})
