"""How far bodies get while their joints move, and the inequality that calls a motion free.

The bound is in `motion.kernels.bound`, the inequality in `motion.kernels.certify`.
"""
