from __future__ import annotations

from cadenza.sim.transcript import lines_of
from cadenza.sim.wire import File
from tests.sim.tearoom import Tearoom

GOLDEN = """\
Ada: Who makes the tea?
  🫖 2 soup 1
  ┌ Ada: Who makes the tea?
Cadenza [APP]: I do.
    Always.
Benny [edited]: No, I do!
Ren [APP]: In character
  ┃ Replying to Ada
  ┃ A title
  ┃ Two
  ┃ lines
  ┃ How: hot
  ┃ The end
  [cup.png, 3 bytes, A cup]
  [notes.txt, 2 bytes]
  (Stop) (Go on)
Cadenza [APP, silent]: Quietly
  ┌ (a message that was deleted)
Benny: What was that?
  ┌ Benny used /ask
Cadenza [APP]: (thinking …)
  ┌ Benny used /ask
Cadenza [APP, only one sees this]: psst
→ Ada started a thread: Aside
Ada: A question that is much longer than fits into a line
  ┌ Ada: A question that is much longer than fit…
Cadenza [APP]: Yes
(Benny is typing …)
(Cadenza is typing …)
"""


def told() -> Tearoom:
    """A room in which everything happens that can be seen."""
    room = Tearoom()
    world, channel = room.world, room.channel
    world.rename(room.guild, room.ben, "Benny")
    soup = world.add_emoji(room.guild, "soup")
    asked = room.ada.says(channel, "Who makes the tea?")
    room.sends("I do.\nAlways.", message_reference={"message_id": asked})
    room.ben.edits(channel, room.ben.says(channel, "No"), "No, I do!")
    for person, emoji in ((room.ada, "🫖"), (room.ben, "🫖"), (room.ben, f"soup:{soup}")):
        person.reacts(channel, asked, emoji)
    embed = {
        "author": {"name": "Replying to Ada"}, "title": "A title", "description": "Two\nlines",
        "fields": [{"name": "How", "value": "hot"}], "footer": {"text": "The end"},
    }  # fmt: skip
    buttons = [{"type": 2, "style": 1, "label": label, "custom_id": label} for label in ("Stop", "Go on")]
    payload = {
        "content": "In character", "username": "Ren", "embeds": [embed],
        "components": [{"type": 1, "components": buttons}],
        "attachments": [{"id": 0, "description": "A cup"}],
    }  # fmt: skip
    world.execute_webhook(*room.webhook(), payload, [File("cup.png", b"png"), File("notes.txt", b"hi")])
    room.sends("Quietly", flags=1 << 12)
    gone = room.ada.says(channel, "Oops")
    room.ben.says(channel, "What was that?", reply_to=gone)
    room.ada.deletes(channel, gone)
    _commands(room)
    world.add_thread(channel, "Aside")
    return room


def _commands(room: Tearoom) -> None:
    room.world.put_commands(room.bot.id, None, [{"name": "ask", "description": "Ask"}])
    for answer in ({"type": 5}, {"type": 4, "data": {"content": "psst", "flags": 64}}):
        interaction = room.ben.commands(room.channel, "ask")
        room.world.respond(interaction, room.events[-1].data["token"], answer)


def test_a_channel_is_shown_as_a_person_would_see_it() -> None:
    room = told()
    long = room.ada.says(room.channel, "A question that is much longer than fits into a line")
    room.sends("Yes", message_reference={"message_id": long})
    room.ben.types(room.channel)
    room.world.typing(room.bot.id, room.channel)

    assert GOLDEN == room.world.transcript(room.channel)


def test_nothing_is_shown_of_an_empty_channel() -> None:
    room = Tearoom()

    assert "" == room.world.transcript(room.channel)


def test_who_typed_long_ago_is_not_shown() -> None:
    room = Tearoom()
    room.ben.types(room.channel)
    room.time += 11

    assert "" == room.world.transcript(room.channel)


def test_in_direct_messages_people_have_their_own_names() -> None:
    room = Tearoom()
    room.world.rename(room.guild, room.ada, "Boss")
    direct = room.world.open_direct(room.bot, room.ada)
    room.ada.says(direct, "hi")

    assert "Ada: hi\n" == room.world.transcript(direct)


def test_a_layout_is_shown_part_by_part() -> None:
    again = {"type": 2, "style": 1, "label": "Again", "custom_id": "again"}
    row, text = {"type": 1, "components": [again]}, {"type": 10, "content": "Once\nmore?"}
    section = {"type": 9, "components": [text], "accessory": {**again, "label": "Now"}}
    room = Tearoom()
    room.ada.says(room.channel, "hi")
    [said] = room.world.messages(room.channel)

    lines = [*lines_of({**said, "components": [section, {"type": 17, "components": [text, row]}]}, {})]

    assert ["  Once", "  more?", "  (Now)", "  ┃ Once", "  ┃ more?", "  ┃ (Again)"] == lines[1:]
