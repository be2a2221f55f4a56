"""Tables as PNG images: find fonts, measure text, draw. Needs the extra ``tables``."""

from .paint import Picture, Refused, TablePictures

__all__ = ["Picture", "Refused", "TablePictures"]
