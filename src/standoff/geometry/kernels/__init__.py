"""Convex hulls and capsules around points, compiled."""
