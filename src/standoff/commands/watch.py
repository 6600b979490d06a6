"""``standoff watch``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import (
    CapsulesPerLink,
    CellSource,
    Geometry,
    Host,
    Port,
    SearchPath,
    Srdf,
    Unwatched,
)
from standoff.defaults import (
    USUAL_BUFFER,
    USUAL_HYSTERESIS,
    USUAL_RECOVER,
    USUAL_SLIP,
    USUAL_STOP_DISTANCE,
)
from standoff.streams.open_sink import ALLOWED as SINKS
from standoff.streams.open_source import ALLOWED as SOURCES


@app.command(
    epilog="Example: [bold]standoff watch robot.urdf --from run.bag --report near.html[/bold], "
    "[bold]standoff watch cell.toml --from left.csv --from right.csv --to run.mcap[/bold], "
    "[bold]standoff watch cell.toml --from zenoh:cell/joint_states --to zenoh:cell/standoff "
    "--on-warning 'notify-send stop'[/bold]. Exit status: 0 SAFE all along, 1 warnings, 2 bad "
    "input, 3 STALE or at FAULT at any time, 4 both."
)
def watch(
    source: CellSource,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help=f"Where joint states come from; repeatable. {SOURCES}. "
            "bag:FILE?topic=/joint_states picks one.",
        ),
    ] = None,
    sinks: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="SINK",
            help=f"Where reports go; repeatable. {SINKS}. By default: terminal.",
        ),
    ] = None,
    buffer: Annotated[
        float, typer.Option(metavar="M", help=r"Around whatever moves, \[m].")
    ] = USUAL_BUFFER,
    self_: Annotated[
        float | None,
        typer.Option("--self", metavar="M", help=r"For links of one robot instead, \[m]."),
    ] = None,
    period: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help=r"Of the slowest source, \[s]; as files have it, and 0.01 of a live one.",
        ),
    ] = None,
    max_age: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help=r"STALE without a word from a joint for so long, \[s]; 0.1, or three periods.",
        ),
    ] = None,
    max_speed: Annotated[
        float | None,
        typer.Option(
            metavar="M/S",
            help=r"What moves faster has jumped, \[m/s]; as the speeds of the joints have it.",
        ),
    ] = None,
    recover: Annotated[
        int, typer.Option(metavar="N", help="Good readings in a row that end a fault.")
    ] = USUAL_RECOVER,
    between: Annotated[
        bool | None,
        typer.Option(
            "--between/--no-between",
            help="Certify the motion between readings, too. Default: on for files, off for live "
            "sources.",
        ),
    ] = None,
    rest: Annotated[
        bool,
        typer.Option("--rest", help="Joints without values stay where the cell has them."),
    ] = False,
    slip: Annotated[
        float,
        typer.Option(
            metavar="M",
            help=r"How far the pose of a held body may be from where its link holds it, \[m].",
        ),
    ] = USUAL_SLIP,
    slow: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"The speed scale is 1 from here on, \[m]; the threshold."),
    ] = None,
    stop: Annotated[
        float, typer.Option(metavar="M", help=r"The speed scale is 0 up to here, \[m].")
    ] = USUAL_STOP_DISTANCE,
    retreat_slow: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"--slow of pairs that surely part, \[m]; the same."),
    ] = None,
    retreat_stop: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"--stop of pairs that surely part, \[m]; the same."),
    ] = None,
    hysteresis: Annotated[
        float,
        typer.Option(
            metavar="M",
            help=r"The speed scale rises when a pair is farther apart by this than it was, \[m].",
        ),
    ] = USUAL_HYSTERESIS,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="Of files: 1 as recorded, max as fast as it goes; max, and 1 with --view.",
        ),
    ] = None,
    on_warning: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="Run this at the first warning, without a shell."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Write a page on all near misses.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="No colours, nothing in place.")] = False,
    live: Annotated[
        bool, typer.Option("--view", help="Show it on a live page while it is watched.")
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    listen: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Zenoh listens there: tcp/127.0.0.1:7447."),
    ] = None,
    connect: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Zenoh connects there; repeatable."),
    ] = None,
    remote: Annotated[
        bool, typer.Option("--remote", help="Let addresses be other than of this machine.")
    ] = False,
    scouting: Annotated[
        bool, typer.Option("--scouting", help="Let Zenoh look for others in the network.")
    ] = False,
    realtime: Annotated[
        bool,
        typer.Option(
            "--realtime",
            help="Ask the system to let this go first, and to keep its processors awake.",
        ),
    ] = False,
    srdf: Srdf = None,
    geometry: Geometry = "auto",
    capsules_per_link: CapsulesPerLink = 2,
    search_path: SearchPath = None,
    unwatched: Unwatched = False,
) -> None:
    """Watch joint states, live or recorded, and warn: SAFE, WARNING, STALE or FAULT."""
    from standoff.streams.options import WatchOptions
    from standoff.streams.zenoh_session import Link
    from standoff.view import watch as view
    from standoff.view.compiling import announced
    from standoff.view.sources import open_cell

    view.check_asked(source, sources or [], sinks or [], report)
    given: dict[str, Any] = {} if period is None else {"period": period}
    options = WatchOptions(
        buffer=buffer, self_=self_, max_age=max_age, recover=recover, between=between, rest=rest,
        slip=slip, slow=slow, stop=stop, retreat_slow=retreat_slow, retreat_stop=retreat_stop,
        hysteresis=hysteresis, max_speed=max_speed, **given,
    )  # fmt: skip
    rate = view.speed_of(speed or ("1" if live else "max"))
    link = None
    if listen or connect or remote or scouting:
        link = Link(tuple(listen or ()), tuple(connect or ()), scouting, remote)
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path, unwatched)
    summary = view.watch(
        cell, source, sources or [], sinks or [], options, out, notes, period=period, speed=rate,
        link=link, on_warning=on_warning, report=report, plain=plain,
        page=(host, port) if live else None, realtime=realtime,
    )  # fmt: skip
    raise typer.Exit(summary.status)
