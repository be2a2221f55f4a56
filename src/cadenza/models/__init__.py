"""Asking a model: vendors, dialects, keys, fallback, HTTP, media, recordings and local models."""
