"""Tables as PNG images: find fonts, measure text, draw. Needs the extra ``tables``."""

from .paint import Picture, PictureRefused, TablePictures

__all__ = ["Picture", "PictureRefused", "TablePictures"]
