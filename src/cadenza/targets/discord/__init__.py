"""Delivery to Discord through the small API in api.py; no client library is imported here."""
