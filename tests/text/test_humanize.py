from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.text.humanize import humanize
from cadenza.text.units import WHITESPACE
from tests.helpers import Dice
from tests.laws.material import nasty_markdown

GOES, BREAKS, STAYS = 0.0, 0.45, 0.99
"""A roll for which a comma goes, one for which it ends the message, and one for which everything stays."""


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("   ", "   ", id="only space"),
        pytest.param("Hello There", "hello there", id="words"),
        pytest.param("I am A Fan", "I am A fan", id="single capitals"),
        pytest.param("NASA and FBI", "NASA and FBI", id="all capitals"),
        pytest.param("ABC-DEF Ghi-JKL", "ABC-DEF ghi-jkl", id="capitals with a hyphen"),
        pytest.param("I'm I’m DON'T", "i'm i’m DON'T", id="both apostrophes"),
        pytest.param("Covid-19 came", "covid-19 came", id="a word before a number"),
        pytest.param("Lol OMG Brb", "Lol OMG Brb", id="shorthand as typed"),
        pytest.param("Foo_Bar PS5 3D", "Foo_Bar PS5 3D", id="names with digits"),
        pytest.param("Élan Привет Ώρα", "élan привет ώρα", id="any script that has capitals"),
        pytest.param("E\u0301lan", "e\u0301lan", id="an accent of its own"),
        pytest.param("@Everyone #Channel", "@everyone #channel", id="not quite mentions"),
        pytest.param("**Bold, Text** *Ok*", "**bold, text** *ok*", id="inside emphasis"),
        pytest.param("well; ok", "well ok", id="semicolon"),
        pytest.param("ok;; fine;", "ok fine", id="semicolons"),
        pytest.param("；；", "", id="nothing but semicolons"),
        pytest.param("はい；そう", "はいそう", id="full-width semicolon"),
        pytest.param("Hi, you! Ok?", "hi, you! ok?", id="commas and marks stay"),
        pytest.param("はい;そう", "はいそう", id="semicolon in a script without spaces"),
        pytest.param("a;b Foo;Bar；Baz", "a;b foo;bar；baz", id="words are not joined"),
        pytest.param("Ok ;) sure ;-D cry ;_;", "ok ;) sure ;-D cry ;_;", id="faces"),
        pytest.param("Nice One :) Thanks :D", "nice one :) thanks :D", id="a smile makes no label"),
        pytest.param("Nice One : Thanks", "Nice One : thanks", id="but a colon does"),
        pytest.param("Re-;Do e\u0301;Ew", "re-;do e\u0301;ew", id="nor are parts of words"),
        pytest.param(";);Well", ";)well", id="behind a face"),
        pytest.param("``;`X` a", "``;`X` a", id="backticks are not joined"),
        pytest.param("\\;`Code`", "\\;`Code`", id="nothing else is escaped"),
    ],
)
def test_without_chance_only_capitals_and_semicolons_go(text: str, lowered: str) -> None:
    assert [lowered] == humanize(text)


UNTOUCHED = [
    pytest.param("`Foo, Bar; Baz!`", id="code"),
    pytest.param('`let S = "A, B";`', id="code with quotes"),
    pytest.param("`日本, Go`", id="code in any script"),
    pytest.param("``A ` B, C``", id="code with a backtick"),
    pytest.param("```py\nPrint(A, B);\n\nOk!\n```", id="block"),
    pytest.param("````\nA, B\n```\nC, D\n````", id="block in four backticks"),
    pytest.param("```A, B``````C, D```", id="block after block"),
    pytest.param("``````", id="block that is empty"),
    pytest.param("https://E.org/Path?A=B,C;D", id="url"),
    pytest.param("<https://E.org/X>", id="url in brackets"),
    pytest.param("Https://E.org/Path", id="url as a sentence begins"),
    pytest.param("steam://Run/12", id="another scheme"),
    pytest.param("discord.gg/AbCd", id="address without a scheme"),
    pytest.param("<@!123>", id="mention"),
    pytest.param("<@&6>", id="role"),
    pytest.param("<#45>", id="channel"),
    pytest.param("<:Soup:123>", id="emoji"),
    pytest.param("<a:Wave_X:9>", id="animated emoji"),
    pytest.param("<t:1700000000:R>", id="time"),
    pytest.param("</Play Song, Now:42>", id="command"),
    pytest.param(":Soup:", id="shortcode"),
    pytest.param(":Soup-Bowl:", id="shortcode with a hyphen"),
    pytest.param("1,000,000", id="number"),
    pytest.param("2,5", id="decimal comma"),
    pytest.param("１，０００", id="full-width number"),
    pytest.param("10:30", id="time of day"),
    pytest.param("x?y", id="a mark in a word"),
    pytest.param("!help", id="a command of old"),
    pytest.param("Bob:", id="label"),
    pytest.param("(Bob Smith):", id="label in brackets"),
    pytest.param("__URL_0__", id="b30 a placeholder"),
    pytest.param("`$&`", id="b30 a pattern's word"),
]


@pytest.mark.parametrize("roll", [None, GOES, BREAKS], ids=["no roll", "goes", "breaks"])
@pytest.mark.parametrize("part", UNTOUCHED)
def test_what_is_not_prose_stays_as_it_is(part: str, roll: float | None) -> None:
    text = f"fine. {part} - there"

    assert [text] == humanize(text, None if roll is None else Dice(roll).random)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("Foo ``` Bar, Baz", "foo ``` Bar, Baz", id="block that is open"),
        pytest.param("\\``` Foo ``` Bar", "\\``` foo ``` Bar", id="escaped backticks"),
        pytest.param("```Foo``` Bar ```Baz``` Ok", "```Foo``` bar ```Baz``` ok", id="prose between blocks"),
        pytest.param("[Link, Text](A,B_(C)) Ok", "[link, text](A,B_(C)) ok", id="text of a link"),
        pytest.param("See https://E.org/A;; Ok", "see https://E.org/A ok", id="semicolons behind a url"),
        pytest.param(f"https://E.org/A{';' * 20} Ok", "https://E.org/A ok", id="many semicolons behind a url"),
        pytest.param("Say This: Hello", "Say This: hello", id="label of two words"),
    ],
)
def test_what_is_not_prose_ends_where_it_ends(text: str, pieces: str) -> None:
    assert [pieces] == humanize(text, Dice(BREAKS).random)


@pytest.mark.parametrize(
    ("roll", "pieces"),
    [
        pytest.param(0.0, ["a b"], id="goes"),
        pytest.param(0.39, ["a b"], id="just goes"),
        pytest.param(0.4, ["a", "b"], id="breaks"),
        pytest.param(0.59, ["a", "b"], id="just breaks"),
        pytest.param(0.6, ["a, b"], id="stays"),
        pytest.param(0.99, ["a, b"], id="stays by far"),
    ],
)
def test_a_comma_goes_breaks_or_stays(roll: float, pieces: list[str]) -> None:
    assert pieces == humanize("a, b", Dice(roll).random, reference=True)


@pytest.mark.parametrize(
    ("roll", "pieces"),
    [
        pytest.param(0.49, ["a?!", "b"], id="breaks"),
        pytest.param(0.5, ["a?! b"], id="stays"),
    ],
)
def test_marks_stay_and_may_break(roll: float, pieces: list[str]) -> None:
    assert pieces == humanize("a?! b", Dice(roll).random, reference=True)


@pytest.mark.parametrize(
    ("text", "roll", "pieces"),
    [
        pytest.param("Well, sure! Why not, Bob?", STAYS, ["well, sure! why not, bob?"], id="all stay"),
        pytest.param("Well, sure! Why not, Bob?", GOES, ["well sure!", "why not bob?"], id="commas go"),
        pytest.param("Well, sure! Why not, Bob?", BREAKS, ["well", "sure!", "why not", "bob?"], id="all break"),
        pytest.param("**Wait, no!** Ok, go", BREAKS, ["**wait, no!** ok", "go"], id="not inside bold"),
        pytest.param("*a, b* ||c, d|| ~~e! f~~", BREAKS, ["*a, b* ||c, d|| ~~e! f~~"], id="not inside emphasis"),
        pytest.param('"a, b" (c! d) “e, f”', BREAKS, ['"a, b" (c! d) “e, f”'], id="not inside quotes or brackets"),
        pytest.param("「はい、そう！」", BREAKS, ["「はい、そう！」"], id="not inside full-width quotes"),
        pytest.param("[a, b](c) d, e", BREAKS, ["[a, b](c) d", "e"], id="not inside a link"),
        pytest.param(":) ok, yes (or, no", BREAKS, [":) ok", "yes (or", "no"], id="brackets that are none"),
        pytest.param("> a, b\nc, d", BREAKS, ["> a, b\nc", "d"], id="not inside a quote"),
        pytest.param("-# a, b", BREAKS, ["-# a, b"], id="not inside subtext"),
        pytest.param("| a, b | c! |\n|---|---|", BREAKS, ["| a, b | c! |\n|---|---|"], id="not inside a table"),
        pytest.param(">>> a, b\nc, d", BREAKS, [">>> a, b\nc, d"], id="not inside a quote to the end"),
        pytest.param("It costs 1,000,000; ok", GOES, ["it costs 1,000,000 ok"], id="numbers"),
        pytest.param("待って、本当に？そう", BREAKS, ["待って", "本当に？", "そう"], id="full-width needs no space"),
        pytest.param("本当に？」と", BREAKS, ["本当に？」と"], id="no message begins with a closing mark"),
        pytest.param("a､b，c、5", GOES, ["abc、5"], id="every comma"),
        pytest.param("Hello,World a,b", GOES, ["hello,world a,b"], id="b28 words are not joined"),
        pytest.param("a,, b", GOES, ["a, b"], id="only the comma before the space"),
        pytest.param("a,; b!; c", BREAKS, ["a", "b!", "c"], id="a semicolon is not in the way"),
        pytest.param("a!, b", GOES, ["a!", "b"], id="a comma that went is not in the way"),
        pytest.param("what?... ok", BREAKS, ["what?... ok"], id="a mark before dots"),
        pytest.param("a,\n\n b", BREAKS, ["a", "b"], id="all the space goes with a break"),
        pytest.param("a,\n\n b", GOES, ["a\n\n b"], id="the space stays when the comma goes"),
        pytest.param("a , b", BREAKS, ["a", "b"], id="space before a comma"),
        pytest.param(" a, b ", BREAKS, [" a", "b "], id="space elsewhere"),
        pytest.param("a, \ufeff b", BREAKS, ["a", "b"], id="odd space"),
        pytest.param("a,\x1fb", BREAKS, ["a,\x1fb"], id="what only Python calls space"),
        pytest.param(", a,", BREAKS, ["a"], id="no empty piece"),
        pytest.param(",", BREAKS, [""], id="nothing remains"),
        pytest.param(",", GOES, [""], id="nothing remains of one piece"),
        pytest.param("Now? Bob: hi, all", BREAKS, ["now? Bob: hi", "all"], id="a label keeps its space"),
        pytest.param("行く！ Bob: Hi", BREAKS, ["行く！", "Bob: hi"], id="but not after a full-width mark"),
        pytest.param("行く、 Bob: Hi", BREAKS, ["行く", "Bob: hi"], id="nor after a full-width comma"),
        pytest.param("a, https://E.org/B, c", BREAKS, ["a", "https://E.org/B", "c"], id="around a url"),
        pytest.param("`A`, b, `B`! `C`", BREAKS, ["`A`", "b", "`B`!", "`C`"], id="around code"),
    ],
)
def test_pieces(text: str, roll: float, pieces: list[str]) -> None:
    assert pieces == humanize(text, Dice(roll).random, reference=True)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("Well, I would say so", ["well, I would say so"], id="the first word"),
        pytest.param("I would say so, obviously!", ["I would say so, obviously!"], id="the last word"),
        pytest.param("So nice! Really? Yes! I mean it", ["so nice!", "really? yes!", "I mean it"], id="words in a row"),
        pytest.param("Great idea, truly, let us go", ["great idea", "truly, let us go"], id="a word in the middle"),
        pytest.param("Wow!\nThat is neat", ["wow!", "that is neat"], id="a line of its own"),
        pytest.param("That is neat!\nWow!", ["that is neat!", "wow!"], id="a last line of its own"),
        pytest.param("Wow! Ok, see you", ["wow! ok", "see you"], id="two words are enough"),
        pytest.param("はい！行きます", ["はい！行きます"], id="two letters without spaces"),
        pytest.param("本当に？行きます", ["本当に？", "行きます"], id="three letters without spaces"),
        pytest.param("知道了，好", ["知道了，好"], id="a Chinese word"),
        pytest.param("네! 알겠습니다", ["네! 알겠습니다"], id="a Korean word"),
        pytest.param("Look at <:soup:1>! <:soup:2>", ["look at <:soup:1>!", "<:soup:2>"], id="an emoji is no word"),
        pytest.param("See this, https://E.org/A", ["see this", "https://E.org/A"], id="nor is an address"),
    ],
)
def test_a_break_leaves_no_single_word_of_a_line(text: str, pieces: list[str]) -> None:
    assert pieces == humanize(text, Dice(BREAKS).random)


@pytest.mark.parametrize("roll", [None, GOES, BREAKS], ids=["no roll", "goes", "breaks"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(r"It is \( \Delta G = \Gamma \) here", r"it is \( \Delta G = \Gamma \) here", id="a formula"),
        pytest.param(r"So \( Var(X), Y! Z \) it is", r"so \( Var(X), Y! Z \) it is", id="commas in a formula"),
        pytest.param("\\[\nA, Bc; D\n\\] is It", "\\[\nA, Bc; D\n\\] is it", id="a formula over lines"),
        pytest.param("$$\nA, Bc\n$$ is It", "$$\nA, Bc\n$$ is it", id="one between dollars"),
        pytest.param("If $Ab, Cd$ Holds it", "if $Ab, Cd$ holds it", id="one in a line"),
        pytest.param("Use \\Alpha and \\text{For All, X} it", "use \\Alpha and \\text{For All, X} it", id="commands"),
        pytest.param("/C:\\Users\\You It is", "/C:\\Users\\You it is", id="a path"),
        pytest.param("Dataset: 2, 4, 4, 4, 5, 5, 7, 9", "Dataset: 2, 4, 4, 4, 5, 5, 7, 9", id="a list of numbers"),
        pytest.param("From 3, 4 and 5 up to 1, 2, ..., 9 it", "from 3, 4 and 5 up to 1, 2, ..., 9 it", id="3, 4 and 5"),
        pytest.param("They are 3, 4, and 5 now", "they are 3, 4, and 5 now", id="a comma before and"),
        pytest.param("About 10%, 20%, $5, -3, 1,000 it is", "about 10%, 20%, $5, -3, 1,000 it is", id="with signs"),
        pytest.param("Take [A, B! C] or {D, E! F} now", "take [A, B! C] or {D, E! F} now", id="brackets"),
        pytest.param("Open http://[Your-IP]/Lr now", "open http://[Your-IP]/Lr now", id="an address to fill in"),
        pytest.param("Get https://E.org/<Name>/Of it", "get https://E.org/<Name>/Of it", id="an address with a gap"),
        pytest.param("苹果、香蕉、橙子都好吃", "苹果、香蕉、橙子都好吃", id="a Chinese enumeration"),
        pytest.param("りんご、みかん、ぶどうを買う", "りんご、みかん、ぶどうを買う", id="a Japanese enumeration"),
        pytest.param("一、第一点，内容很好", "一、第一点，内容很好", id="a Chinese item"),
        pytest.param("A. First thing, second thing", "A. first thing, second thing", id="a letter"),
        pytest.param("b) First thing, second thing", "b) first thing, second thing", id="a letter with a bracket"),
        pytest.param("iv. First thing, second thing", "iv. first thing, second thing", id="a Roman number"),
        pytest.param("(2) First thing, second thing", "(2) first thing, second thing", id="a number in brackets"),
        pytest.param("# My Heading; One, Two! Yes", "# My Heading; One, Two! Yes", id="a heading"),
        pytest.param("**A Bold, Title:**", "**A Bold, Title:**", id="a title in bold"),
        pytest.param("-# Small Print; One, Two", "-# Small Print; One, Two", id="subtext"),
        pytest.param("> A Quote; One, Two! Yes", "> A Quote; One, Two! Yes", id="a quote"),
        pytest.param("`A, B` and ```C, D``` It is", "`A, B` and ```C, D``` it is", id="code"),
        pytest.param("通过**A**，**B**，**C**，**D**，**E**，**F**实现。", "通过**A**，**B**，**C**，**D**，**E**，**F**实现。", id="between marks"),
        pytest.param("Use `A`, `B` or **C**, *D* it", "use `A`, `B` or **C**, *D* it", id="between marks and a space"),
        pytest.param("「甲」，「乙」都可以", "「甲」，「乙」都可以", id="between quotes"),
        pytest.param("_She sighs, she! walks off._ It is", "_She sighs, she! walks off._ it is", id="underscores"),
    ],
)  # fmt: skip
def test_degree_3_leaves_it_as_it_is(text: str, wanted: str, roll: float | None) -> None:
    dice = Dice(BREAKS if roll is None else roll)

    assert [wanted] == humanize(text, None if roll is None else dice.random)
    assert dice.thrown == 0


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("It costs $5, not $10, I am Told", ["it costs $5", "not $10", "I am told"], id="prices"),
        pytest.param("In \\( Foo, I said Bar", ["in \\( foo", "I said bar"], id="a formula that never ends"),
        pytest.param("Room 5, the Big one", ["room 5", "the big one"], id="a number before a word"),
        pytest.param("It was him, 5 of us saw", ["it was him", "5 of us saw"], id="a number behind a word"),
        pytest.param("**Bold** it is, **Bolder** too", ["**bold** it is", "**bolder** too"], id="a mark behind only"),
    ],
)
def test_it_is_casual_beside_them(text: str, pieces: list[str]) -> None:
    assert pieces == humanize(text, Dice(BREAKS).random)


def test_commas_are_rolled_for_first_then_marks() -> None:
    dice = Dice(STAYS, BREAKS, STAYS, GOES)

    assert ["so! b, c?", "d", "e!"] == humanize("So! b, c? d, e!", dice.random, reference=True)
    assert dice.thrown == 5


@pytest.mark.parametrize(
    "text",
    ["hello", "1,000", "1, 2", "a,b", "<@!1>", "!help", "x?y", "what?...", "(a, b!)", "`a, b`", "```\na, b\n", "a、b"],
)
def test_nothing_is_rolled_for_where_nothing_may_change(text: str) -> None:
    dice = Dice(GOES)

    assert [text] == humanize(text, dice.random)
    assert dice.thrown == 0


@pytest.mark.parametrize(
    "bit",
    [
        "a",
        "A-",
        "a:",
        "(a",
        ":a-",
        "a.",
        "a://",
        "`",
        "``` a",
        ";",
        ", ",
        "! ",
        "[a](",
        "；",
        "\\(",
        "\\a{",
        "$",
        "$a",
        "{",
        "[",
        "**a",
        "1, ",
    ],
)
def test_a_long_text_takes_no_longer_than_its_length(bit: str) -> None:
    """Were any expression to start over at every character, this would run into the time limit."""
    text = bit * (400_000 // len(bit))

    pieces = humanize(text, Dice(STAYS).random)

    assert len(pieces) == 1


@pytest.mark.parametrize("roll", [None, GOES, BREAKS, STAYS], ids=["no roll", "goes", "breaks", "stays"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("$& $1 $$ `$&` (a, b)", "$& $1 $$ `$&` (a, b)", id="words of a pattern"),
        pytest.param("__URL_0__ https://E.org", "__URL_0__ https://E.org", id="a placeholder"),
        pytest.param("Hello,World", "hello,world", id="no space"),
        pytest.param("1,000,000 and 2,5", "1,000,000 and 2,5", id="numbers"),
        pytest.param('`let s = "A, B";` `日本, 語`', '`let s = "A, B";` `日本, 語`', id="code"),
    ],
)
def test_b28_whatever_the_dice_say(text: str, wanted: str, roll: float | None) -> None:
    assert [wanted] == humanize(text, None if roll is None else Dice(roll).random)


# --- properties ------------------------------------------------------------------------

_CASUAL = [
    *("Well, ", "Yes! ", "No?! ", "Ok; ", "WOW!!! ", "Hello,World ", "I'm ", "E-ew ", "Bob: ", "(Bob Smith): "),
    *(
        ",",
        ";",
        "!",
        "?",
        "、",
        "，",
        "；",
        "！",
        "？",
        " ",
        "\n",
        ":",
        ";)",
        "\\",
        "`",
        "İ",
        "ΑΣ",
        "1,000 ",
        "Readme.MD ",
    ),
    *(
        "`Foo, Bar;`",
        "**Bold, Text** ",
        "[Link, A](B,C) ",
        '"Quoted, A" ',
        "```\nA, B;\n```",
        "discord.gg/AbC ",
        ":A-B: ",
    ),
]
texts = st.lists(st.one_of(st.sampled_from(_CASUAL), nasty_markdown(4)), max_size=12).map("".join)
dice = st.lists(st.sampled_from([GOES, BREAKS, STAYS]), min_size=1, max_size=7).map(lambda rolls: Dice(*rolls))


def without(characters: str, text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, characters))).casefold()


@given(texts)
def test_without_chance_there_is_one_piece_and_nothing_but_semicolons_is_lost(text: str) -> None:
    (piece,) = humanize(text)

    assert without(";；", text) == without(";；", piece)


@given(texts, dice)
def test_nothing_is_lost_but_commas_semicolons_and_space(text: str, dice: Dice) -> None:
    lost = ",、，､;；" + WHITESPACE

    assert without(lost, text) == without(lost, "".join(humanize(text, dice.random)))


@given(texts, dice)
def test_no_piece_is_empty_unless_it_is_all(text: str, dice: Dice) -> None:
    pieces = humanize(text, dice.random)

    assert pieces == [""] or all(pieces)


@given(texts, dice)
def test_no_space_is_left_at_a_break(text: str, dice: Dice) -> None:
    first, *others = humanize(text, dice.random)

    for before, after in zip([first, *others], others, strict=False):
        assert before == before.rstrip(WHITESPACE)
        assert after == after.lstrip(WHITESPACE)


_BETWEEN_SCRIPTS = re.compile(r"\w[;；]+[\u2e80-\U0010ffff]|[\u2e80-\U0010ffff][;；]+\w")
"""Scripts without spaces lose this semicolon too; then two words are one, which may have another case than they had."""


@given(texts.filter(lambda text: not _BETWEEN_SCRIPTS.search(text)))
def test_twice_without_chance_is_once(text: str) -> None:
    once = humanize(text)

    assert once == humanize(once[0])


@given(texts, st.integers())
def test_the_same_rolls_give_the_same_pieces(text: str, seed: int) -> None:
    assert humanize(text, Random(seed).random) == humanize(text, Random(seed).random)


_PROSE = [
    "Well,",
    "Yes!",
    "No?!",
    "Ok;",
    "fine",
    "And",
    "(see,",
    "ok)",
    '"So,',
    'it"',
    "**Bold,",
    "end**",
    ":)",
    "はい、",
]
_PARTS = [str(case.values[0]) for case in UNTOUCHED]


@given(st.lists(st.one_of(st.sampled_from(_PROSE), st.sampled_from(_PARTS))), dice)
def test_what_is_not_prose_arrives_whole_and_in_order(words: list[str], dice: Dice) -> None:
    arrived = "\0".join(humanize(" ".join(words), dice.random))

    position = 0
    for part in words:
        if part in _PARTS:
            position = arrived.find(part, position) + len(part)
            assert position >= len(part), f"{part!r} is not in {arrived!r}"


def test_a_formula_is_untouched() -> None:
    """The repro: commands in lower case mean other letters."""
    text = r"So \( \Delta G = \Gamma, \quad X; Y \) and $A_1, B$ Is It"

    assert [r"so \( \Delta G = \Gamma, \quad X; Y \) and $A_1, B$ is it"] == humanize(text, lambda: 0.1)
