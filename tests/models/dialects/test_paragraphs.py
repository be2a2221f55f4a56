from __future__ import annotations

import pytest

from cadenza.models.dialects.paragraphs import Paragraphs


@pytest.mark.parametrize(
    ("paragraphs", "said"),
    [
        pytest.param([["One."], ["Two."]], "One.\n\nTwo.", id="two"),
        pytest.param([["On", "e."], ["Tw", "o."]], "One.\n\nTwo.", id="in pieces"),
        pytest.param([[], [], ["One."]], "One.", id="nothing before"),
        pytest.param([["One."], [], ["Two."]], "One.\n\nTwo.", id="nothing between"),
        pytest.param([["One.\n"], ["Two."]], "One.\nTwo.", id="white space before"),
        pytest.param([["One."], [" Two."]], "One. Two.", id="white space behind"),
        pytest.param([["One."], ["Two."], ["Three."]], "One.\n\nTwo.\n\nThree.", id="three"),
    ],
)
def test_paragraphs_are_kept_apart(paragraphs: list[list[str]], said: str) -> None:
    words = Paragraphs()
    heard = ""
    for pieces in paragraphs:
        words.begin()
        heard += "".join(map(words.add, pieces))

    assert said == heard
