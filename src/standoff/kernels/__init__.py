"""Compiled functions on numbers and arrays: no classes, no validation, no input or output."""
