"""Wrong use of ``say`` and ``reply``, refused in one sentence before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..concurrency.stops import StopHandle
from ..errors import CadenzaError, InputError, Sentence, SettingsError
from ..models.fallback import listed
from ..models.model import Model
from ..models.sdk_items import Shapes
from ..rules.rule import Rule
from ..settings import Settings
from ..targets.target import Limits
from ..types import ContextItem, Line, Note, Persona, Receipt, Roster, Scene
from .outbox.prepare import PostPreparer

# --- options ---------------------------------------------------------------------------


class _Kind(NamedTuple):
    """What an argument must be."""

    type: type
    wanted: str


_SETTINGS = _Kind(Settings, "Settings, such as Settings.of(degree=3)")
_SCENE = _Kind(Scene, "a Scene, such as Scene('general', Persona('Ren'))")
_PERSONA = _Kind(Persona, "a Persona, such as Persona('Ren')")
_STOP = _Kind(StopHandle, "a handle, such as Stops().open('turn')")
_PREPARER = _Kind(PostPreparer, "a PostPreparer")
_LINE = _Kind(Line, "a Line, such as Line('Mia', 'Hello')")
_OF_A_SCENE: Mapping[str, _Kind] = {
    "channel": _Kind(str, "the name or id of a channel, as text"),
    "persona": _PERSONA,
    "roster": _Kind(Roster, "a Roster"),
    "prefill": _Kind(str, "a text"),
}
_LISTS_OF_A_SCENE: Mapping[str, _Kind] = {
    "history": _LINE,
    "samples": _LINE,
    "memories": _Kind(str, "a text"),
    "context": _Kind(ContextItem, "a ContextItem"),
    "notes": _Kind(Note, "a Note, such as Note('It rains.')"),
}


def check_options(
    *,
    settings: object = None,
    stop: object = None,
    chance: object = None,
    preparer: object = None,
    trace: object = None,
    on_error: object = None,
    consent: object = None,
) -> None:
    """Refuse an option of a wrong type; ``None`` is always allowed."""
    _check("settings", settings, _SETTINGS, SettingsError)
    _check("stop", stop, _STOP)
    _check("preparer", preparer, _PREPARER)
    if chance is not None and (isinstance(chance, type) or not callable(getattr(chance, "random", None))):
        raise _wrong(chance, "chance", "a source of random numbers, such as random.Random(1)")
    for name, hook, wanted in (
        ("trace", trace, "a function that takes a fact"),
        ("on_error", on_error, "a function that takes an error"),
        ("consent", consent, "a function that answers whether a tool may run"),
    ):
        if hook is not None and not callable(hook):
            raise _wrong(hook, name, wanted)


def check_superseded(receipts: object) -> tuple[Receipt, ...]:
    """*receipts* as a tuple; anything but a list of receipts is refused."""
    held = tuple(receipts) if isinstance(receipts, Iterable) else (receipts,)
    if wrong := [one for one in held if not isinstance(one, Receipt)]:
        raise _wrong(wrong[0], "supersedes", "a list of receipts, as Reply.receipts")
    return held


def check_scene(scene: object) -> None:
    """Refuse a scene that is none, or that holds something else than it must; ``None`` is allowed."""
    if scene is None:
        return
    _check("scene", scene, _SCENE)
    for name, kind in _OF_A_SCENE.items():
        _check(f"the {name} of a scene", getattr(scene, name), kind, needed=True)
    for name, kind in _LISTS_OF_A_SCENE.items():
        held = getattr(scene, name)
        if not isinstance(held, list | tuple):
            raise _wrong(held, f"the {name} of a scene", "a list or tuple")
        for one in held:
            _check(f"each entry of the {name} of a scene", one, kind, needed=True)


def check_models(models: object) -> None:
    """Refuse what is no model and no list of models; an empty list asks none."""
    if isinstance(models, list | tuple) and not models:
        msg = "there is no model to ask; give a model of connect('openai:gpt-5.1'), or a list of at least one"
        raise InputError(msg)
    if isinstance(models, list | tuple) or not isinstance(models, Iterable):  # a generator is read once
        listed(models)


def check_persona(persona: object) -> None:
    """Refuse a persona that is none; ``None`` is allowed."""
    _check("persona", persona, _PERSONA)


def checked_rules(rules: object) -> tuple[type[Rule], ...]:
    """*rules* as a tuple; anything but a list of rule classes is refused."""
    wanted = "a list of rule classes, such as (*RULES, NoShouting)"
    if isinstance(rules, str | bytes | type) or not isinstance(rules, Iterable):
        raise _wrong(rules, "rules", wanted)
    held = tuple(rules)
    for rule in held:
        if not callable(rule):
            raise _wrong(rule, "rules", wanted)
    return held


def check_target(target: object) -> None:
    """Refuse what is no target: it has ``limits``, ``send`` and ``typing``."""
    has_methods = callable(getattr(target, "send", None)) and callable(getattr(target, "typing", None))
    if not has_methods or not isinstance(getattr(target, "limits", None), Limits) or isinstance(target, type):
        msg = Sentence(
            "a target needs 'limits', 'send' and 'typing'; {target_type} lacks them; CONTRIBUTING.md shows one",
            target_type=_kind_of(target),
        )
        raise InputError(msg)


def _check(
    name: str, value: object, kind: _Kind, error: type[CadenzaError] = InputError, *, needed: bool = False
) -> None:
    if isinstance(value, kind.type) or (value is None and not needed):
        return
    raise _wrong(value, name, kind.wanted, error)


def _wrong(value: object, name: str, wanted: str, error: type[CadenzaError] = InputError) -> CadenzaError:
    return error(Sentence("{name} must be {wanted}, not {given}", name=name, wanted=wanted, given=_kind_of(value)))


def _kind_of(value: object) -> str:
    """The type of *value*, not its text, which may be a misplaced secret."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


# --- streams ----------------------------------------------------------------------------


def check_stream(stream: object) -> None:
    """Refuse what cannot be a model's stream; what it yields is seen only when it is read."""
    if isinstance(stream, str):
        return
    check_fresh(stream)
    if isinstance(stream, Model):
        msg = "a model is asked by reply(scene, model, target); say takes the stream of its answer"
        raise InputError(msg)
    if isinstance(stream, list | tuple):
        _check_items(stream)
    elif is_single(stream):
        Shapes().check(stream)
    elif isinstance(stream, type) or not _is_readable(stream):
        advice = "call it first" if callable(stream) else "pass what the client returns"
        msg = Sentence(
            "a model's stream must be a text, an iterable or an async iterable, not {opened_type}; {advice}",
            opened_type=_kind_of(stream),
            advice=advice,
        )
        raise InputError(msg)


def check_fresh(stream: object) -> None:
    """Refuse a coroutine, a generator or a client's stream that is used up; it would look like an empty answer."""
    held = getattr(stream, "__dict__", {})
    response = held.get("response")
    parts = (stream, held.get("_iterator"))  # the streams of openai and anthropic hold a generator
    if any(_is_exhausted(part) for part in parts) or getattr(response, "is_closed", False) is True:
        msg = "this stream has been read already; ask the model again for a new one"
        raise InputError(msg)
    if any(getattr(stream, running, False) is True for running in ("ag_running", "gi_running")):
        msg = "this stream is being read elsewhere; ask the model again for another one"
        raise InputError(msg)


def is_single(opened: object) -> bool:
    """Whether *opened* is a single item although it is iterable: a text, or a response that was not streamed."""
    return isinstance(opened, str | bytes | bytearray | Mapping) or hasattr(type(opened), "model_dump")


def _check_items(items: Sequence[object]) -> None:
    """Refuse a list with items that no stream has, judged by the first of each type."""
    shapes, seen = Shapes(), set[type]()
    for item in items:
        if type(item) in seen:
            continue
        seen.add(type(item))
        if _is_message(item):
            msg = (
                "these are messages of a conversation, which a model is given, not the stream of its answer; "
                "pass what the client returns for them"
            )
            raise InputError(msg)
        shapes.check(item)


def _is_message(item: object) -> bool:
    """Whether *item* is a message of a history, such as ``{"role": "user", "content": "Hello"}``."""
    if isinstance(item, Mapping):
        return "role" in item and "content" in item and "type" not in item and "done" not in item
    return isinstance(item, Line)


def _is_readable(stream: object) -> bool:
    """Whether *stream* can be awaited, entered or iterated."""
    return any(hasattr(type(stream), way) for way in ("__await__", "__aenter__", "__enter__", "__aiter__", "__iter__"))


def _is_exhausted(part: object) -> bool:
    return any(getattr(part, frame, ...) is None for frame in ("cr_frame", "ag_frame", "gi_frame"))
