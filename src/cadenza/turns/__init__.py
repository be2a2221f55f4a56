"""Who is answered when: the desk of a bot, and what waits before it."""

from .channels import Turn
from .queue import ShutdownResult, StopResult, Turns, Verdict
from .waiting import Dropped, IncomingMessage, TurnReason

__all__ = ["Dropped", "IncomingMessage", "ShutdownResult", "StopResult", "Turn", "TurnReason", "Turns", "Verdict"]
