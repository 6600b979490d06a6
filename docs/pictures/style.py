"""How all pictures look: one palette, light paper, few lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
INK, GREY, PALE = "#263238", "#90a4ae", "#eceff1"
BLUE, RED, GREEN, AMBER = "#1976d2", "#d84315", "#2e7d32", "#f9a825"

plt.rcParams.update(
    {
        "figure.facecolor": "white",
        "font.size": 9,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "xtick.color": INK,
        "ytick.color": INK,
        "text.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "savefig.bbox": None,
        "legend.frameon": False,
    }
)


def panels(count: int, height: float = 3.4, **options: Any) -> tuple[Any, Any]:
    """A figure as wide as a page with so many panels side by side."""
    return plt.subplots(1, count, figsize=(9.0, height), layout="constrained", **options)


def keep(figure: Any, name: str) -> None:
    """Write it beside this file, without a date, so that the same picture has the same bytes."""
    figure.savefig(HERE / f"{name}.png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    print(f"docs/pictures/{name}.png")
