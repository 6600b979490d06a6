"""Kernels of interference: outlines on planes, region octrees."""
