"""Robots: URDF, SRDF and xacro files, joint trees, kinematics, models of our own."""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.robots.builtin import MODELS as MODELS
    from standoff.robots.builtin import model_path as model_path

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
