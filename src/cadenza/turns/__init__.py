"""Turns: which message of a channel is answered when, and the queue of those that wait."""

from .channels import Turn
from .desk import Closing, Stopping, Turns, Verdict
from .waiting import Dropped, Heard, Why

__all__ = ["Closing", "Dropped", "Heard", "Stopping", "Turn", "Turns", "Verdict", "Why"]
