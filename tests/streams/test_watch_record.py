"""A record is replayed bit for bit, through faults too, and read after the process was killed."""

import errno
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import standoff as so
from standoff.errors import StreamError
from standoff.streams.batch import gathered
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import BodyPose, Joints, Trouble
from standoff.streams.open_stream import open_source
from standoff.streams.record import mcap, spool
from standoff.streams.record.blocks import ANSWER
from standoff.streams.record.mcap import McapReader
from standoff.streams.record.recorder import ANSWERS, Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.report import State
from standoff.streams.runner import Watch
from tests.worlds.record_bytes import resealed
from tests.worlds.watch_worlds import (
    OPTIONS,
    PERIOD,
    Kept,
    Memory,
    at,
    engine,
    new_cell,
    readings,
    run,
    sliders,
    task,
    with_value,
)


def faulty(seed=3, cycles=1500):
    """Two arms that move, with everything wrong that can be, now and then."""
    rng = np.random.default_rng(seed)
    Q = np.concatenate([task(1), task(2), task(2)[::-1], task(1)])[:cycles]
    found = []
    shift = 0.0
    for now, message in readings(Q):
        message = Joints(message.stamp + shift, message.names, message.positions)
        kind = rng.integers(0, 60)
        if kind == 0:
            message = with_value(message, 3, math.nan)
        elif kind == 1:
            message = with_value(message, 1, 40.0)
        elif kind == 2:
            shift += float(rng.uniform(0.1, 0.7))
        elif kind == 3:
            message = Joints(message.stamp - 3.0, message.names, message.positions)
        elif kind == 4:
            found.append((now + shift, message))
            now += 1e-3
        elif kind == 5:
            found.append((now + shift, Trouble("garbled", "\x1b[31m")))
            now += 1e-3
        elif kind == 6:
            message = Joints(message.stamp, message.names[:9], message.positions[:9])
        found.append((now + shift, message))
    return found


def two_rates():
    """The two arms by two sources, one at 20 Hz and one at 7 Hz."""
    names, Q = new_cell().joints, task(1)
    left = [(1.0 + 0.05 * k, Joints(1.0 + 0.05 * k, names[:7], q[:7])) for k, q in enumerate(Q)]
    right = [(1.0 + 0.14 * k, Joints(math.nan, names[7:], Q[int(2.8 * k)][7:]))
             for k in range(350)]  # fmt: skip
    return left, right


def record(path, *sources, sinks=(), options=OPTIONS, speed=math.inf):
    watch = Watch(new_cell(), [Memory(s, f"source{k}") for k, s in enumerate(sources)],
                  [Recorder(path), *sinks], options, speed=speed)  # fmt: skip
    return watch.run()


@pytest.fixture(scope="module")
def faulty_record(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "run.mcap"
    return path, record(path, faulty())


def test_a_record_of_faults_is_replayed_to_the_bit(faulty_record):
    path, summary = faulty_record
    done = Replay(path).run(verify=True)
    assert done.difference is None and done.torn == "" and done.gap == 0
    assert done.compared == summary.cycles == done.summary.cycles
    assert done.summary.states == summary.states and done.summary.kinds == summary.kinds
    assert {"non-finite", "jump", "silent", "backwards", "doubled", "garbled", "missing",
            "warning"} <= {*summary.kinds}  # fmt: skip
    assert summary.status == 4 == done.summary.status


def test_a_quiet_record_is_replayed_many_cycles_at_a_time(tmp_path):
    summary = record(tmp_path / "run.mcap", readings([*task(1), *task(1)[::-1]]))
    assert summary.status == 0 and summary.cycles == 2000
    again = Replay(tmp_path / "run.mcap")
    calls = []
    update = again.engine.monitor.update
    again.engine.monitor.update = lambda *a, **k: calls.append(1) or update(*a, **k)
    done = again.run(verify=True)
    assert done.difference is None and done.compared == 2000 and len(calls) < 20
    assert done.summary.nearest == summary.nearest


def test_two_sources_at_different_rates_are_replayed_to_the_bit(tmp_path):
    left, right = two_rates()
    summary = record(tmp_path / "run.mcap", left, right)
    done = Replay(tmp_path / "run.mcap").run(verify=True)
    assert done.difference is None and done.compared == summary.cycles > 1000
    assert summary.states[State.SAFE] > 900


@pytest.mark.parametrize("make", [faulty, lambda: two_rates()[0], lambda: readings(task(2))])
def test_many_at_a_time_is_the_same_as_one_by_one(make):
    messages = make()
    one, many = engine(), engine()
    expected = [one.cycle(now, ((0, m),)) for now, m in messages]
    k, quiet = 0, 0
    while k < len(messages):
        batch = [(now, 0, m) for now, m in messages[k : k + 200]]
        whole = [r for r in batch if isinstance(r[2], Joints)]
        clearances, report = (np.zeros(0), None)
        if len(whole) == len(batch):
            stretch, report = many.stretch(gathered(batch))
            clearances = stretch.clearances
            for q, want in zip(stretch.Q, expected[k:]):
                np.testing.assert_array_equal(q, want.q)
        for c, want in zip(clearances, expected[k:]):
            assert want.state is State.SAFE and want.cycle.clearance == c and want.scale == 1.0
        k, quiet = k + len(clearances), quiet + len(clearances)
        if report is None and k < len(messages):
            report = many.cycle(messages[k][0], ((0, messages[k][1]),))
        if report is not None:
            want = expected[k]
            assert (report.number, report.state, report.reasons) == (
                want.number, want.state, want.reasons,
            )  # fmt: skip
            assert report.changed == want.changed and report.ages == want.ages
            k += 1
    assert many.number == one.number == len(messages)
    assert quiet > 0 or make is not faulty


def test_two_engines_say_the_same():
    messages = faulty(seed=11, cycles=400)
    a, b = run(engine(), messages), run(engine(), messages)
    for x, y in zip(a, b):
        assert (x.state, x.reasons, x.scale, x.ages) == (y.state, y.reasons, y.scale, y.ages)


def test_a_record_that_was_tampered_with_names_the_cycle(faulty_record, tmp_path):
    path, _ = faulty_record
    data = bytearray(path.read_bytes())
    rows = [d for topic, _, d in McapReader(path).messages() if topic == ANSWERS]
    answers = np.frombuffer(rows[0], ANSWER)
    where = bytes(data).find(bytes(rows[0]))
    target = where + 40 * ANSWER.itemsize + ANSWER.fields["clearance"][1]
    data[target] ^= 1
    changed = tmp_path / "changed.mcap"
    changed.write_bytes(resealed(data))
    done = Replay(changed).run(verify=True)
    assert done.difference is not None and done.difference.number == int(answers["number"][40])
    assert f"cycle {done.difference.number} " in str(done.difference)


def test_a_damaged_chunk_ends_the_replay_and_is_told(faulty_record, tmp_path):
    path, _ = faulty_record
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "damaged.mcap").write_bytes(data)
    done = Replay(tmp_path / "damaged.mcap").run(verify=True)
    assert "are not what was written" in done.damaged and not done.torn and not done.verified


def test_foxglove_and_its_like_can_read_it(faulty_record):
    from mcap.reader import make_reader

    path, summary = faulty_record
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        found = reader.get_summary()
        topics = Counter(channel.topic for _, channel, _ in reader.iter_messages())
        schemas = {schema.name: schema.encoding for schema in found.schemas.values()}
        metadata = {m.name: m.metadata for m in reader.iter_metadata()}
    assert topics["/standoff/warnings"] == summary.warned
    assert found.statistics.message_count == sum(topics.values())
    assert {"/standoff/state", "/joint_states", "/standoff/markers"} <= {*topics}
    assert schemas["sensor_msgs/msg/JointState"] == "ros2msg"
    assert schemas["foxglove.SceneUpdate"] == "jsonschema"
    assert "[[robot]]" in metadata["standoff"]["cell"]


def test_its_schemas_are_plain_enough_for_those_who_read_few_words(faulty_record):
    """One type for each value, and what is in each object and list."""
    from mcap.reader import make_reader

    path, _ = faulty_record
    with path.open("rb") as file:
        found = make_reader(file).get_summary().schemas.values()
        schemas = {s.name: json.loads(s.data) for s in found if s.encoding == "jsonschema"}
    assert {*schemas} == {"standoff.State", "standoff.Warnings", "foxglove.SceneUpdate"}
    waiting = [*schemas.items()]
    for name, schema in waiting:
        kind = schema.get("type")
        assert kind in ("object", "array", "string", "number", "integer", "boolean"), name
        if kind == "object":
            assert isinstance(schema.get("properties"), dict), name
            waiting += [(f"{name}.{key}", value) for key, value in schema["properties"].items()]
        elif kind == "array":
            assert isinstance(schema.get("items"), dict), name
            assert schema["items"].get("type") != "array", name  # lists of lists are too much, too
            waiting.append((f"{name}[]", schema["items"]))
    assert all(schema["type"] == "object" for schema in schemas.values()) and len(waiting) > 60


def test_names_of_files_that_are_no_utf_8_are_replayed_to_the_bit(tmp_path):
    """A source, the record itself, and a sink that fails are named in the reasons."""

    class Failing(Kept):
        def put(self, report):
            if 20 <= report.number < 40:
                raise OSError("\udcfd is full")

    path = tmp_path / os.fsdecode(b"run\xff.mcap")
    messages = readings(task(1)[:40]) + readings(task(1)[40:80], start=110.0)
    messages += [(112.5, Trouble("garbled", "in \udcff"))]
    source = Memory(messages, "csv:g\udcff.csv")
    failing = Failing()
    failing.name = "jsonl:\udcfe.jsonl"
    summary = Watch(new_cell(), [source], [Recorder(path), failing], OPTIONS).run()
    assert {"silent", "garbled"} <= {*summary.kinds} and "mcap" not in str(summary.sinks)
    done = Replay(path).run(verify=True)
    assert done.verified and done.compared == summary.cycles > 80


def test_a_cell_of_files_that_are_no_utf_8_is_not_recorded(tmp_path):
    urdf = tmp_path / os.fsdecode(b"arm\xff.urdf")
    urdf.write_bytes((files("standoff.robots") / "models" / "arm7.urdf").read_bytes())
    cell = so.Cell()
    cell.add_robot(urdf, name="arm")
    with pytest.raises(StreamError, match="UTF-8"):
        Watch(cell, [Memory(())], [Recorder(tmp_path / "run.mcap")], OPTIONS)


def test_others_can_read_its_joint_states(tmp_path):
    from rosbags.typesys import Stores, get_typestore

    Q = task(1)[:3]
    record(tmp_path / "run.mcap", readings(Q))
    store = get_typestore(Stores.ROS2_HUMBLE)
    data = [bytes(d) for t, _, d in McapReader(tmp_path / "run.mcap").messages()
            if t == "/joint_states"]  # fmt: skip
    message = store.deserialize_cdr(data[0], "sensor_msgs/msg/JointState")
    assert tuple(message.name) == new_cell().joints
    assert message.position.tolist() == Q[0].tolist() and message.header.stamp.sec == 100


def test_other_files_are_refused(tmp_path):
    (tmp_path / "no.mcap").write_bytes(b"nothing of the kind")
    (tmp_path / "empty.mcap").write_bytes(b"")
    for name in ("no.mcap", "empty.mcap", "none.mcap"):
        with pytest.raises(StreamError):
            Replay(tmp_path / name)
    with pytest.raises(StreamError, match="cannot be written"):
        Recorder(tmp_path / "no" / "run.mcap")


@pytest.mark.parametrize("query", ["", "?topic=/joint_states", "?topic=/standoff/state"])
def test_a_record_is_no_recording_of_joint_states(tmp_path, query):
    """Those in it are for display: a dip between two of them would be missed."""
    record(tmp_path / "run.mcap", readings(task(1)[:40]))
    torn = tmp_path / "torn.mcap"
    torn.write_bytes((tmp_path / "run.mcap").read_bytes()[:-2000])
    (tmp_path / "folder").mkdir()
    shutil.copy(torn, tmp_path / "folder" / "run_0.mcap")
    for name in ("mcap:run.mcap", "bag:torn.mcap", "bag:folder"):
        kind, _, file = name.partition(":")
        with pytest.raises(StreamError, match="standoff replay"):
            open_source(f"{kind}:{tmp_path / file}{query}")


def test_a_full_disk_is_a_fault_that_ends_when_there_is_room(tmp_path, monkeypatch):
    full = [False]
    write = os.write

    def limited(file, data):
        if full[0]:
            if len(data) > 10 and full[0] is True:
                full[0] = 2  # a part of a record is written, and the rest is not
                return write(file, data[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data)

    monkeypatch.setattr(spool.os, "write", limited)
    path = tmp_path / "run.mcap"
    kept = Kept()

    class Script(Memory):
        def messages(self):
            for k, pair in enumerate(self._all):
                if k in (100, 300):
                    full[0] = k == 100
                    _wait_for(lambda: bool(watch._outboxes[0]._trouble) == bool(full[0]))
                yield pair

    options = OPTIONS
    Q = np.repeat(task(1)[:1], 600, axis=0)
    watch = Watch(new_cell(), [Script(readings(Q))], [Recorder(path), kept], options, speed=200.0)
    summary = watch.run()
    told = [r for r in kept.reports if r.state is State.FAULT]
    assert told and {x.kind for r in told for x in r.reasons} == {"sink"}
    assert "No space left on device" in told[0].reasons[0].text
    assert kept.reports[-1].state is State.SAFE and summary.status == 3
    done = Replay(path).run(verify=True)
    assert done.difference is None and done.torn == "" and done.compared == summary.cycles


def test_a_disk_that_stays_full_leaves_a_gap(tmp_path, monkeypatch):
    monkeypatch.setattr(spool, "RECORD_SPOOL", 20_000)
    recorder = Recorder(tmp_path / "run.mcap")
    watch = Watch(new_cell(), [Memory(())], [recorder], OPTIONS)
    messages = readings(task(1)[:400])
    recorder.flush()
    monkeypatch.setattr(spool.os, "write", _no_space)
    for k, (now, message) in enumerate(messages):
        inputs = ((0, message),)
        report = watch.engine.cycle(now, inputs)
        if k == 350:
            monkeypatch.undo()
        try:
            recorder.take(report, inputs)
            recorder.flush()
        except OSError:
            assert k <= 350
    recorder.close()
    done = Replay(tmp_path / "run.mcap").run(verify=True)
    assert done.gap > 10 and done.difference is None and done.compared > 10


def _wait_for(what):
    limit = time.monotonic() + 300.0
    while not what() and time.monotonic() < limit:
        time.sleep(0.01)


def _no_space(file, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_dev_full_does_not_end_the_watch():
    if not Path("/dev/full").exists():
        pytest.skip("no such device")
    recorder = Recorder("/dev/full")
    watch = Watch(new_cell(), [Memory(readings(task(1)[:100]))], [recorder], OPTIONS, speed=50.0)
    summary = watch.run()
    assert summary.cycles >= 100 and summary.sinks


_CHILD = """
import os, sys
sys.path.insert(0, {root!r})
from standoff.streams.messages import Joints
from standoff.streams.runner import Watch
from standoff.streams.record.recorder import Recorder
from tests.worlds.watch_worlds import OPTIONS, Kept, Memory, new_cell, task

class Endless(Memory):
    def messages(self):
        Q, names = task(2)[:140], new_cell().joints
        for k in range(10**6):
            now = 100.0 + 0.05 * k
            yield now, Joints(now, names, Q[abs(k % 278 - 139)])

class Telling(Kept):
    def put(self, report):
        os.write(1, b"%.6f\\n" % report.time)

Watch(new_cell(), [Endless(())], [Recorder(sys.argv[1]), Telling()], OPTIONS, speed=50.0).run()
"""


@pytest.mark.soak
def test_all_but_the_last_second_is_there_after_kill_9(tmp_path):
    """50 times in the soak, some in the suite. A cycle lasts 1 ms, and 50 s of the recording are
    one."""
    root = str(Path(__file__).parents[2])
    rng = np.random.default_rng(9)
    for k in range(50 if os.environ.get("STANDOFF_SOAK") else 2):
        path, said = tmp_path / f"run{k}.mcap", tmp_path / f"said{k}.txt"
        with said.open("wb") as output:
            child = subprocess.Popen(
                [sys.executable, "-c", _CHILD.format(root=root), str(path)], stdout=output
            )
            try:
                limit = time.monotonic() + 300.0
                while not (path.exists() and path.stat().st_size > 20_000):
                    assert time.monotonic() < limit and child.poll() is None
                    time.sleep(0.01)
                time.sleep(float(rng.uniform(0.0, 0.7)))
            finally:
                child.send_signal(signal.SIGKILL)
                child.wait()
        done = Replay(path).run(verify=True)
        assert done.torn and done.difference is None and done.summary.status == 0
        last = float(said.read_text().split("\n")[-2])
        assert done.summary.ended > last - 50.0 and done.summary.cycles == done.compared > 10


def test_the_time_of_a_live_record_is_that_of_the_cycles(faulty_record):
    path, summary = faulty_record
    times = [t for _, t, _ in McapReader(path).messages()]
    assert min(times) >= int(1e9 * summary.began) - 1 and max(times) <= int(1e9 * summary.ended) + 1
    assert PERIOD > 0


def test_what_was_lost_last_is_a_gap(tmp_path):
    path = tmp_path / "run.mcap"
    recorder = Recorder(path)
    watch = Watch(new_cell(), [Memory(())], [recorder], OPTIONS)
    for now, message in readings(task(1)[:40]):
        inputs = ((0, message),)
        recorder.take(watch.engine.cycle(now, inputs), inputs)
    recorder.skipped(500)
    recorder.close()
    done = Replay(path).run(verify=True)
    assert done.gap == 500 and done.compared == 40 and not done.verified


def test_what_sources_in_python_may_do_is_replayed_to_the_bit(tmp_path):
    messages = []
    for k, (now, message) in enumerate(readings(task(1)[:200])):
        if k == 100:
            message = Joints(now, message.names, np.zeros(15))
        if k == 150:
            message = Joints(now, message.names, message.positions.reshape(-1, 1), np.zeros(3))
        messages.append((np.float64(now), message))
        if k == 120:
            messages += [(now, BodyPose(now, "nobody", np.zeros(3)))] * 70_000
            messages += [(now, BodyPose(now, "nobody", np.eye(4)))] * 70_000
    summary = record(tmp_path / "run.mcap", messages)
    assert {"garbled", "flood"} <= {*summary.kinds}
    done = Replay(tmp_path / "run.mcap").run(verify=True)
    assert done.verified and done.summary.kinds == summary.kinds


def test_a_list_of_names_that_comes_later_changes_nothing_before(tmp_path):
    """Joints that are told of by a longer list later on are not missing before."""
    messages = []
    for k in range(3000):
        now = 100.0 + 0.01 * k
        if k < 10 or (k < 1500 and k % 9 == 0):
            messages.append((now - 0.004, at(now - 0.004, c=0.0)))
        more = {"c": 0.0} if k >= 1500 else {}
        messages.append((now, at(now, a=1.8, b=0.0, **more)))
    watch = Watch(sliders("a", "b", "c"), [Memory(messages)], [], OPTIONS)
    summary = watch.run()
    one = WatchEngine(sliders("a", "b", "c"), OPTIONS, ["memory"])
    states = Counter(one.cycle(now, ((0, m),)).state for now, m in messages)
    assert states == +Counter(summary.states)


def test_lists_of_names_take_no_memory(tmp_path):
    recorder = Recorder(tmp_path / "run.mcap")
    watch = Watch(new_cell(), [Memory(())], [recorder], OPTIONS)
    for k in range(5000):
        inputs = ((0, Joints(math.nan, (f"x{k}",), np.zeros(1))),)
        recorder.take(watch.engine.cycle(1.0 + 0.01 * k, inputs), inputs)
        if k % 100 == 0:
            recorder.flush()
    assert len(recorder._inputs._names) < 500
    recorder.close()
    done = Replay(tmp_path / "run.mcap").run(verify=True)
    assert done.verified and done.compared == 5000


def test_a_record_of_many_chunks_has_no_index_and_is_read(tmp_path, monkeypatch):
    from mcap.reader import make_reader

    monkeypatch.setattr(mcap, "RECORD_INDEXED", 3)
    recorder = Recorder(tmp_path / "run.mcap")
    watch = Watch(new_cell(), [Memory(())], [recorder], OPTIONS)
    for now, message in readings(task(1)[:40]):
        inputs = ((0, message),)
        recorder.take(watch.engine.cycle(now, inputs), inputs)
        recorder.flush()
    recorder.close()
    assert Replay(tmp_path / "run.mcap").run(verify=True).compared == 40
    with (tmp_path / "run.mcap").open("rb") as file:
        count = sum(c.topic == ANSWERS for _, c, _ in make_reader(file).iter_messages())
    assert count == 40
