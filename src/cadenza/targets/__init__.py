"""Chats to deliver to, one file or folder each."""
