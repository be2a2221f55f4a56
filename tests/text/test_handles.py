"""Who is called by what, and which handles nobody has."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.text.handles import MOST_UNKNOWN, Directory, may_mention
from cadenza.text.prose import Prose
from cadenza.types import Roster
from tests.helpers import calls_of
from tests.laws.nasty import nasty

ID = "555555555555555555"
NOBODY = "123456789012345678"
ROSTER = Roster(
    mentions={
        "alice": "<@1>",
        "bob": "",
        "mary": "<@2>",
        "mary jane": "<@3>",
        "john.doe": "<@4>",
        "o'brien": "<@5>",
        "Ana | she/her": "<@6>",
        "★star★": "<@7>",
        "アリス": "<@8>",
        "민수": "<@9>",
        "राम": "<@10>",
        "at @ home": "<@11>",
        "lilya": "<@12>",
        ID: f"<@{ID}>",
    },
    personas={"Shy Tomori": "lilya", "alice prime": "prime"},
)
DIRECTORY = Directory.of(ROSTER)


def resolved(text: str, directory: Directory = DIRECTORY) -> str:
    return Prose.of(text).edited(directory.edits(text)).text


# --- who is called -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("@{alice} @(alice) @[alice]", "<@1> <@1> <@1>", id="in brackets"),
        pytest.param("@{ Mary \u3000 Jane }s", "<@3>s", id="in brackets with space"),
        pytest.param("@{@alice} @{at @ home}", "<@1> <@11>", id="in brackets with another sign"),
        pytest.param(f"@{{ghost|{ID}}} @{{alice| {ID} }}", f"<@{ID}> <@{ID}>", id="the id in brackets decides"),
        pytest.param(f"@{{Shy Tomori|{NOBODY}}}", "@lilya", id="a persona with an id that nobody has"),
        pytest.param("@{Ana | she/her} @ana | she/her.", "<@6> <@6>.", id="a bar in the name"),
        pytest.param(f"@alice|{ID}! @the ghost-girl|{ID}", f"<@{ID}>! <@{ID}>", id="an id without brackets"),
        pytest.param(f"@shy tomori|{NOBODY} @alice|{ID}さん", f"@lilya <@{ID}>さん", id="likewise, a persona"),
        pytest.param(f"@{ID} @{{{ID}}}", f"<@{ID}> <@{ID}>", id="nothing but an id"),
    ],
)
def test_a_handle_may_be_written_in_many_ways(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("@mary jane @mary j", "<@3> <@2> j", id="the longest"),
        pytest.param("@mary\u00a0\t jane", "<@3>", id="any white space between words"),
        pytest.param("@mary\njane @mary\u2028jane", "<@2>\njane <@2>\u2028jane", id="a name ends with its line"),
        pytest.param("@alice prime @alice", "@prime <@1>", id="a persona with a longer name"),
        pytest.param("@Shy Tomori @LILYA", "@lilya @lilya", id="nobody has the word of a persona"),
        pytest.param("@john.doe. @john.doe", "<@4>. <@4>", id="a dot inside and one behind"),
        pytest.param("@o'brien's @alice’s", "<@5>'s <@1>’s", id="an apostrophe"),
        pytest.param("@★STAR★! @★star★x", "<@7>! @★star★x", id="a name that is no word"),
        pytest.param("@alice- @alice... @alice, @alice", "<@1>- <@1>... <@1>, <@1>", id="punctuation behind"),
        pytest.param("@アリスさん @アリス", "<@8>さん <@8>", id="kana need no space behind"),
        pytest.param("@민수야 @aliceさん", "<@9>야 <@1>さん", id="nor do Hangul, nor what stands before kana"),
        pytest.param("你好@alice你好", "你好<@1>你好", id="nor do Han, on both sides"),
        pytest.param("@राम। @रामायण", "<@10>। @रामायण", id="vowel signs are in the word"),
        pytest.param("||@alice|| >@alice (@alice)", "||<@1>|| ><@1> (<@1>)", id="between marks"),
        pytest.param("<@1>@alice", "<@1><@1>", id="behind a tag"),
    ],
)
def test_the_longest_name_that_ends_there_is_meant(text: str, expected: str) -> None:
    assert expected == resolved(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@bob @{bob} @(bob)", id="more than one person"),
        pytest.param("@ghost @{ghost} @(see below) @[1]", id="unknown"),
        pytest.param(f"@{{ghost|{NOBODY}}} @ghost|{NOBODY} @{NOBODY}", id="unknown ids"),
        pytest.param(f"@alice|{NOBODY} @{{alice|{NOBODY}}}", id="an id of somebody else"),
        pytest.param("@{ghost|alice} @{alice|a friend of mine}", id="a known name, but no id behind the bar"),
        pytest.param(
            "@alicea @alice2 @alice_ @alice-2 @alice.b @alice\u0301 @alice\u200dx", id="part of a longer name"
        ),
        pytest.param("me@alice.org me_@alice 1@{alice}", id="behind a word"),
        pytest.param("@alice@e.org", id="an address of another network"),
        pytest.param("e.org/@alice <@alice> \\@alice @@alice", id="behind a slash, a tag's mark, an escape, a sign"),
        pytest.param(
            "https://e.org/@alice `@alice` [@alice](https://e.org) @[alice](https://e.org)", id="out of reach"
        ),
        pytest.param("@{alice\n} @{{alice}} @ alice @{} @{ } @", id="no handle"),
        pytest.param("@at @ home", id="a sign in the name, without brackets"),
        pytest.param("@\ud800 @\x00 @{\udfff}", id="no text at all"),
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert text == resolved(text)


@pytest.mark.parametrize(
    "text", ["@everyone", "@here we go", "@HERE", "@{everyone}", "@hereです", "@here-after", "@everyone's"]
)
def test_everybody_is_nobody(text: str) -> None:
    roster = Roster({"everyone": "<@1>", "Here": "<@2>", "here we go": "<@3>"}, personas={"everyone": "x"})

    assert text == resolved(text, Directory.of(roster))
    assert Directory.of(roster).unknown(text) == ()


@pytest.mark.parametrize("word", ["everyone", "@here", "Everyone now", "", " @ "])
def test_no_persona_is_called_by_a_word_that_calls_everybody_or_nobody(word: str) -> None:
    directory = Directory.of(Roster(personas={"mods": word}))

    assert directory.is_empty
    assert resolved("@mods", directory) == "@mods"


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        pytest.param({"Alice": "<@1>", "alice": "<@2>"}, "@alice", id="two people"),
        pytest.param({"Alice": "<@1>", "alice": "<@1>"}, "<@1>", id="one and the same"),
        pytest.param({"Alice": "", "alice": "<@1>"}, "@alice", id="known to be shared"),
        pytest.param({"@Alice ": "<@1>", "": "<@2>"}, "<@1>", id="space and a sign around it"),
    ],
)
def test_a_name_in_two_writings(mentions: dict[str, str], expected: str) -> None:
    assert expected == resolved("@alice", Directory.of(Roster(mentions)))


def test_a_name_that_two_personas_share_is_not_given_to_a_person() -> None:
    roster = Roster({"ren": "<@1>"}, personas={"Ren": "r", "ren": "rr"})

    assert resolved("@ren", Directory.of(roster)) == "@ren"


@pytest.mark.parametrize(
    ("roster", "expected"),
    [
        pytest.param(Roster(), True, id="nobody"),
        pytest.param(Roster({"bob": "", "": "<@1>", "everyone": "<@2>"}), True, id="nobody who can be called"),
        pytest.param(Roster({"bob": "<@1>"}), False, id="a person"),
        pytest.param(Roster(personas={"ren": "ren"}), False, id="a persona"),
    ],
)
def test_a_directory_without_anybody_is_empty(roster: Roster, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected == Directory.of(roster).is_empty


# --- who is not known ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("nobody", (), id="no sign"),
        pytest.param("@alice @bob @Shy Tomori @lilya @prime", (), id="known, shared, or a persona"),
        pytest.param("hi @Ghost and @boo, @ghost", ("Ghost", "boo"), id="in their order, as written, once"),
        pytest.param("@john.ghost. @a-b- @x_", ("john.ghost", "a-b", "x_"), id="dots and hyphens inside"),
        pytest.param("@{Mary  Ann} @{ @ghost }", ("Mary  Ann", "ghost"), id="in braces"),
        pytest.param(f"@{{ghost| {NOBODY} }} @{{{NOBODY}}}", (NOBODY,), id="an id in braces"),
        pytest.param("@{ghost|friend}", ("ghost|friend",), id="no id behind the bar"),
        pytest.param(f"@[x @ghost] @{{x @ghoul|{ID}}}", ("ghost",), id="inside of brackets that are not known"),
        pytest.param(f"@some ghost|{NOBODY} @876543210987654321", (NOBODY, "876543210987654321"), id="ids"),
        pytest.param(f"@ghost|{ID} @{{ghost|{ID}}}", (), id="the id is known"),
        pytest.param("@(ghost) @[ghost] @{}", (), id="other brackets"),
        pytest.param("a@ghost.org e.org/@ghost <@ghost> @ghost@e.org \\@ghost", (), id="addresses and the like"),
        pytest.param("`@ghost` [@ghost](https://e.org) https://e.org/?@ghost", (), id="out of reach"),
        pytest.param("```\n@ghost\n```\n> ~~~py\n> @ghost\n> ~~~", (), id="code blocks"),
        pytest.param("@boo\n```\n@ghost\n```\n@bah", ("boo", "bah"), id="around a code block"),
        pytest.param("| @ghost | b |\n|---|---|\n| 1 | 2 |\n", (), id="tables"),
        pytest.param("@everyone @Here @{here}", (), id="everybody"),
        pytest.param("@taroさん @メアリーさん", ("taroさん", "taro", "メアリーさん"), id="two readings"),
        pytest.param("@सीता, @Jose\u0301", ("सीता", "Jose\u0301"), id="vowel signs and accents"),
        pytest.param("@" + "x" * 32 + " @" + "y" * 33, ("x" * 32,), id="no name is longer"),
        pytest.param("@!! @☆ @\ud800 @", (), id="no name"),
    ],
)
def test_unknown_handles(text: str, expected: tuple[str, ...]) -> None:
    assert expected == DIRECTORY.unknown(text)


def test_only_so_many_unknown_handles_are_looked_for() -> None:
    names = [f"ghost{number}" for number in range(20)]

    assert tuple(names[:MOST_UNKNOWN]) == DIRECTORY.unknown(" ".join(f"@{name}" for name in names))
    assert len(DIRECTORY.unknown("@x " + " ".join(f"@{name}さん" for name in names))) == MOST_UNKNOWN


# --- those who were found -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        pytest.param("hi @Ghost, @{ghost}", {"ghost": "<@9>"}, "hi <@9>, <@9>", id="found"),
        pytest.param("@alice @Shy Tomori @lilya", {"ghost": "<@9>"}, "@alice @Shy Tomori @lilya", id="known before"),
        pytest.param("@shy tomori @shy", {"shy": "<@9>"}, "@shy tomori <@9>", id="part of a persona's name"),
        pytest.param("`@ghost` https://e.org/@ghost", {"ghost": "<@9>"}, "`@ghost` https://e.org/@ghost", id="code"),
        pytest.param(f"@{{ghost|{NOBODY}}}", {NOBODY: "<@9>"}, "<@9>", id="an id"),
        pytest.param("@taroさん", {"taro": "<@9>"}, "<@9>さん", id="the shorter reading"),
        pytest.param("@taroさん", {"taro": "<@9>", "taroさん": "<@10>"}, "<@10>", id="the longer reading first"),
        pytest.param("@ghost", {"ghost": ""}, "@ghost", id="found without a tag"),
        pytest.param("@ghost", {}, "@ghost", id="nobody found"),
        pytest.param("@ghost\n```\n@ghost\n```\n", {"ghost": "<@9>"}, "<@9>\n```\n@ghost\n```\n", id="a code block"),
        pytest.param("@ghost", {"ghost": r"\g<0>$&"}, r"\g<0>$&", id="put in as it is"),
    ],
)
def test_tags_that_were_found_are_put_in(text: str, found: dict[str, str], expected: str) -> None:
    assert expected == DIRECTORY.answered(text, found)


def test_without_a_roster_only_those_who_were_found_are_known() -> None:
    assert Directory.of(Roster()).answered("@alice @shy tomori", {"shy": "<@9>"}) == "@alice <@9> tomori"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi", False, id="no sign"),
        pytest.param("hi @ghost", True, id="a handle"),
        pytest.param("`@a` me@e.org\n```\n@a\n```", False, id="only in code"),
        pytest.param("`@a` @b", True, id="behind code"),
    ],
)
def test_whether_anybody_may_be_called(text: str, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected is may_mention(text)


# --- laws ---------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(st.lists(st.one_of(nasty(max_bits=6), st.sampled_from(["@alice", "@ALICE ", " @alice,"])), max_size=6))
def test_nothing_but_the_handle_is_changed(parts: list[str]) -> None:
    text = "".join(parts).replace("\ue123", "")

    after = resolved(text, Directory.of(Roster({"alice": "\ue123"})))

    assert text.lower() == after.replace("\ue123", "@alice").lower()


@settings(max_examples=100)
@given(nasty())
def test_every_unknown_handle_is_in_the_text_and_found_again(text: str) -> None:
    text += " @ghost"

    for handle in DIRECTORY.unknown(text):
        assert handle in text
        assert DIRECTORY.answered(text, {handle: "<@9>"}) != text


@pytest.mark.parametrize(
    "text",
    [
        "@",
        "@ ",
        "@a ",
        "@alice ",
        "@mary ",
        "@mary jane ",
        "@{",
        "@{a",
        "(@",
        "@{alice}",
        "@a|1",
        "@アリスさん",
        "@a\u0301",
    ],
)
def test_the_time_grows_with_the_text_and_not_with_the_names(text: str) -> None:
    names = ["mary " * (number % 5) + f"x{number}" for number in range(200)]
    few, many = Directory.of(ROSTER), Directory.of(Roster({**ROSTER.mentions, **dict.fromkeys(names, "<@0>")}))

    short = calls_of(lambda: list(few.edits(text * 100)))

    assert calls_of(lambda: list(few.edits(text * 1000))) <= 11 * short
    assert calls_of(lambda: list(many.edits(text * 100))) <= 2 * short
    assert short <= 70 * 100


@pytest.mark.parametrize("character", ["@", "a", "あ", "\u0301", "{", ".", "-", " ", "\x00", "\ud800", "😀"])
def test_a_hundred_thousand_of_one_character_are_no_trouble(character: str) -> None:
    text = "@" + character * 100_000

    assert text == resolved(text)
    assert DIRECTORY.unknown(text) == ()
