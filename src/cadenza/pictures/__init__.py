"""Tables as pictures: fonts are found, text is measured with them, and a PNG is drawn. Needs the extra ``tables``."""

from .paint import Picture, PictureRefused, TablePictures

__all__ = ["Picture", "PictureRefused", "TablePictures"]
