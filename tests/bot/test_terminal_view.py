"""The terminal chat as it is shown: what happens in the world, in lines."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from cadenza.bot.demo_server import DemoServer
from cadenza.bot.terminal_view import View


def _seen(*, is_terminal: bool = False) -> tuple[DemoServer, View, io.StringIO]:
    scenery, out = DemoServer("Mia"), io.StringIO()
    view = View(scenery.world, out, {scenery.general: ""}, me=scenery.me.id, is_terminal=is_terminal)
    scenery.world.listen(view.hear)
    return scenery, view, out


def test_messages_replies_edits_reactions_and_deletions_are_shown_as_they_happen() -> None:
    scenery, view, out = _seen()
    tom, general = scenery.person("Tom"), scenery.general

    first = tom.says(general, "hey\nyou")
    answer = scenery.me.says(general, "what?", reply_to=first)
    tom.reacts(general, answer, "👋")
    scenery.me.edits(general, answer, "what!")
    tom.deletes(general, first)
    view.tell("one\ntwo")
    view.end()

    assert out.getvalue() == (
        "Tom: hey\n"
        "    you\n"
        "  ┌ Tom: hey you\n"
        "Mia: what?\n"
        "(Tom reacted with 👋) Mia: what?\n"
        "  ┌ Tom: hey you\n"
        "Mia [edited]: what!\n"
        "  👋 1\n"
        "(deleted) Tom: hey\n"
        "* one\n"
        "* two\n"
    )


def test_channels_and_times_are_shown_as_people_read_them() -> None:
    scenery, _, out = _seen()
    direct = scenery.direct(scenery.me)

    scenery.me.says(scenery.general, f"<#{scenery.general}>, <#{direct}>, <#1>, <t:1700000000:R>, <t:99999999999>")

    day = f"{datetime.fromtimestamp(1700000000, UTC).astimezone():%Y-%m-%d %H:%M}"
    late = f"{datetime.fromtimestamp(99999999999, UTC).astimezone():%Y-%m-%d %H:%M}"
    assert f"Mia: #general, <#{direct}>, <#1>, {day}, {late}\n" == out.getvalue()


def test_only_channels_that_are_looked_at_are_shown() -> None:
    scenery, view, out = _seen()
    direct = scenery.direct(scenery.me)

    scenery.me.says(direct, "unseen")
    view.add(direct, "(in private) ")
    scenery.me.says(direct, "seen")

    assert "(in private) Mia: seen\n" == out.getvalue()


def test_a_terminal_shows_who_writes_and_does_not_repeat_what_was_typed() -> None:
    scenery, _, out = _seen(is_terminal=True)

    scenery.me.says(scenery.general, "typed here")
    scenery.person("Tom").types(scenery.general)
    typing = out.getvalue()
    scenery.person("Tom").says(scenery.general, "hey")

    assert "typed here" not in out.getvalue()
    assert typing.endswith("Tom typing …\x1b[0m > ")
    assert out.getvalue().endswith("\r\x1b[KTom: hey\n\r\x1b[K> ")


@pytest.mark.parametrize("text", ["x" * 100, "short"], ids=["long", "short"])
def test_what_is_gone_is_told_in_short(text: str) -> None:
    scenery, _, out = _seen()
    tom = scenery.person("Tom")

    tom.deletes(scenery.general, tom.says(scenery.general, text))

    assert len(out.getvalue().splitlines()[-1]) <= len("(deleted) ") + 40


def test_what_a_terminal_would_obey_is_shown_as_a_mark() -> None:
    scenery, view, out = _seen()

    scenery.person("Tom").says(scenery.general, "\x1b[2Jgone\x07")
    view.tell("\x1b[31mred")

    assert "Tom: �[2Jgone�\n* �[31mred\n" == out.getvalue()


class _Gone(io.StringIO):
    def write(self, _text: str, /) -> int:
        raise BrokenPipeError


def test_a_reader_who_is_gone_disturbs_nobody_and_is_known() -> None:
    scenery = DemoServer("Mia")
    view = View(scenery.world, _Gone(), {scenery.general: ""}, is_terminal=True)
    scenery.world.listen(view.hear)

    scenery.me.says(scenery.general, "one")
    view.tell("two")
    view.end()

    assert isinstance(view.trouble, BrokenPipeError)
