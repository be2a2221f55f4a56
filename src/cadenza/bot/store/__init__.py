"""The store of a bot: a small protocol, and SQLite as the default."""
