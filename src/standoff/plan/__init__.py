"""Paths between configurations, each with its proof, and shorter ones."""
