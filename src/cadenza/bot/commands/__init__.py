"""The commands of the bot, one file per family, each with ``commands(context)``, which returns them."""

from __future__ import annotations
