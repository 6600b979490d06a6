"""The table of docs/watch.md once more, without care for speed, and streams that break its rules.

The cell: hands that slide to a wall, and a cart that moves. Jumps are left to other tests: what can
be known of them is the monitor's business."""

import math
import random

import numpy as np

import standoff as so
from standoff.streams.faults import AFTER_GOOD, AT_ONCE, NEXT_GOOD, RULES
from standoff.streams.messages import BodyPose, Joints, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.publishers import CLOCK_DRIFT
from standoff.streams.report import State
from tests.worlds.watch_worlds import sliders

AGE, RECOVER, BUFFER = 0.25, 3, 0.03
OPTIONS = WatchOptions(
    buffer=BUFFER, period=0.05, max_age=AGE, recover=RECOVER, max_speed=1e6
)  # fmt: skip
SOURCES = ("s0", "s1", "s2")
JOINTS = ("a/x", "b/x", "c/x")
FAR = so.pose((0.0, -9.0, 0.0))


def cell():
    made = sliders("a", "b", "c")
    made.add_body("cart", so.Box((0.2, 0.2, 0.2)), FAR, moving=True)
    return made


class Stamps:
    """What the stamps of one publisher tell."""

    def __init__(self):
        self.newest, self.quickest = None, math.inf

    def wrong(self, now, stamp):
        if stamp == 0.0 or math.isnan(stamp):
            return "" if self.newest is None else "backwards"
        if not 0.0 < stamp <= 2.0**33:
            return "backwards"
        if self.newest is not None and stamp <= self.newest:
            return "doubled" if stamp == self.newest else "backwards"
        self.newest = stamp
        took = now - stamp - CLOCK_DRIFT * now
        self.quickest = min(self.quickest, took)
        return "late" if took > self.quickest + AGE else ""


class Model:
    """What the state is, and why, after each cycle."""

    def __init__(self):
        self.time = self.newest = -math.inf
        self.value = dict.fromkeys([*JOINTS, "cart"])  # the last good one
        self.until = {}  # (source, who): when it is silent, and which publisher it is that is
        self.stamps, self.lists, self.troubles = {}, {}, {}
        self.seen = None  # what the monitor was asked about, and when
        self.asked = -math.inf

    def cycle(self, now, inputs):
        self.now, self.found, self.spoke, self.fine = now, {}, {}, set()
        if not now > self.newest:
            self.add("backwards", "clock", {"any"})
        if not now > self.time:
            self.until = {k: (min(t, now + AGE), p) for k, (t, p) in self.until.items()}
        self.time, self.newest = now, max(now, self.newest)
        self.silence()
        for source, message in inputs:
            if type(message) is Trouble:
                self.trouble(source, message)
            elif type(message) is Joints:
                self.joints(source, message)
            else:
                self.pose(source, message)
        unheard = any(value is None for value in self.value.values())
        if unheard:
            self.add("waiting", "start", set())
        elif self.spoke or self.seen is None:
            self.seen = {name: self.value[name] for name in JOINTS}
            if not now > self.asked:
                self.add("backwards", "time", {"any"})
            self.asked = now
            for name, x in self.seen.items():
                if abs(x) > 5.0:
                    self.add("limits", name, {name})
        self.settle()
        kinds = {kind for kind, _ in self.troubles}
        # The wall ends before the third hand.
        near = self.seen is not None and any(
            abs(self.seen[name] - 2.0) <= 0.1 + BUFFER for name in JOINTS[:2]
        )
        kinds |= {"warning"} if near else set()
        return max((RULES[kind].state for kind in kinds), default=State.SAFE), kinds

    def add(self, kind, element, subjects):
        self.found.setdefault((kind, element), set()).update(subjects)

    def silence(self):
        for source, name in enumerate(SOURCES):
            told = {}
            for (s, who), (until, publisher) in self.until.items():
                if s == source:
                    told.setdefault(publisher, {})[who] = until <= self.now
            silent = [p for p, all_of in told.items() if all(all_of.values())]
            if told and len(silent) == len(told):
                self.add("silent", name, {who for p in told for who in self.about(p)})
                continue
            for publisher, all_of in told.items():
                if publisher in silent:
                    self.add("silent", (name, publisher), self.about(publisher))
                for who in (w for w, over in all_of.items() if over and publisher not in silent):
                    self.add("missing", who, {who})

    def about(self, publisher):
        _, names, _ = publisher
        return {"cart"} if names == "cart" else {name for name in names if name in JOINTS}

    def trouble(self, source, message):
        told = {who for s, who in self.until if s == source}
        if message.kind != "back":
            joints = told - {"cart"} if message.kind == "lost" else set()
            self.add(message.kind, SOURCES[source], {source} | joints)
        elif not told:
            self.troubles.pop(("lost", SOURCES[source]), None)

    def joints(self, source, message):
        names, name = message.names, SOURCES[source]
        known = {n: float(x) for n, x in zip(names, message.positions) if n in JOINTS}
        publisher = source, names, message.partial
        if not message.partial and publisher not in self.lists:
            self.lists[publisher] = {n for n in names if n in JOINTS}
        if len({n for n in names if n in JOINTS}) < sum(n in JOINTS for n in names):
            return self.add("names", name, {source})
        if len(names) != len(message.positions):
            return self.add("garbled", name, {source})
        subjects = set(known) or {source}
        told = {n: x for said in self.spoke.values() for n, x in said.items()}
        if publisher in self.spoke or any(n in told and told[n] != x for n, x in known.items()):
            return self.add("doubled", name, subjects)
        self.go_on(publisher)
        if not self.timely(publisher, message.stamp, subjects):
            return None
        self.fine.add(source)
        if not known:
            return None
        if not message.partial:
            lists = [names for (s, *_), names in self.lists.items() if s == source]
            others = [names for names in lists if names & set(known)]
            for left_out in set().union(*others) - set(known):
                until, teller = self.until.get((source, left_out), (-math.inf, publisher))
                if until <= self.now or self.about(teller) & set(known):
                    self.add("missing", left_out, {left_out})
        self.spoke[publisher] = known
        for n, x in known.items():
            if math.isfinite(x):
                self.value[n] = x
                self.until[source, n] = self.now + AGE, publisher
            else:
                self.add("non-finite", n, {n})
                if (source, n) in self.until:
                    self.until[source, n] = self.until[source, n][0], publisher
        return None

    def go_on(self, publisher):
        """A list of names that had no stamp has the clock of those whose joints it has."""
        own = self.stamps.setdefault(publisher, Stamps())
        if own.newest is not None:
            return
        for other, stamps in self.stamps.items():
            shared = other[0] == publisher[0] and self.about(other) & self.about(publisher)
            if shared and stamps.newest is not None:
                own.newest = max(stamps.newest, own.newest or 0.0)
                own.quickest = min(own.quickest, stamps.quickest)

    def pose(self, source, message):
        publisher = source, "cart", False
        if message.pose.shape != (4, 4):
            return self.add("garbled", SOURCES[source], {source})
        told = [p for p, said in self.spoke.items() if "cart" in said]
        if publisher in told or (told and not np.array_equal(message.pose, self.given)):
            return self.add("doubled", SOURCES[source], {"cart"})
        if not self.timely(publisher, message.stamp, {"cart"}):
            return None
        if np.isfinite(message.pose).all():
            self.given = message.pose
            self.value["cart"] = message.pose
            self.until[source, "cart"] = self.now + AGE, publisher
        else:
            self.add("pose", "cart", {"cart"})
            self.given = None
        self.fine.add(source)
        self.spoke[publisher] = {"cart": math.nan}
        return None

    def timely(self, publisher, stamp, subjects):
        wrong = self.stamps.setdefault(publisher, Stamps()).wrong(self.now, stamp)
        if wrong:
            self.add(wrong, SOURCES[publisher[0]], subjects)
        return wrong in ("", "late")

    def settle(self):
        """Good readings count for what was wrong before, and what is wrong now begins anew."""
        blamed = {who for subjects in self.found.values() for who in subjects}
        told = [set(said) for said in self.spoke.values()]
        good = {who for said in told if not said & blamed for who in said}
        good |= {"any"} if good else set()
        good |= {source for source in self.fine if source not in blamed}
        for key in [key for key in self.troubles if key not in self.found]:
            ends, left = RULES[key[0]].ends, self.troubles[key]
            if ends in (AFTER_GOOD, NEXT_GOOD):
                left = {who: n - (who in good) for who, n in left.items()}
                self.troubles[key] = {who: n for who, n in left.items() if n > 0}
            if ends == AT_ONCE or not self.troubles[key]:
                del self.troubles[key]
        needed = {AFTER_GOOD: RECOVER, NEXT_GOOD: 1}
        for key, subjects in self.found.items():
            about = subjects | set(self.troubles.get(key, ()))
            self.troubles[key] = dict.fromkeys(about, needed.get(RULES[key[0]].ends, 0))


FAULTS = ("nan", "limits", "late", "back", "doubled", "none", "no time", "short", "extra", "order",
          "twice", "both", "garbled", "names", "partial", "flood", "lost", "is back",
          "gap")  # fmt: skip
SETUPS = (((0, "abc"),), ((0, "a"), (1, "b"), (2, "c")), ((0, "ab"), (0, "c")),
          ((0, "abc"), (1, "b")), ((0, "ab"), (1, "bc"), (2, "c")))  # fmt: skip
#: Publishers of one source that tell of the same joints.
SHARED = ((0, "ab"), (0, "a"), (0, "b"), (0, "c"))


class Publisher:
    """Tells of some joints, or of the cart, at its own rate, by its own clock."""

    def __init__(self, rng, source, names):
        self.rng, self.source, self.names = rng, source, names
        self.period = rng.choice([0.02, 0.05, 0.09])
        self.offset = rng.choice([0.0, -3.0, 50.0]) if rng.random() < 0.7 else None
        self.due = 100.0 + rng.random() * 0.1
        self.x0, self.pace = rng.uniform(-1.0, 1.0), rng.uniform(0.0, 0.8)
        self.last, self.ill = math.nan, {}

    def said(self, now, fault):
        """The messages of one instant, with what is wrong with them."""
        rng = self.rng
        self.due = now + self.period * rng.uniform(0.9, 1.1)
        if fault == "gap":
            self.due += rng.choice([0.2, 0.5, 3.0])
            return []
        stamp = self.stamp(now, fault)
        if self.names == "cart":
            pose = np.full((4, 4), math.nan) if fault == "nan" else FAR
            message = BodyPose(stamp, "cart", np.eye(3) if fault == "garbled" else pose)
        else:
            message = self.reading(now, stamp, fault)
        self.last = stamp if stamp > 0.0 and not stamp < self.last else self.last
        said = [(self.source, message)]
        if fault == "twice":
            said += said
        if fault == "both" and self.names != "cart":
            moved = np.array(message.positions) + rng.choice([0.0, 0.01])
            said.append((rng.randrange(3), Joints(math.nan, message.names, moved)))
        troubles = {"flood": "flood", "lost": "lost", "is back": "back"}
        if fault in troubles:
            said.append((self.source, Trouble(troubles[fault], "so it is")))
        return said

    def stamp(self, now, fault):
        rng = self.rng
        if fault == "no time":
            return rng.choice([-1.0, math.inf, 1e300])
        if self.offset is None or fault == "none":
            return rng.choice([0.0, math.nan])
        if fault in ("back", "doubled") and self.last > 0.0:
            return self.last - (rng.choice([0.0005, 0.1, 10.0]) if fault == "back" else 0.0)
        stamp = now - self.offset - rng.random() * 0.005
        if fault == "late" and self.last > 0.0:  # held up on the way, in their order or not
            late = stamp - rng.choice([0.1, 0.3, 1.0])
            return late if rng.random() < 0.1 else max(late, self.last + 0.001)
        return stamp

    def reading(self, now, stamp, fault):
        rng, names = self.rng, list(self.names)
        x = [self.x0 + 1.1 * math.sin(self.pace * (now - 100.0) + k) for k in range(len(names))]
        j = rng.randrange(len(names))
        if fault in ("nan", "limits"):
            x[j] = rng.choice([math.nan, math.inf]) if fault == "nan" else rng.choice([-5.5, 6.0])
        if fault == "short" and len(names) > 1:
            del names[j], x[j]
        if fault == "order":
            names, x = names[::-1], x[::-1]
        if fault in ("extra", "names"):
            names, x = [*names, "grip" if fault == "extra" else names[0]], [*x, 0.0]
        if fault == "partial":
            names, x = names[:1], x[:1]
        if fault == "garbled":
            x = x[:-1]
        return Joints(stamp, tuple(names), np.array(x), None, fault == "partial")


def stream(seed, steps=None, faulty=None, shared=False):
    """Cycles, time and inputs each, as one seed has them; ``shared``: see SHARED."""
    rng = random.Random(seed)
    faulty = rng.choice([0.0, 0.02, 0.1, 0.3]) if faulty is None else faulty
    setup = rng.choice(SETUPS)
    told = [(s, tuple(f"{r}/x" for r in robots)) for s, robots in (SHARED if shared else setup)]
    told += [(source, "cart") for source in rng.sample(range(3), rng.choice([1, 1, 2]))]
    publishers = [Publisher(rng, source, names) for source, names in told]
    now = 100.0
    for _ in range(rng.choice([60, 150]) if steps is None else steps):
        after = min(publishers, key=lambda p: p.due).due
        now = max(after, now + 1e-6)
        if rng.random() < 0.1:  # a tick, in time or after all were silent
            now += rng.choice([0.01, 0.25, 0.3, 2.0]) * (rng.random() < 0.3)
            yield now, ()
            now += 1e-4
        if rng.random() < 0.1 * faulty:
            now -= rng.choice([0.0, 0.05, 1.0, 30.0])
            for p in publishers:
                p.due = min(p.due, now + p.period)
        inputs = []
        for p in publishers:
            if p.due <= now + 0.01 * (rng.random() < 0.3):
                # What is wrong once is so for some messages, now and then.
                if rng.random() < faulty:
                    fault = rng.choice(FAULTS)
                    p.ill = [fault] * (12 if fault == "late" else rng.choice([1, 1, 1, 12]))
                inputs += p.said(now, p.ill.pop() if p.ill else "")
        rng.shuffle(inputs)
        yield now, tuple(inputs)
