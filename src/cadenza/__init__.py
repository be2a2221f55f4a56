"""Cadenza delivers a language model's stream to a chat as natural messages."""

__version__ = "0.1.0"
