"""No record that was altered is called the same: it is told as damage, or as a difference."""

import io
import os
from collections import Counter
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

from standoff.cell.cell import Cell
from standoff.errors import StreamError
from standoff.streams.messages import Joints
from standoff.streams.record.about import DamagedError, about
from standoff.streams.record.recorder import Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.runner import Watch
from standoff.view.replay import replay
from tests.worlds.record_bytes import (
    CHUNK,
    DATA_END,
    FOOTER,
    METADATA,
    SEAL,
    STATISTICS,
    parts,
    resealed,
)
from tests.worlds.watch_worlds import OPTIONS, Memory, at, sliders

SAME, DIFFERS, BAD_INPUT, DAMAGED = 0, 1, 2, 3
SOAK = bool(os.environ.get("STANDOFF_SOAK"))

#: Of a record, and of each of its chunks.
CYCLES, PER_CHUNK = 60, 12


def write(path, start=100.0, texts=None, until=CYCLES, close=True):
    """A hand that slides to a wall and is too close to it in the end."""
    recorder = Recorder(path)
    cell = sliders("a")
    watch = Watch(cell, [Memory(())], [recorder], OPTIONS)
    if texts is not None:
        recorder = Recorder(path)
        recorder.about({**about(cell, OPTIONS, ["memory"], [], path.parent), **texts}, cell.joints)
    for k in range(until):
        now = start + 0.05 * k
        inputs = ((0, at(now, a=0.033 * k)),)
        recorder.take(watch.engine.cycle(now, inputs), inputs)
        if k % PER_CHUNK == PER_CHUNK - 1:
            recorder.flush()
    if close:
        recorder.close()
    else:
        recorder._mcap.spool.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def whole(folder):
    return write(folder / "whole.mcap")


@pytest.fixture(scope="module")
def killed(folder):
    """As one whose writer was killed between two flushes."""
    return write(folder / "killed.mcap", close=False)


def told(folder, data):
    """Exit status of ``standoff replay --verify``, and what it prints."""
    path, out = folder / "altered.mcap", io.StringIO()
    path.write_bytes(data)
    quiet = Console(file=io.StringIO())
    try:
        status = replay(path, Console(file=out, width=200), quiet, verify=True, report=None)
    except StreamError as error:
        return BAD_INPUT, str(error)
    return status, out.getvalue()


def flipped(data, place, bit):
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def places(data, count, seed):
    """Half of them anywhere, half of them as many in small records as in large ones, and as many in
    the first bytes of each, which say what it is, as in the rest."""
    rng = np.random.default_rng(seed)
    spans = [(0, 8), *((start, end) for _, start, end in parts(data))]
    for k in range(count):
        start, end = spans[rng.integers(len(spans))] if k % 2 else (0, len(data))
        if k % 4 == 1:
            end = min(end, start + 9)
        yield int(rng.integers(start, end)), int(rng.integers(8))


def test_as_it_was_written_it_is_the_same(folder, whole, killed):
    kinds = Counter(kind for kind, _, _ in parts(whole))
    assert kinds[CHUNK] == kinds[SEAL] == CYCLES // PER_CHUNK and kinds[DATA_END] == 1
    assert told(folder, whole)[0] == told(folder, killed)[0] == SAME
    assert told(folder, resealed(whole))[0] == SAME and resealed(whole) == whole
    done = Replay(folder / "whole.mcap").run(verify=True)
    assert done.verified and done.compared == CYCLES and done.summary.warned > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4 if SOAK else 1))
def test_no_flipped_bit_is_passed_over(folder, whole, seed):
    for place, bit in places(whole, 1000 if SOAK else 300, seed):
        status, text = told(folder, flipped(whole, place, bit))
        assert status in (DIFFERS, DAMAGED) and "bit for bit" not in text, (place, bit, text)


@pytest.mark.soak
def test_no_flipped_bit_is_passed_over_where_the_writer_was_killed(folder, killed):
    """It has no checksum of the whole, but one after each flush. That it does not begin as an MCAP
    file makes it none: nothing else says what it was."""
    for place, bit in places(killed, 1000 if SOAK else 150, 5):
        status, text = told(folder, flipped(killed, place, bit))
        allowed = (BAD_INPUT,) if place < 8 else (DIFFERS, DAMAGED)
        assert status in allowed and "bit for bit" not in text, (place, bit, text)


def test_every_bit_of_the_first_and_last_bytes_counts(folder, whole):
    for place in [*range(8), *range(len(whole) - 8, len(whole))]:
        assert told(folder, flipped(whole, place, place % 8))[0] == DAMAGED


def test_what_comes_after_the_end_is_damage(folder, whole, killed):
    other = write(folder / "other.mcap", start=500.0)
    half = len(whole) // 2
    appended = {
        "a byte": whole + b"\0",
        "its magic once more": whole + whole[:8],
        "junk": whole + b"junk",
        "zeros": whole + bytes(1000),
        "itself": whole + whole,
        "another record": whole + other,
        "another without its first bytes": whole[:-8] + other[8:],
        "another after a half": whole[:half] + other,
        "itself after a half": whole[:half] + whole,
        "another after one that was killed": killed + other,
        "zeros after one that was killed": killed + bytes(1000),
        "the chunks of another": killed + other[len(killed) :],
    }
    for name, data in appended.items():
        status, text = told(folder, data)
        assert status == DAMAGED and "damaged" in text, (name, status, text)


def test_a_part_that_is_doubled_left_out_or_moved_is_damage(folder, whole):
    spans = [(start, end) for _, start, end in parts(whole)]
    for start, end in spans:
        part = whole[start:end]
        assert told(folder, whole[:end] + part + whole[end:])[0] == DAMAGED
        assert told(folder, whole[:start] + whole[end:])[0] == DAMAGED
    for (a, b), (_, c) in pairwise(spans):
        assert told(folder, whole[:a] + whole[b:c] + whole[a:b] + whole[c:])[0] == DAMAGED


def test_a_flush_that_is_doubled_or_left_out_is_damage_where_the_writer_was_killed(folder, killed):
    seals = [end for kind, _, end in parts(killed) if kind == SEAL]
    for a, b in pairwise(seals):
        for data in (killed[:b] + killed[a:], killed[:a] + killed[b:]):
            if data != killed[: len(data)]:
                assert told(folder, data)[0] == DAMAGED
    # Without its last one it is a record that was killed before.
    status, text = told(folder, killed[: seals[-2]])
    assert status == SAME and f"all {CYCLES - PER_CHUNK} cycles" in text and "ends early" in text


def test_wherever_it_was_torn_it_is_read_up_to_the_last_flush(folder, whole):
    seals = [end for kind, _, end in parts(whole) if kind == SEAL]
    rng = np.random.default_rng(2)
    cuts = [*seals, *rng.integers(seals[0], len(whole), 40).tolist(), len(whole) - 1]
    for cut in cuts:
        cycles = PER_CHUNK * sum(seal <= cut for seal in seals)
        status, text = told(folder, whole[:cut])
        assert status == SAME and f"all {cycles} cycles" in text and "ends early" in text, cut


def test_altered_metadata_is_damage(folder, whole):
    for old, new in {
        b'"recover": 3': b'"recover": 1',
        b'"max_age": 0.2': b'"max_age": 9.2',
        b'["memory"]': b'["nobody"]',
        b"numpy": b"mumpy",
        b"size": b"sise",
    }.items():
        meta = next((start, end) for kind, start, end in parts(whole) if kind == METADATA)
        assert whole.count(old, *meta) >= 1, old
        altered = whole[: meta[0]] + whole[slice(*meta)].replace(old, new) + whole[meta[1] :]
        for data in (altered, resealed(altered)):
            status, text = told(folder, data)
            assert status == DAMAGED and "altered" in text, (old, text)


def test_texts_that_another_tool_wrote_are_damage(folder):
    path = folder / "texts.mcap"
    write(path, texts={"sources": '["someone"]'})
    with pytest.raises(DamagedError, match="altered"):
        Replay(path)
    write(path, texts={"more": "than there was"})
    with pytest.raises(DamagedError, match="altered"):
        Replay(path)
    write(path, texts={})
    assert Replay(path).run(verify=True).verified


def test_a_record_of_another_version_is_bad_input_and_not_damage(folder, whole, monkeypatch):
    monkeypatch.setattr("standoff.streams.record.about._FORMAT", "another")
    status, text = told(folder, whole)
    assert status == BAD_INPUT and "another version" in text


def test_an_altered_summary_is_damage(folder, whole):
    for wanted in (STATISTICS, FOOTER):
        start, end = next((a, b) for kind, a, b in parts(whole) if kind == wanted)
        status, text = told(folder, flipped(whole, (start + 9 + end) // 2, 4))
        assert status == DAMAGED and "its summary is not what was written" in text


def test_others_find_its_checksums_right(folder, whole):
    from mcap.exceptions import McapError
    from mcap.records import DataEnd
    from mcap.stream_reader import CRCValidationError, StreamReader

    found = [*StreamReader(io.BytesIO(whole), validate_crcs=True).records]
    (end,) = [record for record in found if isinstance(record, DataEnd)]
    assert end.data_section_crc
    schema = whole.find(b"standoff.State")
    with pytest.raises((CRCValidationError, McapError)):
        list(StreamReader(io.BytesIO(flipped(whole, schema, 0)), validate_crcs=True).records)


_SRDF = """<robot name="arm7">
<disable_collisions link1="link1" link2="link3" reason="{reason}"/>{more}
</robot>"""


def test_a_replay_after_the_srdf_was_changed_is_refused(tmp_path):
    """One more pair that may touch, and warnings of it would be gone."""
    urdf, srdf, path = tmp_path / "arm7.urdf", tmp_path / "arm7.srdf", tmp_path / "run.mcap"
    urdf.write_bytes((files("standoff.robots") / "models" / "arm7.urdf").read_bytes())
    srdf.write_text(_SRDF.format(reason="Never", more=""))
    cell = Cell()
    cell.add_robot(urdf, name="arm", srdf=srdf)
    messages = [(1.0 + 0.05 * k, Joints(1.0 + 0.05 * k, cell.joints, cell.q)) for k in range(9)]
    Watch(cell, [Memory(messages)], [Recorder(path)], OPTIONS).run()
    assert Replay(path).run(verify=True).verified
    srdf.write_text(_SRDF.format(reason="Default", more=""))
    assert Replay(path).run(verify=True).verified
    more = '<disable_collisions link1="link2" link2="link7" reason="Never"/>'
    for changed in (_SRDF.format(reason="Never", more=more), '<robot name="arm7"/>'):
        srdf.write_text(changed)
        with pytest.raises(StreamError, match="allowed pairs"):
            Replay(path)
