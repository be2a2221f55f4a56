from __future__ import annotations

from itertools import pairwise

import pytest

from cadenza.text.spans import SpanKind
from cadenza.text.survey import survey
from tests.helpers import calls_of

EMPHASIS, ENCLOSED, LINK, CODE, URL, TAG = SpanKind


def test_lines_and_sentences_are_both_found_beside_spans() -> None:
    text = "? ok. <@1> 「はい。」 , 今日は。 \n <@1> x"
    found = survey(text, sentence_ends=True)

    assert ([4, 22], [24]) == (list(found.sentence_ends), list(found.line_ends))


def test_a_stop_on_the_next_line_ends_a_sentence() -> None:
    text = "Hello\n. bye"

    assert [(5,), (6,)] == [survey(text).line_ends, survey(text, sentence_ends=True).sentence_ends]


def test_b12_a_line_end_in_a_span_is_no_line_end() -> None:
    text = 'a "b\nc" d\n(e\nf)\ng'

    assert [text[:end] for end in survey(text).line_ends] == ['a "b\nc" d', 'a "b\nc" d\n(e\nf)']


def test_b11_a_stop_in_a_span_ends_no_sentence() -> None:
    text = 'She said "stop. now" ok. See [the. docs](e. x) now. Fine'

    assert [text[:end] for end in survey(text, sentence_ends=True).sentence_ends] == [
        'She said "stop. now" ok',
        'She said "stop. now" ok. See [the. docs](e. x) now',
    ]


def test_a_survey_is_in_order() -> None:
    spans = survey("**a (b)** `c` [d](e) http://f.g <@1>").spans

    assert [span.kind for span in spans] == [EMPHASIS, ENCLOSED, CODE, LINK, URL, TAG]
    assert all(first.start <= second.start for first, second in pairwise(spans))


@pytest.mark.parametrize(
    "unit", ["\n", "(a ", "*a **b ", '"a ', "`a ", "[a](b ", "<a ", "||a ", "a_b ", "`a` ", "http://"]
)
def test_b40_the_work_grows_with_the_text_and_not_faster(unit: str) -> None:
    """Law 4: each character is looked at once."""
    text = unit * (12_000 // len(unit))

    assert calls_of(lambda: survey(text * 4)) < 4.4 * calls_of(lambda: survey(text)) + 2000
