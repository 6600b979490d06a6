"""What can be wrong, which state that is, and how it ends: the one table of `docs/watch.md`."""

from __future__ import annotations

from dataclasses import dataclass

from standoff.streams.report import State

#: How a reason ends: as soon as it is not so any more; after so many good readings in a row of all
#: that it is about (the option ``recover``); with the first good one; when its sink takes reports
#: again; once it has been told where a body is.
AT_ONCE, AFTER_GOOD, NEXT_GOOD, SINK_BACK, POSE_TOLD = range(5)

ENDS = {
    AT_ONCE: "as soon as it is over",
    AFTER_GOOD: "after `recover` good readings in a row",
    NEXT_GOOD: "with the next good reading (that which ends a silence still has it)",
    SINK_BACK: "when it takes reports again",
    POSE_TOLD: "after `recover` good poses of that body in a row, where an event was refused after "
    "another one was carried out; never without such poses, or where events were lost",
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
        "the cell is changed where it can be", POSE_TOLD,
    ),
    "cell": Rule(
        State.FAULT, "the cell was changed into one that cannot be watched",
        "what was there before is watched", AFTER_GOOD,
    ),
    "flood": Rule(
        State.FAULT, "more arrived than is taken in", "the newest is used", AFTER_GOOD
    ),
    "behind": Rule(
        State.FAULT, "a message waited for longer than `max_age` before it was looked at",
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
