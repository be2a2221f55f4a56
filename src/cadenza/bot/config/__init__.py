"""The configuration of a bot: one commented file, checked as a whole, read again when it changes."""
