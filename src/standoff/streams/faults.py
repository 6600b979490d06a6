"""What can be wrong, which state that is, and how it ends: the one table of `docs/watch.md`; what
is wrong in one cycle, and what is still wrong from cycles before.
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

ENDS = {
    AT_ONCE: "as soon as it is over",
    AFTER_GOOD: "after `recover` good readings in a row",
    NEXT_GOOD: "with the next good reading (that which ends a silence still has it)",
    SINK_BACK: "when it takes reports again",
    POSE_RECEIVED: "after `recover` good poses of that body in a row, where an event was refused "
    "after another one was carried out; never without such poses, or where events were lost",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    Attributes:
        state: what the cell is in.
        when: what has happened.
        taken: what becomes of the message.
        ends: one of `ENDS`.
    """

    state: State
    when: str
    taken: str
    ends: int


_LAST = "the last good value stands in"
_NOTHING = "nothing new is known"

RULES: dict[str, Rule] = {
    "warning": Rule(
        State.WARNING, "a pair is nearer than its threshold", "it is watched", AT_ONCE
    ),
    "waiting": Rule(
        State.STALE, "no value has been received for a joint or a moving body (with `--rest`: a "
        "source has sent nothing about the cell)", "nothing is known", AT_ONCE
    ),
    "silent": Rule(
        State.STALE, "no valid message from a source, or from one of its publishers, for "
        "`max_age`, even if another one publishes the same joints; except for a publisher whose "
        "joints now all come in another list of names of its source, which has replaced it",
        _NOTHING, NEXT_GOOD,
    ),
    "lost": Rule(State.STALE, "a source reports that its connection is lost", _NOTHING, NEXT_GOOD),
    "late": Rule(
        State.STALE,
        "a message took longer than the quickest one of its publisher by more than `max_age`",
        "it is used",
        AFTER_GOOD,
    ),
    "missing": Rule(
        State.FAULT,
        "a joint is left out by a message that used to have it, or had no value for `max_age`",
        _LAST,
        AFTER_GOOD,
    ),
    "non-finite": Rule(State.FAULT, "a joint is NaN or infinite", _LAST, AFTER_GOOD),
    "limits": Rule(State.FAULT, "a joint is beyond its limits", "it is watched there", AFTER_GOOD),
    "jump": Rule(
        State.FAULT, "a body moved farther than its highest speed allows; with `--rest`: the first "
        "value of a joint that was assumed at rest comes later than `max_age`, and differs",
        "it is watched where it is now", AFTER_GOOD,
    ),
    "pose": Rule(
        State.FAULT, "the pose of a moving body is no rigid motion, or it is one of a static body, "
        "or that of a held body is farther than `--slip` from where its link holds it",
        _LAST, AFTER_GOOD,
    ),
    "backwards": Rule(
        State.FAULT,
        "a stamp, or the time of a file, is older than the newest one so far, or is no time (0 and "
        "NaN count as no stamp); or a publisher that had stamps has none",
        "one with such a stamp is not used",
        AFTER_GOOD,
    ),
    "doubled": Rule(
        State.FAULT, "a message has the stamp of the one before, or is a second one at one time",
        "it is not used", AFTER_GOOD,
    ),
    "garbled": Rule(State.FAULT, "what arrived is no message", "it is not used", AFTER_GOOD),
    "names": Rule(
        State.FAULT,
        "a name could mean several joints, a body that is renamed comes under its own name, or a "
        "source has too many lists of names; with `--rest`: a name is unknown while any joint is "
        "assumed at rest",
        "it is not used; with `--rest` the known names are", AFTER_GOOD,
    ),
    "grasp": Rule(
        State.FAULT, "a body cannot be attached or detached as an event says, or something was "
        "wrong just then with the robot or the body",
        "the cell is changed where it can be", POSE_RECEIVED,
    ),
    "cell": Rule(
        State.FAULT, "the cell was changed into one that cannot be watched",
        "what was there before is watched", AFTER_GOOD,
    ),
    "flood": Rule(
        State.FAULT, "more arrived than is taken in", "the newest is used", AFTER_GOOD
    ),
    "behind": Rule(
        State.FAULT,
        "a message waited for longer than `max_age` before it was looked at, or may have",
        "it is used", AFTER_GOOD,
    ),
    "sink": Rule(
        State.FAULT, "a recording or a consumer does not take what it should (a full disk, a slow "
        "reader)", "everything else goes on", SINK_BACK,
    ),
}  # fmt: skip


def table() -> str:
    """The table of `docs/watch.md`."""
    rows = ["| kind | state | when | the message | ends |", "|---|---|---|---|---|"]
    for kind, rule in RULES.items():
        rows.append(
            f"| `{kind}` | {rule.state.name} | {rule.when} | {rule.taken} | {ENDS[rule.ends]} |"
        )
    return "\n".join(rows)


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
