"""Plots as PNG files. matplotlib is optional: ask `have_matplotlib` before asking for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from standoff.errors import Error, missing_package, reason_of
from standoff.geometry.pose import Array
from standoff.view.words import plain

#: What to say where there is no matplotlib.
MISSING = missing_package("matplotlib", "standoff[plot]", "plots")


def have_matplotlib() -> bool:
    """Whether plots can be drawn."""
    return find_spec("matplotlib") is not None


def can_draw(console: Console) -> bool:
    """As `have_matplotlib`, with a word on ``console`` on how to get it where it is missing."""
    found = have_matplotlib()
    if not found:
        plain(console, MISSING)
    return found


def new_figure(rows: int = 1, width: float = 8.0, height: float = 4.0) -> tuple[Any, list[Any]]:
    """A figure with ``rows`` axes on top of each other, [in]; drawn without any window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
    for axis in axes:
        axis.grid(True, alpha=0.3)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, list(axes)


def save(figure: Any, path: Path) -> None:
    """Write a figure as PNG, whatever the suffix; the folder is made where it is missing.

    Raises:
        Error: it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="png", dpi=120)
    except OSError as error:
        raise Error(f"cannot be written: {reason_of(error)}", file=path) from error


#: Values over the same times, by name.
Curves = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Panel:
    """Distances [m] over time [s], NaN where there is none; the first warning: when, of whom."""

    title: str
    time: Array
    curves: Curves
    warning: tuple[float, str] | None


def clearance_plot(panels: Sequence[Panel], buffer: float, highest: float, path: Path) -> None:
    """Clearance over time, one panel on top of the other, up to ``highest``; the buffer is a line,
    [m]."""
    figure, axes = new_figure(len(panels), height=2.6 * len(panels))
    for axis, panel in zip(axes, panels):
        for name, values in panel.curves.items():
            axis.plot(panel.time, 1e3 * values, lw=1.4, label=f"{name}, to what is nearest")
        axis.axhspan(0.0, 1e3 * buffer, color="tab:red", alpha=0.15, label="buffer")
        if panel.warning is not None:
            when, whom = panel.warning
            axis.axvline(when, color="tab:red", lw=2.5, alpha=0.6, label=f"warning: {whom}")
        axis.set_title(panel.title, fontsize=9, loc="left")
        axis.set_ylabel("clearance [mm]")
        axis.set_ylim(0.0, 1e3 * highest)
        axis.set_xlim(0.0, 1.01 * panel.time[-1])
        axis.legend(fontsize=8, loc="lower left", framealpha=0.9)
    axes[-1].set_xlabel("time [s]")
    save(figure, path)


def show_image(axis: Any, picture: Array, title: str) -> None:
    """An image (rows, columns, 3) from 0 to 1 in a panel, one pixel a unit, without ticks."""
    tall, wide = picture.shape[:2]
    axis.imshow(np.clip(picture, 0.0, 1.0), interpolation="antialiased", extent=(0, wide, tall, 0))
    axis.set_title(title, fontsize=9, loc="left", pad=3)
    axis.set_xlim(0, wide)
    axis.set_ylim(tall, 0)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[:].set_color("0.8")
