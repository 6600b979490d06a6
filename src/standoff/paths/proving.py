"""From a search that keeps its proofs to a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.certificate import (
    GROUP,
    MESH,
    PROOF,
    SHAPE,
    SPHERE,
    Certificate,
    Claim,
    Group,
    Primitive,
)
from standoff.paths.glide import Glides
from standoff.paths.kernels import path_tables as p
from standoff.paths.options import Options
from standoff.paths.path_search import Motion, Search, kind_of
from standoff.paths.tables import NOBODY, Tables
from standoff.tolerances import EPS

_METHODS = {p.BY_SHAPE: SHAPE, p.BY_BALL: SPHERE, p.BY_MESH: MESH, p.BY_GROUP: GROUP}

#: A proof of meshes goes without the directions that the check itself uses, and takes longer.
_LONGER = 16


def meeting(pieces: Array) -> Array:
    """(n, joints): by how much the end of a straight segment may miss the next one's start."""
    return np.asarray(4.0 * EPS * np.abs(pieces).sum(axis=1))


def certificate(
    tables: Tables, motion: Motion, times: Array, options: Options, status: int, found: Any
) -> Certificate:
    """What proves a verdict: its ``status`` and, where it is not free, what was ``found``.

    Raises:
        PathError: the motion is free, but listing its proof takes more than the budget allows, a
            pair is within rounding error of its clearance, or a body gets into an open mesh and
            out again.
    """
    place = np.cumsum([x.body != NOBODY for x in tables.primitives]) - 1
    groups: tuple[Group, ...] = ()
    proofs = np.zeros(0, dtype=PROOF)
    if status == p.FREE:
        search = Search(tables, motion, _LONGER * options.budget, proving=True)
        ended = search.run()
        if ended == p.FOUND and search.result["kind"] == p.CONTACT:
            bodies = [tables.primitives[search.result[x]].body for x in "ab"]
            raise PathError(
                f"the proof cannot be listed: {bodies[0]} and {bodies[1]}, one of them an open "
                "mesh, overlap at an instant that the check did not look at",
                value=float(search.result["piece"] + search.result["u"]),
                allowed="a closed mesh, or sheet=True for a surface",
            )
        if ended == p.FOUND:
            raise PathError(
                "the proof cannot be listed: a pair is within rounding error of its clearance",
                allowed="a smaller clearance",
            )
        if ended != p.FREE:
            raise PathError("the proof is too long to be listed", allowed="a larger budget")
        proofs, groups = _listed(tables, search.proofs, place)
    return Certificate(
        joints=tables.tree.joints,
        moving=tables.gliding,
        clearance=options.clearance,
        tolerance=options.tolerance,
        clearances={
            pair: metres
            for pair, metres in options.clearances.items()
            if all(name in tables.model.index for name in pair)  # one may have been removed
        },
        deviation=tables.settings.deviation,
        times=times,
        coefficients=motion.pieces,
        rounding=motion.rounding,
        glides=_glide_rows(motion.glides),
        verdict=_claim(tables, motion, times, status, found),
        primitives=tuple(
            Primitive(x.body, x.part, (b[0], b[1], b[2]), b[3])
            for x, b in zip(tables.primitives, tables.layout.balls.tolist())
            if x.body != NOBODY
        ),
        groups=groups,
        proofs=proofs,
    )


def _glide_rows(glides: Glides) -> Array:
    """Glides as certificates have them."""
    parts = [glides[name] for name in ("pose", "linear", "angular")]
    return np.concatenate(parts, axis=-1)


def _listed(
    tables: Tables, rows: Any, place: IntArray
) -> tuple[np.ndarray[tuple[int], np.dtype[np.void]], tuple[Group, ...]]:
    """The proofs with the numbers of primitives and groups as the certificate has them."""
    proofs = np.zeros(len(rows), dtype=PROOF)
    for name in ("piece", "start", "end", "at", "distance", "normal"):
        proofs[name] = rows[name]
    proofs["method"] = [_METHODS[method] for method in rows["method"].tolist()]
    proofs["a"] = place[rows["a"]]
    second = rows["b"]
    grouped = proofs["method"] == GROUP
    proofs["b"][~grouped] = place[second[~grouped]]
    used = sorted(set(second[grouped].tolist()))
    number = {node: k for k, node in enumerate(used)}
    proofs["b"][grouped] = [number[node] for node in second[grouped].tolist()]
    first = tables.movers
    groups = []
    for node in used:
        low, high = tables.boxes.span(node)
        box = tables.boxes.nodes[node].tolist()
        members = tuple(int(place[first + k]) for k in range(low, high))
        groups.append(Group((box[0], box[1], box[2]), (box[3], box[4], box[5]), members))
    return proofs, tuple(groups)


def _claim(tables: Tables, motion: Motion, times: Array, status: int, found: Any) -> Claim:
    if status == p.FREE:
        return Claim("free")
    kind = kind_of(status, found)
    if kind == "undecided":
        return Claim("undecided")
    piece, u = int(found["piece"]), float(found["u"])
    q = motion.at(piece, u)
    a, b = (tables.primitives[k] for k in (found["a"], found["b"]))
    if tables.name_order(a.body, b.body):
        a, b = b, a
    return Claim(
        kind,
        piece=piece,
        u=u,
        t=float(times[piece] + u * (times[piece + 1] - times[piece])),
        q=tuple(q.tolist()),
        pair=(a.body, b.body),
        parts=(a.part, b.part),
        distance=float(found["distance"]),
    )
