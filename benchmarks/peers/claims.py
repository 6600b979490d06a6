"""What Standoff is to reach beside its peers: the floors that must hold, and the goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from peers.own import OwnTimes
from peers.times import Times

Results = Mapping[str, Mapping[str, Times]]
OwnResults = Mapping[str, Mapping[str, OwnTimes]]

#: Whose tails are compared.
TAIL_SCENES = ("boxes-21", "boxes-10000", "movers-1000")


@dataclass(frozen=True)
class Claim:
    """A figure of ours over a peer's, or over our own: the smaller the better."""

    scene: str
    what: str
    value: float
    floor: float
    goal: float | None = None


def claims(results: Results, own: OwnResults, growth: float | None) -> list[Claim]:
    """Those that what was measured can decide, in the order of the issue."""
    found = []

    def times(scene: str, peer: str, floor: float, goal: float | None = None) -> None:
        if scene in results:
            ours, theirs = results[scene]["Standoff"], results[scene][peer]
            value = ours.median / theirs.median
            found.append(Claim(scene, f"our time over {peer}'s", value, floor, goal))

    def tails(name: str, measured: Results | OwnResults) -> None:
        for scene in TAIL_SCENES:
            if scene in measured:
                ours, theirs = measured[scene]["Standoff"], measured[scene]["MuJoCo"]
                what = (
                    f"{name}, 99.9 % / median: ours {ours.tail:.2f} ({ours.late:.1f} µs)"
                    f" over MuJoCo's {theirs.tail:.2f} ({theirs.late:.1f} µs)"
                )
                found.append(Claim(scene, what, ours.tail / theirs.tail, 1.0, 0.5))

    times("boxes-21", "MuJoCo", 1.0, 0.4)
    times("boxes-21", "Coal", 1 / 10)
    times("boxes-10000", "MuJoCo", 1 / 10, 1 / 30)
    times("boxes-10000", "Coal", 1 / 5, 1 / 15)
    if growth is not None:
        found.append(Claim("boxes", "our time, 10,000 boxes over 21", growth, 2.0, 1.3))
    times("movers-1000", "MuJoCo", 1.0, 0.5)
    tails("raw tail", results)
    tails("own tail", own)
    return found
