"""What a bot keeps: one small protocol, a file of SQLite behind it by default."""
