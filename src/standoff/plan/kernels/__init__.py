"""Compiled growth of search trees, and shortcuts."""
