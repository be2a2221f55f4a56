"""The nouns of the Discord API: where webhooks are, and what never shows."""

from __future__ import annotations

import pytest

from cadenza.targets.discord.api import ApiError, Place, PlaceKind, Webhook


@pytest.mark.parametrize(
    ("place", "webhook_channel", "thread"),
    [
        (Place("1", PlaceKind.CHANNEL), "1", None),
        (Place("2", PlaceKind.THREAD, parent="1"), "1", "2"),
        (Place("3", PlaceKind.FORUM), "3", None),
        (Place("4", PlaceKind.DIRECT), None, None),
    ],
    ids=["channel", "thread", "forum", "direct messages"],
)
def test_a_place_knows_whose_webhooks_it_has(place: Place, webhook_channel: str | None, thread: str | None) -> None:
    assert (webhook_channel, thread) == (place.webhook_channel, place.thread)


def test_the_token_of_a_webhook_is_not_shown() -> None:
    assert "secret" not in repr(Webhook("1", "secret", "2"))


def test_an_error_says_by_default_that_discord_has_refused_and_nothing_more() -> None:
    error = ApiError("Discord refused.")
    assert ("Discord refused.", None, None, False, False) == (
        str(error),
        error.status,
        error.code,
        error.is_ambiguous,
        error.is_ban,
    )
