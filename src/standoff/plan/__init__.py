"""Paths between configurations, each with its proof, and shorter ones.

The search trees grow in `plan.kernels.connect` (RRT-Connect) and `plan.kernels.sbl` (A-SBL).
"""
