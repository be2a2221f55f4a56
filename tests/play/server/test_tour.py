"""The tour: what its captions say is so, at that moment, in both languages."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pytest

from cadenza.play.films.film import Film
from cadenza.play.server.tour import LABELS, STORIES, ShownStory, shown, story_of
from cadenza.play.server.tour_texts import ANSWERS
from cadenza.sim.wire import Json

BOTH = ("en", "ja")
EVERY = [(story.id, language) for story in STORIES for language in BOTH]
READING = 2.5
"""Seconds that a caption stands, at the least."""
HIDDEN = re.compile(r"<think>.*?</think>", re.DOTALL)
UNSEEN = re.compile(r"```(?:python)?|^\|[^|].*\|$|:wave:|Ren(?: \([^)]*\))?:|\s", re.MULTILINE)
"""What is not to be seen as it was written: fences, rows of tables, which become pictures, names in front."""
every_story = pytest.mark.parametrize(("id_", "language"), EVERY)
both_languages = pytest.mark.parametrize("language", BOTH)


@cache
def told(id_: str, language: str) -> ShownStory:
    """A story as it is shown; it is filmed once."""
    story = story_of(id_)
    assert story is not None
    return shown(story, language)


def said(film: Film, until: float = float("inf")) -> list[str]:
    """What can be read of the bot by then: its messages, as they were edited."""
    texts: dict[str, str] = {}
    for record in film.records:
        message: Json = record.about.get("message") or {}
        if record.at <= until and record.kind in ("message", "changed") and message["author"]["is_bot"]:
            texts[message["id"]] = message["content"]
    return list(texts.values())


def seen(text: str) -> str:
    """What of *text* people are to see as it stands."""
    return UNSEEN.sub("", HIDDEN.sub("", text))


def caption(id_: str, language: str, words: str) -> float:
    """When it is said that *words*."""
    return next(float(one["at"]) for one in told(id_, language).captions if words in one["en"])


def test_there_are_five_stories_with_titles_of_their_own() -> None:
    assert 5 == len(STORIES) == len({story.id for story in STORIES})
    for language in BOTH:
        assert (
            5 == len({story.title[language] for story in STORIES}) == len({story.about[language] for story in STORIES})
        )
    assert story_of("nobody told it") is None


@every_story
def test_each_caption_has_its_moment_in_order_and_long_enough_to_be_read(id_: str, language: str) -> None:
    story, told_ = story_of(id_), told(id_, language)
    assert story is not None

    assert [one.words["en"] for one in story.captions] == [one["en"] for one in told_.captions]
    times = [float(one["at"]) for one in told_.captions]
    assert 0.0 == times[0]
    assert max(film.as_json()["seconds"] for film in told_.films) == times[-1], "the last one is due, and seen"
    assert [] == [pair for pair in pairwise(times) if pair[1] - pair[0] < READING]


@every_story
def test_a_story_takes_about_a_minute_at_most(id_: str, language: str) -> None:
    assert 20 < max(film.seconds for film in told(id_, language).films) < 65


@every_story
def test_a_story_is_the_same_each_time(id_: str, language: str) -> None:
    story = story_of(id_)
    assert story is not None

    assert told(id_, language) == shown(story, language)


@pytest.mark.parametrize(("id_", "language"), [one for one in EVERY if one[0] not in ("stop", "thoughts")])
def test_cadenza_loses_nothing_and_says_nothing_twice(id_: str, language: str) -> None:
    emoji = re.compile(r"<:wave:\d+>")
    arrived = emoji.sub("", "\n".join(said(told(id_, language).films[1])))

    assert seen(ANSWERS[id_][language]) == seen(arrived)


@both_languages
def test_the_usual_bot_cuts_the_code_and_cadenza_does_not(language: str) -> None:
    usual, ours = (said(film) for film in told("code", language).films)

    assert 2 == len(usual)
    assert 1 == usual[0].count("```") == usual[1].count("```"), "a block that is not closed, and one not opened"
    assert "|---|" in usual[1]
    assert all(text.count("```") % 2 == 0 for text in ours)
    assert not any("|---|" in text for text in ours)
    again = [text for text in ours if text.startswith("```python\n")]
    assert 2 == len(again)
    opened = caption("code", language, "opened again")
    assert again[1] in said(told("code", language).films[1], opened + 0.001)


@both_languages
def test_the_code_is_being_held_when_that_is_said(language: str) -> None:
    film, at = told("code", language).films[1], caption("code", language, "“Held”")
    holds = [
        one.about["about"]["why"] for one in film.of_kind("fact") if one.about["fact"] == "text_held" and one.at <= at
    ]

    assert "code" == holds[-1]


@both_languages
def test_thoughts_leak_from_the_usual_bot_only(language: str) -> None:
    secret, other = ("surprise", "Mia:") if language == "en" else ("サプライズ", "ミア:")
    usual, ours = told("thoughts", language).films

    assert secret in said(usual, caption("thoughts", language, "the surprise"))[0]
    assert other in said(usual)[0]
    assert not any(word in text for text in said(ours) for word in (secret, other, "<think>", "Ren:"))
    kept, cut = HIDDEN.sub("", ANSWERS["thoughts"][language]).split(other)[0], "".join(said(ours))
    assert seen(kept) == seen(cut), "all that was said before somebody else was spoken for"


@both_languages
def test_everyone_is_mentioned_by_the_usual_bot_only(language: str) -> None:
    at = caption("thoughts", language, "“@everyone”")
    usual, ours = (
        [one.about["message"] for one in film.records if one.kind in ("message", "changed") and one.at <= at]
        for film in told("thoughts", language).films
    )

    assert any("@everyone" in message["content"] for message in ours)
    assert "everyone" in usual[-1]["pings"]
    assert not any("everyone" in message["pings"] for message in ours)


@both_languages
def test_limits_and_lost_answers_end_the_usual_bot_and_not_cadenza(language: str) -> None:
    usual, ours = told("limits", language).films
    last = ANSWERS["limits"][language].splitlines()[-1]

    assert last not in "".join(said(usual))
    assert usual.seconds < caption("limits", language, "the reply ended there")
    assert last == said(ours)[-1]
    calls = [(one.at, one.about["status"]) for one in ours.of_kind("call")]
    assert [429, None] == [status for _, status in calls if status in (429, None)]
    lost = next(at for at, status in calls if status is None)
    assert lost == pytest.approx(caption("limits", language, "a response was lost here"), abs=0.1)
    assert any("\n" in text for text in said(ours)), "lines that waited go out together"


@both_languages
def test_the_usual_bot_goes_on_after_the_stop_and_cadenza_ends_with_a_whole_clause(language: str) -> None:
    usual, ours = told("stop", language).films
    at = caption("stop", language, "says stop")

    assert ours.seconds - at < 1.0
    assert said(ours)[-1].endswith((".", ",", "。", "、"))
    assert "".join(ANSWERS["stop"][language].split()).startswith("".join("".join(said(ours)).split()))
    assert usual.seconds - at > 15.0
    goes_on = caption("stop", language, "it goes on")
    assert len(said(usual, at)[0]) < len(said(usual, goes_on)[0]) < len(said(usual)[0])


@both_languages
def test_each_sprite_has_a_face_of_its_own_and_the_usual_bot_reads_the_directions_out(language: str) -> None:
    usual, ours = told("sprites", language).films
    messages = [one.about["message"] for one in ours.of_kind("message")]
    faces = [
        one["author"]["avatar"] for one in messages if one["author"]["is_bot"] and (one["content"] or one["files"])
    ]

    assert 4 == len(set(faces)), "calm, thinking, happy, sleepy"
    assert faces[0] == faces[-1] != faces[3]
    assert all(face.startswith("data:image/png") for face in faces)
    assert "Ren (" in said(usual)[0]
    assert not any("Ren" in text for text in said(ours))


def test_the_second_side_is_ours() -> None:
    assert ["A usual bot", "Cadenza"] == [label["en"] for label in LABELS]
