"""Who is answered when: the desk of a bot, and what waits before it."""

from .channels import Turn
from .desk import Closing, Stopping, Turns, Verdict
from .waiting import Dropped, Heard, Why

__all__ = ["Closing", "Dropped", "Heard", "Stopping", "Turn", "Turns", "Verdict", "Why"]
