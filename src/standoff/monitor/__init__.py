"""The monitor: joint angles in, imminent collisions out, every cycle, none missed.

A cycle is `monitor.kernels.cycle`. Whether a pair warns is decided in `monitor.kernels.judge`; for
the motion between two readings in `monitor.kernels.between`; for stops in `monitor.stops`.
"""
