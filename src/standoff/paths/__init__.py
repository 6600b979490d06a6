"""Exact checks of whole motions: free at every instant, or where not."""
