"""The configuration of a bot: one file, validated as a whole, reloaded when it changes."""
