"""Where bodies touch, and with what force: spherical octrees and elemental contacts (paper 003)."""

from standoff.contact.body import Body

__all__ = ["Body"]
