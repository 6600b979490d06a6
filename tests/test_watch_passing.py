"""Robots and joints that are read in turn: how they pass each other between their readings."""

import numpy as np
import pytest

import standoff as so
from standoff.streams.messages import BodyPose, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.record.recorder import Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.runner import Watch
from tests.watch_worlds import Memory

_RADIUS = 0.05
_BALL = f'<collision>%s<geometry><sphere radius="{_RADIUS}"/></geometry></collision>'
_LIMIT = '<limit lower="-3" upper="3" velocity="30" effort="1"/>'
_SLIDER = f"""<robot name="slider"><link name="base"/><link name="hand">{_BALL % ""}</link>
<joint name="x" type="prismatic"><parent link="base"/><child link="hand"/><axis xyz="1 0 0"/>
{_LIMIT}</joint></robot>"""
_ARM = f"""<robot name="arm"><link name="base"/><link name="upper">
{_BALL % '<origin xyz="0.5 0 0"/>'}</link>
<link name="hand">{_BALL % '<origin xyz="0.5 0 0"/>'}</link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
{_LIMIT}</joint><joint name="b" type="revolute"><origin xyz="0.5 0 0"/><parent link="upper"/>
<child link="hand"/><axis xyz="0 0 1"/>{_LIMIT}</joint></robot>"""


def crossing(tmp_path):
    """Two hands that slide across each other's way."""
    (tmp_path / "slider.urdf").write_text(_SLIDER)
    cell = so.Cell()
    cell.add_robot(tmp_path / "slider.urdf", name="p")
    base = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    cell.add_robot(tmp_path / "slider.urdf", name="q", base=base)
    return cell, ("p/x", "q/x"), lambda p, q: np.hypot(p, q) - 2.0 * _RADIUS


def arm(tmp_path):
    """Two joints of one arm, and a post beside it."""
    (tmp_path / "arm.urdf").write_text(_ARM)
    cell = so.Cell()
    cell.add_robot(tmp_path / "arm.urdf", name="arm")
    cell.add_body("post", so.Sphere(_RADIUS), so.pose((0.6, 0.3, 0.0)))

    def gap(a, b):
        x, y = (0.5 * f(a) + 0.5 * f(a + b) for f in (np.cos, np.sin))
        return np.hypot(x - 0.6, y - 0.3) - 2.0 * _RADIUS

    return cell, ("arm/a", "arm/b"), gap


def watched(cell, streams, speed=np.inf, sinks=(), age=1.0):
    options = WatchOptions(period=0.3, max_age=age, between=True)
    return Watch(cell, [Memory(s, f"m{k}") for k, s in enumerate(streams)], sinks, options,
                 speed=speed).run()  # fmt: skip


def stream(name, times, values):
    return [(t, Joints(t, (name,), np.array([x]))) for t, x in zip(times.tolist(), values)]


@pytest.mark.parametrize("world", [crossing, arm])
def test_two_that_are_read_in_turn_do_not_pass_through_each_other(tmp_path, world):
    rng = np.random.default_rng(7)
    missed, statuses = 0, {0: 0, 1: 0, 3: 0, 4: 0}
    for _ in range(60):
        cell, names, gap = world(tmp_path)
        streams, lines = [], []
        for name in names:
            times = 1.0 + rng.uniform(0.0, 0.05) + rng.choice([0.02, 0.1, 0.5]) * np.arange(120)
            times = times[times < 4.0]
            turn = np.sort(rng.uniform(1.1, 3.9, 4))
            values = np.interp(times, turn, rng.choice([0.02, 0.5, 2.0]) * rng.uniform(-1, 1, 4))
            streams.append(stream(name, times, values))
            lines.append((times, values))
        status = watched(cell, streams).status
        statuses[status] += 1
        t = np.linspace(max(x[0] for x, _ in lines), min(x[-1] for x, _ in lines), 20001)
        touched = gap(*(np.interp(t, *line) for line in lines)).min() < 0.0
        missed += touched and status == 0
        assert not missed
    assert statuses[0] > 2 and statuses[3] + statuses[4] > 5


@pytest.mark.parametrize("speed", [np.inf, 1000.0])
def test_a_fast_recording_beside_a_slow_one_is_a_fault_where_they_may_have_met(tmp_path, speed):
    cell, names, _ = crossing(tmp_path)
    fast, slow = np.arange(1.0, 4.0, 0.01), np.arange(1.003, 4.0, 0.7)
    way = [1.0, 1.75, 2.35, 4.0], [-0.6, -0.6, 0.6, 0.6]
    streams = [stream(n, t, np.interp(t, *way)) for n, t in zip(names, (fast, slow))]
    summary = watched(cell, streams, speed, [Recorder(tmp_path / "run.mcap")])
    assert summary.kinds["passing"] and summary.status == 3
    assert Replay(tmp_path / "run.mcap").run(verify=True).verified
    # One that stands still meanwhile, and one that moves by less than they keep, leave no doubt.
    still = [stream(names[0], fast, -0.6 + 0.0 * fast), streams[1]]
    little = [
        stream(names[0], fast, np.interp(fast, way[0], [-0.6, -0.6, -0.55, -0.55])),
        streams[1],
    ]
    for given in (still, little):
        assert watched(crossing(tmp_path)[0], given, speed).kinds.keys() == {"waiting"}


def test_a_body_that_is_told_of_seldom_does_not_pass_through_a_robot(tmp_path):
    (tmp_path / "slider.urdf").write_text(_SLIDER)
    cell = so.Cell()
    cell.add_robot(tmp_path / "slider.urdf", name="p")
    cell.add_body("cart", so.Sphere(_RADIUS), so.pose((0.0, -0.6, 0.0)), moving=True)
    fast, slow = np.arange(1.0, 4.0, 0.01), np.arange(1.003, 4.0, 0.7)
    way = [1.0, 1.75, 2.35, 4.0], [-0.6, -0.6, 0.6, 0.6]
    poses = [(t, BodyPose(t, "cart", so.pose((0.0, y, 0.0))))
             for t, y in zip(slow.tolist(), np.interp(slow, *way))]  # fmt: skip
    summary = watched(cell, [stream("p/x", fast, np.interp(fast, *way)), poses])
    assert summary.kinds["passing"] and summary.status == 3
