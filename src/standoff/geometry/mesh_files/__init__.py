"""Readers of triangle meshes: STL, OBJ, OFF, PLY, GLB and COLLADA."""
