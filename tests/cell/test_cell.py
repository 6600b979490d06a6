"""Cells: names, pairs and their reasons, grasping, swapping, and nothing half done."""

import copy
import pickle
import threading

import numpy as np
import pytest

import standoff as so
from standoff.cell.allowed import ADJACENT, HELD, RIGID, USER

pytestmark = pytest.mark.interpreted

READY = {f"arm/panda_joint{i + 1}": v for i, v in enumerate((0, -0.8, 0, -2.4, 0, 1.6, 0.8))}
READY["arm/panda_finger_joint1"] = 0.02


@pytest.fixture
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("table", so.Box((1, 1, 0.1)), so.pose((0.5, 0, -0.1)))
    cell.add_body("box", so.Box((0.04, 0.04, 0.04)), so.pose((0.5, 0, 0.3)))
    cell.add_body("cart", so.Sphere(0.2), so.pose((2, 0, 0)), moving=True)
    return cell


def snapshot(cell):
    """Everything a failed change must leave alone."""
    tables = cell.model.tables
    return (
        cell.revision,
        cell.joints,
        cell.moving,
        tuple(cell.bodies),
        tuple(cell.robots),
        cell.allowed(),
        list(cell.pairs.watched()),
        cell.q.tobytes(),
        tables.rows.tobytes(),
        tables.refs.tobytes(),
    )


def test_names_are_robot_slash_link_and_body(cell):
    assert "arm/panda_link3" in cell.model.names
    assert "table" in cell.model.names
    assert cell.joints[0] == "arm/panda_joint1"
    assert cell.moving == ("cart",)


def test_robot_takes_its_own_name_when_none_is_given():
    cell = so.Cell()
    assert cell.add_robot("builtin:irb2400") in cell.robots


def test_adding_robots_lays_out_each_joint_twice_not_once_for_each_robot(monkeypatch):
    from standoff.robots.tree import Tree

    rows, lay_out = [], Tree._row

    def counted(tree, *given):
        rows.append(threading.get_ident())
        return lay_out(tree, *given)

    monkeypatch.setattr(Tree, "_row", counted)
    cell = so.Cell()
    for k in range(12):
        cell.add_robot("builtin:arm7", name=f"r{k}")
    assert len(cell.joints) == 12 * 7
    assert rows.count(threading.get_ident()) <= 2 * 12 * 7  # others may lay out cells of theirs


def test_a_robot_that_comes_back_under_its_old_name_starts_at_the_beginning():
    cell = so.Cell()
    for name in ("a", "b"):
        cell.add_robot("builtin:arm7", name=name)
    cell.set_state(np.arange(14.0) / 20.0)
    cell.remove_robot("a")
    cell.add_robot("builtin:arm7", name="a")
    assert cell.q[:7] == pytest.approx(np.arange(7.0, 14.0) / 20.0)
    assert not cell.q[7:].any()


def test_each_watched_pair_has_no_reason_and_each_other_pair_has_one(cell):
    watched = set(cell.pairs.watched())
    names = cell.model.names
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            is_watched = (a, b) in watched or (b, a) in watched
            assert (cell.reason(a, b) is None) == is_watched
            assert cell.reason(a, b) == cell.reason(b, a)
    assert len(watched) == cell.pairs.count()


def test_reasons(cell):
    assert cell.reason("arm/panda_link1", "arm/panda_link2") == ADJACENT
    assert cell.reason("table", "box") == RIGID  # neither moves
    assert cell.reason("arm/panda_link0", "table") == RIGID  # the base stands still too
    assert cell.reason("arm/panda_link5", "table") is None
    cell.allow("arm/panda_link5", "table")
    assert cell.reason("table", "arm/panda_link5") == USER
    cell.forbid("table", "arm/panda_link5")
    assert cell.reason("arm/panda_link5", "table") is None


def test_srdf_reason_is_carried(cell):
    reasons = {p.reason for p in cell.allowed()}
    assert any(r.startswith("SRDF") for r in reasons)


def test_allowing_a_robot_allows_all_its_links(cell):
    cell.allow("arm", "cart", "the cart is soft")
    for name in cell.model.names:
        if name.startswith("arm/"):
            assert cell.reason(name, "cart") == "the cart is soft"


def test_no_pair_is_allowed_beyond_two_joints_without_srdf_or_user():
    """Adjacency is one joint wide; whatever is farther is watched unless a file says otherwise."""
    cell = so.Cell()
    cell.add_robot(so.robots.model_path("panda"), name="arm")  # by path: without the SRDF
    assert cell.reason("arm/panda_link0", "arm/panda_link1") == ADJACENT
    assert cell.reason("arm/panda_link0", "arm/panda_link2") is None
    assert {p.reason for p in cell.allowed()} <= {ADJACENT, RIGID}


def test_attach_keeps_the_relative_pose_and_detach_leaves_it_there(cell):
    q0 = cell.configuration(READY)
    rng = np.random.default_rng(1)
    q1 = q0 + rng.uniform(-0.3, 0.3, len(q0))
    cell.set_state(q0)
    before = cell.pose("box")
    relative = np.linalg.inv(cell.pose("arm/panda_hand")) @ before
    cell.attach("box", "arm/panda_hand")
    assert np.allclose(cell.pose("box"), before, atol=1e-14)
    cell.set_state(q1)
    here = cell.pose("arm/panda_hand") @ relative
    assert np.allclose(cell.pose("box"), here, atol=1e-14)
    cell.detach("box")
    cell.set_state(q0)
    assert np.allclose(cell.pose("box"), here, atol=1e-14)
    assert cell.reason("box", "table") == RIGID  # static again


def test_attach_takes_the_configuration_of_the_instant(cell):
    q = cell.configuration(READY)
    cell.attach("box", "arm/panda_hand", q=q)
    assert np.allclose(cell.pose("box", q), so.pose((0.5, 0, 0.3)), atol=1e-14)


def test_attached_body_keeps_its_pairs_and_gains_only_its_holder(cell):
    cell.allow("box", "table")
    cell.attach("box", "arm/panda_hand", touch=["arm/panda_leftfinger"])
    assert cell.reason("box", "table") == USER
    assert cell.reason("box", "arm/panda_hand") == RIGID
    assert cell.reason("box", "arm/panda_leftfinger") == HELD
    assert cell.reason("box", "arm/panda_rightfinger") is None
    # The hand may touch link 5 by the SRDF or not: its load may not.
    assert cell.reason("box", "arm/panda_link5") is None
    cell.detach("box")
    assert cell.reason("box", "arm/panda_leftfinger") is None
    assert cell.reason("box", "arm/panda_hand") is None


def test_attached_moving_body_is_not_asked_for_until_it_is_detached(cell):
    cell.attach("cart", "arm/panda_link0")
    assert cell.moving == ()
    cell.detach("cart")
    assert cell.moving == ("cart",)


def test_moving_pose_given_before_a_grasp_is_the_one_that_counts(cell):
    cell.set_state(READY, {"cart": so.pose((1.0, 0.2, 0.3))})
    cell.attach("cart", "arm/panda_hand")
    assert np.allclose(cell.pose("cart")[:3, 3], (1.0, 0.2, 0.3), atol=1e-12)


def test_swapping_geometry_changes_shapes_and_no_pairs(cell):
    pairs = list(cell.pairs.watched())
    shapes = cell.model.tables.refs[:, 0].tolist()
    cell.swap_geometry("arm/panda_link5", "capsules", capsules_per_link=1)
    one = cell.model.parts[cell.model.index["arm/panda_link5"]]
    assert len(one) == 1 and isinstance(one[0][0], so.Capsule)
    assert list(cell.pairs.watched()) == pairs
    cell.swap_geometry("arm/panda_link5", "auto")
    assert cell.model.tables.refs[:, 0].tolist() == shapes


def test_every_change_counts(cell):
    seen = [cell.revision]

    def changed():
        seen.append(cell.revision)
        assert seen[-1] > seen[-2]

    cell.allow("cart", "arm/panda_link5")
    changed()
    cell.attach("box", "arm/panda_hand")
    changed()
    cell.detach("box")
    changed()
    cell.swap_geometry("arm/panda_link5", "capsules")
    changed()
    cell.remove_body("cart")
    changed()
    cell.remove_robot("arm")
    changed()


def test_removing_a_robot_forgets_its_pairs(cell):
    cell.allow("arm/panda_link5", "table")
    cell.remove_robot("arm")
    assert cell.user_pairs == {}
    assert cell.joints == ()


BAD = {
    "robot of a taken name": (
        lambda c: c.add_robot("builtin:panda", name="arm"),
        so.errors.DuplicateNameError,
        "arm",
    ),
    "robot named like a body": (
        lambda c: c.add_robot("builtin:panda", name="table"),
        so.errors.DuplicateNameError,
        "table",
    ),
    "body of a taken name": (
        lambda c: c.add_body("table", so.Sphere(1)),
        so.errors.DuplicateNameError,
        "table",
    ),
    "slash in a name": (lambda c: c.add_body("a/b", so.Sphere(1)), so.errors.CellError, "a/b"),
    "empty name": (lambda c: c.add_body("", so.Sphere(1)), so.errors.CellError, "''"),
    "name that is no text": (lambda c: c.add_body(3, so.Sphere(1)), so.errors.CellError, "3"),
    "control character": (
        lambda c: c.add_body("a\x1b[2J", so.Sphere(1)),
        so.errors.CellError,
        "name",
    ),
    "no shape": (lambda c: c.add_body("x", "sphere"), so.errors.CellError, "shape"),
    "bad pose": (
        lambda c: c.add_body("x", so.Sphere(1), np.full((4, 4), np.nan)),
        so.errors.PoseError,
        "finite",
    ),
    "mirrored base": (
        lambda c: c.add_robot("builtin:panda", name="x", base=np.diag([-1.0, 1, 1, 1])),
        so.errors.PoseError,
        "rotation",
    ),
    "moving half space": (
        lambda c: c.add_body("x", so.HalfSpace(), moving=True),
        so.errors.CellError,
        "HalfSpace",
    ),
    "unknown model": (lambda c: c.add_robot("builtin:pandda"), so.errors.UnknownNameError, "panda"),
    "missing file": (lambda c: c.add_robot("nowhere.urdf"), so.errors.RobotError, "nowhere.urdf"),
    "unknown geometry": (
        lambda c: c.add_robot("builtin:panda", name="x", geometry="voxels"),
        so.errors.RobotError,
        "capsules",
    ),
    "no capsules": (
        lambda c: c.add_robot("builtin:panda", name="x", capsules_per_link=0),
        so.errors.RobotError,
        "1 to 16",
    ),
    "unknown name": (
        lambda c: c.allow("arm/panda_lnik3", "table"),
        so.errors.UnknownNameError,
        "arm/panda_link3",
    ),
    "pair of one": (lambda c: c.allow("table", "table"), so.errors.CellError, "two"),
    "attach what is not there": (
        lambda c: c.attach("bxo", "arm/panda_hand"),
        so.errors.UnknownNameError,
        "box",
    ),
    "attach to what is not there": (
        lambda c: c.attach("box", "arm/hand"),
        so.errors.UnknownNameError,
        "arm/panda_hand",
    ),
    "touch what is not there": (
        lambda c: c.attach("box", "arm/panda_hand", touch=["arm/finger"]),
        so.errors.UnknownNameError,
        "finger",
    ),
    "detach what is not held": (lambda c: c.detach("box"), so.errors.CellError, "not held"),
    "remove what is not there": (
        lambda c: c.remove_body("tabel"),
        so.errors.UnknownNameError,
        "table",
    ),
    "swap an unknown link": (
        lambda c: c.swap_geometry("arm/link5", "mesh"),
        so.errors.UnknownNameError,
        "panda_link5",
    ),
    "wrong length of q": (
        lambda c: c.set_state([0.0] * 3),
        so.errors.ConfigurationError,
        "panda_joint7",
    ),
    "q not finite": (
        lambda c: c.set_state([0.0, np.nan, *([0.0] * 6)]),
        so.errors.ConfigurationError,
        "panda_joint2",
    ),
    "q that is no numbers": (lambda c: c.set_state(["home"]), so.errors.ConfigurationError, "home"),
    "no named state": (lambda c: c.set_state("home"), so.errors.UnknownNameError, "arm/ready"),
    "q with an unknown joint": (
        lambda c: c.set_state({**READY, "arm/panda_joint8": 0.0}),
        so.errors.UnknownNameError,
        "panda_joint7",
    ),
    "q without a joint": (
        lambda c: c.set_state({"arm/panda_joint1": 0.0}),
        so.errors.ConfigurationError,
        "panda_joint2",
    ),
    "pose of an unknown mover": (
        lambda c: c.set_state(READY, {"kart": np.eye(4)}),
        so.errors.UnknownNameError,
        "cart",
    ),
    "too many poses": (
        lambda c: c.set_state(READY, np.zeros((2, 4, 4))),
        so.errors.ConfigurationError,
        r"\(1, 4, 4\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_change_says_what_is_wrong_and_changes_nothing(cell, case):
    change, kind, message = BAD[case]
    before = snapshot(cell)
    with pytest.raises(kind, match=message):
        change(cell)
    assert snapshot(cell) == before


def test_what_is_fixed_to_an_empty_root_is_not_adjacent_to_what_moves_on_it(tmp_path):
    """A carriage runs along a rail and meets a fixture; only the empty root is at its joint."""
    box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
    (tmp_path / "gantry.urdf").write_text(
        "<robot name='g'><link name='world'/>"
        + "".join(f"<link name='{n}'>{box}</link>" for n in ("fixture", "rail", "carriage"))
        + "<joint name='f' type='fixed'><parent link='world'/><child link='fixture'/>"
        "<origin xyz='1.5 0 0'/></joint>"
        "<joint name='r' type='fixed'><parent link='world'/><child link='rail'/></joint>"
        "<joint name='x' type='prismatic'><parent link='world'/><child link='carriage'/>"
        "<axis xyz='1 0 0'/><limit lower='0' upper='2' velocity='1' effort='1'/></joint></robot>"
    )
    cell = so.Cell()
    cell.add_robot(tmp_path / "gantry.urdf", name="g")
    assert cell.reason("g/fixture", "g/carriage") is None
    assert cell.reason("g/rail", "g/carriage") is None


def test_an_empty_mount_stands_for_the_link_it_is_fixed_to(tmp_path):
    box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
    (tmp_path / "arm.urdf").write_text(
        "<robot name='a'>"
        + "".join(f"<link name='{n}'>{box}</link>" for n in ("torso", "arm", "tool"))
        + "<link name='mount'/><link name='flange'/>"
        "<joint name='f' type='fixed'><parent link='torso'/><child link='mount'/></joint>"
        "<joint name='j' type='continuous'><parent link='mount'/><child link='arm'/></joint>"
        "<joint name='k' type='continuous'><parent link='arm'/><child link='flange'/></joint>"
        "<joint name='t' type='fixed'><parent link='flange'/><child link='tool'/></joint></robot>"
    )
    cell = so.Cell()
    cell.add_robot(tmp_path / "arm.urdf", name="a")
    assert cell.reason("a/torso", "a/arm") == ADJACENT
    assert cell.reason("a/arm", "a/tool") == ADJACENT
    assert cell.reason("a/torso", "a/tool") is None


def test_what_a_cell_hands_out_cannot_be_written_to(cell):
    cell.attach("box", "arm/panda_hand")
    arrays = [
        cell.bodies["table"].pose,
        cell.bodies["box"].attachment.pose,
        cell.robots["arm"].base,
        cell.model.parts[0][0][1],
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0, 3] = 99.0
    with pytest.raises(TypeError):
        cell.pairs.reasons["a", "b"] = "because"
    with pytest.raises(AttributeError):
        cell.revision = 0


def test_touch_takes_a_whole_robot(cell):
    cell.attach("box", "arm/panda_hand", touch=["arm"])
    assert cell.reason("box", "arm/panda_link5") == HELD


WRONG = [None, 5, b"x", [[1], [1, 2]], {"a": 1}, object(), "\0", "\ud800", np.zeros(3), 1j, True]
CALLS = {
    "add_robot": lambda c, x: c.add_robot(x),
    "srdf": lambda c, x: c.add_robot("builtin:arm7", name="n", srdf=[x]),
    "geometry": lambda c, x: c.add_robot("builtin:arm7", name="n", geometry=x),
    "search_paths": lambda c, x: c.add_robot("builtin:arm7", name="n", search_paths=[x]),
    "one search path": lambda c, x: c.add_robot("builtin:arm7", name="n", search_paths="/tmp"),
    "remove_robot": lambda c, x: c.remove_robot(x),
    "add_body": lambda c, x: c.add_body(x, so.Sphere(1)),
    "moving": lambda c, x: c.add_body("n", so.Sphere(1), None, "false"),
    "attach": lambda c, x: c.attach(x, "arm/panda_hand"),
    "attach to": lambda c, x: c.attach("box", x),
    "touch": lambda c, x: c.attach("box", "arm/panda_hand", touch=(x and [x]) or 5),
    "detach": lambda c, x: c.detach(x),
    "swap": lambda c, x: c.swap_geometry(x, "mesh"),
    "allow": lambda c, x: c.allow(x, "table"),
    "reason": lambda c, x: c.reason(x, "table"),
    "forbid": lambda c, x: c.forbid("table", x),
    "set_state": lambda c, x: c.set_state([x]),
    "joint name": lambda c, x: c.set_state({1: 0.0}),
    "poses": lambda c, x: c.set_state(None, [x]),
    "pose by name": lambda c, x: c.set_state(None, {"cart": [x]}),
    "no pose": lambda c, x: c.set_state(None, {"cart": None}),
    "pose": lambda c, x: c.pose(x),
    "save": lambda c, x: c.save(x),
    "load": lambda c, x: so.Cell.load(x),
}


@pytest.mark.parametrize("call", CALLS)
def test_arguments_of_the_wrong_type_are_errors_of_ours(cell, call):
    before = snapshot(cell)
    for wrong in WRONG:
        if isinstance(wrong, np.ndarray) and call == "touch":
            continue
        with pytest.raises(so.Error):
            CALLS[call](cell, wrong)
    assert snapshot(cell) == before


def test_removing_a_robot_that_holds_something_is_refused(cell):
    cell.attach("box", "arm/panda_hand")
    with pytest.raises(so.errors.CellError, match="box"):
        cell.remove_robot("arm")
    assert "arm" in cell.robots


def test_cell_without_robots_works():
    cell = so.Cell()
    cell.add_body("a", so.Sphere(1), moving=True)
    cell.add_body("b", so.Sphere(1))
    cell.set_state([])
    assert cell.joints == ()
    assert list(cell.pairs.watched()) == [("a", "b")]


def test_empty_cell_works():
    cell = so.Cell()
    assert cell.pairs.count() == 0
    assert cell.model.tables.rows.shape == (0, 16)


def test_ten_thousand_bodies_are_counted_without_listing_their_pairs():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    shape = so.Box((0.1, 0.1, 0.1))
    for i in range(10_000):
        cell.add_body(f"box{i}", shape, so.pose((i, 0, 0)))
    links = sum(1 for n in cell.model.names if "/" in n and cell.model.frame_of(n) != 0)
    own = so.Cell()
    own.add_robot("builtin:panda", name="arm")
    assert cell.pairs.count() == links * 10_000 + own.pairs.count()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_a_change_of_a_copy_changes_nothing_in_the_original(copied):
    """`copy.copy` shared bodies, pairs and notes of changes: a body added to the copy was never
    watched in the original, and one taken out of the copy was watched there no more."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    for name in ("post", "wall", "held"):
        cell.add_body(name, so.Sphere(0.1), so.pose((0, 0, 3)))
    cell.attach("held", "arm/link7")
    monitor = so.Monitor(cell, buffer=0.1)
    other = copied(cell)
    other.add_body("more", so.Sphere(0.1))
    other.allow("wall", "arm")
    other.forbid("wall", "arm/link1")
    other.detach("held")
    other.remove_body("post")
    other.swap_geometry("arm/link3", "capsules")
    assert set(cell.bodies) == {"post", "wall", "held"} and not cell.user_pairs
    assert cell.bodies["held"].attachment is not None and "held" in cell.pairs.held
    cell.move_body("post", so.pose((0, 0, 0.5)))
    assert "post" in cell.model.entries and "more" not in cell.model.entries
    assert any("post" in (w.a, w.b) for w in monitor.update(cell.q).warnings)
    assert set(other.model.entries) >= {"more", "wall"} and "post" not in other.model.entries


def test_a_snapshot_keeps_the_links_that_it_had():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    then, tree = cell.snapshot(), cell.tree
    links = then.robots["arm"].robot.links
    cell.swap_geometry("arm/panda_link4", "capsules")
    assert then.robots["arm"].robot.links == links != cell.robots["arm"].robot.links
    assert cell.tree is tree  # and the joints are not laid out again
