"""Certificates checked again, by plain code that shares no kernel with the checker."""

from standoff.paths.verify.verification import Verification, verify

__all__ = ["Verification", "verify"]
