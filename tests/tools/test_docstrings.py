"""Docstrings in the ways in which people write them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.tools.docstrings import read_docstring

NAMES = ("city", "days")
BOTH = {"city": "Where to look, by its usual name.", "days": "How far ahead."}

GOOGLE = """Tell the weather
    of a place.

    It asks a service: slowly.

    Args:
        city (str): Where to look,
            by its usual name.
        days: How far ahead.

    Returns:
        A sentence: short.
    """
NUMPY = """Tell the weather of a place.

    Parameters
    ----------
    city : str, optional
        Where to look,
        by its usual name.
    days
        How far ahead.

    Returns
    -------
    str
        A sentence.
    """
SPHINX = """Tell the weather of a place.

    :param str city: Where to look,
        by its usual name.
    :param days: How far ahead.
    :type days: int
    :returns: A sentence.
    """
PLAIN = """Tell the weather of a place.

    city: Where to look, by its usual name.
    days -- How far ahead.
    note: This is no parameter.
    """
MARKDOWN = """Tell the weather of a place.

    - `city`: Where to look, by its usual name.
    - **days** (int): How far ahead.
    """
EPYTEXT = """Tell the weather of a place.
    @param city: Where to look, by its usual name.
    @param days: How far ahead.
    """
CLOSE = """Tell the weather of a place.
    city: Where to look, by its usual name.
    days: How far ahead.
    """


@pytest.mark.parametrize(
    "text",
    [GOOGLE, NUMPY, SPHINX, PLAIN, MARKDOWN, EPYTEXT, CLOSE],
    ids=["Google", "NumPy", "Sphinx", "plain", "a list", "Epytext", "without an empty line"],
)
def test_each_way_of_writing_says_the_same(text: str) -> None:
    described = read_docstring(text, NAMES)

    assert "Tell the weather of a place." == described.about
    assert BOTH == described.names


@pytest.mark.parametrize(
    ("text", "about", "names"),
    [
        pytest.param(None, "", {}, id="none"),
        pytest.param("", "", {}, id="empty"),
        pytest.param("city: the biggest one.", "city: the biggest one.", {}, id="the first line is about the whole"),
        pytest.param("Args:\n    city: Where.", "", {"city": "Where."}, id="nothing but parameters"),
        pytest.param("Look.\n\nNumbers\n-------\ncity\n    Not this.", "Look.", {}, id="another heading"),
        pytest.param("Look.\n\nParameters\n----------\ncity, days : int\n    Both.", "Look.", {"city": "Both.", "days": "Both."}, id="two names at once"),
        pytest.param("Look.\n\nAttributes:\n    city: Where.", "Look.", {"city": "Where."}, id="a class"),
        pytest.param("Look.\n\n:ivar city: Where.", "Look.", {"city": "Where."}, id="a class, for Sphinx"),
        pytest.param("Look.\n\nArgs:\n    city:\n        Where.", "Look.", {"city": "Where."}, id="nothing on its line"),
    ],
)  # fmt: skip
def test_what_else_is_written(text: str | None, about: str, names: dict[str, str]) -> None:
    described = read_docstring(text, NAMES)

    assert (about, names) == (described.about, dict(described.names))


@given(
    st.lists(st.sampled_from(["city", "days", ":", "-", "--", "Args:", ":param ", "(", ")", "\n", "    ", "words "]))
)
def test_whatever_is_written_it_is_read(pieces: list[str]) -> None:
    described = read_docstring("".join(pieces), NAMES)

    assert set(described.names) <= set(NAMES)
    assert all(described.names.values())
