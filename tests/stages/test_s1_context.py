from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import ContextSettings
from cadenza.stages.s1_context import assemble, context_items, fit, is_instruction
from cadenza.types import (
    Abilities,
    ContextItem,
    Line,
    Media,
    MediaKind,
    Note,
    Persona,
    Prompt,
    PromptTurn,
    Role,
    Scene,
    Sprite,
    Tag,
    Thinking,
    ToolSpec,
)
from tests.helpers import calls_of

REN = Persona("Ren", prompt="  You are kind.\n")
NOBODY = Persona("")
X, Y = (Media(MediaKind.IMAGE, "image/png", data=name) for name in (b"X", b"Y"))
UNIVERSAL = "<｜begin▁of▁sentence｜>"


def user(tag: Tag, *parts: str | Media, role: Role = Role.USER, speaker: str = "") -> ContextItem:
    return ContextItem(tag, parts, role, speaker)


def told(*items: ContextItem) -> Prompt:
    return assemble(Scene("general", NOBODY, context=items))


# --- the system text ------------------------------------------------------------------------------


def test_a_model_is_told_who_it_is() -> None:
    assert assemble(Scene("general", REN)).system == "You are Ren.\n\nYou are kind."


def test_a_persona_without_a_name_or_a_prompt_says_nothing() -> None:
    assert assemble(Scene("general", Persona(""))).system == ""


def test_what_seldom_changes_comes_first() -> None:
    persona = Persona("Ren", prompt="You are kind.", sprites=(Sprite("mad"), Sprite("glad")))

    system = assemble(Scene("general", persona, memories=("Alice likes tea", "Bob left"))).system

    assert system.split("\n\n") == [
        "You are Ren.",
        "You are kind.",
        "Begin a line with 'Ren (sprite): ' to show one of your sprites: mad, glad.",
        "You remember:\n- Alice likes tea\n- Bob left",
    ]


def test_what_else_there_is_to_know_finds_its_place_among_it() -> None:
    items = (
        user(Tag.SERVER_STICKERS, "stickers"),
        user(Tag.SERVER_INFO, "server"),
        user(Tag.INSTRUCTION, "rules", role=Role.SYSTEM),
        user(Tag.SERVER_MEMORIES, "and Bob came back"),
    )

    system = assemble(Scene("general", REN, memories=("Bob left",), context=items)).system

    assert system.split("\n\n") == [
        "rules",
        "You are Ren.",
        "You are kind.",
        "server",
        "You remember:\n- Bob left",
        "and Bob came back",
        "stickers",
    ]


@pytest.mark.parametrize(
    ("items", "system", "turns"),
    [
        pytest.param(
            (
                user(Tag.INSTRUCTION, "A", role=Role.SYSTEM),
                user(Tag.SERVER_INFO, "B"),
                user(Tag.HISTORY, "hi"),
            ),
            "A\n\nB",
            (PromptTurn.said(Role.USER, "hi"),),
            id="3.1 instructions are one text, a blank line between them",
        ),
        pytest.param(
            (user(Tag.USERS_IN_CONVERSATION, "U"),),
            "",
            (PromptTurn.said(Role.USER, "U", tag=Tag.USERS_IN_CONVERSATION),),
            id="3.2 who is there is a turn",
        ),
        pytest.param(
            (user(Tag.INSTRUCTION, "A", X, "B", role=Role.SYSTEM), user(Tag.SERVER_INFO, " \n"), user(Tag.PERSONALITY)),
            "A\nB",
            (),
            id="C-2 a line a part, media and what is empty left out",
        ),
        pytest.param(
            (user(Tag.CURRENT_CONTEXT, " "), user(Tag.HISTORY), user(Tag.HISTORY, "", X, " ")),
            "",
            (PromptTurn(Role.USER, (X,)),),
            id="C-3 what has no usable part disappears",
        ),
        pytest.param(
            (user(Tag.SERVER_INFO, "B", role=Role.MODEL), user(Tag.NOTE, "stand up", role=Role.SYSTEM)),
            "stand up",
            (PromptTurn.said(Role.MODEL, "B", tag=Tag.SERVER_INFO),),
            id="C-1 the role decides first",
        ),
        pytest.param(
            (user(Tag.NOTE, "be brief"), user(Tag.HISTORY, "hi"), user(Tag.CURRENT_CONTEXT, "noon")),
            "",
            (
                PromptTurn.said(Role.USER, "noon", tag=Tag.CURRENT_CONTEXT),
                PromptTurn.said(Role.USER, "hi"),
                PromptTurn.said(Role.USER, "be brief", tag=Tag.NOTE),
            ),
            id="what is stable first, directives last",
        ),
    ],
)
def test_what_there_is_to_know_is_an_instruction_or_a_turn(
    items: tuple[ContextItem, ...], system: str, turns: tuple[PromptTurn, ...]
) -> None:
    prompt = told(*items)

    assert (system, turns) == (prompt.system, prompt.turns)


@pytest.mark.parametrize("tag", Tag, ids=lambda tag: str(tag.name))
def test_one_predicate_says_what_is_an_instruction(tag: Tag) -> None:
    standing = {
        "system_humanizer_rules",
        "system_persona_prompt",
        "system_personality",
        "knowledge_server_info",
        "knowledge_server_emojis",
        "knowledge_server_stickers",
        "knowledge_server_memories",
    }

    assert is_instruction(user(tag, "x", role=Role.SYSTEM))
    assert (tag.value in standing) is is_instruction(user(tag, "x"))
    assert not is_instruction(user(tag, "x", role=Role.MODEL))


# --- the turns ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "turns"),
    [
        pytest.param((), (), id="silence"),
        pytest.param((Line("Alice", "hi"),), (PromptTurn.said(Role.USER, "Alice: hi"),), id="one line"),
        pytest.param((Line("", "hi"),), (PromptTurn.said(Role.USER, "hi"),), id="nobody in particular"),
        pytest.param(
            (Line("Alice", "hi"), Line("Ren", "hello", is_own=True)),
            (PromptTurn.said(Role.USER, "Alice: hi"), PromptTurn.said(Role.MODEL, "hello")),
            id="own words have no name in front",
        ),
        pytest.param(
            (Line("Alice", "hi"), Line("Bob", "yo"), Line("Ren", "a", is_own=True), Line("Ren", "b", is_own=True)),
            (PromptTurn(Role.USER, ("Alice: hi", "Bob: yo")), PromptTurn.said(Role.MODEL, "a\nb")),
            id="neighbours of a role are one turn, what others said a text a line",
        ),
        pytest.param(
            (Line("Alice", "hi"), Line("Ren", " \n", is_own=True), Line("Bob", "yo")),
            (PromptTurn(Role.USER, ("Alice: hi", "Bob: yo")),),
            id="blank lines do not count",
        ),
        pytest.param(
            (Line("Alice", "look", media=(X, Y)), Line("Bob", "", media=(X,)), Line("Bob", "nice")),
            (PromptTurn(Role.USER, ("Alice: look", X, Y, "Bob:", X, "Bob: nice")),),
            id="what was shown stands where it was shown, under the name of who did",
        ),
        pytest.param(
            (Line("Ren", "look", is_own=True, media=(X,)), Line("Ren", "nice?", is_own=True)),
            (PromptTurn(Role.MODEL, ("look", X)), PromptTurn.said(Role.MODEL, "nice?")),
            id="what the model showed ends its turn",
        ),
    ],
)
def test_what_was_said_becomes_turns(history: tuple[Line, ...], turns: tuple[PromptTurn, ...]) -> None:
    assert turns == assemble(Scene("general", REN, history)).turns


def test_samples_come_before_what_was_said_and_are_known_as_samples() -> None:
    scene = Scene(
        "general", REN, (Line("Alice", "hi"),), samples=(Line("Guest", "yo"), Line("Ren", "yes?", is_own=True))
    )

    assert assemble(scene).turns == (
        PromptTurn.said(Role.USER, "Guest: yo", tag=Tag.SAMPLE),
        PromptTurn.said(Role.MODEL, "yes?", tag=Tag.SAMPLE),
        PromptTurn.said(Role.USER, "Alice: hi"),
    )


@pytest.mark.parametrize(
    ("depth", "order"),
    [
        pytest.param(0, ["1", "2", "note"], id="at the very end"),
        pytest.param(1, ["1", "note", "2"], id="before the last line"),
        pytest.param(2, ["note", "1", "2"], id="before all of them"),
        pytest.param(99, ["note", "1", "2"], id="deeper than there are lines"),
        pytest.param(-1, ["1", "2", "note"], id="beyond the end"),
    ],
)
def test_a_note_stands_at_its_depth(depth: int, order: list[str]) -> None:
    lines = (Line("", "1"), Line("", " "), Line("", "2"))
    scene = Scene("general", NOBODY, lines, notes=(Note(" note ", depth), Note("\n", depth)))

    texts = "\n".join(turn.text for turn in assemble(scene).turns)

    assert [text.replace("note", "[Author's note: note]") for text in order] == texts.split("\n")


def test_notes_of_one_depth_keep_their_order_and_stand_before_the_last_directives() -> None:
    scene = Scene(
        "general", NOBODY, (Line("", "1"),), notes=(Note("a"), Note("b")), context=(user(Tag.NOTE, "directive"),)
    )

    assert ["1", "[Author's note: a]", "[Author's note: b]", "directive"] == [
        part for item in context_items(scene) for part in item.parts
    ]


def test_every_item_knows_what_it_is_and_who_it_is_from() -> None:
    scene = Scene("general", REN, (Line("Alice", "hi", message_id="7"),), notes=(Note("brief"),), memories=("tea",))

    assert [
        (Tag.PERSONA_PROMPT, Role.SYSTEM, "", ""),
        (Tag.PERSONA_PROMPT, Role.SYSTEM, "", ""),
        (Tag.SERVER_MEMORIES, Role.SYSTEM, "", ""),
        (Tag.HISTORY, Role.USER, "Alice", "7"),
        (Tag.NOTE, Role.USER, "", ""),
    ] == [(item.tag, item.role, item.speaker, item.message_id) for item in context_items(scene)]


# --- how the model is to answer --------------------------------------------------------------------


def test_tools_go_along() -> None:
    tool = ToolSpec("weather", "tells the weather", {})

    assert (tool,) == assemble(Scene("general", REN), [tool]).tools
    assert assemble(Scene("general", REN)).tools == ()


def test_the_words_put_into_the_models_mouth_are_in_the_prompt() -> None:
    assert "Sure, here" == assemble(Scene("c", Persona("Ren"), prefill="Sure, here \n")).prefill


@pytest.mark.parametrize(
    ("configured", "persona", "is_on", "stops"),
    [
        pytest.param(("###", "###", ""), " Mi\n ri ", True, ("###", "\nMi ri:", UNIVERSAL), id="3.8 most wanted first"),
        pytest.param((), "Ren", False, (UNIVERSAL,), id="3.9 nothing else"),
        pytest.param((), "", True, (UNIVERSAL,), id="nobody to stop at"),
        pytest.param((UNIVERSAL, "a"), "Ren", True, (UNIVERSAL, "a", "\nRen:"), id="configured and universal"),
        pytest.param(("\nRen:",), "Ren", True, ("\nRen:", UNIVERSAL), id="configured and the persona's"),
    ],
)
def test_where_to_stop_is_ordered_by_how_much_it_is_wanted(
    configured: tuple[str, ...], persona: str, *, is_on: bool, stops: tuple[str, ...]
) -> None:
    """The order is by priority, so that an API that takes few is given the configured ones (B40)."""
    settings = ContextSettings(stop_strings=configured)

    assert stops == assemble(Scene("c", Persona(persona)), settings=settings, stop_at_speaker=is_on).stop


def test_what_is_not_set_is_not_there() -> None:
    prompt = assemble(Scene("c", REN))

    assert ({}, Thinking.AUTO, 0, 0) == (
        dict(prompt.sampling),
        prompt.thinking,
        prompt.max_tokens,
        prompt.context_tokens,
    )


def test_what_is_set_is_there() -> None:
    settings = ContextSettings(
        context_tokens=8000,
        max_tokens=500,
        thinking="low",
        temperature=0.0,
        top_p=0.5,
        top_k=40,
        min_p=0.1,
        frequency_penalty=-1.0,
        presence_penalty=0.2,
        repetition_penalty=1.1,
    )

    prompt = assemble(Scene("c", REN), settings=settings)

    assert dict(prompt.sampling) == {
        "temperature": 0.0,
        "top_p": 0.5,
        "top_k": 40,
        "min_p": 0.1,
        "frequency_penalty": -1.0,
        "presence_penalty": 0.2,
        "repetition_penalty": 1.1,
    }
    assert (Thinking.LOW, 500, 8000, "Ren") == (
        prompt.thinking,
        prompt.max_tokens,
        prompt.context_tokens,
        prompt.speaker,
    )


# --- what holds for every scene --------------------------------------------------------------------

lines = st.lists(st.tuples(st.sampled_from(["", "Alice", "Bob"]), st.booleans(), st.sampled_from([(), (X,), (X, Y)])))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Scenes in which every line is another one."""
    history = tuple(
        Line(speaker, f"<{number}>", is_own=is_own, media=media)
        for number, (speaker, is_own, media) in enumerate(draw(lines))
    )
    notes = draw(st.lists(st.builds(Note, st.sampled_from(["n", ""]), st.integers(-1, 12)), max_size=3))
    tags = st.sampled_from(Tag)
    context = draw(st.lists(st.builds(user, tags, st.sampled_from(["k", " "]), role=st.sampled_from(Role)), max_size=6))
    return Scene("general", REN, history, notes=tuple(notes), context=tuple(context), prefill="So")


@given(scenes())
def test_every_line_is_told_once_and_in_order(scene: Scene) -> None:
    everything = "\n".join(turn.text for turn in assemble(scene).turns)

    places = [everything.index(line.text) for line in scene.history]
    assert sorted(places) == places
    assert all(everything.count(line.text) == 1 for line in scene.history)


@given(scenes())
def test_everything_that_was_shown_is_in_the_prompt(scene: Scene) -> None:
    shown = [part for line in scene.history for part in line.media]

    assert shown == [part for turn in assemble(scene).turns for part in turn.media]


@given(scenes())
def test_the_same_scene_gives_the_same_prompt(scene: Scene) -> None:
    assert assemble(scene) == assemble(replace(scene))


@given(scenes())
def test_no_instruction_is_left_among_the_turns(scene: Scene) -> None:
    assert {turn.role for turn in assemble(scene).turns} <= {Role.USER, Role.MODEL}
    assert all(turn.parts for turn in assemble(scene).turns)


@given(scenes(), st.integers(1, 5))
def test_what_is_added_to_the_end_leaves_the_beginning_as_it_was(scene: Scene, more: int) -> None:
    """A provider's cache holds as long as the beginning is the same."""
    scene = replace(scene, notes=(), context=())
    longer = replace(scene, history=scene.history + tuple(Line("Alice", f"more {number}") for number in range(more)))

    before, after = assemble(scene), assemble(longer)

    assert before.system == after.system
    assert before.turns[:-1] == after.turns[: max(0, len(before.turns) - 1)]


def test_a_long_history_costs_as_much_more_as_it_is_longer() -> None:
    short, long = (
        Scene("c", REN, tuple(Line("Alice", "hi", is_own=number % 2 == 1) for number in range(count)))
        for count in (300, 3000)
    )

    assert calls_of(lambda: assemble(long)) < 11 * calls_of(lambda: assemble(short))


def test_fitting_is_a_part_of_this_stage() -> None:
    prompt = assemble(Scene("c", REN, (Line("Alice", "hi"),)))

    assert prompt == fit(prompt, Abilities())
