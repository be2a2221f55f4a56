"""The guards of stage 3: one file an oddity, and the order in which they stand."""

from .guard_row import guarded

__all__ = ["guarded"]
