"""Drawn avatars: small pictures that others can read."""

from __future__ import annotations

import base64
import io

import pytest

from cadenza.play.server.drawn_avatars import PARROT, STARGAZER, Mood, drawn_avatar


@pytest.mark.parametrize("mood", Mood, ids=lambda mood: mood.value)
def test_a_face_is_a_small_png(mood: Mood) -> None:
    image = pytest.importorskip("PIL.Image")
    data = base64.b64decode(drawn_avatar(PARROT, mood).removeprefix("data:image/png;base64,"))

    picture = image.open(io.BytesIO(data))

    assert ("PNG", (64, 64)) == (picture.format, picture.size)
    assert PARROT.ground == picture.convert("RGB").getpixel((1, 1))
    assert PARROT.skin == picture.convert("RGB").getpixel((32, 20))
    assert len(data) < 2000


def test_no_two_faces_are_alike() -> None:
    avatars = [drawn_avatar(paint, mood) for paint in (PARROT, STARGAZER) for mood in Mood]

    assert len(avatars) == len(set(avatars))
