"""Tables as pictures: fonts are found, text is measured with them, and a PNG is drawn. Needs the extra ``tables``."""

from .paint import Picture, Refused, TablePictures

__all__ = ["Picture", "Refused", "TablePictures"]
