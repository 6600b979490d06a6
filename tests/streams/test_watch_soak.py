"""A watch beside robots for long: faults all the time, and no violation lost.

`make soak` runs half an hour at 1 kHz, the suite some seconds at a rate that a busy machine keeps
up with. Latencies are printed and not asserted: they are the machine's. `benchmarks/` has them.
"""

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from standoff.streams.record.replay import Replay
from tests.worlds.watch_script import FAULTS, Script

pytest.importorskip("zenoh")
reader = pytest.importorskip("mcap.reader")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SOAK = bool(os.environ.get("STANDOFF_SOAK"))
SECONDS = float(os.environ.get("STANDOFF_SOAK_SECONDS", 0)) or (1800.0 if SOAK else 8.0)
RATE = 1000 if SOAK else 250
#: How much more memory the watch may have in the last quarter than in the second, [bytes].
MORE = 4 * 2**20
#: How far the clocks of the two processes may be apart, [s].
CLOCKS = 0.05


@pytest.fixture
def traffic(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers.watch_arms import Ladder
    from peers.watch_traffic import Traffic

    traffic = Traffic(Ladder())
    yield traffic
    traffic.close()


def recorded(path, topic):
    with open(path, "rb") as stream:
        for _, _, message in reader.make_reader(stream).iter_messages(topics=[topic]):
            yield json.loads(message.data)


def missing(violations, path, rung_of):
    """Violations of two cycles or more that the record has no warning of."""
    warned = []
    for said in recorded(path, "/standoff/warnings"):
        rung = rung_of(said["warnings"][0]["distance"])
        if rung is not None:
            warned.append((said["time"], rung))
    times = np.array([time for time, _ in warned])
    assert (np.diff(times) > 0.0).all()
    lost = []
    for k, planted in enumerate(violations):
        assert len(planted.sent) >= 2
        rungs = {rung for _, rung in planted.sent}
        first = planted.sent[0][0] - CLOCKS
        end = violations[k + 1].sent[0][0] - CLOCKS if k + 1 < len(violations) else np.inf
        seen = warned[np.searchsorted(times, first) : np.searchsorted(times, end)]
        if not any(rung in rungs for _, rung in seen):
            lost.append(planted)
    return lost


@pytest.mark.soak
def test_a_watch_through_every_fault_loses_no_violation(traffic, tmp_path):
    from peers.watch_arms import BUFFER
    from peers.watch_traffic import WatchProcess

    ladder, record = traffic.ladder, tmp_path / "run.mcap"
    ladder.cell.save(tmp_path / "cell.toml")
    watch = WatchProcess(
        tmp_path / "cell.toml", traffic, "--to", f"mcap:{record}",
        "--buffer", BUFFER, "--period", 1.0 / RATE, *(["--realtime"] if SOAK else []),
    )  # fmt: skip
    memory = []
    try:
        script = Script(traffic, RATE, seed=9)
        traffic.until_watched(script.rung)
        script.run(SECONDS, tick=lambda: memory.append(watch.memory()))
        time.sleep(0.5)
        assert watch.process.poll() is None, watch.lines  # nothing ended it
    finally:
        status = watch.end()
    assert status == 4, (status, watch.lines)  # there were warnings, and faults
    assert FAULTS.keys() <= script.faults and len(script.violations) >= len(FAULTS)

    lost = missing(script.violations, record, ladder.rung_of)
    assert not lost, (len(lost), len(script.violations), lost[0].sent[:5])
    kinds = {r["kind"] for said in recorded(record, "/standoff/state") for r in said["reasons"]}
    assert {kind for kind in FAULTS.values() if kind} <= kinds, sorted(kinds)
    replayed = Replay(record).run(verify=True)
    assert replayed.difference is None and replayed.compared >= script.readings

    late, strays = traffic.latencies()
    print(
        f"{script.readings} readings, {len(script.violations)} violations, {strays} strays; "
        f"latency {1e3 * np.percentile(late, [50, 99, 99.9], method='higher')} ms"
    )
    if SOAK and None not in memory:
        quarter = len(memory) // 4
        assert max(memory[-quarter:]) - max(memory[quarter : 2 * quarter]) <= MORE
