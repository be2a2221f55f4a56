"""The commands of the bot, one file a family. Each has ``commands(context)``, which gives what is to be registered."""

from __future__ import annotations
