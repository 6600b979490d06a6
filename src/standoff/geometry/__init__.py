"""Shapes, their poses, distances between them, meshes, coverings by capsules.

The classes of shapes are in `shape`, `primitives`, `polyhedron` and `mesh`; the kernels of single
pairs are in `narrowphase`. docs/extending.md says how to add a shape.
"""
