"""Where bodies touch, and with what force: spherical octrees and elemental contacts (paper 003)."""

from standoff.contact.body import Body
from standoff.contact.convex_pieces import Ball, Features
from standoff.contact.result import Contact, ContactStep, Cost, Feature, FeatureKind
from standoff.contact.scene import Scene
from standoff.contact.spherical_octree import NodeType, Octree

__all__ = [
    "Ball",
    "Body",
    "Contact",
    "ContactStep",
    "Cost",
    "Feature",
    "FeatureKind",
    "Features",
    "NodeType",
    "Octree",
    "Scene",
]
