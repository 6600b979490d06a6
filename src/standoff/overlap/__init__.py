"""Interference between parts: planar projections, region octrees, and the exact answer."""
