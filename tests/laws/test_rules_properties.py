"""What holds for the row of rules, whatever a model writes and whoever is in the scene.

The texts are dense with what the rules look for: labels, shortcodes, tags, handles, system blocks, emoji, code.
Code and addresses are read by a small reader of our own and never by the scanner of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle, islice, pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from cadenza.types import Boundary, Ending, Halt, Identity, Kind, Participant, Persona, Roster, Segment, Sprite
from tests import rules_at_work as work
from tests.helpers import slicings
from tests.laws.nasty import ink, nasty, rows_of, with_characters
from tests.rules_at_work import Out

pytestmark = pytest.mark.timeout(7200)  # `make soak` takes its time


def every_rule(*, but: Sequence[str] = ()) -> pytest.MarkDecorator:
    rules = [pytest.param(rule, id=rule.name) for rule in work.known_rules() if rule.name not in but]
    return pytest.mark.parametrize("rule", rules)


fewer = settings(max_examples=max(60, settings().max_examples // 5))
degrees = st.sampled_from([0, 3])  # by lines, by sentences


# --- scenes -----------------------------------------------------------------------------------

_ROSTER = Roster(
    mentions={
        "alice": "<@555555555555555555>",
        "555555555555555555": "<@555555555555555555>",
        "bob": "",
        "mary": "<@777777777777777777>",
        "mary jane": "<@888888888888888888>",
        "john.doe": "<@999999999999999999>",
        "ren": "<@666666666666666666>",
    },
    emoji={
        "wave": "<:wave:111111111111111111>",
        "wave2": "<:wave2:444444444444444444>",
        "dance": "<a:dance:222222222222222222>",
        "Sad_Cat": "<:Sad_Cat:333333333333333333>",
        "sad": "<:sad:333333333333333334>",
        "kitty": "<:kitty:123456789012345678>",
    },
    personas={"lilya": "lilya", "shy tomori": "lilya", "Aki": "aki"},
    participants=(
        Participant("Aki", ("A",), "https://e.org/aki.png"),
        Participant("Sam"),
        Participant("sam", ("Aki",)),
        Participant("クリス"),
    ),
    speakers=("Aki", "Bob Smith", "クリス"),
    recent_emoji=("kitty", "x"),
)
_REN = Persona(
    "Ren",
    ("Rennie", "R"),
    avatar="https://e.org/ren.png",
    sprites=(
        Sprite("mad", "https://e.org/mad.png"),
        Sprite("smug", "https://e.org/smug.png"),
        Sprite("The Voice", "https://e.org/voice.png", is_identity=True),
        Sprite("broken", is_usable=False),
    ),
)
_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "strict": {"unknown_emoji": "strip", "unicode_spaces": True, "sanitise": "*"},
    "silent": {"use_emoji": False, "label_guard": False, "sanitise": "sneaky fox"},
    "guarded": {"speaker_guard": True, "unknown_emoji": "strip"},
}


def full_scene(options: str = "plain", **more: Any) -> Any:
    """A scene in which every rule has something to look for."""
    return work.context(_REN, _ROSTER, **({"tables": "source"} | _OPTIONS[options] | more))


_NAMES = st.sampled_from(
    [
        *("Ren", "ren", "Ai", "Al", "a+b", "Mr. X", "User", "Ren Amamiya", "あい", "Tomori", "@Ren", "", " ", "*", "**", ":", "("),
        *("Ren (mad)", "R\\E", "[x]", "\ud83d", "e\u0301", "I", "ı", "ß", "a" * 80, "x|y", "<@1>", "wave", "https", "`", "\n", "\x00"),
    ]
)  # fmt: skip
_TAGS = st.sampled_from(
    ["<@1>", "<:wave:1>", "<a:dance:222222222222222222>", "", "$&", "\\1", "\\g<0>", ":wave:", "@ren"]
)
_OWN_SPRITES = st.builds(Sprite, _NAMES, st.sampled_from([None, "https://e.org/x.png"]), st.booleans(), st.booleans())
_OTHERS = st.builds(Participant, _NAMES, st.lists(_NAMES, max_size=2).map(tuple))
_PERSONAS = st.builds(
    Persona,
    _NAMES,
    st.lists(_NAMES, max_size=2).map(tuple),
    sprites=st.lists(_OWN_SPRITES, max_size=3).map(tuple),
    is_alter=st.booleans(),
)
_ROSTERS = st.builds(
    Roster,
    mentions=st.dictionaries(_NAMES, _TAGS, max_size=4),
    emoji=st.dictionaries(_NAMES, _TAGS, max_size=4),
    personas=st.dictionaries(_NAMES, _NAMES, max_size=3),
    participants=st.lists(_OTHERS, max_size=3).map(tuple),
    speakers=st.lists(_NAMES, max_size=3).map(tuple),
    recent_emoji=st.lists(_NAMES, max_size=3).map(tuple),
)


def odd_scenes() -> st.SearchStrategy[Any]:
    """Any scene: names that clash, that mean something in a pattern, that are empty; settings in any mixture."""
    return st.builds(
        work.context,
        _PERSONAS,
        _ROSTERS,
        prefill=st.sampled_from(["", "", "Sure, here", "Ren: ", "`", "\n", " "]),
        may_retry=st.booleans(),
        use_emoji=st.booleans(),
        unknown_emoji=st.sampled_from(["keep", "strip"]),
        emoji_lookback=st.sampled_from([0, 5]),
        unicode_spaces=st.booleans(),
        sanitise=st.sampled_from(["", "*", "sneaky", "a+b ("]),
        label_guard=st.booleans(),
        speaker_guard=st.booleans(),
        show_prefill=st.booleans(),
        tables=st.sampled_from(["picture", "text", "source"]),
    )


# --- texts ------------------------------------------------------------------------------------

_LABELS = [
    *("Ren: ", "Ren:", "Rennie： ", "**Ren:** ", "**Ren**: ", "*Ren*: ", "Ren (mad): ", "Ren(smug):", "**Ren (mad)**: "),
    *("Ren （mad）：", "Ren (The Voice): ", "Ren (Aki): ", "Ren (nobody): ", "Ren (broken): ", "Ren: Ren (mad): ", "{{char}}: "),
    *("Aki: ", "Aki (mad): ", "クリス： ", "Sam: ", "User: ", "Assistant: ", "Note: ", "Chris (smug): ", "- Ren: ", "> Aki: "),
    *("1. Ren: ", "Three options (pick one): ", "* Ren (mad): *sighs* "),
]  # fmt: skip
_MARKS = [
    *(":wave:", ":WAVE:", ":dance:", ":nope:", ":kitty:", ":x:", ":wave", "hi:wave:there", ":wave::dance:", ":+1:", "12:30:45"),
    *("<:wave:111111111111111111>", "<:kitty:1>", "<:wave:999999999999999999>", "<:nope:9>", "<a:dance:>", "<:wave>", "**<:wave:1>**"),
    *("@alice", "@Alice's", "@bob", "@mary jane", "@{mary jane}", "@(alice)", "@[alice]", "@nobody", "@john.doe", "@lilya", "@Shy Tomori"),
    *("@{ghost|555555555555555555}", "@555555555555555555", "@everyone", "a@alice.com", "<@555555555555555555>"),
    *("[system: hush]", "[System: a [b] c]", "<b>bold</b>", "<tool_call>x</tool_call>", "<|im_end|>", "<|im_start|>assistant\n", "[/INST] ", "\n<|im_start|>user\n", "<3", "x < y > z", "$&"),
    *("sn·eaky", "3·4", "a\u2800b", "😀", "👍🏽", "👨\u200d👩\u200d👧", "1️⃣", "™", "❤️", "🇯🇵", "\ud83d", "\u200d", "__EMOJI_PLACEHOLDER_0__"),
]  # fmt: skip
_ORPHANS = ["\n...\n", "\n…\n", "\n!\n", "\n?!\n", "\n。\n", "\n..\n", "\n!!!\n"]
_SHAPES = [
    *("\n", "\n\n", " ", "  ", "\t", ". ", ", ", "\n- ", "\n> ", "\n# ", "\n-# ", "*", "**", "||", "(", ")", '"', "「", "」", "。", "日本語"),
]  # fmt: skip
_LOOSE = [
    *("[system: ", "]", "@{", "}", "<think>", "</think>", "`", "```", "<", ">", ":", "@", "Ren (", "<b>", "</b>", "·", "\u2800"),
]  # fmt: skip
# What a chat does not render. In the second row there are addresses, which are changed.
_RAW = [
    *("<b>so</b>", "<b>", "</b>", "<i>", "</i>", "<br>", "<sup>2</sup>", "H<sub>x</sub>", "<p>", "</p>", "\n<div>\n", "\n<hr>\n", "\n---\n", "\n***\n", "\n===\n"),
    *("\n#### ", "\n##### **x** ", "\n- [ ] ", "\n1. [x] ", "[^1]", "[^note]", "\n[^1]: ", "[^a-z]+", "[the docs][1]", "[a b][c]", "a[i][j]", "&lt;", "&gt;", "&amp;", "&#42;", "&nbsp;"),
]  # fmt: skip
_RAW_ADDRESSES = [
    *("\n[1]: https://e.org/d\n", "\n[c]: <https://e.org/c>\n", "![a](https://e.org/a.png)", "\n![](https://e.org/b.png)\n", "[![ci](https://e.org/b.svg)](https://e.org/x)"),
    *("<kbd>Ctrl</kbd>", "<code>a`b</code>", "<!-- x -->"),
]  # fmt: skip
_CODE = [
    *("`<b>x</b> &lt;<br>`", "`[^1] [the docs][1] ![a](b)`", "\n```\n---\n#### x\n- [ ] y\n&lt;b>z</b>\n```\n"),
    *("`Ren: :wave: @alice`", "``a`:x: <b>c</b>``", "`[system: x]`", "`@alice`", "`sn·eaky 😀`", "`:nope:`", "`a  b`", "`<|im_end|>`"),
    *("\n```py\nRen: :wave:\n\n  @alice :nope:\n```\n", "\n```\n...\n[system: x]\nUser: y\n```\n", "\n````md\n```\nAki:\n```\n````\n"),
]  # fmt: skip
_ADDRESSES = [
    *(" https://e.org/:wave:/@alice?Ren:x=sn·eaky ", " <https://e.org/@bob/:nope:> ", " http://e.org/a_(b):kitty: "),
    *(" [Ren: :wave: @alice](https://e.org/:nope:) ", "\nhttps://e.org/User:x\n", " https://e.org/[system:x] "),
]  # fmt: skip
_BITS = [*_LABELS, *_MARKS, *_ORPHANS, *_SHAPES, *_RAW, *_RAW_ADDRESSES, *_CODE, *_ADDRESSES]


# Two thirds of what is drawn are looked for, an eighth is a part of such a thing, an eighth is text of any kind, in the place
# of which there stands how long it is, and the rest stands there again.
_BITS_AND_TEXTS: list[str | int] = [
    *_BITS,
    *islice(cycle(_LOOSE), 34),
    *islice(cycle(range(1, 6)), 30),
    *islice(cycle((-1, -1, -2, -3)), 18),
]


def dense(max_bits: int = 30) -> st.SearchStrategy[str]:
    """Text in which almost everything is something that a rule looks for, whole, cut or nested."""
    return with_characters(rows_of(_BITS_AND_TEXTS, max_size=max_bits)).map("".join)


texts = st.one_of(dense(), dense(), nasty())


def halted(out: Sequence[Out]) -> bool:
    return any(isinstance(item, Halt) for item in out)


# --- (a) code and addresses -------------------------------------------------------------------

# A heading becomes bold, and the reader below would take the mark after an address for a part of it.
_SAFE = [
    bit
    for bit in (*_LABELS, *_MARKS, *_ORPHANS, *_SHAPES, *_RAW, "word ", "Two. ")
    if "`" not in bit and "####" not in bit
]
# What is out of reach, as plain to read as it is written here: our texts hold no other backtick and no other "://".
_OUT_OF_REACH = re.compile(
    r"(?P<fence>`{3,})[^`].*?\n(?P=fence)(?!`)|(?P<ticks>`{1,2})(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|\[[^\]\n]*\]\(https?://[^)\n]*\)|<https?://[^>\n]*>|https?://\S+",
    re.DOTALL,
)


def out_of_reach(text: str) -> list[str]:
    """The code, links and addresses in *text*, in order."""
    return [match.group() for match in _OUT_OF_REACH.finditer(text)]


def with_code() -> st.SearchStrategy[str]:
    """Code and addresses with what the rules look for in them and around them; each is whole and stands clear."""
    safe = rows_of(_SAFE, max_size=4).map("".join)
    kept = st.sampled_from([*_CODE, *_ADDRESSES])
    pairs = st.lists(st.tuples(safe, kept), max_size=8)
    return pairs.map(lambda pairs: "".join(part for pair in pairs for part in (*pair, " ")))


def test_the_reader_sees_what_is_out_of_reach() -> None:
    text = "a `b` ``c`d`` [e](https://f.g/h) <https://i.j> http://k/l:m. \n```py\nn\n```\n````\n```\no\n```\n````"

    assert [
        *("`b`", "``c`d``", "[e](https://f.g/h)", "<https://i.j>", "http://k/l:m.", "```py\nn\n```"),
        "````\n```\no\n```\n````",
    ] == out_of_reach(text)  # fmt: skip


_ABOUT_CODE = ("list_code", "long_fences")


@given(with_code(), st.sampled_from(list(_OPTIONS)), degrees)
def test_a_code_and_addresses_come_out_as_they_went_in(text: str, options: str, degree: int) -> None:
    """All of them, byte by byte and in order, up to where a guard ended the reply."""
    items = work.segments(text, sentences=degree == 3)
    out = work.passed(work.row_of(full_scene(options), without=_ABOUT_CODE), items)

    before, after = out_of_reach(work.joined(items)), out_of_reach(work.joined(out))
    assert (before[: len(after)] if halted(out) else before) == after


@fewer
@given(texts, st.sampled_from(list(_OPTIONS)), degrees)
def test_a_segments_of_code_and_tables_pass_as_they_are(text: str, options: str, degree: int) -> None:
    """But for the HTML in cells."""
    items = work.segments(text, sentences=degree == 3)
    out = work.passed(work.row_of(full_scene(options), without=[*_ABOUT_CODE, "html_tags", "html_entities"]), items)

    before = [(item.kind, item.text) for item in items if item.kind is not Kind.PROSE]
    after = [(item.kind, item.text) for item in out if isinstance(item, Segment) and item.kind is not Kind.PROSE]
    assert (before[: len(after)] if halted(out) else before) == after


# --- (b) what no rule removes stays -----------------------------------------------------------

_NOTHING_TO_FIND = st.text(
    st.characters(exclude_characters="@:：<[`~·\u2800", exclude_categories=["Cs", "So", "Sk"]), max_size=60
)
_INNOCENT = st.lists(
    st.one_of(
        _NOTHING_TO_FIND, st.sampled_from([bit for bit in _SHAPES if bit != "||"]), st.just("Ren Aki wave alice ")
    ),
    max_size=12,
).map("".join)


@given(_INNOCENT, st.sampled_from(["plain", "strict", "guarded"]), degrees)
def test_b_text_in_which_no_rule_finds_anything_passes_as_it_is(text: str, options: str, degree: int) -> None:
    """Neither a colon nor an ``@``, ``<`` or ``[``: every segment comes out as it went in, and at once."""
    row = work.row_of(full_scene(options), without=["orphan_punctuation", "thematic_breaks"])
    for segment in work.segments(text, sentences=degree == 3):
        assert [segment] == row.feed(segment)
    assert [] == row.flush(Ending.FINAL)


# Words are numbered and occur once; "w" and a digit stand nowhere else. So the text falls into words and gaps, and
# each gap of what comes out can be laid beside the gap that it was made of.
_WORDS = [
    *("{} ", "{}\n", "{}. ", "{}\n\n", "{}, ", "*{}* ", "**{}** ", "「{}」", "so {}: ", "- {}\n", "{}。", "{}  {} ", "{}", "{}!\n"),
    *("{} :wave: @alice {} ", "{} :wave: @alice {}\n"),
]  # fmt: skip
_FOUND = [*_LABELS, *_MARKS, *_ORPHANS, *("\n" + label for label in _LABELS), *("." + label for label in _LABELS)]
_WORD = re.compile(r"w\d+")
_KNOWN = " :wave: @alice "
_RESOLVED = " <:wave:111111111111111111> <@555555555555555555> "
_ROSTER_TAGS = re.compile(
    "|".join(re.escape(tag) for tag in {*_ROSTER.emoji.values(), *_ROSTER.mentions.values()} if tag) + "|@lilya"
)


def worded(between: int = 3) -> st.SearchStrategy[str]:
    """Numbered words, and between them up to so many things that a rule may remove or replace."""
    found = rows_of(_FOUND, max_size=between)
    frame = st.tuples(found, st.integers(0, between + 1), st.sampled_from(_WORDS))
    return st.builds(_with_words, st.lists(frame, min_size=1, max_size=12), found)


def _with_words(frames: Sequence[tuple[list[str], int, str]], end: Sequence[str]) -> str:
    """The frames one behind the other, each behind some of what stands before it, and their words numbered."""
    parts = [part for before, most, frame in frames for part in (*[*before, " "][:most], frame)]
    numbers = count(1)
    return re.sub(r"\{\}", lambda _: f"w{next(numbers)}", "".join([*parts, *end]))


def gaps(text: str) -> list[str]:
    """What stands before, between and behind the words."""
    return _WORD.split(text)


def is_subsequence(part: str, whole: str) -> bool:
    characters = iter(whole)
    return all(character in characters for character in part)


def has_something(gap: str) -> bool:
    """Whether there may be something in *gap* that a rule looks for."""
    return re.search(r"[\w:：@<\[·\u2800~{}|$…]|[^\x00-\x7f「」。]|[.!?。]\s*\n|\n[.!?。]", gap) is not None


@given(worded(), st.sampled_from(list(_OPTIONS)), degrees)
@example("Ren: w1 :wave: w2\n...\nw3 @alice w4", "strict", 0)
def test_b_every_word_arrives_and_between_words_only_what_is_named_goes(text: str, options: str, degree: int) -> None:
    """The words are all there and in order, up to where a guard ended the reply; between two of them nothing is new.

    What comes out between two words is, but for the tags of the roster and for space, some of what went in between
    them. Where there was nothing to find between them, it is the same to the byte; and what the roster knows is there.
    Rules that write what was meant in other marks have a law of their own, below.
    """
    items = work.segments(text, sentences=degree == 3)
    said = work.joined(items)
    out = work.passed(work.row_of(full_scene(options), without=work.RENDERING), items)
    heard = work.joined(out)

    words, arrived = _WORD.findall(said), _WORD.findall(heard)
    assert (words[: len(arrived)] if halted(out) else words) == arrived
    inner = range(1, len(arrived))
    for index, (before, after) in enumerate(zip(gaps(said), gaps(heard), strict=False)):
        if index in inner and not has_something(before):
            assert before == after
        if index in inner and before == _KNOWN and _OPTIONS[options].get("use_emoji", True):
            assert after == _RESOLVED
        assert is_subsequence(ink(_ROSTER_TAGS.sub("", after)), ink(before)), (before, after)


_STYLED = [
    "<b>{}</b>",
    "<i>{} {}</i>",
    "**{}**",
    "<b>Note: </b>",
    "<b>{} ",
    "{}</b>",
    "<code>{}</code>",
    "<kbd>{}</kbd>",
]
_RAW_FRAMES = [*_WORDS, *_STYLED, *_RAW, *(bit for bit in _RAW_ADDRESSES if "<!" not in bit), "`{}`", "| {} | {} |\n"]


@given(rows_of(_RAW_FRAMES, max_size=20).map(lambda frames: _with_words([([], 0, "".join(frames))], [])), degrees)
def test_b_every_word_arrives_in_whatever_other_marks_it_is_written(text: str, degree: int) -> None:
    """The rules about what a chat does not render change marks and no words, and leave no word out."""
    items = work.segments(text, sentences=degree == 3)
    out = work.passed(work.row_of(full_scene()), items)

    assert _WORD.findall(work.joined(items)) == _WORD.findall(work.joined(out))


# --- (c) slices -------------------------------------------------------------------------------


def _random_slices(text: str, cuts: Sequence[float]) -> list[str]:
    places = sorted({0, len(text), *(int(cut * len(text)) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


@given(
    texts,
    st.lists(st.floats(0, 1), max_size=9),
    st.sampled_from(list(_OPTIONS)),
    degrees,
    st.sampled_from(list(Ending)),
)
def test_c_how_a_text_is_sliced_changes_nothing(
    text: str, cuts: list[float], options: str, degree: int, end: Ending
) -> None:
    def run(pieces: Sequence[str]) -> list[Out]:
        row = work.row_of(full_scene(options, prefill="Ren: ..."))
        return work.passed(row, work.segments(pieces, sentences=degree == 3, end=end), end=end)

    whole = run([text])
    slices = [_random_slices(text, cuts)] if len(text) > 2000 else [_random_slices(text, cuts), *slicings(text)]
    for pieces in slices:
        assert whole == run(pieces)


# --- (d) nothing raises -----------------------------------------------------------------------

_ANY_TEXT = st.one_of(
    texts,
    st.text(),
    st.sampled_from(
        ["", "\n", " ", "\x00", "\ud83d", "\udc00\ud83d", "Ren:", ":", "@", "<", "[", "...", "`", "\u2800", "·"]
    ),
)
_SEGMENTS = st.builds(
    Segment,
    _ANY_TEXT,
    st.sampled_from(list(Boundary)),
    st.sampled_from([Kind.PROSE, Kind.PROSE, Kind.PROSE, Kind.CODE, Kind.TABLE]),
    st.sampled_from([None, None, Identity("Ren"), Identity("Aki (Ren)", "https://e.org/x.png", "mad")]),
    st.sampled_from(["", "", "Ren (mad): "]),
)
_STEPS = st.lists(st.one_of(_SEGMENTS, _SEGMENTS, st.sampled_from(list(Ending))), max_size=10)


def _run(stage: Any, steps: Sequence[Segment | Ending]) -> Iterator[Any]:
    for step in steps:
        yield from stage.flush(step) if isinstance(step, Ending) else stage.feed(step)


def _is_sound(item: object) -> bool:
    return isinstance(item, Halt) or (
        isinstance(item, Segment) and all(isinstance(text, str) for text in (item.text, item.label))
    )


@every_rule()
@fewer
@given(odd_scenes(), _STEPS)
def test_d_no_rule_raises(rule: type[Any], scene: Any, steps: list[Segment | Ending]) -> None:
    assert all(map(_is_sound, _run(work.row_of(scene, only=rule.name), steps)))


@given(odd_scenes(), _STEPS)
def test_d_the_row_does_not_raise(scene: Any, steps: list[Segment | Ending]) -> None:
    """And nothing comes behind what ends it."""
    out = list(_run(work.row_of(scene), steps))

    assert all(map(_is_sound, out))
    assert not halted(out[:-1])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(piece * (100_000 // len(piece)), id=repr(piece))
        for piece in [
            *("a", " ", "\n", "\t", ":", "@", "<", ">", "[", "]", "(", "*", "_", "`", ".", "·", "\u2800", "\u200d", "😀", "\ud83d", "|"),
            *("Ren:", "Ren: ", "Ren (", "Ren\n", ":a", ":wave", "@a ", "@{", "[system:", "<b>", "</b>", "</think", "<:", "<a:b:", "a:\n"),
            *("<b>x</b>", "<b>*", "<br>", "<br> ", "<!--", "<b a=", "<b><i>", "<sup>", "</p>", "&lt;", "&gt;", "&", "#### ", "#### **a** ", "\n#### a"),
            *("---\n", "- - ", "[^a", "a[^ab]", "[^1]", "[a b][1]", "[a](b)[", "![a](https://e.org) ", "![", "- [ ] ", "\n- [ ] x", "\n> "),
            *("Aki", "**Ren", "...\n", "x ", "\n\n\n ", "{{", "-#\n", "&", "12:30:", "@mary ", "https://", "Aki (", "「", "：", "｜", "| "),
        ]
    ],
)  # fmt: skip
@pytest.mark.timeout(60)
def test_d_a_hundred_thousand_of_one_thing_do_no_harm(text: str) -> None:
    """Given the rules in one segment, as stage 5 never would; a pattern that goes back and forth would take minutes."""
    out = work.passed(work.row_of(full_scene("strict")), [Segment(text, Boundary.FINAL)])

    assert all(map(_is_sound, out))


# --- (e) a rule with nothing to do ------------------------------------------------------------


_OF_THEIR_OWN_ACCORD = [
    *("system_blocks", "leaked_tags", "orphan_punctuation", "opening_label", "own_name", "trailing_label", "emoji"),
    *work.RENDERING,
]


@every_rule(but=_OF_THEIR_OWN_ACCORD)
@fewer
@given(st.lists(dense(), max_size=4), st.sampled_from(list(Boundary)))
def test_e_in_an_empty_scene_nothing_is_found(rule: type[Any], pieces: list[str], boundary: Boundary) -> None:
    """Nobody is there and nothing is asked for: only what a model lets slip by itself may go."""
    items = [Segment(piece, boundary) for piece in pieces]

    assert items == work.passed(work.row_of(work.context(tables="source"), only=rule.name), items)


@every_rule(but=["orphan_punctuation", "thematic_breaks"])
@fewer
@given(_INNOCENT)
def test_e_every_rule_alone_leaves_innocent_text(rule: type[Any], text: str) -> None:
    items = work.segments(text)

    assert items == work.passed(work.row_of(full_scene("strict"), only=rule.name), items)


# --- (f) twice is once ------------------------------------------------------------------------


@given(worded(between=1), st.sampled_from(list(_OPTIONS)), degrees)
def test_f_what_came_out_passes_again_as_it_is(text: str, options: str, degree: int) -> None:
    """Where words stand between what the rules look for, their work is done the first time.

    Left out are marks that something removed leaves alone on their line: they join the next line the second time.
    So is what ends a reply, and what opens or ends it: without what stood beside it another line does. And so are
    repeated emoji: in a word a shortcode is not counted as one, but the tag that it becomes is.
    """
    off = ("orphan_punctuation", "opening_label", "trailing_label", "speaker_guard", "repeated_emoji")
    first = work.passed(work.row_of(full_scene(options), without=off), work.segments(text, sentences=degree == 3))
    bare = [replace(item, identity=None, label="") for item in first if isinstance(item, Segment)]

    again = work.passed(work.row_of(full_scene(options), without=off), bare)

    assert work.joined(first) == work.joined(again)
