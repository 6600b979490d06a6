"""Many readings at once: up to where is nothing wrong with them?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.streams.batch import Batch, Part
from standoff.streams.clocks import AGE_WINDOW, delay
from standoff.streams.limits import TIME_LIMIT
from standoff.streams.senses import Senses
from standoff.streams.voices import Voice


def foresee(senses: Senses, batch: Batch, time: float) -> tuple[int, Array]:
    """All joints at each reading of a batch after ``time``, one row each; and how many of the
    readings, from the first on, nothing is wrong with that could be seen here. Changes nothing."""
    now, n = batch.now, len(batch.now)
    Q = np.empty((n, len(senses.q)))
    Q[:] = senses.q
    taken = np.zeros(len(senses.q), dtype=bool)
    told = np.zeros(senses.until.shape, dtype=bool)
    n = _first(~(now > np.concatenate(((time,), now[:-1]))) | (np.abs(now) > TIME_LIMIT), n)
    for part in batch.parts:
        voice = senses.voices[part.source].find(part.names, part.partial)
        if (
            voice is None
            or voice.route.problem
            or voice.dropped
            or not len(voice.route.columns)
            or senses.voices[part.source].before(voice)
            or taken[voice.route.columns].any()
        ):
            n = min(n, int(part.at[0]))
            continue
        columns = voice.route.columns
        taken[columns] = told[part.source, columns] = True
        rows = np.concatenate((senses.q[columns][None], senses.whole(voice, part.positions)))
        if senses.turning[columns].any():
            # Angles that are wrapped are for `Senses.take`.
            over = (np.abs(np.diff(rows, axis=0)) / math.tau > 0.5) & senses.turning[columns]
            wrapped = over.any(axis=1)
            n = min(n, int(part.at[np.argmax(wrapped)])) if wrapped.any() else n
        Q[:, columns] = rows[np.searchsorted(part.at, np.arange(len(now)), side="right")]
        least = voice.ages.min()
        until = np.concatenate(((senses.until[part.source, columns].min(),), now[part.at] + least))
        last = until[np.searchsorted(part.at, np.arange(len(now)), side="left")]
        n = min(n, _first(now >= last, n), _untimely(part, voice, now))
        measured = AGE_WINDOW - voice.count
        if not voice.settled and measured < len(part.at):
            n = min(n, int(part.at[measured]))
    still = [senses.until[~told].min(initial=math.inf), *senses.bodies_until()]
    return _first(now >= min(still), n), Q


def skip(senses: Senses, batch: Batch, count: int, Q: Array) -> None:
    """Take over the first readings of a batch that `foresee` had nothing against."""
    for part in batch.parts:
        m = int(np.searchsorted(part.at, count))
        if m == 0:
            continue
        voice = senses.voices[part.source].find(part.names, part.partial)
        assert voice is not None
        last = float(batch.now[part.at[m - 1]])
        if not voice.settled:
            if voice.count == 0:
                voice.since = float(batch.now[part.at[0]])
            voice.count += m
        columns = voice.route.columns
        senses.fed[columns] = last
        senses.until[part.source, columns] = last + voice.ages
        senses.own(voice)
        senses.heard[part.source] = max(senses.heard[part.source], last)
        given = _given(part.stamp[:m])
        if given.any():
            stamp = part.stamp[:m][given]
            took = delay(batch.now[part.at[:m]][given], stamp)
            voice.stamp = float(stamp[-1])
            voice.quickest = min(voice.quickest, float(took.min()))
    senses.q[:] = Q[count - 1]


def _untimely(part: Part, voice: Voice, now: Array) -> int:
    """The first reading that `Clock.check` would not let pass in silence."""
    at, stamp, end = part.at, part.stamp, len(now)
    given = _given(stamp)
    if not given.all():
        # Either no time at all, or none after there was one.
        had = np.logical_or.accumulate(given) | (not math.isnan(voice.stamp))
        bad = ~given & (had | ~((stamp == 0.0) | np.isnan(stamp)))
        if bad.any():
            end = int(at[np.argmax(bad)])
        if not given.any():
            return end
        at, stamp = at[given], stamp[given]
    before = -math.inf if math.isnan(voice.stamp) else voice.stamp
    took = delay(now[at], stamp)
    quickest = np.minimum.accumulate(np.concatenate(((voice.quickest,), took)))[1:]
    bad = ~(stamp > np.concatenate(((before,), stamp[:-1]))) | (took - quickest > voice.age)
    return min(end, int(at[np.argmax(bad)])) if bad.any() else end


def _given(stamp: Array) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (stamp > 0.0) & (stamp <= TIME_LIMIT)
    return found


def _first(bad: NDArray[np.bool_], most: int) -> int:
    """The first of those that are bad, ``most`` where none is before."""
    where = np.flatnonzero(bad[:most])
    return int(where[0]) if len(where) else most
