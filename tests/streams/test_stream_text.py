"""Tables and JSON lines, from files and pipes, good and bad."""

import fcntl
import io
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from standoff.errors import StreamError
from standoff.streams.limits import MAX_STREAM_MESSAGE
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Trouble
from standoff.streams.open_stream import open_source
from standoff.streams.protocols import Live, Recorded
from standoff.streams.sources.csv_table import CsvPipe
from standoff.streams.sources.lines import JsonPipe
from tests.worlds.robot_files import shared


def read(tmp_path, text, kind):
    path = tmp_path / f"run.{kind}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    source = open_source(f"{kind}:{path}")
    assert isinstance(source, Recorded)
    try:
        return list(source.messages())
    finally:
        source.close()
        source.close()


@pytest.mark.parametrize(
    "text",
    [
        "time,a,b\n0.5,1,2\n1.5,-3e-1,4\n",
        "\ufefftime,a,b\r\n0.5,1,2\r\n1.5,-3e-1,4\r\n",
        "Time;a;b\n0,5;1;2\n1,5;-0,3;4,0",
        "time\ta\tb\n0.5\t1\t2\n1.5\t-.3\t4\n",
        "b,extra,t,a\n2,,0.5,1\n4,,1.5,-0.3\n",
        "# time, a [rad], b [m]\n\n# a remark\n0.5, 1, 2,\n 1.5, -0.3, 4 ,\n",
        'stamp,"time","a",b\n0.5,0.5,1,2\n1.5,1.5,"-0.3",4\n',
        "# recorded 2024\n# by hand, 3 times\ntime,a,b\n0.5,1,2\n1.5,-0.3,4\n",
    ],
)
def test_tables_of_all_makes_are_read(tmp_path, text):
    (t, first), (u, second) = read(tmp_path, text, "csv")
    assert (t, u) == (0.5, 1.5) == (first.stamp, second.stamp)
    for message, values in ((first, (1, 2)), (second, (-0.3, 4))):
        assert dict(zip(message.names, message.positions)) == dict(zip("ab", values))
        assert message.velocities is None
    assert first.names is second.names


def test_a_table_has_velocities_poses_and_grasps_too(tmp_path):
    head = "time,stamp,a,velocity:a," + ",".join(
        f"pose:cart.{p}" for p in ("x", "y", "z", "qw", "qx", "qy", "qz")
    )
    rows = [
        "1,0.9,0.5,-1,1,2,3,1,0,0,0,,",
        "2,1.9,,,,,,,,,,box > left/hand,",
        "3,2.9,,,,,,,,,,other>left/hand,box",
        "4,3.9,0.6,,,,,,,,,,",
        "5,4.9,,,1,2,3,2,0,0,0,,",
        "6,5.9,,,,,,,,,,box,",
        "7,6.9,,,,,,,,,,,",
    ]
    found = read(tmp_path, "\n".join([head + ",attach,detach", *rows]), "csv")
    joints, pose, taken, let_go, other, *wrong = (m for _, m in found)
    assert joints.stamp == 0.9 and joints.velocities == [-1.0]
    assert type(pose) is BodyPose and pose.body == "cart" and pose.pose[2, 3] == 3.0
    assert taken == Grasp(1.9, "box", "left/hand") and let_go == Grasp(2.9, "box", None)
    assert other.body == "other"
    assert [type(m) for m in wrong] == [Trouble] * 4
    for message, said in zip(wrong, ("a: ''", "length 2", "BODY > ROBOT/LINK", "empty fields")):
        assert said in message.text


def test_robots_at_their_own_rates_leave_fields_empty(tmp_path):
    found = read(tmp_path, "time,a,b\n1,0.1,\n2,,0.2\n3,0.3,0.4\n4,0.5,\n", "csv")
    assert [m.names for _, m in found] == [("a",), ("b",), ("a", "b"), ("a",)]
    assert found[0][1].names is found[3][1].names


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,2", "2 fields and 3 columns"),
        ("1,2,3,4", "decimal commas need semicolons"),
        ("1,x,3", "a: 'x' is not a number"),
        ("x,2,3", "time: 'x' is not a number"),
        (",2,3", "time: ''"),
        ("nan,2,3", "not a time"),
        ("inf,2,3", "not a time"),
        ("1,1_000,3", "'1_000' is not a number"),
        ("1,٣,3", "is not a number"),
        ('1,"2,3', "not a line of a table"),
        ("1," + "9" * MAX_STREAM_MESSAGE + ",3", "more than"),
        (b"1,\xff,3", "not UTF-8"),
        (b"\x00\x01\x02", "1 fields"),
    ],
)
def test_rows_that_are_none_are_told_and_the_next_is_read(tmp_path, row, said):
    row = row if isinstance(row, bytes) else row.encode()
    found = read(tmp_path, b"time,a,b\n0,1,2\n" + row + b"\n9,1,2\n", "csv")
    assert [t for t, _ in found] == [0.0, 0.0, 9.0]
    trouble = found[1][1]
    assert type(trouble) is Trouble and trouble.kind == "garbled"
    assert said in trouble.text and "line 3" in trouble.text


def test_nan_and_infinity_are_readings_for_the_monitor_to_judge(tmp_path):
    ((_, message),) = read(tmp_path, "time,a,b\n0,nan,-inf\n", "csv")
    assert np.isnan(message.positions[0]) and message.positions[1] == -np.inf
    ((_, message),) = read(tmp_path, '{"time": 1, "joints": {"a": NaN}}\n', "jsonl")
    assert np.isnan(message.positions[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty file"),
        ("\n\n", "nothing in it"),
        ("1,2,3\n4,5,6\n", "no header"),
        ("a,b,c\n1,2,3\n", "no column of times"),
        ("time\n1\n", "no joint"),
        ("time,a,a\n1,2,3\n", "'a' stands twice"),
        ("time,a,,b\n1,2,3,4\n", "column 3"),
        ("time,a [deg]\n1,2\n", "'deg'.*'a' without a unit.*stream"),
        ("time [min],a\n1,2\n", "'min'.*s, ms, us or ns"),
        ("# a remark\n", "nothing in it"),
        ("time,a\x1b[31m\n1,2\n", "not a name"),
        (b"time,\xff\n1,2\n", "not UTF-8"),
        ('time,"a\n1,2\n', "not a line"),
        ("time,pose:cart.x\n1,2\n", "no column pose:cart.y"),
        ("time,pose:cart\n1,2\n", "no column of a pose"),
        ("time,a,velocity:b\n1,2,3\n", "same joints"),
        ("time," + ",".join(map("j{}".format, range(5000))), "at most 4000"),
        (b"x" * (MAX_STREAM_MESSAGE + 2), "longer"),
    ],
)
def test_tables_without_a_good_header_are_refused(tmp_path, text, said):
    with pytest.raises(StreamError, match=said) as caught:
        read(tmp_path, text, "csv")
    assert "run.csv" in str(caught.value)


def values(found):
    """What each message says: its joints, or what is wrong."""
    return [
        dict(zip(m.names, m.positions.tolist())) if type(m) is Joints else m.kind for _, m in found
    ]


@pytest.mark.parametrize(
    "again",
    [
        "time,b,a",
        "\ufefftime,b,a",
        '"Time [s]", b [rad], a',
        "# time,b,a",
        "time;b;a",
        "t\tb\ta",
        "timestamp,b,a,",
    ],
)
def test_a_header_in_the_middle_of_a_table_holds_from_there_on(tmp_path, again):
    mark = next((m for m in ";\t" if m in again), ",")
    rows = "\n".join([f"{t},2,1".replace(",", mark) for t in (3, 4, 5, 6)])
    found = read(tmp_path, f"time,a,b\n1,1,2\n2,1,2\n{again}\n{rows}\n", "csv")
    assert values(found) == [{"a": 1.0, "b": 2.0}] * 6


def test_a_header_of_other_names_in_the_middle_of_a_table(tmp_path):
    found = read(tmp_path, "time,a,b\n1,1,2\ntime,c\n2,3\ntime,d,e\n3,4,5\n", "csv")
    assert values(found) == [{"a": 1.0, "b": 2.0}, {"c": 3.0}, {"d": 4.0, "e": 5.0}]


@pytest.mark.parametrize(
    "again",
    [
        "time,b [deg],a",
        "time,b,b",
        "b,a",
        "u,c,d",
        "# time,b [deg],a",
        "3,0.5,0.2time,c,d",
        "3,0.5,0.2t,c,d",
        "3.time,c,d",
        "3.5,0.b,a",
        "time,b,a\x1b",
        b"time,\xff,a",
        'time,"b,a',
    ],
)
def test_after_a_header_that_cannot_be_read_no_row_is(tmp_path, again):
    again = again if isinstance(again, bytes) else again.encode()
    text = b"time,a,b\n1,1,2\n" + again + b"\n2,2,1\n3,2,1\ntime,b,a\n4,2,1\n"
    first, *wrong, last = values(read(tmp_path, text, "csv"))
    assert first == last == {"a": 1.0, "b": 2.0}
    assert wrong == ["garbled"] * (2 if again.startswith(b"#") else 3)


@pytest.mark.parametrize("row", ["oops", "null,null,null", "2,None,None", "disk is full, retrying"])
@pytest.mark.parametrize("comment", ["# time to go", "# t, 5 readings lost", "# a,b swapped"])
def test_words_in_the_middle_of_a_table_are_no_header(tmp_path, row, comment):
    found = read(tmp_path, f"time,a,b\n1,1,2\n{row}\n{comment}\n2,1,2\n", "csv")
    assert values(found) == [{"a": 1.0, "b": 2.0}, "garbled", {"a": 1.0, "b": 2.0}]


def test_a_header_in_the_middle_of_a_pipe_holds_from_there_on():
    heard = []
    text = "a,b\n1,2\nb,a\n2,1\nall,well\n2,1\nb,a\n2,1\n"
    done = threading.Event()
    pipe = CsvPipe(stream=io.BytesIO(text.encode()))
    pipe.start(
        lambda message, _=None: (heard.append((0.0, message)), type(message) is End and done.set())
    )
    assert done.wait(300.0)
    good = {"a": 1.0, "b": 2.0}
    assert values(heard[:-1]) == [good, good, "garbled", "garbled", good]


JOINTS = {"time": 1.5, "joints": {"left/a": 0.5, "b": 1}}


def test_json_lines_hold_any_of_it(tmp_path):
    lines = [
        JOINTS,
        {**JOINTS, "stamp": 1.25, "velocities": {"b": -1, "left/a": 2}},
        {"time": 2, "header": {"stamp": {"sec": 3, "nanosec": 250_000_000}, "frame_id": ""},
         "name": ["b"], "position": [1.0], "velocity": [], "effort": []},
        {"time": 3, "poses": {"cart": {"position": [1, 2, 3], "rpy": [0, 0, 0]},
                              "box": {"matrix": np.eye(4).tolist()}}},
        {"time": 4, "attach": {"body": "box", "link": "left/hand", "touch": ["t"]},
         "detach": [{"body": "cart"}, "other"]},
    ]  # fmt: skip
    text = "\ufeff" + "\r\n\r\n".join(map(json.dumps, lines))
    found = read(tmp_path, text, "jsonl")
    assert [t for t, _ in found] == [1.5, 1.5, 2, 3, 3, 4, 4, 4]
    a, b, c, cart, box, gone, other, taken = (m for _, m in found)
    assert a.names is b.names == ("left/a", "b") and a.stamp == 1.5 and b.stamp == 1.25
    assert b.velocities.tolist() == [2, -1] and c.stamp == 3.25 and c.velocities is None
    assert (cart.body, box.body) == ("cart", "box") and cart.pose[0, 3] == 1
    assert taken == Grasp(4, "box", "left/hand", ("t",))
    assert (gone.body, other.body, other.link) == ("cart", "other", None)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[1, 2]", "a list"),
        ("17", "a number"),
        ("null", "null"),
        ("{", "not JSON"),
        ('{"time": 1}', "none of joints"),
        ('{"joints": {"a": 1}}', "without a time"),
        ('{"time": "now", "joints": {"a": 1}}', "time: a text"),
        ('{"time": NaN, "joints": {"a": 1}}', "not a time"),
        ('{"time": 1e999, "joints": {"a": 1}}', "not a time"),
        ('{"time": 1, "joints": {}}', "no joint"),
        ('{"time": 1, "joints": [1]}', "a list, not positions"),
        ('{"time": 1, "joints": {"a": "1"}}', "a text among the numbers"),
        ('{"time": 1, "joints": {"a": true}}', "a truth value"),
        ('{"time": 1, "joints": {"a": null}}', "null among"),
        ('{"time": 1, "joints": {"a": 1, "a": 2}}', "stands twice"),
        ('{"time": 1, "joints": {"a\\u001b": 1}}', "not a name"),
        ('{"time": 1, "joints": {"a": 1}, "velocities": {"b": 1}}', "same joints"),
        ('{"time": 1, "joints": {"a": 1' + "0" * 400 + "}}", "too large"),
        ('{"time": 1, "joints": {"a": 1' + "0" * 5000 + "}}", "not JSON that can be read"),
        ('{"time": 1, "name": ["a", "b"], "position": [1]}', "2 names and 1"),
        ('{"time": 1, "name": "ab", "position": [1, 2]}', "list of names"),
        ('{"time": 1, "name": ["a"], "position": {"a": 1}}', "not a list of numbers"),
        ('{"time": 1, "header": {}, "joints": {"a": 1}}', "header"),
        ('{"time": 1, "header": {"stamp": {"sec": 1, "nanosec": -1}}, "joints": {"a": 1}}', "nano"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2]}}}', "pose of 'c'"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, 3], "color": 1}}}', "nor a matrix"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, NaN]}}}', "not finite"),
        ('{"time": 1, "poses": {"c": {"matrix": [[1]]}}}', "wrong shape"),
        ('{"time": 1, "poses": 3}', "poses by name"),
        ('{"time": 1, "poses": null}', "poses by name"),
        ('{"time": 1, "poses": {"c": null}}', "nor a matrix"),
        ('{"time": 1, "poses": {"c": {"matrix": null}}}', "matrix: null"),
        ('{"time": 1, "poses": {"c": {"matrix": [[1, 0, 0, null]]}}}', "matrix: null"),
        ('{"time": 1, "poses": {"c": {"matrix": [null, null, null, null]}}}', "matrix: null"),
        ('{"time": 1, "poses": {"c": {"matrix": [[[1]]]}}}', "matrix: a list"),
        ('{"time": 1, "poses": {"c": {"position": null}}}', "position: null"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, null]}}}', "position: null"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, true]}}}', "position: a truth value"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, 3], "quaternion": null}}}', "on: null"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, 3], "rpy": null}}}', "rpy: null"),
        ('{"time": 1, "poses": {"c": {"position": [1, 2, 3], "rpy": [0, 0, null]}}}', "rpy: null"),
        ('{"time": null, "joints": {"a": 1}}', "time: null"),
        ('{"time": 1, "stamp": null, "joints": {"a": 1}}', "stamp: null"),
        ('{"time": 1, "header": null, "joints": {"a": 1}}', "header"),
        ('{"time": 1, "header": {"stamp": null}, "joints": {"a": 1}}', "header"),
        (
            '{"time": 1, "header": {"stamp": {"sec": 1, "nanosec": null}}, "joints": {"a": 1}}',
            "sec",
        ),
        ('{"time": 1, "joints": null}', "joints: null"),
        ('{"time": 1, "joints": {"a": 1}, "poses": null}', "poses: null"),
        ('{"time": 1, "joints": {"a": 1}, "velocities": {"a": null}}', "velocities: null"),
        ('{"time": 1, "name": ["a"], "position": null}', "1 names and 0"),
        ('{"time": 1, "name": ["a"], "position": [null]}', "position: null"),
        ('{"time": 1, "name": ["a"], "position": [1], "velocity": [null]}', "velocity: null"),
        ('{"time": 1, "attach": null}', "attach"),
        ('{"time": 1, "attach": {"body": "a", "link": null}}', "not text"),
        ('{"time": 1, "attach": {"body": null, "link": "b"}}', "not text"),
        ('{"time": 1, "attach": {"body": "a", "link": "b", "touch": null}}', "touch"),
        ('{"time": 1, "attach": {"body": "a", "link": "b", "touch": [null]}}', "not text"),
        ('{"time": 1, "detach": null}', "name of a body"),
        ('{"time": 1, "detach": {"body": null}}', "name of a body"),
        ('{"time": 1, "attach": {"body": "a"}}', "a link"),
        ('{"time": 1, "attach": {"body": "a", "link": 3}}', "not text"),
        ('{"time": 1, "attach": {"body": "a", "link": "b", "touch": "c"}}', "touch"),
        ('{"time": 1, "detach": 7}', "name of a body"),
        ('{"time": 1, "detach": []}', "says nothing"),
        ("[" * 100_000, "not JSON"),
        (b'{"time": 1, "joints": {"\xff": 1}}', "UTF-8"),
    ],
)
def test_lines_that_are_no_messages_are_told_and_the_next_is_read(tmp_path, line, said):
    line = line if isinstance(line, bytes) else line.encode()
    good = json.dumps(JOINTS).encode()
    found = read(tmp_path, b"\n".join([good, line, good]), "jsonl")
    assert [type(m) for _, m in found] == [Joints, Trouble, Joints]
    assert said in found[1][1].text and "line 2" in found[1][1].text


def test_what_is_garbled_before_the_first_time_is_told_at_it(tmp_path):
    found = read(tmp_path, "x\ny\n" + json.dumps(JOINTS), "jsonl")
    assert [t for t, _ in found] == [1.5, 1.5]
    assert "line 1" in found[0][1].text and "1 more" in found[0][1].text
    assert [t for t, _ in read(tmp_path, "x\n", "jsonl")] == [0.0]


def run_pipe(make, data):
    """What a pipe hands over when these bytes are written to it in odd pieces."""
    end, begin = os.pipe()
    found, done = [], threading.Event()

    def put(message, arrived=None):
        found.append(message)
        if type(message) is End:
            done.set()

    source = make(stream=os.fdopen(end, "rb"))
    assert isinstance(source, Live)
    source.start(put)
    with os.fdopen(begin, "wb", buffering=0) as stream:
        for k in range(0, len(data), 7):
            stream.write(data[k : k + 7])
    assert done.wait(300.0)
    source.close()
    return found


def test_a_pipe_hands_over_what_comes(tmp_path):
    found = run_pipe(JsonPipe, b'{"joints": {"a": 1}}\nrubbish\n{"time": 2, "joints": {"a": 3}}\n')
    assert [type(m) for m in found] == [Joints, Trouble, Joints, End]
    assert np.isnan(found[0].stamp) and found[2].stamp == 2.0
    found = run_pipe(CsvPipe, b"1,2\na,b\n1,2\nx,4\n3,4\n")
    assert [type(m) for m in found] == [Trouble, Joints, Trouble, Joints, End]
    assert "no header" in found[0].text and found[3].positions.tolist() == [3, 4]
    assert [type(m) for m in run_pipe(CsvPipe, b"")] == [End]


WAITING = """
import sys, time
from standoff.streams.open_stream import open_source
from standoff.streams.messages import Joints
heard = []
source = open_source("jsonl:-")
source.start(lambda message, arrived=None: heard.append(message))
print("ready", flush=True)
while not heard:
    time.sleep(0.01)
print(type(heard[0]).__name__, flush=True)
source.close()
"""


def test_a_process_ends_while_standard_input_stays_open():
    """The reader waits in another line then, which it cannot be woken from."""
    with subprocess.Popen(
        [sys.executable, "-c", WAITING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdout.readline() == "ready\n"
        child.stdin.write('{"joints": {"a": 1}}\n')
        child.stdin.flush()  # and not closed: the line alone must get through
        assert child.stdout.readline() == "Joints\n"
        assert child.wait(300.0) == 0
        assert child.stderr.read() == ""


def test_a_pipe_that_breaks_says_so():
    class Broken(io.BytesIO):
        def readline(self, size=-1):
            raise OSError(5, "Input/output error")

    found, done = [], threading.Event()
    source = JsonPipe(stream=Broken())
    source.start(lambda m: (found.append(m), type(m) is End and done.set()))
    assert done.wait(300.0)
    assert found[0].kind == "lost" and "Input/output" in found[0].text


@pytest.mark.parametrize("number", [1, 2])
def test_recordings_of_a_real_baxter_are_read(number):
    path = shared("").parent / "logs" / "baxter" / f"baxterArmMotion{number}"
    if not path.exists():
        pytest.skip("the recordings of Baxter are not in the folder of STANDOFF_DATA")
    found = list(open_source(f"csv:{path}").messages())
    assert all(type(m) is Joints and len(m.names) == 14 for _, m in found)
    times = np.array([t for t, _ in found])
    assert len(found) > 1000 and (np.diff(times) > 0).all()
    assert np.diff(times).max() > 0.1  # the drop-outs


def test_what_waits_in_a_pipe_is_as_old_as_it_may_be():
    """At 900 Hz data was 4.3 s old and SAFE: the time in front of the reader did not count."""
    end, begin = os.pipe()
    line, found, done = b'{"joints": {"a": 1}}\n', [], threading.Event()
    busy, go_on = threading.Event(), threading.Event()

    def put(message, arrived=None):
        found.append((message, arrived))
        if len(found) == 1:
            busy.set()
            go_on.wait(300.0)
        if type(message) is End:
            done.set()

    JsonPipe(stream=os.fdopen(end, "rb")).start(put)
    os.write(begin, line)
    assert busy.wait(300.0)  # the reader is at the first line, and does not read
    before = time.monotonic_ns()
    os.write(begin, 2000 * line)
    after = time.monotonic_ns()
    time.sleep(0.05)
    go_on.set()
    os.close(begin)
    assert done.wait(300.0)
    late = [arrived for message, arrived in found[1:] if type(message) is Joints]
    assert len(late) == 2000 and all(arrived <= after for arrived in late), (before, after)
    # So much that the writer may have waited: how old it is cannot be known.
    assert any(type(m) is Trouble and m.kind == "flood" for m, _ in found)


def test_what_waits_in_a_terminal_is_as_old_as_it_may_be():
    """One look takes one line of it: the lines behind it counted as come since that look."""
    begin, end = os.openpty()
    line, found, done = b'{"joints": {"a": 1}}\n', [], threading.Event()
    busy, go_on = threading.Event(), threading.Event()

    def put(message, arrived=None):
        found.append((message, arrived))
        if len(found) == 1:
            busy.set()
            go_on.wait(300.0)
        if len(found) == 51 or type(message) is End:
            done.set()

    JsonPipe(stream=os.fdopen(end, "rb", buffering=0)).start(put)
    os.write(begin, line)
    assert busy.wait(300.0)  # the reader is at the first line, and does not read
    os.write(begin, 50 * line)
    after = time.monotonic_ns()
    go_on.set()
    assert done.wait(300.0)
    os.close(begin)
    assert all(arrived <= after for message, arrived in found if type(message) is Joints)


def test_what_a_full_pipe_held_back_is_not_fresh_after_three_lines():
    """At 40 kHz, with a writer that was behind by up to 30 s, the state was SAFE:
    each time that the pipe was found full, three lines ended the fault, and the next ones counted
    from the look before."""
    end, begin = os.pipe()
    fcntl.fcntl(begin, fcntl.F_SETPIPE_SZ, 1 << 20)
    line, found, done = b'{"joints": {"a": 1}}\n', [], threading.Event()

    def put(message, arrived=None):
        found.append((message, arrived))
        if type(message) is End:
            done.set()

    pipe = JsonPipe(stream=os.fdopen(end, "rb"))
    os.write(begin, 40000 * line)
    after = time.monotonic_ns()
    os.close(begin)
    pipe.start(put)
    assert done.wait(300.0)
    late = [arrived for message, arrived in found if type(message) is Joints]
    assert len(late) == 40000 and max(late) <= after
    floods = sum(type(message) is Trouble and message.kind == "flood" for message, _ in found)
    assert floods == -(-40000 * len(line) // 65536)


def test_a_small_pipe_that_is_full_is_seen():
    """It holds a page, which was less than what a full pipe was taken to hold: what its writer had
    held back counted as fresh."""
    end, begin = os.pipe()
    fcntl.fcntl(begin, fcntl.F_SETPIPE_SZ, 4096)
    line, found, done = b'{"joints": {"a": 1}}\n', [], threading.Event()

    def put(message, arrived=None):
        found.append((message, arrived))
        if type(message) is End:
            done.set()

    pipe = JsonPipe(stream=os.fdopen(end, "rb"))
    os.write(begin, 190 * line)
    os.close(begin)
    pipe.start(put)
    assert done.wait(300.0)
    assert any(type(m) is Trouble and m.kind == "flood" for m, _ in found)


@pytest.mark.parametrize(
    "head, first, second",
    [
        ("time_ms", "1500", "1510"),
        ("time [ms]", "1500", "1510"),
        ("Time (us)", "1500000", "1510000"),
        ("t_us", "1500000", "1510000"),
        ("timestamp_ns", "1500000000", "1510000000"),
        ("timestamp [ns]", "1.5e9", "1510000000"),
        ("time_s", "1.5", "1.51"),
    ],
)
def test_the_name_of_a_column_says_the_unit_of_its_times(tmp_path, head, first, second):
    found = read(tmp_path, f"{head},a\n{first},1\n{second},2\n", "csv")
    assert [(t, m.stamp) for t, m in found] == [(1.5, 1.5), (1.51, 1.51)]
    assert [m.names for _, m in found] == [("a",), ("a",)]


def test_a_joint_whose_name_ends_like_a_unit_is_a_joint(tmp_path):
    ((_, message),) = read(tmp_path, "time,arm_ms,t_x\n1.5,1,2\n", "csv")
    assert message.names == ("arm_ms", "t_x")
    ((time, message),) = read(tmp_path, "time,time_ms\n1.5,1\n", "csv")
    assert (time, message.names) == (1.5, ("time_ms",))


def test_a_stamp_may_have_a_unit_of_its_own(tmp_path):
    ((time, message),) = read(tmp_path, "time,stamp_ns,a\n1.5,1400000000,1\n", "csv")
    assert (time, message.stamp) == (1.5, 1.4)


def test_times_in_iso_8601_are_read(tmp_path):
    stamps = ["2026-05-04T12:00:00Z", "2026-05-04 12:00:00.25", "2026-05-04T14:00:00.5+02:00"]
    rows = "".join(f"{stamp},{k}\n" for k, stamp in enumerate(stamps))
    found = read(tmp_path, f"time,a\n{rows}", "csv")
    noon = 1777896000.0
    assert [(t, m.stamp) for t, m in found] == [(noon + k, noon + k) for k in (0.0, 0.25, 0.5)]
    lines = "".join(
        json.dumps({"time": stamp, "joints": {"a": k}}) + "\n" for k, stamp in enumerate(stamps)
    )
    assert [t for t, _ in read(tmp_path, lines, "jsonl")] == [t for t, _ in found]


@pytest.mark.parametrize("unit, per_second", [("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_times_since_1970_in_another_unit_are_named_and_not_converted(tmp_path, unit, per_second):
    time = 1_777_896_000 * per_second
    path = tmp_path / "run.csv"
    path.write_text(f"time,a\n{time},1\n")
    with pytest.raises(StreamError, match=rf"looks like {unit} since 1970.*\?time={unit}"):
        open_source(f"csv:{path}")
    source = open_source(f"csv:{path}?time={unit}")
    assert [t for t, _ in source.messages()] == [1777896000.0]
    source.close()
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"time": time, "joints": {"a": 1}}) + "\n")
    source = open_source(str(path))
    ((_, trouble),) = source.messages()
    source.close()
    assert trouble.kind == "garbled" and f"looks like {unit} since 1970" in trouble.text
    source = open_source(f"{path}?time={unit}")
    assert [t for t, _ in source.messages()] == [1777896000.0]
    source.close()


def test_an_unknown_unit_of_times_is_refused(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("time,a\n1,1\n")
    with pytest.raises(StreamError, match="s, ms, us or ns"):
        open_source(f"csv:{path}?time=min")
    path.write_text("time [min],a\n1,1\n")
    with pytest.raises(StreamError, match="s, ms, us or ns"):
        open_source(f"csv:{path}")


def test_a_first_row_that_is_garbled_does_not_refuse_a_table(tmp_path):
    (_, trouble), (time, _) = read(tmp_path, "time,a\n1,x\n2,1\n", "csv")
    assert trouble.kind == "garbled" and time == 2.0
