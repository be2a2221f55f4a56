"""The complete bot: discord.py events, commands, services, store, memory, characters and configuration."""
