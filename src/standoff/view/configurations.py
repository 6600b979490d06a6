"""Configurations as one types them: values, names with values, a named state, or a file."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import ConfigurationError, Error, UnknownNameError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.joints import check_limits
from standoff.paths.path_file import SUFFIXES, read_configurations
from standoff.paths.path_formats import is_number

_FORMS = "values (0,0.3,…), names with values (elbow=0.3,…), a named state or a file"


@dataclass(frozen=True, eq=False)
class Given:
    """Configurations (n, joints), n >= 1, where each was given, and the joints that were left
    out."""

    values: Array
    places: tuple[str, ...]
    silent: tuple[str, ...] = ()


def given_start(
    text: str, cell: Cell, planned: IntArray, *, limits: bool, option: str = "--start"
) -> Given:
    """One configuration; joints that it leaves out are where the cell has them."""
    given = _given(text, cell, planned, cell.q, option)
    if len(given.values) != 1:
        raise ConfigurationError(
            "several configurations", element=f"{option} {text}", value=len(given.values),
            allowed="one",
        )  # fmt: skip
    if limits:
        check_planned(given.values, cell, planned, option, given.places)
    return given


def given_goals(
    texts: Sequence[str], cell: Cell, planned: IntArray, start: Array, *, limits: bool
) -> Array:
    """One or more configurations, (n, joints); joints that they leave out end where they start."""
    rows = []
    for text in texts:
        given = _given(text, cell, planned, start, "--goal")
        if limits:
            check_planned(given.values, cell, planned, "--goal", given.places)
        rows.append(given.values)
    return np.concatenate(rows)


def check_planned(
    values: Array, cell: Cell, planned: IntArray, option: str, places: Sequence[str]
) -> None:
    """Refuse planned joints beyond their limits; the others stay where they are."""
    looked = np.clip(values, cell.tree.lower, cell.tree.upper)
    looked[:, planned] = values[:, planned]
    check_limits(looked, cell.tree, Path(option), places)


def _given(text: str, cell: Cell, planned: IntArray, others: Array, option: str) -> Given:
    bare = text.strip()
    file = Path(bare)
    try:
        there = _exists(file)
        if "=" in bare and not there:
            return _by_name(bare, cell, others)
        if _is_state(bare, cell, there):
            state = cell.tree.names.state(bare, "")
            return _partly(
                cell.tree.names.values(state, bare, kind="position", others=others),
                state,
                bare,
                cell,
            )
        if file.suffix.lower() in SUFFIXES or (bare and there):
            values, places, silent = read_configurations(file, cell, others)
            return Given(values, tuple(f"{bare}, {place}" for place in places), silent)
        return _by_place(bare, cell, planned, others)
    except Error as error:
        raise error.at(option) from error


def _exists(file: Path) -> bool:
    """Whether it is there; values of many joints make a longer name than a file can have."""
    try:
        return file.exists()
    except OSError:
        return False


def _by_name(text: str, cell: Cell, others: Array) -> Given:
    parts = [part for part in re.split(r"[,;\s]+", re.sub(r"\s*=\s*", "=", text)) if part]
    pairs = [part.partition("=") for part in parts]
    names = cell.tree.names
    found = names.find_all([name for name, _, _ in pairs], "joints")
    given = {joint.name: _number(value, name) for joint, (name, _, value) in zip(found, pairs)}
    return _partly(names.values(given, "joints", kind="position", others=others), given, text, cell)


def _partly(q: Array, given: Container[str], text: str, cell: Cell) -> Given:
    """One configuration of which some joints were given."""
    silent = tuple(name for name in cell.joints if name not in given)
    return Given(q[None], (text,), silent)


def _is_state(text: str, cell: Cell, there: bool) -> bool:
    """Whether a text can only be the name of a state, or is one."""
    try:
        return bool(cell.tree.names.state(text, ""))
    except UnknownNameError:
        if there or Path(text).suffix.lower() in SUFFIXES:
            return False
        # No name begins like a number; what is written like values is told which ones are wanted.
        return bool(re.fullmatch(r"[^\W\d][^,;\s]*", text)) and not is_number(text)


def _by_place(text: str, cell: Cell, planned: IntArray, others: Array) -> Given:
    parts = [part for part in re.split(r"[,;\s]+", text.strip("[]() ")) if part]
    numbers = [_number(part, f"value {k + 1}") for k, part in enumerate(parts)]
    if len(numbers) == len(cell.joints):
        return Given(np.array([numbers]), (text,))
    if len(numbers) != len(planned):
        wanted = f"{len(cell.joints)}, one a joint ({', '.join(cell.joints) or 'no joints'})"
        if len(planned) < len(cell.joints):
            wanted += f", or {len(planned)}, one for each of --joints in this order"
        raise ConfigurationError("wrong number of values", value=len(numbers), allowed=wanted)
    q = others.copy()
    q[planned] = numbers
    chosen = set(planned.tolist())
    silent = tuple(name for k, name in enumerate(cell.joints) if k not in chosen)
    return Given(q[None], (text,), silent)


def _number(text: str, what: str) -> float:
    if not is_number(text) or not math.isfinite(float(text)):
        raise ConfigurationError(
            f"not a number for {what!r}", value=text, allowed=f"a finite number; {_FORMS}"
        )
    return float(text)
