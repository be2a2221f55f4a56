"""The commands of the bot, one file a family. Each has ``commands(desk)``, which gives what is to be registered."""

from __future__ import annotations
