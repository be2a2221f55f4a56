"""The terminal chat as it is shown: what happens in the world, in lines."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from cadenza.bot.demo_server import DemoServer
from cadenza.bot.terminal_view import View


def _seen(*, is_terminal: bool = False) -> tuple[DemoServer, View, io.StringIO]:
    demo_server, out = DemoServer("Mia"), io.StringIO()
    view = View(demo_server.world, out, {demo_server.general: ""}, me=demo_server.me.id, is_terminal=is_terminal)
    demo_server.world.listen(view.hear)
    return demo_server, view, out


def test_messages_replies_edits_reactions_and_deletions_are_shown_as_they_happen() -> None:
    demo_server, view, out = _seen()
    tom, general = demo_server.person("Tom"), demo_server.general

    first = tom.says(general, "hey\nyou")
    answer = demo_server.me.says(general, "what?", reply_to=first)
    tom.reacts(general, answer, "👋")
    demo_server.me.edits(general, answer, "what!")
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
    demo_server, _, out = _seen()
    direct = demo_server.direct(demo_server.me)

    demo_server.me.says(
        demo_server.general, f"<#{demo_server.general}>, <#{direct}>, <#1>, <t:1700000000:R>, <t:99999999999>"
    )

    day = f"{datetime.fromtimestamp(1700000000, UTC).astimezone():%Y-%m-%d %H:%M}"
    late = f"{datetime.fromtimestamp(99999999999, UTC).astimezone():%Y-%m-%d %H:%M}"
    assert f"Mia: #general, <#{direct}>, <#1>, {day}, {late}\n" == out.getvalue()


def test_only_channels_that_are_looked_at_are_shown() -> None:
    demo_server, view, out = _seen()
    direct = demo_server.direct(demo_server.me)

    demo_server.me.says(direct, "unseen")
    view.add(direct, "(in private) ")
    demo_server.me.says(direct, "seen")

    assert "(in private) Mia: seen\n" == out.getvalue()


def test_a_terminal_shows_who_writes_and_does_not_repeat_what_was_typed() -> None:
    demo_server, _, out = _seen(is_terminal=True)

    demo_server.me.says(demo_server.general, "typed here")
    demo_server.person("Tom").types(demo_server.general)
    typing = out.getvalue()
    demo_server.person("Tom").says(demo_server.general, "hey")

    assert "typed here" not in out.getvalue()
    assert typing.endswith("Tom typing …\x1b[0m > ")
    assert out.getvalue().endswith("\r\x1b[KTom: hey\n\r\x1b[K> ")


@pytest.mark.parametrize("text", ["x" * 100, "short"], ids=["long", "short"])
def test_what_is_gone_is_told_in_short(text: str) -> None:
    demo_server, _, out = _seen()
    tom = demo_server.person("Tom")

    tom.deletes(demo_server.general, tom.says(demo_server.general, text))

    assert len(out.getvalue().splitlines()[-1]) <= len("(deleted) ") + 40


def test_what_a_terminal_would_obey_is_shown_as_a_mark() -> None:
    demo_server, view, out = _seen()

    demo_server.person("Tom").says(demo_server.general, "\x1b[2Jgone\x07")
    view.tell("\x1b[31mred")

    assert "Tom: �[2Jgone�\n* �[31mred\n" == out.getvalue()


class _Gone(io.StringIO):
    def write(self, _text: str, /) -> int:
        raise BrokenPipeError


def test_a_reader_who_is_gone_disturbs_nobody_and_is_known() -> None:
    demo_server = DemoServer("Mia")
    view = View(demo_server.world, _Gone(), {demo_server.general: ""}, is_terminal=True)
    demo_server.world.listen(view.hear)

    demo_server.me.says(demo_server.general, "one")
    view.tell("two")
    view.end()

    assert isinstance(view.trouble, BrokenPipeError)
