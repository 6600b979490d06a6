"""What can be wrong, which state that is, and how it ends: `docs/watch.md` has the table in words;
what is wrong in one cycle, and what is still wrong from cycles before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from standoff.streams.publishers import NOBODY, Clock, Subject
from standoff.streams.report import Reason, State

#: How a reason ends: as soon as it is not so any more; after so many good readings in a row of all
#: that it is about (the option ``recover``); with the first good one; when its sink takes reports
#: again; once the pose of a body has been received.
AT_ONCE, AFTER_GOOD, NEXT_GOOD, SINK_BACK, POSE_RECEIVED = range(5)


@dataclass(frozen=True, slots=True)
class Rule:
    """Attributes:
    state: what the cell is in.
    ends: how that ends, AT_ONCE to POSE_RECEIVED.
    """

    state: State
    ends: int


#: Each kind of reason.
RULES: dict[str, Rule] = {
    "warning": Rule(State.WARNING, AT_ONCE),
    "waiting": Rule(State.STALE, AT_ONCE),
    "silent": Rule(State.STALE, NEXT_GOOD),
    "lost": Rule(State.STALE, NEXT_GOOD),
    "late": Rule(State.STALE, AFTER_GOOD),
    "missing": Rule(State.FAULT, AFTER_GOOD),
    "non-finite": Rule(State.FAULT, AFTER_GOOD),
    "limits": Rule(State.FAULT, AFTER_GOOD),
    "jump": Rule(State.FAULT, AFTER_GOOD),
    "pose": Rule(State.FAULT, AFTER_GOOD),
    "backwards": Rule(State.FAULT, AFTER_GOOD),
    "doubled": Rule(State.FAULT, AFTER_GOOD),
    "garbled": Rule(State.FAULT, AFTER_GOOD),
    "names": Rule(State.FAULT, AFTER_GOOD),
    "grasp": Rule(State.FAULT, POSE_RECEIVED),
    "cell": Rule(State.FAULT, AFTER_GOOD),
    "flood": Rule(State.FAULT, AFTER_GOOD),
    "behind": Rule(State.FAULT, AFTER_GOOD),
    "sink": Rule(State.FAULT, SINK_BACK),
}


Key = tuple[str, str]


class Found:
    """The troubles of one cycle.

    Attributes:
        reasons: by kind and element; of one that is found twice, the first text.
        subjects: what each is about.
    """

    __slots__ = ("reasons", "subjects")

    def __init__(self) -> None:
        self.reasons: dict[Key, Reason] = {}
        self.subjects: dict[Key, set[Subject]] = {}

    def add(self, kind: str, element: str, text: str, subjects: Set[Subject]) -> None:
        """Note one; ``kind`` is one of `RULES`."""
        key = (kind, element)
        if key not in self.reasons:
            self.reasons[key] = Reason(RULES[kind].state, kind, element, text)
            self.subjects[key] = set()
        self.subjects[key] |= subjects

    def drop(self, kind: str, element: str) -> None:
        """It is over in the same cycle."""
        self.reasons.pop((kind, element), None)
        self.subjects.pop((kind, element), None)

    @property
    def blamed(self) -> set[Subject]:
        """What there is a trouble with."""
        return {subject for subjects in self.subjects.values() for subject in subjects}


class Ongoing:
    """Troubles that go on until their rule says that they are over."""

    __slots__ = ("_ongoing", "_recover")

    def __init__(self, recover: int) -> None:
        self._recover = recover
        #: The reason, and the good readings still to come of each that it is about.
        self._ongoing: dict[Key, tuple[Reason, dict[Subject, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._ongoing)

    def __contains__(self, key: Key) -> bool:
        return key in self._ongoing

    def __iter__(self) -> Iterator[Reason]:
        return (reason for reason, _ in self._ongoing.values())

    def count(self, kind: str) -> int:
        """How many of a kind there are."""
        return sum(key[0] == kind for key in self._ongoing)

    def take(self, found: Found, good: Set[Subject]) -> None:
        """Take over what was found in a cycle, and count its good readings for the rest."""
        for key, (reason, left) in list(self._ongoing.items()):
            if key in found.reasons:
                continue
            ends = RULES[reason.kind].ends
            if ends == AT_ONCE:
                del self._ongoing[key]
            elif ends in (AFTER_GOOD, NEXT_GOOD, POSE_RECEIVED):
                for subject in [subject for subject in left if subject in good]:
                    left[subject] -= 1
                    if left[subject] <= 0:
                        del left[subject]
                if not left:
                    del self._ongoing[key]
        for key, reason in found.reasons.items():
            about = {*found.subjects[key], *(self._ongoing[key][1] if key in self._ongoing else ())}
            self._ongoing[key] = reason, dict.fromkeys(about, self._needed(reason.kind))

    def unsettled(self, subject: Subject) -> bool:
        """Whether there is a trouble with this one that not one good reading has put right yet."""
        counts = [
            (reason.kind, left[subject])
            for reason, left in self._ongoing.values()
            if subject in left
        ]
        return any(n == self._needed(kind) for kind, n in counts if kind != "grasp")

    def troubled(self, subjects: Set[Subject]) -> bool:
        """Whether there is a trouble with any of these."""
        return any(not subjects.isdisjoint(left) for _, left in self._ongoing.values())

    def agree(self, body: str) -> None:
        """Cell and stream agree again on which link has a body; its pose has still to come."""
        if ("grasp", body) in self._ongoing:
            reason, left = self._ongoing["grasp", body]
            left.pop(NOBODY, None)
            self._ongoing["grasp", body] = reason, left | {body: self._recover}

    def _needed(self, kind: str) -> int:
        """Good readings that end a trouble of a kind; 0 where none does."""
        ends = RULES[kind].ends
        return {AFTER_GOOD: self._recover, POSE_RECEIVED: self._recover, NEXT_GOOD: 1}.get(ends, 0)

    def forget(self, body: str) -> None:
        """What was wrong with the poses of a body does not matter any more; where it is does."""
        for key, (reason, left) in list(self._ongoing.items()):
            if reason.kind != "grasp" and left.pop(body, None) is not None and not left:
                del self._ongoing[key]

    def end(self, kind: str, element: str) -> None:
        """This one is over."""
        self._ongoing.pop((kind, element), None)


#: What each publisher of a source has: names of joints and bodies, and when each of them has
#: been silent for too long, [s].
Published = Mapping[Clock, list[tuple[str, float]]]


def find_silent(
    now: float, source: str, by: Published, subjects: Mapping[str, Subject], found: Found
) -> None:
    """A source of which all joints and bodies are silent; else a publisher of which all joints are,
    and each body; else a joint that its publisher leaves out. ``subjects`` has the number of each
    joint by its name."""
    late = {
        clock: [(name, now - until + clock.age) for name, until in all_of if until <= now]
        for clock, all_of in by.items()
    }
    silent = {clock for clock, all_of in by.items() if len(late[clock]) == len(all_of)}
    if len(silent) == len(by):
        age = min(age for ages in late.values() for _, age in ages)
        about: set[Subject] = set().union(*(clock.subjects for clock in by))
        found.add("silent", source, f"{source}: no valid message for {age:.3f} s", about)
        return
    for clock, ages in late.items():
        if clock in silent:
            subject = ages[0][0] + (", …" if len(ages) > 1 else "")
            text = f"{source}: no valid message with {subject} for {min(a for _, a in ages):.3f} s"
            found.add("silent", f"{source} ({subject})", text, clock.subjects)
            continue
        for name, age in ages:
            found.add("missing", name, f"{name}: no value for {age:.3f} s", {subjects[name]})
