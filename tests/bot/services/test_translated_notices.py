from __future__ import annotations

import pytest

from cadenza.bot.services.languages import catalogue, languages
from cadenza.bot.services.translated_notices import reworded
from cadenza.errors import ErrorKind, ProviderError
from cadenza.replies.notices import TEXTS, failed, fell_back, still_working
from cadenza.types import Broke, Empty, Failure, Notice, Stalled, Stopped, StopReason, Urgency

OTHERS = [language for language in languages() if language != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_every_notice_of_the_pipeline_is_in_the_catalogue(language: str) -> None:
    own = {text for name, text in TEXTS.items() if name.endswith((".title", ".text")) or name.startswith("tip.")}

    assert set() == own - set(catalogue(language))


@pytest.mark.parametrize(
    ("notice", "text"),
    [
        (failed(Empty("stop"), model="openai:gpt-5.1"), "gpt-5.1` は何度尋ねても"),
        (failed(Stalled(has_begun=True), model="openai:gpt-5.1"), "gpt-5.1` は返事の途中で黙りました。"),
        (failed(Stopped(StopReason.TIME_LIMIT), model="m"), "返事が許された時間を超えた"),
        (still_working(7), "ツールを 7 回使いました。"),
        (fell_back([Failure("a:b", Empty("stop"))], "c:d"), "の代わりに"),
    ],
)
def test_a_notice_is_said_in_another_language_with_its_values(notice: Notice | None, text: str) -> None:
    assert notice is not None
    other = reworded(notice, "ja")

    assert text in other.text
    assert notice.title != other.title
    assert notice.urgency is other.urgency
    assert len(notice.tips) == len(other.tips)
    assert not set(notice.tips) & set(other.tips)
    assert notice == reworded(notice, "en")


def test_what_others_said_stays_as_they_said_it() -> None:
    error = ProviderError("the model is overloaded; try again later", kind=ErrorKind.OVERLOADED)
    notice = failed(Broke(error), model="m")
    assert notice is not None
    other = reworded(notice, "ja")

    assert (notice.text, "混み合っています") == (other.text, other.title)
    unknown = Notice("Nobody knows this.", Urgency.INFO)
    assert unknown == reworded(unknown, "ja")
