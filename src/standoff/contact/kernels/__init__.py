"""Compiled functions of the contact room."""
