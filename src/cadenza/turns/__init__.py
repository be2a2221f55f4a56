"""Turns: which message of a channel is answered when, and the queue of those that wait."""

from .channels import Turn
from .queue import ShutdownResult, StopResult, Turns, Verdict
from .waiting import Dropped, IncomingMessage, TurnReason

__all__ = ["Dropped", "IncomingMessage", "ShutdownResult", "StopResult", "Turn", "TurnReason", "Turns", "Verdict"]
