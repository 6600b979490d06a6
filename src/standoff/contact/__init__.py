"""Where bodies touch, and with what force: spherical octrees and elemental contacts (paper 003)."""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.contact.body import Body as Body
    from standoff.contact.convex_pieces import Ball as Ball
    from standoff.contact.convex_pieces import Features as Features
    from standoff.contact.result import Contact as Contact
    from standoff.contact.result import ContactStep as ContactStep
    from standoff.contact.result import Cost as Cost
    from standoff.contact.result import Feature as Feature
    from standoff.contact.result import FeatureKind as FeatureKind
    from standoff.contact.scene import Scene as Scene
    from standoff.contact.spherical_octree import NodeType as NodeType
    from standoff.contact.spherical_octree import SphericalOctree as SphericalOctree

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
