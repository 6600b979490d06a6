"""Each contact was alarmed before it happened, or a step before it said it could not keep up, and
for this pair.

Alarms count from when a step is done, a period after its reading at worst, until the next look at
the pair is done. From two periods after a reading until the late step that comes next is done,
nobody could have announced a contact.

`make soak` runs a million steps in all; the suite runs a part.
"""

import os
from collections import deque

import numpy as np
import pytest

import standoff as so
from tests.worlds.predict_worlds import World

PERIOD = 0.02
SOAK = bool(os.environ.get("STANDOFF_SOAK"))

WAYS = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "dua partial": {"schedule": so.predict.DynamicUrgency(sort="partial")},
    "dua fibonacci": {"schedule": so.predict.DynamicUrgency(series="fibonacci")},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "few tests": {"schedule": so.predict.Deadlines(tests=3)},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
}
#: Bodies, and the steps of the soak in a world of so many: 1.5 million in all.
SIZES = {2: 20_000, 5: 20_000, 12: 10_000, 40: 4_000, 150: 1_000, 1_000: 150}


def watch(seed, n, how, *, steps, hostile, timed):
    """Run a world; how many contacts there were, and how many a late step was to blame for."""
    rng = np.random.default_rng([seed, n])
    fast = rng.uniform(0.3, 2.0) if rng.random() < 0.5 else None
    world = World(rng, n, hostile=hostile, period=PERIOD, speed=fast)
    margin = float(rng.choice([0.0, 0.05]))
    predictor = so.Predictor(
        world.radii, world.most, world.limit, margin=margin, period=PERIOD, **how
    )
    contacts = blamed = 0
    now = 0.0
    #: When alarms of a pair were out, and until when each is for, the last of them.
    told: dict[tuple[int, int], deque] = {}
    first = np.full((n, n), -np.inf)  # those of the first step, which may be many
    said = {}  # from when until when it was said that nothing is promised for a pair
    behind = 0.0  # how much later than allowed all steps came; alarms stand so much longer
    silent = (np.inf, -np.inf)  # when a late step was to be done, and when it was
    last_read = 0.0
    endless = set()  # pairs that wait for a test, alarmed until they have had it
    for number in range(steps):
        step = predictor.step(world.x, world.v, now if timed else None)
        assert not step.faults, (number, step.faults[0])
        assert step.count == len(step.alarms)
        done = now + PERIOD
        pairs = step.alarms
        assert (pairs[:, 0] < pairs[:, 1]).all() and (step.tau >= 0.0).all()
        if number == 0:
            first[pairs[:, 0], pairs[:, 1]] = step.until
            pairs = pairs[:0]
        for (a, b), last in zip(pairs.tolist(), step.until.tolist()):
            told.setdefault((a, b), deque(maxlen=16)).append((done, now + last - behind))
            if last == np.inf:
                endless.add((a, b))
        for pair in looked_at(endless, predictor):
            told[pair] = ended(told[pair], done - behind)
        if step.late:
            silent = (last_read + 2 * PERIOD, done)
            assert not step.keeping_up
        void = set() if step.keeping_up else {*map(tuple, predictor.void().tolist())}
        for pair, (since, until) in said.items():
            if until == np.inf and pair not in void:
                said[pair] = (since, done)
        said |= {pair: (done, np.inf) for pair in void if said.get(pair, (0, 0))[1] < np.inf}
        dt = PERIOD * (rng.uniform(0.2, 1.0) if timed else 1.0)
        late = timed and rng.random() < 0.01
        if late:
            dt = PERIOD * rng.uniform(1.1, 5.0)
            behind += dt - PERIOD
        world.choose(dt)
        for a, b, t in world.touches(dt, margin):
            contacts += 1
            alarms = [*told.get((a, b), ()), (PERIOD, first[a, b])]
            if now + t < PERIOD and first[a, b] >= now + t:
                continue  # within the time that the first step takes
            if any(
                out <= now + t + 1e-9 and now + t <= last + behind + 1e-6 for out, last in alarms
            ):
                continue
            since, until = said.get((a, b), (np.inf, 0.0))
            assert (
                (late and t > 2 * PERIOD - 1e-9)
                or silent[0] - 1e-9 <= now + t <= silent[1] + 1e-9
                or since <= now + t <= until + 1e-9
            ), f"step {number}: {a} and {b} touch at {now + t}, alarmed {alarms}"
            blamed += 1
        world.advance(dt)
        last_read, now = now, now + dt
    return contacts, blamed


def looked_at(endless, predictor):
    """Takes those out of ``endless`` that wait no longer."""
    done = endless - {*map(tuple, predictor.alarmed().tolist())} if endless else set()
    endless -= done
    return done


def ended(alarms, when):
    """Alarms that stood until the next look, which was done then."""
    return deque(((out, min(last, when)) for out, last in alarms), maxlen=16)


@pytest.mark.soak
@pytest.mark.parametrize("hostile", [False, True], ids=["friendly", "hostile"])
@pytest.mark.parametrize("name", WAYS)
def test_every_contact_was_alarmed_in_time(name, hostile):
    contacts = steps = 0
    for n, most in SIZES.items():
        if not SOAK and n > 150:
            continue
        each = most if SOAK else max(most // 80, 12)
        for timed in (False, True):
            found, _ = watch(7, n, WAYS[name], steps=each, hostile=hostile, timed=timed)
            contacts += found
            steps += each
    print(f"{name}: {contacts} contacts in {steps} steps")
    assert contacts > 10


@pytest.mark.interpreted
@pytest.mark.parametrize("name", WAYS)
def test_the_same_without_the_compiler(name):
    contacts, _ = watch(3, 8, WAYS[name], steps=40, hostile=True, timed=True)
    assert contacts > 0
