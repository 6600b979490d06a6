"""How long does planning take, how long is the path, does it hold? OMPL beside us, same run.

    python benchmarks/planning.py PROBLEMS [--robots FOLDER] [--model meshes] [--count 20]

PROBLEMS is a file of MotionBenchMaker's problems as JSON, or a folder of such files (see
`standoff.plan.problem_file`); without it there is nothing to measure. Robots are those of
`example-robot-data`, once with capsules for links and once with its meshes, with the SRDF's pairs;
or those of a folder that is named. Only problems whose start and goal are free, and within limits,
are planned.

OMPL's RRT-Connect runs with Pinocchio and Coal on the same shapes and the same pairs, its motions
sampled at 0.05 of the space's extent (what many MoveIt configurations carry), at 0.01 of it (OMPL's
default) and every 0.01 rad. Its paths are then shortened by OMPL at the same resolution. Every
path, ours too, is given to the exact checker. It is refuted where two bodies overlap somewhere on
it; "seen" is how often Pinocchio and Coal confirm that at the configuration found (they do not
where one body is wholly inside a mesh).

Times are of the processor, from the moment the models stand; a problem that was not solved counts
with the time it took to give up. Of each planner the deepest contact that Coal confirms is drawn,
and its path written down, in the folder named by --out.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from peers.planning_contest import (
    SHORTER,
    Planner,
    Result,
    Results,
    Summary,
    contest,
    is_free,
    ratio,
)
from peers.planning_robots import GEOMETRY, Robots
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import standoff as so

OWN = {"Standoff RRT-Connect": "rrt-connect", "Standoff A-SBL": "sbl"}
FINEST = "OMPL 0.01 rad"

#: Median time to a certified path, [s]: floor and goal of each model, over the Panda sets.
TIMES = {"capsules": (20e-3, 2e-3), "meshes": (200e-3, 20e-3)}
#: How many times faster than OMPL at 0.01 rad: floor and goal.
FASTER = (10.0, 100.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "problems", nargs="?", type=Path, help="a problem file, or a folder of them"
    )
    parser.add_argument("--robots", type=Path, help="a folder with NAME/NAME.urdf and .srdf")
    parser.add_argument("--model", action="append", choices=GEOMETRY, help="this model alone")
    parser.add_argument("--set", action="append", help="sets whose name contains this alone")
    parser.add_argument("--count", type=int, help="so many problems of each set")
    parser.add_argument("--timeout", type=float, default=10.0, help="for each problem [s]")
    parser.add_argument("--shorten", type=float, default=1.0, help="time to shorten a path [s]")
    parser.add_argument(
        "--planner", action="append", help="planners whose name contains this alone"
    )
    parser.add_argument("--out", type=Path, default=Path("build/planning"), help="for pictures")
    arguments = parser.parse_args()
    console = Console(width=150)
    if arguments.problems is None:
        console.print(
            "no problems named, nothing to measure: python benchmarks/planning.py PROBLEMS"
        )
        return
    problems = chosen(so.plan.read_problems(arguments.problems), arguments.set, arguments.count)
    planners = available(console, arguments.shorten, arguments.planner)
    robots = Robots(arguments.robots)
    for model in arguments.model or GEOMETRY:
        results, free = run(console, problems, planners, robots, model, arguments.timeout)
        console.print(free_table(model, problems, free))
        for name in sorted({p.set_name for p in free}):
            console.print(results_table(f"{model}, {name}", of_set(results, name)))
        console.print(results_table(f"{model}, all sets", results))
        if any(name in results for name in OWN) and all(p.robot == "panda" for p in free):
            console.print(claims_table(model, results))
        save_refuted(console, results, free, robots, model, arguments.out)


def chosen(
    problems: Iterable[so.plan.Problem], sets: Sequence[str] | None, count: int | None
) -> list[so.plan.Problem]:
    kept: dict[str, list[so.plan.Problem]] = {}
    for problem in problems:
        name = f"{problem.robot}_{problem.set_name}"
        if sets is None or any(word in name for word in sets):
            kept.setdefault(name, []).append(problem)
    return [problem for group in kept.values() for problem in group[:count]]


def available(console: Console, shorten: float, words: Sequence[str] | None) -> dict[str, Planner]:
    """The planners that are installed, with ours."""
    found: dict[str, Planner] = {}
    said = [f"Standoff {so.__version__}"]
    if hasattr(so, "Planner"):
        from peers.planning_own import Own

        found.update({name: Own(method, shorten) for name, method in OWN.items()})
    if find_spec("ompl") is None:
        console.print("OMPL is not installed here, so its rows are left out: pip install ompl")
    else:
        from peers.planning_ompl import RESOLUTIONS, VERSION, Ompl

        said.append(VERSION)
        found.update({name: Ompl(each, shorten) for name, each in RESOLUTIONS.items()})
    console.print(f"{', '.join(said)}, Python {platform.python_version()}")
    if words is not None:
        found = {n: p for n, p in found.items() if any(word in n for word in words)}
    return found


def run(
    console: Console,
    problems: Sequence[so.plan.Problem],
    planners: dict[str, Planner],
    robots: Robots,
    model: str,
    timeout: float,
) -> tuple[Results, list[so.plan.Problem]]:
    """All planners on all problems that are free in this model."""
    results: Results = {}
    free = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task(model, total=len(problems))
        for problem in problems:
            progress.update(task, description=f"{model}, {problem.name}")
            placed = robots.build(problem, model)
            if is_free(placed):
                free.append(problem)
                contest(placed, planners, timeout, results)
            progress.advance(task)
    return results, free


def of_set(results: Results, name: str) -> Results:
    return {planner: [r for r in rows if r.set_name == name] for planner, rows in results.items()}


def free_table(
    model: str, problems: Sequence[so.plan.Problem], free: Sequence[so.plan.Problem]
) -> Table:
    table = Table(title=f"{model}: problems whose start and goal are free")
    table.add_column("set")
    table.add_column("problems", justify="right")
    table.add_column("free", justify="right")
    for name in dict.fromkeys(f"{p.robot}_{p.set_name}" for p in problems):
        counts = (sum(f"{p.robot}_{p.set_name}" == name for p in some) for some in (problems, free))
        table.add_row(name, *map(str, counts))
    return table


def results_table(title: str, results: Results) -> Table:
    table = Table(title=title)
    table.add_column("planner")
    numbers = ("problems", "solved", "median [ms]", "95 % [ms]", "length [rad]")
    for column in (*numbers, "proved", "refuted", "seen"):
        table.add_column(column.replace("[", "\\["), justify="right")
    for name, rows in results.items():
        s = Summary.of(rows)
        times = (f"{1e3 * t:.1f}" for t in (s.median, s.late))
        judged = map(str, (s.proved, s.refuted, s.seen))
        table.add_row(name, str(s.problems), str(s.solved), *times, f"{s.length:.2f}", *judged)
    return table


def claims_table(model: str, results: Results) -> Table:
    table = Table(title=f"{model}: floors and goals")
    table.add_column("work")
    for column in ("measured", "floor", "goal"):
        table.add_column(column, justify="right")
    for name in OWN:
        if name not in results:
            continue
        median = Summary.of(results[name]).median
        marks = (f"{1e3 * n:g} ms {'✓' if median <= n else '✗'}" for n in TIMES[model])
        table.add_row(f"{name}: median time", f"{1e3 * median:.2f} ms", *marks)
        if FINEST in results:
            times = ratio(results[name], results[FINEST])
            marks = (f"{n:g} {'✓' if times >= n else '✗'}" for n in FASTER)
            table.add_row(f"{name}: times faster than {FINEST}", f"{times:.1f}", *marks)
    return table


def save_refuted(
    console: Console,
    results: Results,
    free: Sequence[so.plan.Problem],
    robots: Robots,
    model: str,
    folder: Path,
) -> None:
    """Draw one refuted path of each planner, the deepest that its own engine confirms."""
    problems = {problem.name: problem for problem in free}
    for name, rows in results.items():
        bad = [r for r in rows if r.refuted and r.seen]
        if not bad or find_spec("matplotlib") is None:
            continue
        worst = min(bad, key=depth)
        from peers.planning_picture import save_path

        placed = robots.build(problems[worst.problem], model)
        stem = folder / f"{model} {name} {worst.problem}".replace(" ", "-").replace(",", "")
        save_path(placed, worst, name.removesuffix(SHORTER), stem)
        console.print(f"{name}: {worst.problem}: {worst.verdict}; {stem}.png, {stem}.json")


def depth(result: Result) -> float:
    assert result.verdict is not None and result.verdict.distance is not None
    return result.verdict.distance


if __name__ == "__main__":
    sys.exit(main())
