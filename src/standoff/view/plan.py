"""A path planned, shortened and proved, and what came of it in words and for machines."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from standoff.cell.cell import Cell
from standoff.errors import Error, PlanError
from standoff.geometry.pose import Array
from standoff.paths.joints import cut_turns
from standoff.paths.path_formats import is_number
from standoff.paths.profile import Profile, profile
from standoff.paths.verdict import Verdict
from standoff.plan.growing import prove
from standoff.plan.planner import Planner
from standoff.plan.problem_file import read_problem, read_problems
from standoff.plan.query import chosen_joints
from standoff.plan.result import Method, Plan, Progress
from standoff.plan.smoother import Smoothed, Smoothing, smooth
from standoff.view.configurations import check_planned, given_goals, given_start
from standoff.view.progress import announced, interruptible, status_line, waiting
from standoff.view.words import (
    counted,
    kept_apart,
    listed,
    met,
    mm,
    moving_note,
    not_watched,
    show_outcome,
    witness_facts,
)

#: Shortcuts of a smoother that is stopped by time.
_ENDLESS = 10**12


@dataclass(frozen=True)
class Effort:
    """How long to shorten a path: shortcuts to try, and seconds."""

    steps: int
    seconds: float = math.inf


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is asked for.

    Attributes:
        goals: (n, joints), any of them.
        joints: names of those that may move.
        notes: how it was understood.
    """

    cell: Cell
    start: Array
    goals: Array
    joints: tuple[str, ...]
    limits: bool
    clearance: float
    tolerance: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Planned:
    """What came of it.

    Attributes:
        waypoints: of the path to be used: shortened where that was asked for; (0, joints) where
            there is none.
        verdict: on them, or of the start or goal that is not free; None otherwise.
        seen: how near things come along them, sampled; None where there is no path.
    """

    wanted: Wanted
    plan: Plan
    smoothed: Smoothed | None
    waypoints: Array
    verdict: Verdict | None
    seen: Profile | None = None


def effort(text: str) -> Effort:
    """``2000``: so many shortcuts; ``1.5s``: so many seconds."""
    bare = text.strip()
    if bare.isdecimal() and bare.isascii():
        return Effort(int(bare))
    try:
        if not bare.endswith("s") or not is_number(bare[:-1]):
            raise ValueError(bare)
        seconds = float(bare[:-1])
        if not 0.0 < seconds < math.inf:
            raise ValueError(bare)
    except ValueError as error:
        raise PlanError(
            "no such effort", element="--smooth", value=text,
            allowed="a number of shortcuts (2000), or seconds (1.5s)",
        ) from error  # fmt: skip
    return Effort(_ENDLESS, seconds)


def find(
    wanted: Wanted,
    notes: Console,
    *,
    method: str,
    seed: int,
    timeout: float,
    smoothing: Effort | None,
) -> Planned:
    """Plan and shorten, with a line on ``notes`` on how far it has come. Ctrl-C ends the search; a
    path that was found before is kept."""
    planner = Planner(wanted.cell, wanted.clearance, wanted.tolerance, method=_method(method))
    with announced(notes):
        planner.prepare()
    with announced(notes), interruptible() as stopped, status_line(notes) as status:
        plan = planner.plan(
            wanted.start, wanted.goals, seed=seed, timeout=timeout, joints=wanted.joints,
            limits=wanted.limits, cancelled=stopped, progress=lambda now: status(_growing(now)),
        )  # fmt: skip
    if not plan.solved:
        return Planned(wanted, plan, None, plan.waypoints, plan.verdict)
    shorter = None
    if smoothing is not None:
        with announced(notes), interruptible() as stopped, status_line(notes) as status:
            shorter = smooth(
                planner.checker, plan.waypoints, seed=seed, cancelled=stopped,
                steps=smoothing.steps, timeout=smoothing.seconds,
                progress=lambda now: status(_shrinking(now, plan.length)),
            )  # fmt: skip
    waypoints, verdict = plan.waypoints, plan.verdict
    if shorter is not None:
        waypoints, verdict = shorter.waypoints, shorter.verdict
    cut = cut_turns(waypoints, wanted.cell.tree)
    if len(cut) > len(waypoints):
        # Waypoints in between are rounded, so what is written is proved once more.
        with announced(notes):
            again = prove(planner.checker, cut, planner.checker.budget)
        waypoints, verdict = (cut, again) if again.free else (waypoints, verdict)
    with announced(notes), waiting(notes, "Measuring distances") as done:
        seen = profile(wanted.cell, waypoints, progress=done)
    return Planned(wanted, plan, shorter, waypoints, verdict, seen)


def show(planned: Planned, console: Console) -> None:
    """Print what was found in words, or why nothing was."""
    word = "solved" if planned.plan.solved else "not solved"
    notes, facts = planned.wanted.notes, _facts(planned)
    show_outcome(console, planned.plan.solved, word, _sentence(planned), notes, facts)


def as_json(planned: Planned, written: dict[str, Path | None]) -> str:
    """For machines, one object: lengths in metres, angles in radians, times in seconds."""
    plan, verdict, smoothed, wanted = (
        planned.plan,
        planned.verdict,
        planned.smoothed,
        planned.wanted,
    )
    shown: dict[str, Any] = {
        "solved": plan.solved,
        "reason": plan.reason,
        "goal": plan.goal,
        "joints": list(wanted.cell.joints),
        "planned": list(wanted.joints),
        "waypoints": planned.waypoints.tolist(),
        "length": _length(planned) if plan.solved else None,
        "verdict": None if verdict is None else verdict.kind,
        "pair": None if verdict is None or verdict.pair is None else list(verdict.pair),
        "distance": None if verdict is None else verdict.distance,
        "point_a": listed(None if verdict is None else verdict.point_a),
        "point_b": listed(None if verdict is None else verdict.point_b),
        "clearance": wanted.clearance,
        "nearest_seen": None if planned.seen is None else _nearest(planned.seen),
        "tolerance": wanted.tolerance,
        "method": plan.method,
        "seed": plan.seed,
        "edges": plan.edges,
        "nodes": list(plan.nodes),
        "time": plan.time,
        "preparing": plan.preparing,
        "growing": plan.growing,
        "proving": plan.proving,
        "smoothed": None,
        "notes": list(wanted.notes),
    }
    if smoothed is not None:
        names = ("before", "after", "steps", "taken", "checked", "stopped", "time")
        shown["smoothed"] = {name: getattr(smoothed, name) for name in names}
    shown |= {name: None if path is None else str(path) for name, path in written.items()}
    return json.dumps(shown, indent=2, ensure_ascii=False)


def _method(name: str) -> Method:
    return name  # type: ignore[return-value]  # the planner says which ones there are


def _growing(now: Progress) -> str:
    a, b = now.nodes
    return f"Planning: {a:,} + {b:,} nodes, {now.edges:,} edges, {now.time:.1f} s (Ctrl-C ends it)"


def _shrinking(now: Smoothing, before: float) -> str:
    share = f"{100.0 * now.length / before:.0f} %" if before > 0.0 else "100 %"
    return (
        f"Shortening: {share} of the length after {now.steps:,} shortcuts, {now.time:.1f} s "
        "(Ctrl-C keeps what there is)"
    )


def _length(planned: Planned) -> float:
    return planned.plan.length if planned.smoothed is None else planned.smoothed.after


def _sentence(planned: Planned) -> str:
    plan, wanted, verdict = planned.plan, planned.wanted, planned.verdict
    if plan.solved:
        count = len(planned.waypoints)
        kept = kept_apart(wanted.clearance, "")
        return f"{count} waypoints, {_length(planned):.4g} long; {kept} (certified)"
    if plan.reason in ("start", "goal"):
        where = f"the {plan.reason} is not free"
        if plan.reason == "goal" and len(wanted.goals) > 1:
            where = f"none of the {len(wanted.goals)} goals is free; of the first"
        return f"{where}: {_met(verdict, wanted)}"
    tried = f"{plan.edges:,} edges in {plan.time:.3g} s"
    if plan.reason == "cancelled":
        return f"stopped before a path was found, after {tried}"
    return f"no path was found within the timeout, after {tried}; that proves nothing"


def _met(verdict: Verdict | None, wanted: Wanted) -> str:
    if verdict is None or verdict.pair is None or verdict.distance is None:
        return "nothing could be proved of it"
    return met(verdict, "are {} apart", wanted.clearance, wanted.tolerance)


def _facts(planned: Planned) -> list[tuple[str, str]]:
    plan, wanted = planned.plan, planned.wanted
    facts = _found(planned) if plan.solved else witness_facts(planned.verdict)
    still = len(wanted.cell.joints) - len(wanted.joints)
    moved = wanted.cell.tree.names.words(wanted.joints)
    moved += "; the others stay where they start" if still else ""
    facts.append(("planned", moved))
    facts.append(("watched", f"{counted(wanted.cell.pairs.count(), 'pair')} of bodies"))
    facts.extend(not_watched(wanted.cell).items())
    a, b = plan.nodes
    ready = (
        f", {_seconds(plan.preparing)} of preparing before" if plan.preparing > plan.time else ""
    )
    facts.append(
        ("work", f"{plan.edges:,} edges, {a:,} + {b:,} nodes, {_seconds(plan.time)}{ready} "
         f"({plan.method}, seed {plan.seed})")
    )  # fmt: skip
    if not plan.solved:
        more = ", more --joints" if still and plan.reason == "timeout" else ""
        facts.append(("what helps", _HELP[plan.reason or "timeout"] + more))
    return facts


def _found(planned: Planned) -> list[tuple[str, str]]:
    """What there is to say of a path that was found."""
    plan, wanted, smoothed, seen = planned.plan, planned.wanted, planned.smoothed, planned.seen
    facts = []
    if len(wanted.goals) > 1 and plan.goal is not None:
        facts.append(("goal", f"number {plan.goal + 1} of {len(wanted.goals)}"))
    if smoothed is not None:
        share = f"{100.0 * smoothed.after / plan.length:.0f} %" if plan.length > 0.0 else "100 %"
        ended = "" if smoothed.stopped == "steps" else f", ended by {smoothed.stopped}"
        facts.append(
            ("shortened", f"from {plan.length:.4g} to {smoothed.after:.4g} ({share}), "
             f"{smoothed.steps:,} shortcuts tried, {_seconds(smoothed.time)}{ended}")
        )  # fmt: skip
    if seen is not None and math.isfinite(near := seen.distance[seen.nearest]):
        pair = " – ".join(seen.pair[seen.nearest] or ())
        facts.append(("nearest seen", f"{pair}, {mm(float(near))} apart ({len(seen.s)} samples)"))
    return facts


_HELP = {
    "start": "another --start, a smaller --clearance, or pairs that may touch (standoff info)",
    "goal": "another --goal, a smaller --clearance, or pairs that may touch (standoff info)",
    "timeout": "a longer --timeout, another --seed or --method",
    "cancelled": "more patience",
}


def _seconds(time: float) -> str:
    return f"{1e3 * time:.3g} ms" if time < 1.0 else f"{time:.3g} s"


def _nearest(seen: Profile) -> float | None:
    """The smallest distance of all samples, [m]; None where there is no pair."""
    least = float(seen.distance[seen.nearest])
    return least if math.isfinite(least) else None


def request(
    cell: Cell,
    start: str | None,
    goals: Sequence[str],
    joints: Sequence[str],
    *,
    limits: bool,
    clearance: float,
    tolerance: float,
) -> Wanted:
    """From start to goals, in the cell as it is; without a start, from where the cell has the
    joints."""
    if not goals:
        raise PlanError("no goal", element="--goal", allowed="--goal, once or more, or --problem")
    names = [name.strip() for text in joints for name in text.split(",") if name.strip()]
    try:
        planned = chosen_joints(cell, names if joints else None)
    except Error as error:
        raise error.at("--joints") from error
    notes = []
    origin = cell.q
    if start is None:
        notes.append("the start is where the cell has the joints; --start says another")
        if limits:
            check_planned(origin[None], cell, planned, "the cell", ["its state"])
    else:
        given = given_start(start, cell, planned, limits=limits)
        origin = given.values[0]
        if given.silent:
            left = ", ".join(given.silent)
            notes.append(f"joints that --start leaves out start where the cell has them: {left}")
    ends = given_goals(goals, cell, planned, origin, limits=limits)
    notes += moving_note(cell)
    return Wanted(
        cell, origin, ends, tuple(cell.joints[k] for k in planned), limits, clearance, tolerance,
        tuple(notes),
    )  # fmt: skip


def problem_request(
    cell: Cell, file: Path, index: int | None, *, clearance: float, tolerance: float
) -> Wanted:
    """A problem of a file, its obstacles put into the cell. Limits are not looked at: some problems
    open a gripper wider than its URDF says."""
    if index is None:
        first = read_problems(file)[0]
        problem, note = first, f"problem {first.index} of {file}; --index takes another"
    else:
        problem = read_problem(file, index)
        note = f"problem {index} of {file}"
    placed = problem.place(cell)
    notes = [note]
    if placed.ignored:
        notes.append(
            "ignored joints of the problem, which are fixed or which the robot does not have: "
            + ", ".join(placed.ignored)
        )
    ends = np.concatenate([placed.start[None], placed.goals])
    if not np.array_equal(ends, np.clip(ends, cell.tree.lower, cell.tree.upper)):
        notes.append("it goes beyond joint limits, so standoff check takes it with --no-limits")
    return Wanted(
        cell,
        placed.start,
        placed.goals,
        placed.joints,
        False,
        clearance,
        tolerance,
        tuple(notes),
    )
