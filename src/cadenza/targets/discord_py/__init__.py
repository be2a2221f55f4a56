"""The Discord API of targets/discord/api.py on top of discord.py."""
