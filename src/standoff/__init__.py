"""Standoff keeps robots apart."""

__version__ = "0.1.0"
