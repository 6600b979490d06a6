"""Coal as the outside opinion on distances."""

from __future__ import annotations

import coal
import numpy as np

import standoff.geometry.primitives as prim
from standoff.geometry.narrowphase import layout


def geometry(shape):
    """Coal's own object for one of our shapes."""
    if isinstance(shape, prim.Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, prim.Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, prim.Box):
        return coal.Box(*shape.size)
    if isinstance(shape, prim.Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, prim.HalfSpace):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    points = shape.geometry.points
    if shape.kind == layout.POLYHEDRON:
        store = coal.StdVec_Vec3s()
        for p in points:
            store.append(p)
        return coal.Convex.convexHull(store, True, "Qt")
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(shape.geometry.faces), len(points))
    model.addVertices(np.ascontiguousarray(points))
    for a, b, c in shape.geometry.faces:
        model.addTriangle(points[a], points[b], points[c])
    model.endModel()
    return model


def transform(pose):
    return coal.Transform3s(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


def distance(a, pose_a, b, pose_b, request=None, result=None):
    """(signed distance, witness a, witness b) of two Coal objects at 4 x 4 poses."""
    request = request or coal.DistanceRequest(True, True)
    result = result or coal.DistanceResult()
    result.clear()
    value = coal.distance(a, transform(pose_a), b, transform(pose_b), request, result)
    return value, np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
