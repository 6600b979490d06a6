"""Where bodies touch, and with what force: spherical octrees and elemental contacts (paper 003)."""

from standoff.contact.body import Body
from standoff.contact.octree import NodeType, Octree
from standoff.contact.pieces import Ball, Features
from standoff.contact.result import Contact, ContactStep, Cost, Feature, FeatureKind
from standoff.contact.scene import Scene

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
