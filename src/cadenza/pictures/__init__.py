"""Tables and formulas as PNG images. They need the extras ``tables`` and ``math``."""

from .formula_pictures import FormulaPictures
from .paint import Picture, PictureRefused, TablePictures

__all__ = ["FormulaPictures", "Picture", "PictureRefused", "TablePictures"]
