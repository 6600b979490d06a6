"""Golden answers in one compact file, and how two lists of them are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("golden.npz")

#: Numbers that differ by less, absolutely or as a part of the number, agree.
CLOSE = 1e-12

#: A label, and the numbers that belong to it.
Answer = tuple[str, tuple[float, ...]]


@dataclass(frozen=True)
class Answers:
    """The answers of one section: labels by their number in a list of unique ones, numbers flat."""

    unique: np.ndarray
    labels: np.ndarray
    counts: np.ndarray
    numbers: np.ndarray

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> Answers:
        known: dict[str, int] = {}
        labels, counts, numbers = [], [], []
        for label, values in answers:
            labels.append(known.setdefault(label, len(known)))
            counts.append(len(values))
            numbers.extend(values)
        return cls(
            np.array(["\n".join(known)]),
            np.array(labels, dtype=np.uint32),
            np.array(counts, dtype=np.uint32),
            np.array(numbers, dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.labels)

    def each(self) -> Iterable[tuple[str, np.ndarray]]:
        names = str(self.unique[0]).split("\n")
        ends = np.cumsum(self.counts)
        for label, start, end in zip(self.labels, ends - self.counts, ends):
            yield names[label], self.numbers[start:end]


@dataclass(frozen=True)
class Difference:
    """How a section differs from what was written down.

    Attributes:
        wrong: the first answers that differ, in words; empty where all agree.
        close: answers whose numbers agree without being the same bits.
        largest: by how much these differ at most.
    """

    wrong: tuple[str, ...]
    close: int
    largest: float


def save(sections: dict[str, Answers]) -> None:
    fields = ("unique", "labels", "counts", "numbers")
    arrays = {f"{name}.{f}": getattr(one, f) for name, one in sections.items() for f in fields}
    np.savez_compressed(FILE, **arrays)


def load() -> dict[str, Answers]:
    with np.load(FILE) as data:
        names = dict.fromkeys(key.partition(".")[0] for key in data.files)
        fields = ("unique", "labels", "counts", "numbers")
        return {name: Answers(*(data[f"{name}.{f}"] for f in fields)) for name in names}


def compare(before: Answers, now: Answers, most: int = 5) -> Difference:
    """The answers of ``now`` beside those written down; the first ``most`` that differ."""
    wrong, close, largest = [], 0, 0.0
    if len(before) != len(now):
        wrong.append(f"{len(before)} answers written down, {len(now)} given")
    for k, ((label, a), (new, b)) in enumerate(zip(before.each(), now.each())):
        if label != new or len(a) != len(b):
            wrong.append(f"answer {k}: {label!r} {a.tolist()} is now {new!r} {b.tolist()}")
        elif a.tobytes() != b.tobytes():
            with np.errstate(invalid="ignore"):
                off = np.where(a == b, 0.0, np.abs(a - b))
            off[np.isnan(a) & np.isnan(b)] = 0.0
            if not (off <= CLOSE * np.maximum(1.0, np.abs(a))).all():
                wrong.append(f"answer {k}, {label!r}: {a.tolist()} is now {b.tolist()}")
            close, largest = close + 1, max(largest, float(off.max()))
        if len(wrong) >= most:
            break
    return Difference(tuple(wrong), close, largest)
