"""Settings: one frozen class for each stage, read from files here alone.

The names are unique across all classes, so a setting can be given flat (``{"degree": 1}``) or under its section
(``{"delivery": {"degree": 1}}``); both mean the same.
The metadata of a field holds its description and its range. Checks and error messages are made from that, and a test
compares the tables in ``docs/pipeline/`` with it.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from .errors import Sentence, SettingsError

if TYPE_CHECKING:
    from .setting_values import SettingValues


def _setting(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    one_of: tuple[str, ...] = (),
    kind: type | None = None,
    is_secret: bool = False,
) -> Any:
    """A setting; *kind* is its type if the default is ``None``. One that *is_secret* is never shown."""
    metadata = {"about": about, "low": low, "high": high, "one_of": one_of, "kind": kind or type(default)}
    return field(default=default, metadata=metadata, repr=not is_secret)


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Stage 1: the prompt and the sampling parameters."""

    context_tokens: int = _setting(
        0,
        "tokens of the prompt, estimated, above which the oldest exchanges are left out; 0 is the model's "
        "known context size",
        low=0,
    )
    max_tokens: int = _setting(0, "tokens of the longest answer; 0 is the API's default", low=0)
    thinking: str = _setting(
        "auto",
        "how long the model thinks before it answers: 'auto' leaves it to the model",
        one_of=("auto", "none", "low", "medium", "high"),
    )
    stop_strings: tuple[str, ...] = _setting((), "texts at which the model stops")
    temperature: float | None = _setting(
        None, "how random the model's choice of words is", low=0.0, high=5.0, kind=float
    )
    top_p: float | None = _setting(
        None, "nucleus sampling: the share of likely words that the model chooses from", low=0.0, high=1.0, kind=float
    )
    top_k: int | None = _setting(None, "the number of likely words that the model chooses from", low=0, kind=int)
    min_p: float | None = _setting(
        None, "how likely a word must be, relative to the likeliest", low=0.0, high=1.0, kind=float
    )
    frequency_penalty: float | None = _setting(
        None, "penalty for words by how often they were said", low=-2.0, high=2.0, kind=float
    )
    presence_penalty: float | None = _setting(
        None, "penalty for words that were said at all", low=-2.0, high=2.0, kind=float
    )
    repetition_penalty: float | None = _setting(
        None, "divisor for words that were said", low=0.0, high=10.0, kind=float
    )


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Stage 2: requests to a model."""

    connect_timeout: float = _setting(30.0, "seconds to open a connection", low=0.001, high=600.0)
    proxy: str = _setting("", "address of a proxy for requests to models; empty is none", is_secret=True)
    headers: Mapping[str, str] | None = _setting(
        None, "headers that every request to a model carries", kind=Mapping, is_secret=True
    )
    private_addresses: bool = _setting(
        False, "whether a model or a picture may be fetched from a private address, such as a model on this machine"
    )
    media_bytes: int = _setting(
        20_000_000, "bytes of the largest picture or video that is fetched", low=1000, high=500_000_000
    )
    media_timeout: float = _setting(20.0, "seconds to fetch a picture or video", low=0.001, high=600.0)
    degrade_requests: int = _setting(
        12, "requests after which no further parameter is dropped to satisfy an API", low=1, high=50
    )
    degrade_seconds: float = _setting(60.0, "seconds after which no further parameter is dropped", low=0.0, high=3600.0)
    degrade_memory: float = _setting(
        3600.0, "seconds for which parameters that an API refused are remembered", low=0.0, high=1e6
    )


@dataclass(frozen=True, slots=True)
class BufferSettings:
    """Stage 5: when text is sent on."""

    overflow: int = _setting(1000, "characters after which prose without a line end is sent on", low=50, high=100_000)
    code_overflow: int = _setting(
        15_000, "characters after which a code block or a table is sent on in parts", low=200, high=1_000_000
    )
    hold: int = _setting(
        1950,
        "characters for which text waits for an opening mark to close; "
        "a quarter of them for a quote, a bracket, a backtick, a single star or underscore that did not close on its line",
        low=0,
        high=100_000,
    )
    overlap: bool = _setting(
        False,
        "whether the API repeats text that it has sent before; the overlap is then removed",
    )
    details: str = _setting(
        "hide",
        "what happens to a <details> block: it is remembered and not shown, or shown as a spoiler behind its summary",
        one_of=("hide", "spoiler"),
    )


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Stage 6: what is cleaned."""

    rules_off: tuple[str, ...] = _setting((), "names of rules that are switched off")
    use_emoji: bool = _setting(True, "whether emoji are shown; if not, all are removed")
    unknown_emoji: str = _setting(
        "keep", "what happens to a :shortcode: that the roster does not have", one_of=("keep", "strip")
    )
    emoji_lookback: int = _setting(5, "recent replies whose emoji are not used again; 0 allows all", low=0, high=100)
    unicode_spaces: bool = _setting(False, "whether a blank braille pattern (U+2800) becomes a space")
    sanitise: str = _setting(
        "",
        "words, separated by spaces, that are restored where a middle dot splits their letters; '*' is every word",
    )
    label_guard: bool = _setting(
        True,
        "whether a reply that opens as another speaker is retried or, if it cannot be, loses that label",
    )
    speaker_guard: bool = _setting(
        False,
        "whether a reply ends where the model begins to speak for another speaker",
    )
    show_prefill: bool = _setting(
        False,
        "whether people see the prefill; never if code or a hidden block begins in it",
    )
    tables: str = _setting(
        "picture",
        "how a table is shown: 'picture' if one can be made, else as 'text'; 'text' in columns or as a list; "
        "'source' as the model wrote it",
        one_of=("picture", "text", "source"),
    )
    table_fonts: tuple[str, ...] = _setting((), "font files for pictures of tables, tried before the system's own")
    math: str = _setting(
        "picture",
        "how a formula is shown: 'picture' if it stands on its own and one can be made, else as 'text'; "
        "'text' in Unicode, or as code; 'source' as the model wrote it",
        one_of=("picture", "text", "source"),
    )


_BEYOND_REFERENCE = (
    *("list_code", "long_fences", "thematic_breaks", "html_tags", "html_entities", "deep_headings"),
    *("task_lists", "footnotes", "reference_links", "images", "formulas"),
)
"""The rules that the reference does not have."""


class Manner(NamedTuple):
    """How a reply talks."""

    shape: str
    typing: bool
    casual: bool


_PRESETS = {
    None: Manner("blocks", typing=False, casual=False),
    0: Manner("reply", typing=False, casual=False),
    1: Manner("lines", typing=False, casual=False),
    2: Manner("lines", typing=True, casual=False),
    3: Manner("sentences", typing=True, casual=True),
}
"""What each degree stands for."""


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """Stage 7: how segments become messages."""

    degree: int | None = _setting(
        None,
        "a preset for shape, typing and casual: 0 is 'reply', 1 'lines', 2 'lines' with typing, 3 'sentences' with "
        "typing and casual",
        low=0,
        high=3,
        kind=int,
    )
    shape: str | None = _setting(
        None,
        "what becomes a message: 'reply' all of it, 'blocks' paragraphs and whole lists, 'lines' or 'sentences'; "
        "not set is as the degree says, or 'blocks'",
        one_of=("reply", "blocks", "lines", "sentences"),
        kind=str,
    )
    typing: bool | None = _setting(
        None,
        "whether messages have pauses as if someone were typing; not set is as the degree says, or false",
        kind=bool,
    )
    casual: bool | None = _setting(
        None,
        "whether prose looks typed in a hurry: lower case, fewer commas; not set is as the degree says, or false",
        kind=bool,
    )
    grouping: bool = _setting(
        True, "whether lists, quotes and verses stay whole, and headings with what follows, in every shape"
    )
    gather: int = _setting(
        1000, "characters up to which neighbouring blocks share a message, in the shape 'blocks'", low=0, high=100_000
    )
    limit: int | None = _setting(
        None,
        "the longest message, as the chat counts it; not set is what the target takes, 1950 for Discord",
        low=50,
        high=100_000,
        kind=int,
    )
    message_limit: int = _setting(0, "messages after which a reply is ended; 0 is no limit", low=0, high=10_000)
    flood_limit: int = _setting(
        200,  # as planned; with a rate limit about a quarter is sent, as the others are merged
        "messages after which any reply is ended, whatever else is set: a model may never stop",
        low=1,
        high=1_000_000,
    )
    when_full: str = _setting(
        "file",
        "what happens to a reply that needs more messages: 'file' sends the rest as a file, where the target "
        "takes files, and is otherwise 'notice', which ends the reply and says that there is more; 'stop' "
        "ends it silently",
        one_of=("file", "notice", "stop"),
    )
    code_file: int = _setting(
        4, "messages from which a code block becomes a file, where the target takes files; 0 is never", low=0, high=1000
    )
    mention_people: int = _setting(
        10, "different people that one reply may ping, where the chat can; 0 is none", low=0, high=100
    )
    mention_roles: bool = _setting(
        False, "whether it may ping roles too; @everyone and @here never ping, whatever is set"
    )
    mention_author: bool = _setting(False, "whether the reply pings the person whose message it answers")
    silent: bool = _setting(False, "whether messages arrive without a notification, where the chat can do that")
    suppress_embeds: bool = _setting(False, "whether links stay without a preview, where the chat shows one")
    notices: str = _setting(
        "embed",
        "how a notice of more than one line is shown where the chat has boxes: 'embed' as a box, 'text' as small print",
        one_of=("embed", "text"),
    )
    seed: int = _setting(0, "seed of the dice for typing pauses and for what is casual", low=0)
    typing_speed: float = _setting(0.010, "seconds of typing per character", low=0.0, high=10.0)
    typing_least: float = _setting(0.75, "the shortest time for typing one message, in seconds", low=0.0, high=60.0)
    typing_most: float = _setting(4.0, "the longest time for typing one message, in seconds", low=0.0, high=600.0)
    typing_budget: float = _setting(20.0, "seconds of typing that one reply may spend in all", low=0.0, high=3600.0)
    typing_tail: float = _setting(
        1.5, "seconds of typing that are left once the model has finished", low=0.0, high=3600.0
    )
    thinking_chance: float = _setting(0.25, "how often a pause becomes longer, as if thinking", low=0.0, high=1.0)

    @property
    def manner(self) -> Manner:
        """The shape, typing and casual in effect: what is set, and otherwise what the degree says."""
        shape, typing, casual = _PRESETS[self.degree]
        return Manner(
            self.shape or shape,
            typing if self.typing is None else self.typing,
            casual if self.casual is None else self.casual,
        )


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """Stage 4 and the shell around it."""

    on_stop: str = _setting(
        "silence",
        "what is still sent after a stop: 'silence' is nothing, 'clause' at most the clause that comes next",
        one_of=("silence", "clause"),
    )
    first_timeout: float = _setting(
        300.0, "seconds without a first word after which a model counts as stalled", low=0.001
    )
    idle_timeout: float = _setting(
        120.0, "seconds without another word after which a model counts as stalled", low=0.001
    )
    queue: int = _setting(8, "messages that may wait to be sent before reading from the model pauses", low=1, high=1000)
    turn_timeout: float = _setting(
        1800.0, "seconds after which a reply is ended, with all its tools and fallbacks", low=0.001
    )
    tool_rounds: int = _setting(100, "how often a model may be asked in one reply with tools", low=1, high=1000)
    tool_notice: int = _setting(20, "rounds with tools after which people are told that it takes longer", low=1)
    tool_failures: int = _setting(5, "failed tool calls in a row after which a reply is given up", low=1)
    tool_timeout: float = _setting(300.0, "timeout of a tool, in seconds; the model is told", low=0.001)
    tool_result_limit: int = _setting(
        20_000, "characters of a tool's result above which its middle is left out", low=200, high=10_000_000
    )
    show_errors: str = _setting(
        "friendly",
        "what people are told when a reply fails: 'friendly' one sentence for anybody, 'details' all that is known, "
        "for operators, 'off' nothing",
        one_of=("friendly", "details", "off"),
    )


@dataclass(frozen=True, slots=True)
class FallbackSettings:
    """Around the stages: retries, keys and fallback models."""

    key_attempts: int = _setting(3, "keys that are tried for one model", low=1, high=100)
    rate_limit_cooldown: float = _setting(
        60.0,
        "cooldown of a rate-limited key, in seconds, if its provider names none; doubled each time in a row",
        low=0.0,
        high=86_400.0,
    )
    error_cooldown: float = _setting(
        300.0,
        "cooldown of a key that was rejected or has no credit, in seconds; doubled each time in a row",
        low=0.0,
        high=86_400.0,
    )
    longest_cooldown: float = _setting(
        3600.0, "the longest cooldown of a key, whatever its provider asks for, in seconds", low=0.0, high=86_400.0
    )
    model_retries: int = _setting(
        1, "how often a model that is overloaded or did not answer is retried", low=0, high=10
    )
    retry_delay: float = _setting(
        1.0, "seconds before a model is asked again; a provider may ask for more", low=0.0, high=600.0
    )
    retry_wait: float = _setting(
        10.0, "the longest wait before a retry that a provider may ask for, in seconds", low=0.0, high=3600.0
    )
    empty_retries: int = _setting(2, "how often a model that said nothing is retried", low=0, high=10)
    empty_drop: int = _setting(
        2, "exchanges of the history left out each time a model had no room for an answer", low=0, high=100
    )
    random_model: bool = _setting(False, "whether a random one of the models is asked first")
    show_fallback: bool = _setting(True, "whether people are told that another model answered")


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """Around a reply: who is answered in a channel, and when."""

    waiting: int = _setting(10, "messages that may wait in the queue of a channel", low=0, high=1000)
    waiting_age: float = _setting(300.0, "seconds after which a queued message is no longer answered", low=0.001)
    debounce: float = _setting(
        0.0, "seconds in which messages of one person are collected and answered together; 0 answers at once", low=0.0
    )
    interrupts: int = _setting(
        3, "how often in a row a further message of the same person interrupts a reply; then it waits", low=0
    )
    stop_phrases: bool = _setting(
        True, "whether a short message such as 'stop' from the person being answered ends a reply"
    )
    rerun_seconds: float = _setting(
        5.0, "seconds in which an edited message is answered again; 0 leaves the answer as it is", low=0.0
    )
    stale_timeout: float = _setting(
        180.0, "seconds without progress after which a turn is given up for the next one", low=0.001
    )
    stop_grace: float = _setting(
        10.0, "seconds that a turn has to finish once it was asked to stop; then it is cancelled", low=0.0
    )
    shutdown_grace: float = _setting(10.0, "seconds that running replies have to finish at a shutdown", low=0.0)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings together."""

    context: ContextSettings = field(default_factory=ContextSettings)
    http: HttpSettings = field(default_factory=HttpSettings)
    buffer: BufferSettings = field(default_factory=BufferSettings)
    rules: RuleSettings = field(default_factory=RuleSettings)
    delivery: DeliverySettings = field(default_factory=DeliverySettings)
    turn: TurnSettings = field(default_factory=TurnSettings)
    fallback: FallbackSettings = field(default_factory=FallbackSettings)
    channel: ChannelSettings = field(default_factory=ChannelSettings)

    @classmethod
    def of(cls, **values: Unpack[SettingValues]) -> Settings:
        """The settings that differ from the defaults only in *values*: ``Settings.of(degree=1)``."""
        return cls().with_values(values)

    @classmethod
    def reference(cls, **values: Unpack[SettingValues]) -> Settings:
        """The settings under which lines and sentences become messages one by one, as in the reference."""
        plain = {"degree": 2, "grouping": False, "typing_tail": 3600.0, "rules_off": _BEYOND_REFERENCE}
        return cls().with_values(plain).with_values(values)

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        """Read settings from a TOML file, flat or by section."""
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            msg = Sentence("the settings file {path} is not valid TOML: {error}", path=repr(str(path)), error=error)
            raise SettingsError(msg) from None
        except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
            msg = Sentence(
                "cannot read the settings file {path}: {error}",
                path=repr(str(path)),
                error=getattr(error, "strerror", None) or error,
            )
            raise SettingsError(msg) from None
        return cls().with_values(values)

    def with_values(self, values: Mapping[str, object]) -> Settings:
        """These settings with *values*, flat or by section; an unknown or invalid one raises ``SettingsError``."""
        changes: dict[str, dict[str, object]] = {}
        for section, name, value in _flat(values):
            owner, spec = _find(section, name)
            changes.setdefault(owner, {})[name] = _checked(name, value, spec)
        delivery = changes.get("delivery", {})
        if delivery.get("degree") is not None:  # a preset replaces what was set before
            delivery |= {name: delivery.get(name) for name in Manner._fields}
        sections = {owner: replace(getattr(self, owner), **changed) for owner, changed in changes.items()}
        return replace(self, **sections)


def from_environment(names: Sequence[str]) -> str:
    """The first non-empty environment variable of *names*; empty if there is none."""
    return next((value for name in names if (value := os.environ.get(name, "").strip())), "")


def given(words: Sequence[str]) -> dict[str, object]:
    """Settings from a command line, ``name=value`` each; a value is TOML, or else a text."""
    values: dict[str, object] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            msg = Sentence("a setting is given as name=value, not {word}", word=_shown(word))
            raise SettingsError(msg)
        try:
            read = tomllib.loads(f"value = {value}")
        except (tomllib.TOMLDecodeError, RecursionError):
            read = {}
        values[name.strip()] = read["value"] if read.keys() == {"value"} else value
    return values


def settings_fields() -> Iterator[tuple[str, Field[Any]]]:
    """Every setting with its section, in order."""
    for section in fields(Settings):
        for spec in fields(section.default_factory):  # type: ignore[arg-type]  # each factory is a settings class
            yield section.name, spec


def _flat(values: Mapping[str, object]) -> Iterator[tuple[str | None, str, object]]:
    sections = {section.name for section in fields(Settings)}
    for name, value in values.items():
        if name in sections:
            if not isinstance(value, Mapping):
                msg = Sentence(
                    "the section {name} must hold settings, not {value}", name=repr(name), value=_shown(value)
                )
                raise SettingsError(msg)
            for inner, inner_value in value.items():
                yield name, inner, inner_value
        else:
            yield None, name, value


@cache
def _known(section: str | None) -> Mapping[str, tuple[str, Field[Any]]]:
    """The settings of *section*, or all, by name; cached, because every turn looks one up."""
    found = {spec.name: (owner, spec) for owner, spec in settings_fields() if section in (None, owner)}
    return MappingProxyType(found)


def _find(section: str | None, name: str) -> tuple[str, Field[Any]]:
    known = _known(section)
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = (
        Sentence("did you mean {close}?", close=repr(close[0]))
        if close
        else Sentence("known are {names}.", names=", ".join(known))
    )
    msg = (
        Sentence(
            "unknown setting {name} in the section {section}; {hint}", name=repr(name), section=repr(section), hint=hint
        )
        if section
        else Sentence("unknown setting {name}; {hint}", name=repr(name), hint=hint)
    )
    raise SettingsError(msg)


def _checked(name: str, value: object, spec: Field[Any]) -> object:
    wanted = spec.metadata["kind"]
    if value is None and spec.default is None:
        return None
    shown = _shown(value) if spec.repr else type(value).__name__
    if wanted is Mapping:
        if isinstance(value, Mapping) and all(isinstance(word, str) for pair in value.items() for word in pair):
            return MappingProxyType(dict(value))
        raise _wrong(name, "a table of texts", shown)
    if wanted is tuple and isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if wanted is float and type(value) is int:
        value = float(value) if abs(value) < 10**15 else inf
    if type(value) is not wanted:
        raise _wrong(name, _range_complaint(value, spec) if spec.metadata["one_of"] else _WANTED[wanted], shown)
    if complaint := _range_complaint(value, spec):
        raise _wrong(name, complaint, shown)
    return value


_WANTED: Mapping[type, str] = MappingProxyType(
    {int: "a whole number", float: "a number", str: "a text", bool: "true or false", tuple: "a list of texts"}
)


def _wrong(name: str, wanted: str, shown: str) -> SettingsError:
    msg = "the setting {name} must be {wanted}, not {shown}"
    return SettingsError(Sentence(msg, name=repr(name), wanted=Sentence(wanted), shown=shown))


def _range_complaint(value: Any, spec: Field[Any]) -> str:
    one_of, low, high = (spec.metadata[key] for key in ("one_of", "low", "high"))
    if one_of:
        return "" if value in one_of else Sentence("one of {choices}", choices=", ".join(map(repr, one_of)))
    # A NaN compares false with everything, so it is refused too.
    if (low is None or value >= low) and (high is None or value <= high):
        return ""
    if high is None:
        return Sentence("at least {low}", low=low)
    return Sentence("between {low} and {high}", low=low, high=high)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
