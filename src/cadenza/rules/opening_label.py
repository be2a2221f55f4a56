"""Notice when a reply opens as another speaker, ``Chris (smug): bro``, before it is sent.

If the model can be asked again, the reply ends here; otherwise the label is removed. With a modifier in brackets the
name only has to look like one. Without, it must be a name in the scene, because much besides speakers precedes a colon.
A label in front of a list or a score, ``Bob: 12 points``, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..text.labels import BLANK, BRACKETED, MACRO, after_white, any_of, before_space, label
from ..text.names import normalised
from ..text.units import WHITESPACE
from ..types import Edit, Halt, Kind, Segment, StopReason
from .rule import Rule, RuleContext
from .speakers import others, participants

_ANYBODY = label(rf"(?=[^{WHITESPACE}])(?P<name>[^()（）:：\r\n]{{1,80}}?)(?:{BLANK}*+{BRACKETED})?")
# Lists, quotes, headings, links, tags and mentions; something without letters and digits is no name either.
_NO_NAME = re.compile(r"[\[<@＠]|[-*+>#]\s|\d{1,9}[.)]\s|[\W_]+\Z")
# No speech: nothing, or a figure.
_NO_SPEECH = re.compile(r"[\r\n\d]|\Z")
# Said about a thing: a figure, a price, a list.
_ABOUT_A_THING = re.compile(r"[-+±~≈]?\s?[\d$€£¥₩₹₽]|[-*+•·▪◦‣#>|]\s")
_WORD = re.compile(r"[^\W_]")


class OpeningLabel(Rule):
    """Checks the first words of a reply."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._is_past = False  # whether words were passed on
        self._has_passed = False  # whether anything visible was passed on
        self._own = {normalised(name) for name in context.opening_names}
        self._own_label = label(f"{any_of(context.opening_names)}|{MACRO}")
        self._people = frozenset(map(normalised, participants(context))) - self._own
        self._known = others(context, context.roster.mentions) - self._own

    @property
    def is_idle(self) -> bool:
        """Whether the settings want no guard, or the persona has no name."""
        return not self.context.settings.label_guard or not self.context.own_names

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Check *segment* if nothing was said before it."""
        if self._is_past or not segment.text.strip(WHITESPACE):
            return (segment,)
        labels = self._foreign_labels(segment) if segment.kind is Kind.PROSE else None
        if labels is not None:
            if self._may_retry:
                self._is_past = True
                return (Halt(StopReason.SPEAKER_GUARD),)
            segment = self.edited(segment, [labels])
        self._is_past = _WORD.search(segment.text) is not None
        self._has_passed = self._has_passed or bool(segment.text.strip(WHITESPACE))
        return (segment,)

    @property
    def _may_retry(self) -> bool:
        return self.context.may_retry and not self._has_passed

    def _foreign_labels(self, segment: Segment) -> Edit | None:
        """The removal of other speakers' labels that *segment* opens with, and of own ones among them."""
        text = segment.text
        position = after_white(text, 0)
        start, end = before_space(text, position), 0
        while match := self._own_label.match(text, position) or _ANYBODY.match(text, position):
            if "name" in match.re.groupindex:
                if not self._names_other(match):
                    break
                end = match.end()
            position = after_white(text, match.end())
        return Edit(start, end) if end and self.prose(segment).is_free(start, end) else None

    def _names_other(self, match: re.Match[str]) -> bool:
        """Whether the label names another speaker."""
        name, modifier, text, end = match["name"], match["modifier"], match.string, match.end()
        key = normalised(name)
        if key in self._own or _NO_NAME.match(name):
            return False
        if modifier is not None and key in self._known:
            return True
        if not self._may_retry and _NO_SPEECH.match(text, end):
            return False
        if modifier is None:
            is_about_a_thing = not self._may_retry and _ABOUT_A_THING.match(text, end)
            return key in self._people and not match["wrap"] and not is_about_a_thing
        is_about_a_thing = _ABOUT_A_THING.match(text, after_white(text, end))
        return not is_about_a_thing and _could_be_name(name) and _could_be_modifier(modifier)


# --- words that are no names -----------------------------------------------------------

_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BEFORE_COLONS = """
    note notes nb warning caution danger attention important disclaimer reminder tip tips hint hints spoiler spoilers
    edit update ps pps addendum correction clarification context background overview introduction intro conclusion
    step steps option options choice part chapter section scene act day week month year phase stage level round episode
    question questions answer answers example examples exercise problem solution task goal goals plan idea ideas rule
    rules fact facts definition meaning translation pronunciation etymology reason reasons cause effect result results
    summary recap title subject topic theme genre setting plot character characters author date time place location
    name names age status total score price cost budget ingredients ingredient instructions directions method
    materials tools equipment requirements prerequisites input output error code usage syntax command file version
    source sources reference references link links pros cons advantages disadvantages strengths weaknesses bonus extra
    breakfast lunch dinner snack dessert drink drinks morning afternoon evening night monday tuesday wednesday thursday
    friday saturday sunday january february march july september october november december
    first second third fourth fifth last next final before after today tomorrow yesterday
    english german french spanish italian portuguese russian chinese japanese korean arabic hindi latin
    verb noun adjective sentence phrase word grammar vocabulary recipe guide poem sonnet haiku joke story quote
    weather temperature mood rating difficulty health inventory quest skill damage python javascript typescript html css
    achtung antwort aufgabe beispiel ergebnis fazit frage hinweis lösung quelle schritt tipp wichtig zubereitung zutaten
    rezept vorteile nachteile zusammenfassung montag dienstag mittwoch donnerstag freitag samstag sonntag
    aviso consejo ejemplo ingredientes nota paso pregunta respuesta resumen
    receta ventajas desventajas lunes martes miércoles jueves viernes sábado domingo
    astuce conseil étape exemple ingrédients remarque réponse résumé
    recette avantages inconvénients lundi mardi mercredi jeudi vendredi samedi dimanche
"""
_FUNCTION_WORDS = """
    a an the and or but of for from to in on at by with without about as if is are was were be been do does did has
    have had can could will would should must not no yes my your his her its our their this that these those here
    there what why when where who which how some any all each every more most other another one two three four five
"""
_ABOUT_THINGS = """
    optional required recommended suggested preferred important essential mandatory continued cont short long full
    draft revised updated new old free paid estimated approx total example examples default deprecated easy hard
    simple advanced basic singular plural noun verb adjective adverb formal informal literal masculine feminine
    programming language city town country state river island planet film movie song album band novel book series show
    game sport food dish fruit vegetable spice drink animal plant bird fish company brand software library framework app
    website person actor singer artist author online offline
"""
_NO_NAMES = frozenset((_BEFORE_COLONS + _FUNCTION_WORDS).split())
_NO_LOOKS = frozenset(_ABOUT_THINGS.split())


def _could_be_name(name: str) -> bool:
    """Whether *name*, which is not in the scene, looks like a name: up to three capitalised words."""
    words = name.strip(WHITESPACE).split()
    return len(words) <= 3 and all(
        _NAME.fullmatch(word) and word[0].isupper() and word.casefold() not in _NO_NAMES for word in words
    )


def _could_be_modifier(modifier: str) -> bool:
    """Whether *modifier* may describe an unknown speaker: one or two words in lower case."""
    words = modifier.split()
    return len(words) <= 2 and all(_NAME.fullmatch(word) and word.islower() and word not in _NO_LOOKS for word in words)
