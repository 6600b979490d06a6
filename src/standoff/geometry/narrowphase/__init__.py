"""Support-function methods for convex pairs: GJK outside, its penetration sequel inside."""
