"""``standoff watch``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from standoff.commands.app import notes, out
from standoff.commands.arguments import CellSource, Model, PageAddress, command, option
from standoff.defaults import (
    USUAL_BUFFER,
    USUAL_HYSTERESIS,
    USUAL_RECOVER,
    USUAL_SLIP,
    USUAL_STOP_DISTANCE,
)
from standoff.streams.open_stream import ALLOWED_SINKS, ALLOWED_SOURCES

if TYPE_CHECKING:
    from standoff.streams.options import WatchOptions
    from standoff.streams.zenoh_session import Link


@dataclass(frozen=True)
class _Streams:
    """Where readings come from and reports go."""

    sources: Annotated[
        list[str] | None,
        option(
            "SOURCE",
            f"Where joint states come from; repeatable. {ALLOWED_SOURCES}. "
            "bag:FILE?topic=/joint_states picks one.",
            "--from",
        ),
    ] = None
    sinks: Annotated[
        list[str] | None,
        option(
            "SINK", f"Where reports go; repeatable. {ALLOWED_SINKS}. By default: terminal.", "--to"
        ),
    ] = None


@dataclass(frozen=True)
class _Options:
    """What is watched for; see `WatchOptions`."""

    buffer: Annotated[float, option("M", r"Around whatever moves, \[m].")] = USUAL_BUFFER
    self_collision: Annotated[
        float | None, option("M", r"For links of one robot instead, \[m].", "--self")
    ] = None
    period: Annotated[
        float | None,
        option("S", r"Of the slowest source, \[s]; as files have it, and 0.01 of a live one."),
    ] = None
    max_age: Annotated[
        float | None,
        option("S", r"STALE without a word from a joint for so long, \[s]; 0.1, or three periods."),
    ] = None
    max_speed: Annotated[
        float | None,
        option(
            "M/S", r"What moves faster has jumped, \[m/s]; as the speeds of the joints have it."
        ),
    ] = None
    recover: Annotated[int, option("N", "Good readings in a row that end a fault.")] = USUAL_RECOVER
    between: Annotated[
        bool | None,
        option(
            "",
            "Certify the motion between readings, too. Default: on for files, off for live "
            "sources.",
            "--between/--no-between",
        ),
    ] = None
    rest: Annotated[
        bool, option("", "Joints without values stay where the cell has them.", "--rest")
    ] = False
    slip: Annotated[
        float,
        option("M", r"How far the pose of a held body may be from where its link holds it, \[m]."),
    ] = USUAL_SLIP
    slow: Annotated[
        float | None, option("M", r"The speed scale is 1 from here on, \[m]; the threshold.")
    ] = None
    stop: Annotated[float, option("M", r"The speed scale is 0 up to here, \[m].")] = (
        USUAL_STOP_DISTANCE
    )
    retreat_slow: Annotated[
        float | None, option("M", r"--slow of pairs that surely part, \[m]; the same.")
    ] = None
    retreat_stop: Annotated[
        float | None, option("M", r"--stop of pairs that surely part, \[m]; the same.")
    ] = None
    hysteresis: Annotated[
        float,
        option(
            "M", r"The speed scale rises when a pair is farther apart by this than it was, \[m]."
        ),
    ] = USUAL_HYSTERESIS

    def chosen(self) -> WatchOptions:
        """As a watch takes them."""
        from standoff.streams.options import WatchOptions

        given = vars(self)
        return WatchOptions(**{k: v for k, v in given.items() if k != "period" or v is not None})


@dataclass(frozen=True)
class _Network:
    """How Zenoh reaches others."""

    listen: Annotated[
        list[str] | None, option("ADDRESS", "Zenoh listens there: tcp/127.0.0.1:7447.")
    ] = None
    connect: Annotated[list[str] | None, option("ADDRESS", "Zenoh connects there; repeatable.")] = (
        None
    )
    remote: Annotated[
        bool, option("", "Let addresses be other than of this machine.", "--remote")
    ] = False
    scouting: Annotated[
        bool, option("", "Let Zenoh look for others in the network.", "--scouting")
    ] = False

    def link(self) -> Link | None:
        """None where nothing is said of it."""
        from standoff.streams.zenoh_session import Link

        if not (self.listen or self.connect or self.remote or self.scouting):
            return None
        return Link(tuple(self.listen or ()), tuple(self.connect or ()), self.scouting, self.remote)


@command(
    epilog="Example: [bold]standoff watch robot.urdf --from run.bag --report near.html[/bold], "
    "[bold]standoff watch cell.toml --from left.csv --from right.csv --to run.mcap[/bold], "
    "[bold]standoff watch cell.toml --from zenoh:cell/joint_states --to zenoh:cell/standoff "
    "--on-warning 'notify-send stop'[/bold]. Exit status: 0 SAFE all along, 1 warnings, 2 bad "
    "input, 3 STALE or at FAULT at any time, 4 both."
)
def watch(
    *,
    source: CellSource,
    streams: _Streams,
    options: _Options,
    speed: Annotated[
        str | None,
        option("X", "Of files: 1 as recorded, max as fast as it goes; max, and 1 with --view."),
    ] = None,
    on_warning: Annotated[
        str | None, option("CMD", "Run this at the first warning, without a shell.")
    ] = None,
    report: Annotated[Path | None, option("OUT.html", "Write a page on all near misses.")] = None,
    plain: Annotated[bool, option("", "No colours, nothing in place.", "--plain")] = False,
    live: Annotated[
        bool, option("", "Show it on a live page while it is watched.", "--view")
    ] = False,
    page: PageAddress,
    network: _Network,
    realtime: Annotated[
        bool,
        option(
            "",
            "Ask the system to let this go first, and to keep its processors awake.",
            "--realtime",
        ),
    ] = False,
    model: Model,
) -> None:
    """Watch joint states, live or recorded, and warn: SAFE, WARNING, STALE or FAULT."""
    from standoff.view import watch as view

    sources, sinks = streams.sources or [], streams.sinks or []
    view.check_asked(source, sources, sinks, report)
    request = view.Request(
        source, sources, sinks, options.chosen(), options.period,
        view.speed_of(speed or ("1" if live else "max")), network.link(), on_warning, report, plain,
        (page.host, page.port) if live else None, realtime,
    )  # fmt: skip
    raise typer.Exit(view.watch(model.cell(source), request, out, notes).status)
