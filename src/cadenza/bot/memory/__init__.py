"""The bot's memory: short-term conversations, long-term notes, and people's privacy choices."""
