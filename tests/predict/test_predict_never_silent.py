"""Never late with everything that can happen at once: pairs switched off and on, bodies that jump
or cannot be seen, a clock that is set back, late steps, an exact stage that rules alarms out.

Whatever happens, each contact of a pair that is watched has an alarm that stands, from a step that
was done before; or the last step that was done before has said that it was not keeping up and,
where it was asked, that nothing was promised for this pair. Excused is only what nobody could have
said: a body that jumped, until it was looked at; a pair that was just switched on; the gap before a
step that came late.
"""

import os

import numpy as np
import pytest

import standoff as so
from standoff.predict import deadlines
from tests.worlds.predict_worlds import World

PERIOD = 0.02
SOAK = bool(os.environ.get("STANDOFF_SOAK"))
#: Turns of a small wheel: doubts end soon, and what then goes wrong comes out.
SLOTS = 32

WAYS = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "fibonacci": {"schedule": so.predict.DynamicUrgency(series="fibonacci", sort="partial")},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "few tests": {"schedule": so.predict.Deadlines(tests=3)},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
    "few tests, horizon": {"schedule": so.predict.Deadlines(horizon=0.3, tests=3)},
}


class Watcher:
    """Steps a predictor and keeps book of what it has said, and until when."""

    def __init__(self, predictor, n, rng, *, horizon):
        self.predictor, self.rng, self.horizon = predictor, rng, horizon
        self.alarm = {}  # of each pair: when the last alarms were out, and until when they stand
        self.said = [(-np.inf, set())]  # what had no promise, from when on; None: anything
        self.jumped = np.full(n, -np.inf)  # until when nobody knows that a body has jumped
        self.fresh = {}  # when the first look at a pair that was switched on was done
        self.off = set()

    def step(self, x, v, clock, now):
        step = self.predictor.step(x, v, clock)
        done = now + PERIOD
        standing = {*map(tuple, self.predictor.alarmed().tolist())}
        for pair, spans in self.alarm.items():
            if spans and spans[-1][1] == np.inf and pair not in standing:
                spans[-1] = (spans[-1][0], done)
        for pair, true, until in zip(step.alarms.tolist(), step.true, step.until):
            a, b = pair
            assert (a, b) not in self.off
            if true:
                spans = self.alarm.setdefault((a, b), [])
                spans.append((done, now + until))
                del spans[:-8]
        for fault in step.faults:
            if fault.body is not None and self.jumped[fault.body] == np.inf:
                self.jumped[fault.body] = done
        nothing = set()
        if not step.keeping_up:
            nothing = None
            if self.rng.random() < 0.7:
                named = self.predictor.void()
                nothing = None if self.horizon else {*map(tuple, named.tolist())}
        elif self.rng.random() < 0.05:
            assert len(self.predictor.void()) == 0
        assert not (step.faults and step.keeping_up) and not (step.late and step.keeping_up)
        self.said = [*self.said[-12:], (done, nothing)]
        for pair in [p for p, since in self.fresh.items() if since == np.inf]:
            self.fresh[pair] = done
        return step

    def delay(self, now, by):
        """The next step comes later than it should, and so does the next look at each pair."""
        for spans in self.alarm.values():
            spans[:] = [(out, last + by if last > now else last) for out, last in spans]

    def switch(self, a, b):
        if (a, b) in self.off:
            self.predictor.switch_on((a, b))
            self.off.discard((a, b))
            self.fresh[a, b] = np.inf
            self.alarm.pop((a, b), None)  # those from before are forgotten
        else:
            self.predictor.switch_off((a, b))
            self.off.add((a, b))

    def announced(self, a, b, at):
        """Whether an alarm stands at a time of contact, or it was said that nothing is promised."""
        if any(out <= at + 1e-9 and at <= last + 1e-6 for out, last in self.alarm.get((a, b), ())):
            return True
        # The last one that was done: what is done at the same time counts either way.
        spoken = [(done, pairs) for done, pairs in self.said if done <= at + 1e-9]
        return any(
            pairs is None or (a, b) in pairs
            for done, pairs in spoken
            if done >= spoken[-1][0] - 2e-9
        )

    def excused(self, a, b, at):
        return (
            (a, b) in self.off
            or at <= self.fresh.get((a, b), -np.inf) + 1e-9
            or at <= max(self.jumped[a], self.jumped[b]) + 1e-9
        )


def run(seed, n, how, *, steps, exact):
    """How many contacts there were, and how many of them an alarm had announced."""
    rng = np.random.default_rng([seed, n, exact])
    speed = rng.uniform(0.3, 2.0) if rng.random() < 0.5 else None
    world = World(rng, n, hostile=bool(rng.random() < 0.7), period=PERIOD, speed=speed)
    margin = float(rng.choice([0.0, 0.05]))
    stage = so.predict.ExactShapes([so.Sphere(r) for r in world.radii]) if exact else None
    predictor = so.Predictor(
        world.radii, world.most, world.limit, margin, PERIOD, exact=stage, **how
    )
    horizon = getattr(how["schedule"], "horizon", None)
    watcher = Watcher(predictor, n, rng, horizon=horizon is not None)
    contacts = alarmed = 0
    now, clock, last_read, hidden = 0.0, 5.0, 0.0, {}
    silent = (np.inf, -np.inf)
    for number in range(steps):
        x, v = world.x.copy(), world.v.copy()
        for k in hidden:
            (x if k % 2 else v)[k, 1] = np.nan
        step = watcher.step(x, v, clock, now)
        if step.late:
            silent = (last_read + 2 * PERIOD, now + PERIOD)
        if rng.random() < 0.15:
            watcher.switch(*sorted(rng.choice(n, 2, replace=False).tolist()))
        hidden = {k: left - 1 for k, left in hidden.items() if left > 1}
        if rng.random() < 0.004:
            hidden[int(rng.integers(n))] = int(rng.integers(1, 60))
        dt = PERIOD * rng.choice([1.0, rng.uniform(0.05, 1.0)])
        late = rng.random() < 0.01
        if late:
            dt = PERIOD * rng.uniform(1.1, 5.0)
        back = rng.random() < 0.003
        clock = clock - 1.0 if back else clock + dt
        watcher.delay(now, max(dt - PERIOD, 0.0))
        world.choose(dt)
        for a, b, t in world.touches(dt, margin):
            at = now + t
            if watcher.excused(a, b, at) or at <= PERIOD:  # which the first step takes
                continue
            contacts += 1
            if ((late or back) and t > 2 * PERIOD - 1e-9) or (
                silent[0] - 1e-9 <= at <= silent[1] + 1e-9
            ):
                continue
            assert watcher.announced(a, b, at), (
                f"step {number}: {a} and {b} touch at {at}, read {now}; "
                f"alarms {watcher.alarm.get((a, b))}; said {watcher.said[-4:]}"
            )
            alarmed += not all(pairs is None for _, pairs in watcher.said[-2:])
        world.advance(dt)
        if rng.random() < 0.004:
            k, m = rng.choice(n, 2, replace=False)
            way = rng.normal(size=3)
            gap = world.radii[k] + world.radii[m] + margin + rng.uniform(0.01, 0.4)
            world.x[k] = world.x[m] + way / np.linalg.norm(way) * gap
            watcher.jumped[k] = np.inf
        last_read, now = now, now + dt
    return contacts, alarmed


@pytest.mark.soak
@pytest.mark.parametrize("exact", [False, True], ids=["", "exact"])
@pytest.mark.parametrize("name", WAYS)
def test_no_contact_goes_unannounced_whatever_happens(name, exact, monkeypatch):
    monkeypatch.setattr(deadlines, "WHEEL_SLOTS", SLOTS)
    contacts = alarmed = 0
    for n in (2, 3, 5, 8, 14):
        for seed in range(40 if SOAK else 2):
            found = run(seed, n, WAYS[name], steps=400, exact=exact)
            contacts, alarmed = contacts + found[0], alarmed + found[1]
    print(f"{name}: {contacts} contacts, {alarmed} of them with steps that were keeping up")
    assert alarmed > 20
