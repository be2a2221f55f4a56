"""What the playground shows: the channel, and the inside of a reply. The real bot, in a real browser."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.async_api import expect

from tests.browsing import Open, Snap
from tests.play.server.guest import Guest, arrives, asking, lines, play, said_so_far
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

ENDLESS = asking("endless")
TWO_STARS = "Star number 1.\nStar number 2.\n"
LOADED = "() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)"


async def test_one_talks_sees_who_types_and_messages_come_in_order(play: Play, window: Open, snap: Snap) -> None:
    play.set({"typing_least": 0.1, "typing_budget": 5.0})
    guest = await arrives(play, window)

    play.gate.hold_after("")
    await guest.page.get_by_role("button", name=asking("help")).click()
    await expect(guest.page.get_by_text("Cadenza is typing…")).to_be_visible()
    await expect(guest.contents).to_have_text([asking("help")])
    await play.gate.holds()
    play.gate.hold_after(f"{lines('help')[0]}\n")
    play.gate.let_on()
    await expect(guest.contents).to_have_text([asking("help"), lines("help")[0]])
    await expect(guest.page.get_by_text("Cadenza is typing…")).to_be_visible()
    await snap(guest.page)
    await play.gate.holds()
    play.gate.let_on()
    await expect(guest.contents).to_have_text([asking("help"), *lines("help")])
    await expect(guest.page.get_by_text("is typing")).to_be_hidden()


async def test_channels_are_answered_at_once_and_what_is_not_looked_at_is_unread(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    workshop = next(channel.id for channel in play.play_world.channels if channel.name == "workshop")

    await guest.listen(ENDLESS, TWO_STARS)
    await guest.enter("workshop")
    await guest.hear(asking("help"), 3, workshop)
    await expect(guest.contents).to_have_text([asking("help"), *lines("help")])
    play.gate.hold_after(TWO_STARS)
    play.gate.let_on()
    general = guest.page.get_by_role("button", name=re.compile(r"^general \d+ unread messages$"))
    await expect(general).to_be_visible()
    assert play.live.running_client.is_busy(play.general)
    await general.click()
    await guest.page.get_by_role("button", name="Stop the reply").click()
    await play.until(lambda: "Stopped." in play.answers())
    await play.quiet()

    said = play.answers()
    await expect(guest.contents).to_have_text([ENDLESS, *said])
    assert all(one.startswith("Star") or one == "Stopped." for one in said), "what is said elsewhere is not said here"


async def test_a_stop_in_the_middle_stops_and_nothing_comes_after(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    stop = guest.page.get_by_role("button", name="Stop the reply")
    stars = guest.contents.filter(has_text=re.compile(r"^Star"))
    ways = {
        "the button": (stop.click, ["Stopped."]),
        "the command": (partial(guest.say, "/stop"), ["Stopped."]),
        "the word": (partial(guest.say, "stop"), []),
    }

    for way, (stopped, answers) in ways.items():
        before, seen = len(play.answers()), await stars.count()
        await guest.listen(ENDLESS, TWO_STARS)
        await stopped()
        await play.until(lambda before=before, answers=answers: set(answers) <= {*play.answers()[before:]})
        await play.quiet()
        await expect(stop).to_be_hidden()
        said = play.answers()[before:]
        counted = [one for one in said if one.startswith("Star")]
        assert answers == [one for one in said if one not in counted], way
        assert 2 <= len(counted) < 260, way
        assert said_so_far("endless", counted), way
        await expect(stars).to_have_count(seen + len(counted))
    await guest.hear(asking("smile"), 1)
    await expect(guest.contents.last).to_have_text("Like this? That is another face of mine.")
    await expect(guest.panel.get_by_role("button", name=re.compile("^Cadenza, .* messages?, at"))).to_have_count(4)


async def test_a_follow_up_interrupts_and_is_answered_instead(play: Play, window: Open) -> None:
    guest = await arrives(play, window)

    await guest.listen(ENDLESS, TWO_STARS)
    await guest.say(asking("everyone"))
    await expect(guest.contents.last).to_have_text(lines("everyone")[-1])
    await play.quiet()

    texts = await guest.contents.all_inner_texts()
    asked = texts.index(asking("everyone"))
    assert all(text.startswith("Star") for text in texts[1:asked])
    assert lines("everyone") == [text for text in texts[asked + 1 :] if not text.startswith("Star")]
    assert "Star number 260." not in texts


async def _choose(guest: Guest, name: str) -> None:
    """Choose a shape, and wait until it holds."""
    async with guest.page.expect_response("**/api/settings"):
        await guest.page.get_by_role("radio", name=name).check()


async def test_another_shape_parts_the_next_reply_otherwise(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    first, *_ = lines("help")

    await guest.hear(asking("help"), 3)
    await guest.open("Settings")
    await _choose(guest, "a message a sentence")
    await guest.hear(asking("help"), 6)
    await expect(guest.contents.nth(5)).to_have_text(re.compile(first.split(". ")[0]))
    await _choose(guest, "one message at the end")
    await guest.hear(asking("help"), 1)
    await expect(guest.contents.last).to_contain_text(first)


async def test_a_message_tells_its_story_a_token_its_message_and_time_goes_back(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    page = guest.page
    await guest.hear(asking("help"), 3)

    await guest.messages.nth(2).click()
    await expect(guest.panel.get_by_role("heading", name="Message 2 of 3")).to_be_visible()
    await expect(guest.panel.get_by_text("It ends here because the line ends")).to_be_in_viewport()
    await guest.tokens.first.click()
    await expect(guest.panel.get_by_text("It went into message 1.")).to_be_visible()
    await expect(guest.messages.nth(1)).to_have_class(re.compile("is-marked"))
    await guest.panel.get_by_role("button", name="Open message 1").click()
    await expect(guest.panel.get_by_role("heading", name="Message 1 of 3")).to_be_visible()
    await expect(guest.messages.nth(1)).not_to_have_class(re.compile("is-marked"))
    await expect(guest.messages.nth(1)).to_have_class(re.compile("is-selected"))

    await page.get_by_role("button", name="Go to this moment").click()
    await expect(page.get_by_text("You are looking back.")).to_be_visible()
    await expect(guest.contents).to_have_text([asking("help"), lines("help")[0]])
    slider = page.get_by_role("slider", name="Time")
    await slider.press("Home")
    await expect(guest.messages).to_have_count(0)
    await page.get_by_role("button", name="Next event").click()
    await page.get_by_role("button", name="Back to live").click()
    await expect(guest.messages).to_have_count(4)
    await expect(page.get_by_text("You are looking back.")).to_be_hidden()


async def test_a_persona_has_a_name_a_face_and_another_face(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    stargazers = play.play_world.stargazers
    await guest.enter("stargazers")

    await guest.hear(asking("everyone"), 2, stargazers)
    await guest.hear(asking("smile"), 1, stargazers)
    ren = guest.messages.filter(has=guest.page.get_by_text("Ren", exact=True))
    faces = [await one.get_attribute("src") for one in await ren.locator("img").all()]

    await guest.page.wait_for_function(LOADED)
    assert 2 == len(set(faces)), "the one that smiles is another"


async def test_every_mood_is_seen_with_its_message_however_quickly_they_change(play: Play, window: Open) -> None:
    play.live.fault_controls.limit(5, 5.0)  # as on Discord, where a webhook may change its own face only now and then
    guest = await arrives(play, window)
    await guest.enter("stargazers")

    for _ in range(2):
        await guest.hear(asking("moods"), 3, play.play_world.stargazers)
    shown = guest.messages.locator("img.avatar")
    await expect(shown).to_have_count(6)
    faces = [await one.get_attribute("src") for one in await shown.all()]

    assert 3 == len(set(faces)), "calm, happy, awed"
    assert faces[:3] == faces[3:]
    await guest.page.wait_for_function(LOADED)
