"""Superscripts and subscripts in Unicode: ``x2`` as ``ˣ²`` or ``ₓ₂``.

Unicode has only some letters in these forms. A text is given back whole or not at all.
"""

from __future__ import annotations

_SUPERSCRIPTS = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχ ",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡ ",
        strict=True,
    )
)
_SUBSCRIPTS = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ ",
        strict=True,
    )
)


def superscript(text: str) -> str | None:
    """*text* in superscript; ``None`` if a character has no such form."""
    return _mapped(text, _SUPERSCRIPTS)


def subscript(text: str) -> str | None:
    """*text* in subscript; ``None`` if a character has no such form."""
    return _mapped(text, _SUBSCRIPTS)


def _mapped(text: str, forms: dict[str, str]) -> str | None:
    found = [forms.get(character) for character in text]
    return None if None in found else "".join(filter(None, found))
