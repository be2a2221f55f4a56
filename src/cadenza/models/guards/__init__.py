"""The guards of stage 3: one file per oddity, and their order."""

from .guard_row import guarded

__all__ = ["guarded"]
