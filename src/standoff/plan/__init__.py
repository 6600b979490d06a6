"""Paths between configurations, each with its proof, and shorter ones.

The search trees grow in `plan.kernels.connect` (RRT-Connect) and `plan.kernels.sbl` (A-SBL).
"""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.plan.ompl_adapter import OmplSpace as OmplSpace
    from standoff.plan.problem_file import read_problem as read_problem
    from standoff.plan.problem_file import read_problems as read_problems
    from standoff.plan.problems import Obstacle as Obstacle
    from standoff.plan.problems import PlacedProblem as PlacedProblem
    from standoff.plan.problems import Problem as Problem
    from standoff.plan.smoother import Smoothed as Smoothed

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
