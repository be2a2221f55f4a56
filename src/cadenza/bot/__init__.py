"""Cadenza and discord.py: the only place that imports it."""
