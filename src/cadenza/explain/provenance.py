"""Which of the model's words went where: into which segment, through which rules, into which message.

Every character, except white space, is followed from its chunk to its message. If a stage changes a text, the result is
aligned with the input (``text.alignment``), and each new character inherits a part of the old ones. So nothing is lost
or counted twice. A trace is read once, from its first step to its last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..text.alignment import aligned, rewritten, squeezed
from .step_words import number_of, numbers_of, text_of, texts_of
from .steps import TraceStep
from .text_origins import TextOrigins

_ROOM = 512
"""How much longer what a message is made of may be than the message, besides twice its length."""
_CRUMB = 16
"""So much at the end of a message may have been left out without being the beginning of another."""


@dataclass(frozen=True, slots=True)
class Weave:
    """A text on its way, without white space, and which of the model's characters it is made of."""

    text: str
    cuts: Sequence[int]
    """Where in ``owned`` the share of each character begins; and, last, where that of the last one ends."""
    owned: Sequence[int]
    """Which characters of the model these are, counted from its first."""

    def parted(self, place: int) -> tuple[Weave, Weave]:
        """What stands before *place*, and the rest."""
        cut = self.cuts[place]
        rest = [share - cut for share in self.cuts[place:]]
        return (
            Weave(self.text[:place], self.cuts[: place + 1], self.owned[:cut]),
            Weave(self.text[place:], rest, self.owned[cut:]),
        )

    def rewritten(self, text: str) -> Weave:
        """The same, now saying *text*: all of it is in there."""
        if text == self.text:
            return self
        cuts = [self.cuts[cut] for cut in rewritten(self.text, text)]
        return Weave(text, [*cuts[:-1], len(self.owned)], self.owned)

    def followed_by(self, owned: Sequence[int]) -> Weave:
        """The same, with *owned* in it as well, of which nothing is to be seen."""
        both = [*self.owned, *owned]
        return Weave(self.text, [*self.cuts[:-1], len(both)], both)

    def beginning(self, text: str) -> int:
        """How much of it *text* shows that was made of its beginning; all, if that cannot be said."""
        found = aligned(self.text, text)
        return found.cuts[-1] if text and found.is_good else len(self.text)


def joined(weaves: Iterable[Weave]) -> Weave:
    """*weaves* as one."""
    texts: list[str] = []
    cuts: list[int] = [0]
    owned: list[int] = []
    for weave in weaves:
        cuts[-1:] = [len(owned) + cut for cut in weave.cuts]
        owned += weave.owned
        texts.append(weave.text)
        cuts[-1] = len(owned)
    return Weave("".join(texts), cuts, owned)


@dataclass(slots=True, eq=False)
class _Thread:
    """A text between the buffer and a message, and the numbers of the segments it was made of."""

    numbers: tuple[int, ...]
    weave: Weave
    last_post: int | None = None
    """Which message was made of what stood before it."""


class _Threads:
    """All texts that have left the buffer and are no message yet, in their order, by the numbers of their segments."""

    def __init__(self) -> None:
        self._of: dict[int, list[_Thread]] = {}

    def add(self, number: int, weave: Weave) -> None:
        self._of.setdefault(number, []).append(_Thread((number,), weave))

    def of(self, numbers: Iterable[int], most: int | None = None) -> list[_Thread]:
        """What was made of the segments with *numbers*; the first, if *most* characters are enough."""
        found: dict[int, _Thread] = {}
        size = 0
        for number in numbers:
            for thread in self._of.get(number, ()):
                if id(thread) not in found:
                    found[id(thread)] = thread
                    size += len(thread.weave.text)
            if most is not None and size > most:
                break
        return list(found.values())

    def replace(self, threads: Sequence[_Thread], weaves: Iterable[Weave], last_post: int | None = None) -> None:
        """Put *weaves* where *threads* were."""
        gone = {id(thread) for thread in threads}
        numbers = tuple(dict.fromkeys(number for thread in threads for number in thread.numbers))
        made = [_Thread(numbers, weave, last_post) for weave in weaves]
        for number in numbers:
            here = self._of[number]
            place = next(index for index, thread in enumerate(here) if id(thread) in gone)
            rest = [*here[:place], *made, *(thread for thread in here[place:] if id(thread) not in gone)]
            if rest:
                self._of[number] = rest
            else:
                del self._of[number]

    def take_all(self) -> list[_Thread]:
        """Everything; nothing is left."""
        threads = self.of(self._of)
        self._of.clear()
        return threads


@dataclass(slots=True)
class Provenance:
    """Follows one reply. ``feed`` is given every step but those that say of a message that it was sent."""

    heard: TextOrigins = field(default_factory=TextOrigins)
    fates: list[tuple[Sequence[int], str]] = field(default_factory=list)
    """What became of characters that are in no message, and is not told yet; whoever tells it clears the list."""
    segments: dict[int, Sequence[int]] = field(default_factory=dict)
    """Of which segments each post was really made; one that gathers is told with all of which it may be made."""
    _threads: _Threads = field(default_factory=_Threads)
    _torn: list[int] = field(default_factory=list)  # the segments of a message of which something is left
    _posts: dict[int, Weave] = field(default_factory=dict)
    _withdrawn: set[int] = field(default_factory=set)
    _is_halted: bool = False

    def feed(self, step: TraceStep) -> None:
        """Take *step* in."""
        about = step.about
        if step.step == "halt":
            self._is_halted = True
        elif step.step != "post":
            self._mend()
        match step.step:
            case "reply":
                settings = about.get("settings")
                self.heard.repeats = isinstance(settings, Mapping) and settings.get("overlap") is True
            case "chunk":
                if about.get("kind") == "text":
                    self._lose(self.heard.add(text_of(about, "text"), step.at), "dropped")
            case "aside":
                fate = "details" if about.get("kind") == "details" else "thought"
                self._lose(self.heard.hide(fate, text_of(about, "text")), fate)
            case "segment":
                self._segment(int(number_of(about, "number")), text_of(about, "text"))
            case "rule":
                self._rule(about)
            case "post":
                is_text = not about.get("file") and not about.get("picture")  # what it does not say is in the file
                self._post(
                    int(number_of(about, "number")), numbers_of(about, "segments"), text_of(about, "text") * is_text
                )
            case _:
                self._feed_later(step)

    def _feed_later(self, step: TraceStep) -> None:
        """Take a *step* in that comes behind the planning."""
        about = step.about
        match step.step:
            case "left_out":
                self._lose_posts(numbers_of(about, "posts"), "dropped")
            case "cut":
                self._lose_posts(numbers_of(about, "dropped"), "cut")
            case "unsent":
                self._lose_posts(numbers_of(about, "posts"), "cut")
            case "withdrawn":
                self._withdrawn.update(numbers_of(about, "posts"))
            case "brought_back":
                self._withdrawn.difference_update(numbers_of(about, "posts"))
            case "try":
                self._is_halted = False
            case "round":
                outcome = about.get("outcome")
                kind = outcome.get("kind") if isinstance(outcome, Mapping) else ""
                self._lose_rest("dropped" if kind in ("completed", "empty") and not self._is_halted else "cut")
            case "end":
                self._lose_rest("cut")
                self._lose_posts(sorted(self._withdrawn), "dropped")
                self._lose_posts([*self._posts], "cut")

    def sent(self, posts: Sequence[int], text: str, *, is_whole: bool) -> Sequence[int]:
        """Which characters are in the message that was made of *posts*; one that *is_whole* leaves nothing of them."""
        self._mend()
        weave = joined(self._posts.pop(number) for number in posts if number in self._posts)
        shown = len(weave.text) if is_whole else weave.beginning(squeezed(text))
        if len(weave.text) - shown <= _CRUMB:
            return weave.owned
        said, rest = weave.parted(shown)
        self._posts[posts[-1]] = rest  # as when a table could not be painted, and is several messages
        return said.owned

    def ranges(self, owned: Iterable[int]) -> list[list[int]]:
        """Where *owned* stand in the model's text: neighbours together, in UTF-16 units."""
        return self.heard.ranges(sorted(owned))

    # --- on the way ------------------------------------------------------------------------

    def _segment(self, number: int, text: str) -> None:
        found = self.heard.take(squeezed(text))
        self._lose(found.passed, "dropped")
        self._lose(found.hidden, "thought")
        if found.text or found.owned:
            self._threads.add(number, Weave(found.text, found.cuts, found.owned))

    def _rule(self, about: Mapping[str, object]) -> None:
        effect = about.get("effect")
        after = [*filter(None, map(squeezed, texts_of(about, "after")))]
        if effect in ("held", "released") or (effect == "failed" and not after):
            return
        before = [*filter(None, map(squeezed, texts_of(about, "before")))]
        threads = _those_that_say(before, self._threads.of(numbers_of(about, "segments")))
        if not threads:
            return
        if not after:
            self._lose(joined(thread.weave for thread in threads).owned, "dropped")
            self._threads.replace(threads, ())
            return
        rest = joined(thread.weave for thread in threads).rewritten("".join(after))
        made: list[Weave] = []
        for text in after[:-1]:
            first, rest = rest.parted(len(text))
            made.append(first)
        self._threads.replace(threads, [*made, rest])

    def _post(self, number: int, segments: Sequence[int], text: str) -> None:
        text = squeezed(text)
        threads = self._threads.of(segments, 2 * len(text) + _ROOM if text else None)
        whole = joined(thread.weave for thread in threads)
        left = end = whole.beginning(text) if text else len(whole.text)  # a picture or a file shows all of it
        used: dict[int, None] = {}
        for thread in threads:
            size = len(thread.weave.text)
            used |= dict.fromkeys(thread.numbers if left > 0 else ())
            if size <= left:
                self._threads.replace([thread], ())
            elif left > 0:
                self._threads.replace([thread], thread.weave.parted(left)[1:], number)
                self._torn = [*thread.numbers]
            left -= size
        self.segments[number] = [*used]
        weave = whole.parted(end)[0] if end < len(whole.text) else whole
        self._posts[number] = weave.rewritten(text) if text else weave

    def _mend(self) -> None:
        """What is left of the text of a message, now that it is certain that no other is made of it, belongs to it."""
        if not self._torn:
            return
        for thread in self._threads.of(self._torn):
            number = thread.last_post
            if number is None:
                continue
            self._threads.replace([thread], ())
            if self._is_halted or number not in self._posts:
                self._lose(thread.weave.owned, "cut")
            else:
                self._posts[number] = self._posts[number].followed_by(thread.weave.owned)
        self._torn = []

    # --- what is in no message -------------------------------------------------------------

    def _lose(self, owned: Sequence[int], fate: str) -> None:
        if owned:
            self.fates.append((owned, fate))

    def _lose_posts(self, numbers: Iterable[int], fate: str) -> None:
        for number in numbers:
            if number in self._posts:
                self._lose(self._posts.pop(number).owned, fate)

    def _lose_rest(self, fate: str) -> None:
        """Nothing more comes of what is no message yet."""
        for thread in self._threads.take_all():
            self._lose(thread.weave.owned, fate)
        self._lose(self.heard.take_rest(), fate)


def _those_that_say(texts: Sequence[str], threads: Sequence[_Thread]) -> Sequence[_Thread]:
    """The first of *threads* in a row that say *texts*; all, if there are none."""
    words = [thread.weave.text for thread in threads]
    for place in range(len(words) - len(texts) + 1):
        if words[place : place + len(texts)] == [*texts] and texts:
            return threads[place : place + len(texts)]
    return threads
