from __future__ import annotations

import dataclasses
from typing import get_args

import pytest

from cadenza import types
from cadenza.types import Attachment, Boundary, Ending, Persona, Post, Prompt, Roster, Scene, Segment, Usage

NOUNS = [noun for noun in vars(types).values() if isinstance(noun, type) and dataclasses.is_dataclass(noun)]


def test_there_are_nouns_to_look_at() -> None:
    assert {"Scene", "Prompt", "TextDelta", "Segment", "Post", "Receipt", "Reply"} <= {noun.__name__ for noun in NOUNS}


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: str(noun.__name__))
def test_every_noun_is_frozen_and_slotted(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(noun)


def test_a_noun_cannot_be_changed_but_replaced() -> None:
    segment = Segment("a", Boundary.FINAL)

    with pytest.raises(dataclasses.FrozenInstanceError):
        segment.text = "b"  # type: ignore[misc]

    assert Segment("b", Boundary.FINAL) == dataclasses.replace(segment, text="b")


@pytest.mark.parametrize(
    "mapping",
    [
        pytest.param(Roster().mentions, id="mentions"),
        pytest.param(Roster().emoji, id="emoji"),
        pytest.param(Roster().personas, id="personas"),
        pytest.param(Prompt("", ()).sampling, id="sampling"),
    ],
)
def test_a_default_mapping_that_all_share_cannot_be_written_to(mapping: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        mapping["x"] = "y"


@pytest.mark.parametrize(
    ("why", "boundary"),
    [
        pytest.param(Ending.FINAL, Boundary.FINAL, id="final"),
        pytest.param(Ending.TOOL_CALL, Boundary.TOOL_CALL, id="tool call"),
        pytest.param(Ending.STOP, Boundary.FINAL, id="stop"),
    ],
)
def test_every_ending_names_the_boundary_of_the_last_segment(why: Ending, boundary: Boundary) -> None:
    assert boundary is why.boundary


def test_the_usage_of_rounds_adds_up() -> None:
    assert Usage(11, 7) == Usage(10, 4) + Usage(1, 3)
    assert Usage(3, 2) == Usage() + Usage(3, 2)


def test_a_post_has_no_pause_and_answers_nothing_unless_told() -> None:
    post = Post("hi", Boundary.FINAL)

    assert (post.pause, post.reply, post.identity, post.label) == (0.0, None, None, "")


@pytest.mark.parametrize(
    ("post", "is_painted"),
    [
        pytest.param(Post("", Boundary.FINAL, picture="| a |", source="| a |"), True, id="a picture"),
        pytest.param(Post("See:", Boundary.FINAL, picture="| a |", source="See:\n| a |"), True, id="with its lead-in"),
        pytest.param(Post("", Boundary.FINAL, source=""), False, id="a further part of it"),
        pytest.param(Post("", Boundary.FINAL), False, id="a file"),
        pytest.param(Post("", Boundary.FINAL, source="words"), False, id="the rest of a reply"),
    ],
)
def test_a_post_with_a_file_and_the_source_of_a_picture_shows_it(post: Post, *, is_painted: bool) -> None:
    post = dataclasses.replace(post, attachment=Attachment("table.png", b"x"))

    assert is_painted is post.shows_source
    assert not dataclasses.replace(post, attachment=None).shows_source


def test_a_scene_needs_only_a_channel_and_a_persona() -> None:
    scene = Scene("general", Persona("Ren"))

    assert ((), Roster(), None) == (scene.history, scene.roster, scene.reply_to)


def test_the_unions_name_what_can_happen() -> None:
    assert set(get_args(types.Chunk)) < set(get_args(types.RoundEvent))
    assert {"StopRequested", "FellSilent", "SendFailed"} == {
        event.__name__ for event in set(get_args(types.RoundEvent)) - set(get_args(types.Chunk))
    }
    assert {"Completed", "NeedsTools", "Stopped", "Broke", "Empty", "Stalled"} == {
        outcome.__name__ for outcome in get_args(types.Outcome)
    }
