"""The former name of `standoff.cell.model`."""

from standoff.cell.model import Model as World

__all__ = ["World"]
