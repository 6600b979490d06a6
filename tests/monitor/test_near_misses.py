"""What is kept of a watch, however long, and the page that shows it."""

import gc
import itertools
import math
import random
import re
import tracemalloc
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.errors import Error
from standoff.streams.history import Episodes, History
from standoff.streams.report import Reason, State
from standoff.view.near_miss import near_miss_page, save_near_misses
from tests.worlds.stream_reports import hit, report

LAW = settings(deadline=None, max_examples=150, derandomize=True)
NASTY = "</td><script>alert(1)</script>\x1b[2J\n&amp;$x_{$<!--"


@LAW
@given(
    st.lists(
        st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 1.0), st.sampled_from(State)),
        min_size=1, max_size=80,
    ),
    st.integers(2, 64),
)  # fmt: skip
def test_no_minimum_and_no_state_is_lost_by_thinning_out(steps, columns):
    history = History(columns=columns)
    time, told = 100.0, []
    for k, (gap, near, state) in enumerate(steps):
        told.append((time, near, state))
        history.put(report(k + 1, time, state=state, reasons=(), clearance=near))
        time += gap
    seen = history.columns()
    assert len(seen.time) <= columns + 1
    assert np.nanmin(seen.clearance) == min(near for _, near, _ in told)
    for at, near, state in told:
        k = min(int((at - 100.0) / seen.step), len(seen.time) - 1)
        around = slice(max(k - 1, 0), k + 2)  # rounding at the edge of a column
        assert np.nanmin(seen.clearance[around]) <= near
        assert (seen.states[around] >> state & 1).any()
    for (start, _, state), (end, _, _) in itertools.pairwise(told):
        held = (seen.time > start) & (seen.time + seen.step < end)
        assert (seen.states[held] == 1 << state).all()
    span = told[-1][0] - told[0][0]
    assert math.isclose(sum(history.lasted.values()), span, abs_tol=1e-6)


@LAW
@given(
    st.lists(st.tuples(st.floats(0.0, 0.3), st.floats(0.0, 1.0)), max_size=60), st.integers(1, 9)
)
def test_quiet_cycles_taken_together_are_as_if_one_by_one(steps, size):
    times = np.cumsum([gap for gap, _ in steps])
    near = np.array([value for _, value in steps])
    one, many = History(columns=32), History(columns=32)
    bad = report(0, 0.0, hit(0.5, 0, 1))
    for history in (one, many):
        history.put(bad)
    for k, (time, value) in enumerate(zip(times, near)):
        one.put(report(k + 1, float(time), clearance=float(value)))
    for k in range(0, len(times), size):
        many.put_quiet(times[k : k + size], near[k : k + size])
    for history in (one, many):
        history.finish()
    a, b = one.columns(), many.columns()
    for name in ("time", "clearance", "scale", "states"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert one.lowest == many.lowest and one.cycles == many.cycles and one.last == many.last
    assert one.lasted == pytest.approx(many.lasted)
    assert one.pairs.totals == many.pairs.totals


def test_a_drop_out_in_which_nothing_is_said_is_as_wide_as_it_was():
    history = History()
    silent = (Reason(State.STALE, "silent", "bag:x", "bag:x is silent"),)
    for k in range(100):
        history.put(report(k + 1, 0.01 * k))
    history.put(report(101, 1.1, state=State.STALE, reasons=silent, changed=True))
    for k in range(100):
        history.put(report(102 + k, 1.64 + 0.01 * k, changed=k == 0))
    history.finish()
    (episode,) = history.causes.worst()
    assert episode.key == (State.STALE, "silent", "bag:x")
    assert episode.start == 1.1 and episode.length == pytest.approx(0.54)
    assert history.lasted[State.STALE] == pytest.approx(0.54)
    seen = history.columns()
    stale = seen.time[seen.states >> State.STALE & 1 == 1]
    assert stale[0] == pytest.approx(1.1, abs=0.002)
    assert stale[-1] == pytest.approx(1.64, abs=0.002)


def test_a_time_that_runs_back_makes_nothing_negative_and_hides_nothing():
    history = History()
    back = (Reason(State.FAULT, "backwards", "clock", "the clock ran back"),)
    number = 0
    for start in (1e9 + 0.1, 0.3, -7.7):
        for k in range(100):
            number += 1
            hits = [hit(0.01, 0, 1)] if k >= 90 else []
            reasons = back if start < 1e9 and k < 3 else None
            if reasons:
                history.put(report(number, start + 0.05 * k, state=State.FAULT, reasons=reasons))
            elif 10 <= k < 80:
                if k == 10:
                    history.put_quiet(start + 0.05 * np.arange(10, 80), np.full(70, 0.5))
            else:
                history.put(report(number, start + 0.05 * k, *hits))
    history.finish()
    assert history.cycles == 300 and history.back == 2
    span = 3 * 99 * 0.05
    assert history.last - history.first == pytest.approx(span, abs=1e-5)
    assert sum(history.lasted.values()) == pytest.approx(span, abs=1e-5)
    assert history.lasted[State.FAULT] == pytest.approx(2 * 3 * 0.05, abs=1e-5)
    episodes = history.pairs.worst()
    assert len(episodes) == 3 and {s.cycles for s in episodes} == {10}
    for episode in [*episodes, *history.causes.worst()]:
        assert history.first <= episode.start <= episode.end <= history.last
    assert all(s.length == pytest.approx(0.45, abs=1e-5) for s in episodes)
    seen = history.columns()
    fault = seen.time[seen.states >> State.FAULT & 1 == 1] - history.first
    assert fault.min() == pytest.approx(99 * 0.05, abs=0.01)
    page = near_miss_page(history, {})
    assert "ran back 2 times" in page and "-" not in re.findall(r">(-?)\d", page)


def test_encounters_have_when_how_long_how_near_and_how_fast():
    history = History()
    for k in range(400):
        hits = []
        if 100 <= k < 150:  # nears and parts: nearest at 1.25 s
            off = abs(k - 125)
            hits.append(hit(0.01 + 0.001 * off, 0, 1, closing=0.3 - 0.01 * (k - 100)))
        if 200 <= k < 220 or 222 <= k < 240:  # one that flickers
            hits.append(hit(0.02, 2, 3, closing=math.nan))
        history.put(report(k + 1, 0.01 * k, *hits))
    history.finish()
    first, second = history.pairs.worst()
    assert first.key == ("a", "b") and first.value == 0.01 and first.at == 1.25
    assert first.start == 1.0 and first.end == 1.5 and first.cycles == 50
    assert first.fastest == pytest.approx(0.3) and first.speed == pytest.approx(0.05)
    assert second.key == ("c", "d") and second.cycles == 38
    assert second.length == pytest.approx(0.4)
    total = history.pairs.totals["a", "b"]
    assert (total.episodes, total.cycles, total.value) == (1, 50, 0.01)


def test_of_many_episodes_the_worst_are_kept_and_all_are_counted():
    rng = random.Random(0)
    episodes, values = Episodes(most=20, most_keys=50), []
    for k in range(3000):
        values.append(rng.random())
        episodes.take(float(k), [(k % 30, values[-1], 0.0)])
    episodes.finish()
    assert [s.value for s in episodes.worst()] == sorted(values)[:20]
    assert sum(t.episodes for t in episodes.totals.values()) == 3000 and episodes.others == 0
    for k in range(200):
        episodes.take(1e4 + k, [(f"new{k}", 0.5, 0.0)])
    episodes.finish()
    assert len(episodes.totals) == 50 and episodes.others == 180


def test_a_watch_of_days_takes_no_more_memory_than_one_of_hours():
    rng = random.Random(1)
    names = [f"body{k}" for k in range(200)]

    def watch(start, cycles):
        for k in range(cycles):
            at = start + 20.0 * k
            a, b = rng.sample(range(200), 2)
            why = (Reason(State.FAULT, "unknown", f"joint {rng.random()}", "x"),)
            history.put(report(k, at, hit(rng.random(), a, b), names=names, reasons=why))

    def kept():
        """What reports and their history hold; threads of other tests may still be at work."""
        gc.collect()  # reports that wait to be collected are none that are kept
        files = ("*/streams/*", "*/monitor/*", "*/stream_reports.py", __file__)
        taken = tracemalloc.take_snapshot().filter_traces(
            [tracemalloc.Filter(True, file) for file in files]
        )
        return sum(found.size for found in taken.statistics("filename"))

    tracemalloc.start()  # before there is a history: what replaces something else is no growth
    try:
        history = History()
        watch(0.0, 6000)  # a day and a half
        before = kept()
        watch(120_000.0, 6000)
        grown = kept() - before
    finally:
        tracemalloc.stop()
    assert grown < 2**18 < before
    page = near_miss_page(history, {})
    assert len(page) < 2 * 2**20


def nasty_history():
    history = History()
    bad = (Reason(State.FAULT, NASTY, NASTY, NASTY),)
    for k in range(200):
        near = [hit(0.01, 0, 1)] if 50 < k < 80 else []
        at = 0.01 * k + (0.64 if k > 120 else 0.0)
        state = State.STALE if k == 120 else None
        history.put(
            report(k + 1, at, *near, names=(NASTY, "b"), state=state,
                   reasons=bad if k % 7 == 0 else None, clearance=0.1 if not near else None)
        )  # fmt: skip
    return history


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]


def test_the_page_is_whole_in_itself_and_names_are_only_text(tmp_path):
    save_near_misses(nasty_history(), tmp_path / "out" / "page.html", {NASTY: NASTY})
    page = (tmp_path / "out" / "page.html").read_text(encoding="utf-8")
    elements = Elements()
    elements.feed(page)
    assert "script" not in elements.tags and elements.tags.count("svg") == 2
    assert not {"img", "link", "iframe", "object", "foreignobject"} & set(elements.tags)
    for _, name, value in elements.attributes:
        assert not name.startswith("on")
        if name in ("href", "xlink:href", "src"):
            assert value.startswith("#")
    assert not re.search(r"url\((?!#)", page) and "@import" not in page
    assert "&lt;script&gt;alert(1)" in page and "\x1b" not in page
    assert "default-src 'none'" in page
    for svg in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        ElementTree.fromstring(svg)


def test_the_page_says_what_happened():
    page = near_miss_page(nasty_history(), {"cell": "two_arms.toml"})
    for text in ("two_arms.toml", "10.0 mm", "Closest pairs", "STALE", "Faults and drop-outs",
                 "200 in", "0.650 s"):  # fmt: skip
        assert text in page, text
    assert near_miss_page(nasty_history(), {"cell": "two_arms.toml"}) == page


def test_a_watch_in_which_nothing_happened_has_a_page_too():
    for n in (0, 1, 3):
        history = History()
        for k in range(n):
            history.put(report(k + 1, 5.0 + k))
        page = near_miss_page(history, {})
        assert ("No pair was too close" if n else "Nothing was watched") in page and page.endswith(
            "</html>\n"
        )


def test_without_matplotlib_the_page_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("standoff.view.near_miss.have_matplotlib", lambda: False)
    page = near_miss_page(nasty_history(), {})
    assert "matplotlib is not installed" in page and "<svg" not in page


def test_a_page_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Error, match="cannot be written"):
        save_near_misses(History(), tmp_path / "file" / "page.html", {})


def test_letters_that_no_font_has_are_left_to_the_browser():
    pytest.importorskip("matplotlib")
    history = History()
    for k in range(3):
        history.put(report(k, 0.1 * k, hit(0.01, 0, 1), names=("arm \U0001f916", "b")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = near_miss_page(history, {})
    assert "\U0001f916" in page
