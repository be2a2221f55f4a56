"""Helpers for asyncio: stop requests, tasks that end when told to, and the event loop."""
