"""Kernels as Numba compiles them, whatever they compute.

`jit`: the decorators that declare a kernel, and the cache of machine code. `tables`: how tables are
declared and passed. `by_address`: calls by address. `build`: every kernel ahead of its first use.
The tables of a cell are in `cell.model`; a robot's joints as tables in `robots.tree`.
"""
