"""Stage 1: a scene in, a prompt out. Tells the model who it is, where it is and what was said.

``assemble`` builds a prompt for no particular model; ``fit`` adapts it to one model and its API. Parts that seldom
change come first, so that the provider can cache them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType

from ..settings import ContextSettings
from ..text.units import WHITESPACE
from ..types import (
    ContextItem,
    Line,
    Media,
    Note,
    Part,
    Persona,
    Prompt,
    PromptTurn,
    Role,
    Scene,
    Tag,
    Thinking,
    ToolSpec,
)
from .s1_fit import fit, speaker_stop
from .s1_parts import together

__all__ = ["assemble", "context_items", "fit", "is_instruction"]

_INSTRUCTION_TAGS = frozenset(
    {
        Tag.HUMANIZER_RULES,
        Tag.PERSONA_PROMPT,
        Tag.PERSONALITY,
        Tag.SERVER_INFO,
        Tag.SERVER_EMOJI,
        Tag.SERVER_STICKERS,
        Tag.SERVER_MEMORIES,
    }
)
"""Tags that are instructions even in the role of a user."""
_PLACE = {tag: place for place, tag in enumerate(Tag)}
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
)
_UNIVERSAL_STOPS = ("<｜begin▁of▁sentence｜>",)
"""Stop strings for every model, that no real answer contains: DeepSeek's mark of a new text."""


def assemble(
    scene: Scene,
    tools: Sequence[ToolSpec] = (),
    settings: ContextSettings | None = None,
    *,
    stop_at_speaker: bool = False,
) -> Prompt:
    """Build the prompt for *scene*; with *stop_at_speaker*, the model stops where it would speak a second time."""
    settings = settings or ContextSettings()
    items = context_items(scene)
    name = scene.persona.name
    return Prompt(
        system=_system(item for item in items if is_instruction(item)),
        turns=_turns(item for item in items if not is_instruction(item)),
        tools=tuple(tools),
        sampling=_sampling(settings),
        stop=_stops(settings, name if stop_at_speaker else ""),
        prefill=scene.prefill.rstrip(WHITESPACE),
        thinking=Thinking(settings.thinking),
        max_tokens=settings.max_tokens,
        speaker=name,
        context_tokens=settings.context_tokens,
    )


def is_instruction(item: ContextItem) -> bool:
    """Whether *item* is a standing instruction; everything else is a turn of the conversation."""
    return item.role is Role.SYSTEM or (item.role is Role.USER and item.tag in _INSTRUCTION_TAGS)


def context_items(scene: Scene) -> tuple[ContextItem, ...]:
    """Everything a model is told about *scene*, in order.

    That is the order of the tags. What was said comes oldest first, with each note at its depth; other notes come last.
    """
    told = [*_self(scene.persona), *_remembered(scene.memories), *scene.context, *_lines(scene.samples, Tag.SAMPLE)]
    told.sort(key=lambda item: _PLACE[item.tag])
    before = (item for item in told if item.tag is not Tag.NOTE)
    after = (item for item in told if item.tag is Tag.NOTE)
    return (*before, *_with_notes(list(_lines(scene.history, Tag.HISTORY)), scene.notes), *after)


# --- collecting the items -------------------------------------------------------


def _self(persona: Persona) -> Iterator[ContextItem]:
    if persona.name:
        yield _instruction(Tag.PERSONA_PROMPT, f"You are {persona.name}.")
    if prompt := persona.prompt.strip():
        yield _instruction(Tag.PERSONA_PROMPT, prompt)
    if persona.sprites:
        names = ", ".join(sprite.name for sprite in persona.sprites)
        text = f"Begin a line with '{persona.name} (sprite): ' to show one of your sprites: {names}."
        yield _instruction(Tag.PERSONALITY, text)


def _remembered(memories: Sequence[str]) -> Iterator[ContextItem]:
    if memories:
        yield _instruction(Tag.SERVER_MEMORIES, "You remember:\n" + "\n".join(f"- {memory}" for memory in memories))


def _instruction(tag: Tag, text: str) -> ContextItem:
    return ContextItem(tag, (text,), Role.SYSTEM)


def _lines(lines: Iterable[Line], tag: Tag) -> Iterator[ContextItem]:
    """What was said and shown; a line with neither is dropped."""
    for line in lines:
        parts = (*((line.text,) if line.text.strip() else ()), *line.media)
        if parts:
            role = Role.MODEL if line.is_own else Role.USER
            yield ContextItem(tag, parts, role, line.speaker, line.message_id)


def _with_notes(lines: list[ContextItem], notes: Sequence[Note]) -> Iterator[ContextItem]:
    at: dict[int, list[ContextItem]] = {}
    for note in notes:
        if text := note.text.strip():
            place = len(lines) - min(max(note.depth, 0), len(lines))
            at.setdefault(place, []).append(ContextItem(Tag.NOTE, (f"[Author's note: {text}]",)))
    for place, line in enumerate(lines):
        yield from at.get(place, ())
        yield line
    yield from at.get(len(lines), ())


# --- turning items into turns ------------------------------------------------------


def _system(items: Iterable[ContextItem]) -> str:
    """Instructions, with a blank line between them; their media are dropped."""
    texts = ("\n".join(part for part in item.parts if isinstance(part, str)) for item in items)
    return "\n\n".join(text for text in texts if text.strip())


def _turns(items: Iterable[ContextItem]) -> tuple[PromptTurn, ...]:
    """One turn per run of items that belong together; lines of other people stay separate texts in it."""
    runs: list[list[ContextItem]] = []
    for item in items:
        if not _usable(item):
            continue
        if runs and _goes_on(runs[-1][-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return tuple(PromptTurn(_role(run[0]), _parts(run), tag=run[0].tag) for run in runs)


def _parts(run: Sequence[ContextItem]) -> tuple[Part, ...]:
    parts = tuple(part for item in run for part in together(_labelled(item)))
    return together(parts) if _role(run[0]) is Role.MODEL else parts


def _goes_on(before: ContextItem, item: ContextItem) -> bool:
    """Whether *item* belongs into one turn with *before*.

    Media that a model has shown are told after its turn (see ``fit``), so nothing is put between the two.
    """
    if _role(before) is not _role(item) or before.tag is not item.tag:
        return False
    return item.role is not Role.MODEL or not any(isinstance(part, Media) for part in before.parts)


def _role(item: ContextItem) -> Role:
    return Role.MODEL if item.role is Role.MODEL else Role.USER


def _usable(item: ContextItem) -> tuple[Part, ...]:
    return tuple(part for part in item.parts if isinstance(part, Media) or part.strip())


def _labelled(item: ContextItem) -> tuple[Part, ...]:
    """The parts of *item*, with the speaker's name in front unless it is the model itself."""
    parts = _usable(item)
    if item.role is Role.MODEL or not item.speaker:
        return parts
    first = parts[0]
    if isinstance(first, str):
        return (f"{item.speaker}: {first}", *parts[1:])
    return (f"{item.speaker}:", *parts)


# --- stop strings --------------------------------------------------------------------


def _sampling(settings: ContextSettings) -> MappingProxyType[str, float]:
    values = ((name, getattr(settings, name)) for name in _SAMPLING)
    return MappingProxyType({name: value for name, value in values if value is not None})


def _stops(settings: ContextSettings, speaker: str) -> tuple[str, ...]:
    """Stop strings, the most important first: an API that takes few drops the last ones."""
    wanted = (*settings.stop_strings, speaker_stop(speaker), *_UNIVERSAL_STOPS)
    return tuple(dict.fromkeys(text for text in wanted if text))
