"""Distances of pairs of shapes: closed forms, GJK and the expanding polytope, trees of meshes."""
