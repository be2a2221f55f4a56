from __future__ import annotations

import pytest

from cadenza.text.split import fit, line_context, split, split_code, split_table
from cadenza.text.units import units
from cadenza.types import Kind

FAMILY = "👨\u200d👩\u200d👧"


def prose(text: str, degree: int = 1, limit: int = 1950, *, lone_words: bool = False) -> list[str]:
    return split(text, Kind.PROSE, degree, limit, lone_words=lone_words)


# --- by degree ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("degree", "text", "expected"),
    [
        pytest.param(0, "Alpha\n\n\nBeta", ["Alpha\n\n\nBeta"], id="0 keeps its lines"),
        pytest.param(0, "hello\n.", ["hello\n."], id="0 keeps a lone mark"),
        pytest.param(1, "one\n\n\ntwo\nthree", ["one", "two", "three"], id="1 line by line"),
        pytest.param(2, "one\ntwo", ["one", "two"], id="2 the same"),
        pytest.param(1, "A. B. C.", ["A. B. C."], id="1 not by sentence"),
        pytest.param(1, "  \n ", [], id="nothing but space"),
        pytest.param(1, "", [], id="nothing"),
        pytest.param(1, 'a "b\nc" d\ne', ['a "b\nc" d', "e"], id="b12 a quote over two lines"),
        pytest.param(1, "**a\nb** c\nd", ["**a\nb** c", "d"], id="b12 bold over two lines"),
        pytest.param(
            1, "before https://e.org/x after", ["before https://e.org/x after"], id="b02 address in its place"
        ),
        pytest.param(1, "a (b\nc", ["a (b", "c"], id="what never closes holds nothing"),
        pytest.param(3, "one   \n   two\n\n\tthree", ["one", "two", "three"], id="3 trims"),
        pytest.param(3, "Is it? It is. Great! Done.", ["Is it? It is", "Great! Done"], id="3 only stops"),
        pytest.param(3, "Hmm... okay. Sure...", ["Hmm... okay", "Sure..."], id="3 ellipsis"),
        pytest.param(3, "Wait...5 more. Go", ["Wait...5 more", "Go"], id="3 dots before a digit"),
        pytest.param(3, "今日は。明日も。", ["今日は", "明日も"], id="3 ideographic"),
        pytest.param(3, 'She said "stop. now" Then left.', ['She said "stop. now" Then left'], id="b11 quote"),
        pytest.param(3, "**a. b** c. d", ["**a. b** c", "d"], id="b11 bold"),
        pytest.param(3, "use `a. b` ok. c", ["use `a. b` ok", "c"], id="b11 code"),
        pytest.param(3, "*she sighs.\nslowly.* Fine. Ok.", ["*she sighs.\nslowly.* Fine", "Ok"], id="b11 over lines"),
        pytest.param(3, "See [the. docs](e. b) now. Ok.", ["See [the. docs](e. b) now", "Ok"], id="b11 link"),
        pytest.param(3, "2 * 3 is six. 4 * 5 is twenty.", ["2 * 3 is six", "4 * 5 is twenty"], id="3 products"),
        pytest.param(3, "ugh :( sad. but :) fine.", ["ugh :( sad", "but :) fine"], id="b22 b23 faces"),
        pytest.param(3, 'a 27" screen. Nice. Ok', ['a 27" screen', "Nice", "Ok"], id="b23 inches"),
        pytest.param(3, "The U.S. agreed. Fine.", ["The U.S. agreed", "Fine"], id="b24 acronym"),
        pytest.param(3, "1. Mix. Stir.\n2. Add.", ["1. Mix", "Stir", "2. Add"], id="3 list numbers"),
        pytest.param(3, "そう．次｡また．", ["そう", "次", "また"], id="3 full-width stops"),
        pytest.param(3, "# One. Two.\nThree. Four", ["# One. Two.", "Three", "Four"], id="3 a heading stays whole"),
        pytest.param(3, "> One. Two.\nThree. Four", ["> One. Two.", "Three", "Four"], id="3 so does a quote"),
        pytest.param(3, "-# One. Two", ["-# One. Two"], id="3 and subtext"),
        pytest.param(1, ">>> one\ntwo\n\nthree", [">>> one\ntwo", "three"], id="1 a long quote stays whole"),
        pytest.param(1, "> one\n>\n> two", ["> one", ">\n> two"], id="1 a lone quote mark joins the next line"),
    ],
)
def test_a_degree_says_where_messages_end(degree: int, text: str, expected: list[str]) -> None:
    assert expected == prose(text, degree, lone_words=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Yes. I know that. Ok.", ["Yes. I know that. Ok"], id="the first and the last"),
        pytest.param("I see it. Yes. No. I mean no.", ["I see it", "Yes. No. I mean no"], id="several"),
        pytest.param("Wow.\nThat is it.\nReally.", ["Wow", "That is it", "Really"], id="a line of its own"),
        pytest.param("1. Mix. Stir well.\n2. Add it.", ["1. Mix. Stir well", "2. Add it"], id="a word of an item"),
        pytest.param("Dr. Who. I see him.", ["Dr. Who", "I see him"], id="a title is a word"),
        pytest.param("好。我们走吧。", ["好。我们走吧"], id="Chinese"),
        pytest.param("そうだ。行きましょう。", ["そうだ", "行きましょう"], id="three letters without spaces"),
        pytest.param("See https://e.org/x for it.", ["See https://e.org/x for it"], id="before an address"),
        pytest.param("It is at https://e.org/x now.", ["It is at https://e.org/x now"], id="after an address"),
        pytest.param("It is at https://e.org/x as ever.", ["It is at", "https://e.org/x", "as ever"], id="an address"),
    ],
)
def test_no_single_word_of_a_line_is_a_message(text: str, expected: list[str]) -> None:
    assert expected == prose(text, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("_She sighs. She walks off._ Hello there.", ["_She sighs. She walks off._ Hello there"], id="underscores"),
        pytest.param("Go to http://[your-ip]/lr and look. It is so.", ["Go to http://[your-ip]/lr and look", "It is so"], id="an address to fill in"),
        pytest.param("Go to http://<your-ip>:80/lr and look.", ["Go to http://<your-ip>:80/lr and look"], id="in angle brackets"),
        pytest.param("Go to https://e.org/<name>/x and look.", ["Go to https://e.org/<name>/x and look"], id="an address with a gap"),
        pytest.param("It [is so. And so] it is. It is.", ["It [is so. And so] it is", "It is"], id="brackets"),
        pytest.param("Dataset: 2, 4, 4, 4, 5, 5, 7, 9", ["Dataset: 2, 4, 4, 4, 5, 5, 7, 9"], id="numbers"),
        pytest.param(r"We get \( x = y. \) Then we stop.", [r"We get \( x = y. \) Then we stop"], id="a formula"),
        pytest.param("# My head. So it is.\nIt is.", ["# My head. So it is.", "It is"], id="a heading"),
        pytest.param("-# My note. So it is.", ["-# My note. So it is."], id="subtext"),
        pytest.param("> My quote. So it is.", ["> My quote. So it is."], id="a quote"),
        pytest.param("a. One thing\nb. Two things\niv. Four things", ["a. One thing", "b. Two things", "iv. Four things"], id="items"),
        pytest.param("Smith et al. (2023) say so. It is.", ["Smith et al. (2023) say so", "It is"], id="et al."),
    ],
)  # fmt: skip
def test_degree_3_tears_nothing_apart(text: str, expected: list[str]) -> None:
    assert expected == prose(text, 3)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("hello\n!!\nbye", 50, ["hello!!", "bye"], id="behind"),
        pytest.param(".\nhello", 50, [".hello"], id="in front"),
        pytest.param("...\n!?\nhello", 50, ["...!?hello"], id="several in front"),
        pytest.param("hi\n…\nbye", 50, ["hi", "…", "bye"], id="an ellipsis character speaks for itself"),
        pytest.param("!!", 50, ["!!"], id="alone"),
        pytest.param("a" * 49 + "\n!!\nbbbb", 50, ["a" * 49, "!!bbbb"], id="no room behind"),
        pytest.param("a" * 49 + "\n!!\n" + "b" * 50, 50, ["a" * 49, "!!", "b" * 50], id="no room at all"),
        pytest.param("https://e.org/1\n.\nx", 50, ["https://e.org/1.", "x"], id="b26 not in front of an address"),
        pytest.param("!" * 40 + "\n\n" + "?" * 40 + "\n\nab", 50, ["!" * 40, "?" * 40, "ab"], id="too many in front"),
    ],
)
def test_a_lone_mark_is_no_message(text: str, limit: int, expected: list[str]) -> None:
    assert expected == prose(text, 1, limit)


# --- by length ------------------------------------------------------------------


@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 60, id="paragraph"),
        pytest.param("x" * 300, id="one word"),
        pytest.param("https://e.org/" + "a" * 200, id="address"),
        pytest.param("<:soup:123456789012345678>" * 12, id="emoji"),
        pytest.param("漢" * 200, id="CJK"),
        pytest.param("**" + "word " * 60 + "end**", id="bold"),
        pytest.param("*" * 200, id="stars"),
        pytest.param(FAMILY * 40, id="families"),
        pytest.param('"' + "a (b [c **d " * 20, id="unclosed"),
        pytest.param("> " * 100 + "x" * 100, id="quote marks"),
        pytest.param("e" + "\u0301" * 300, id="one character longer than a message"),
    ],
)
def test_b07_no_message_is_longer_than_the_limit_or_blank(text: str, degree: int) -> None:
    messages = prose(text, degree, 50)

    assert messages
    assert all(0 < units(message) <= 50 and message.strip() for message in messages)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a" * 30 + "\n" + "b c " * 8, ["a" * 30, ("b c " * 8).strip()], id="line end"),
        pytest.param("Aaa bbb ccc ddd eee fff ggg. Hhh iii jjj kkk lll mmm", ["Aaa bbb ccc ddd eee fff ggg.", "Hhh iii jjj kkk lll mmm"], id="sentence"),
        pytest.param("a" * 40 + " " + "b" * 40, ["a" * 40, "b" * 40], id="space"),
        pytest.param("a" * 49 + " " + "b" * 40, ["a" * 49, "b" * 40], id="b20 a space just before the limit"),
        pytest.param("a" * 50 + " " + "b" * 40, ["a" * 50, "b" * 40], id="b20 a space just behind the limit"),
        pytest.param("a b c d " * 4 + "(" + "e f " * 8 + ")", ["a b c d " * 3 + "a b c d", "(" + "e f " * 8 + ")"], id="in front of a span"),
        pytest.param("aa " * 12 + "https://e.org/" + "b" * 30, [("aa " * 12).strip(), "https://e.org/" + "b" * 30], id="b36 in front of an address"),
        pytest.param("aa " * 14 + "<:soup:12345>", [("aa " * 14).strip(), "<:soup:12345>"], id="in front of a tag"),
        pytest.param("あ" * 40 + "、" + "い" * 20, ["あ" * 40 + "、", "い" * 20], id="a Japanese pause"),
        pytest.param("a\n" + " " * 60 + "b", ["a", "b"], id="nothing blank is left of a long indent"),
    ],
)  # fmt: skip
def test_a_long_text_is_cut_at_the_best_place(text: str, expected: list[str]) -> None:
    assert expected == fit(text, 50)


@pytest.mark.parametrize(
    ("text", "tight", "natural"),
    [
        pytest.param(
            "Aaa bbb ccc ddd eee fff ggg! Hhh iii jjj kkk lll mmm nnn",
            ["Aaa bbb ccc ddd eee fff ggg! Hhh iii jjj kkk lll", "mmm nnn"],
            ["Aaa bbb ccc ddd eee fff ggg!", "Hhh iii jjj kkk lll mmm nnn"],
            id="a sentence in the second half",
        ),
        pytest.param(
            "Aaa bbb! " + "ccc " * 12,
            ["Aaa bbb! " + ("ccc " * 10).strip(), "ccc ccc"],
            ["Aaa bbb! " + ("ccc " * 10).strip(), "ccc ccc"],
            id="a sentence in the first half",
        ),
        pytest.param(
            "a" * 40 + " " + "b" * 30,
            ["a" * 40 + " " + "b" * 9, "b" * 21],
            ["a" * 40, "b" * 30],
            id="a space before the last tenth",
        ),
        pytest.param("a" * 46 + " " + "b" * 30, ["a" * 46, "b" * 30], ["a" * 46, "b" * 30], id="a space in it"),
    ],
)
def test_a_long_line_ends_early_only_where_lines_are_messages(text: str, tight: list[str], natural: list[str]) -> None:
    assert [tight, natural, natural, tight] == [prose(text, degree, 50) for degree in range(4)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("x" * 30 + "(" + "ab" * 10 + ") c", ["x" * 30, "(" + "ab" * 10 + ") c"], id="brackets that fit"),
        pytest.param(
            "x" * 30 + "(" + "a" * 60 + ") c", ["x" * 30 + "(" + "a" * 19, "a" * 41 + ") c"], id="brackets that do not"
        ),
        pytest.param(
            "x" * 30 + "`" + "a" * 60 + "` c", ["x" * 30, "`" + "a" * 49, "a" * 11 + "` c"], id="code that does not"
        ),
        pytest.param("x" * 39 + "<:soup:123>. c", ["x" * 39, "<:soup:123>. c"], id="a tag with its full stop"),
        pytest.param("あ" * 46 + "（い、う）え", ["あ" * 46, "（い、う）え"], id="no pause inside brackets"),
        pytest.param(
            "**" + "b" * 30 + "`" + "c" * 30 + "` d**",
            ["**" + "b" * 30 + "**", "**`" + "c" * 30 + "` d**"],
            id="code in emphasis",
        ),
    ],
)
def test_a_long_line_is_cut_in_front_of_what_fits_alone(text: str, expected: list[str]) -> None:
    assert expected == fit(text, 50)


@pytest.mark.parametrize(
    ("mark", "closer"),
    [
        pytest.param("**", "**", id="bold"),
        pytest.param("*", "*", id="italic"),
        pytest.param("_", "_", id="italic with underscores"),
        pytest.param("~~", "~~", id="strike"),
        pytest.param("||", "||", id="spoiler"),
        pytest.param("__", "__", id="underline"),
        pytest.param("**~~", "~~**", id="b31 two, inside out"),
    ],
)
def test_emphasis_that_is_cut_closes_and_opens_again(mark: str, closer: str) -> None:
    messages = fit(f"{mark}{'word ' * 30}end{closer} tail", 50)

    assert len(messages) > 2
    assert all(message.startswith(mark) for message in messages)
    assert all(message.endswith(closer) for message in messages[:-1])
    assert messages[-1].endswith(f"end{closer} tail")
    assert [
        word
        for message in messages
        for word in message.replace(mark, "").replace(closer, "").replace("tail", "").split()
    ] == ["word"] * 30 + ["end"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**a\n" + "b " * 30 + "c** d", ["**a\n" + "b " * 16 + "b**", "**" + "b " * 13 + "c** d"], id="bold"),
        pytest.param("||" + "some words\n" * 6 + "end||", ["||" + "some words\n" * 2 + "some words||", "||" + "some words\n" * 3 + "end||"], id="a spoiler"),
        pytest.param("> **a\n> " + "some words\n> " * 3 + "b** c", ["> **a\n> some words\n> some words**", "> **some words\n> b** c"], id="a quote"),
        pytest.param("||" + "x" * 36 + "|| so and so", ["||" + "x" * 36 + "||", "so and so"], id="a word"),
        pytest.param("||" + "x" * 50 + "||y", ["||" + "x" * 36 + "||", "||" + "x" * 14 + "||y"], id="a longer word"),
    ],
)  # fmt: skip
def test_emphasis_over_lines_closes_and_opens_again(text: str, expected: list[str]) -> None:
    assert expected == fit(text, 40)


def test_a_quoted_line_that_is_cut_stays_quoted() -> None:
    messages = fit("> " + "word " * 30, 50)

    assert len(messages) > 2
    assert all(message.startswith("> word") for message in messages)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        pytest.param("https://e.org/" + "b" * 34, "> https://e.org/" + "b" * 34, id="with its quote marks if they fit"),
        pytest.param(
            "https://e.org/" + "b" * 36, "https://e.org/" + "b" * 36, id="without if it does not fit with them"
        ),
    ],
)
def test_an_address_in_a_quote_stays_whole(address: str, expected: str) -> None:
    assert fit("> " + "aa " * 10 + address + " c", 50)[1] == expected


def test_quote_marks_that_leave_no_room_are_not_repeated() -> None:
    deep = " " * 8 + "> > > > "

    assert fit(deep + "word " * 20, 50)[1].startswith("word")
    assert fit(deep + "word " * 40, 100)[1].startswith(deep + "word")


@pytest.mark.parametrize("degree", range(4))
def test_a_long_quote_opens_again_in_every_message(degree: int) -> None:
    messages = prose(">>> " + "one two\n" * 12, degree, 50)

    assert len(messages) > 2
    assert all(message.startswith(">>> ") for message in messages)
    assert [word for message in messages for word in message.removeprefix(">>> ").split()] == ["one", "two"] * 12


def test_a_long_quote_goes_on_behind_an_empty_line_as_discord_shows_it() -> None:
    messages = prose(">>> one two\n\n" + "three four\n" * 8, 0, 50)

    assert len(messages) > 1
    assert all(message.startswith(">>> ") for message in messages)


@pytest.mark.parametrize(
    ("line", "context"),
    [
        pytest.param("> a", "> ", id="quote"),
        pytest.param("> > a", "> > ", id="quote in a quote"),
        pytest.param(">>> a", ">>> ", id="long quote"),
        pytest.param("- a", "  ", id="list"),
        pytest.param("  12) a", "      ", id="indented number"),
        pytest.param("> - a", ">   ", id="list in a quote"),
        pytest.param("# a", "# ", id="a heading"),
        pytest.param("-a 1.b 2024. c", "", id="no list"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_a_line_goes_on_with_behind_a_cut(line: str, context: str) -> None:
    assert context == line_context(line)


@pytest.mark.parametrize("lead", range(4))
def test_b21_no_visible_character_is_cut(lead: int) -> None:
    messages = fit("a" * lead + FAMILY * 30, 50)

    assert "a" * lead + FAMILY * 30 == "".join(messages)
    assert all(message.lstrip("a").replace(FAMILY, "") == "" for message in messages)


# --- code -------------------------------------------------------------------------


def code_of(messages: list[str], opening: str, closing: str = "```") -> list[str]:
    """The lines of code in *messages*, each of which must be a whole block."""
    lines: list[str] = []
    for message in messages:
        first, *body, last = message.split("\n")
        assert (opening, closing) == (first, last)
        lines += body
    return lines


def test_a_code_block_that_fits_stays_as_it_is() -> None:
    block = "```py\nx\n\ny\n```"

    assert [block] == split_code(block, 50)
    assert [block] == split(block, Kind.CODE, 3, 50)


def test_b16_a_split_code_block_keeps_its_blank_lines() -> None:
    lines = ["a = 1", "", "", "b = 2", "", "c = 3"] * 6

    messages = split_code("```py\n" + "\n".join(lines) + "\n```", 60)

    assert len(messages) > 1
    assert lines == code_of(messages, "```py")


@pytest.mark.parametrize("info", ["c++", "objective-c", "py title=x", "", "C#", "js {1,3}"])
def test_b17_every_part_has_the_whole_info_string(info: str) -> None:
    lines = [f"line {number}" for number in range(20)]

    messages = split_code(f"```{info}\n" + "\n".join(lines) + "\n```", 60)

    assert len(messages) > 1
    assert lines == code_of(messages, f"```{info}")


def test_b18_a_long_line_of_code_is_cut() -> None:
    messages = split_code("```py\n" + "x" * 200 + "\ny\n```", 50)

    assert all(units(message) <= 50 for message in messages)
    assert "".join(code_of(messages, "```py")) == "x" * 200 + "y"


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("```py\n" + "x" * 40 + "\n```", id="exactly full"),
        pytest.param("```py\n" + "x" * 41 + "\n```", id="one too many"),
        pytest.param("```py\na=1\nb=2\nc=3\n" + "d" * 40 + "\n```", id="a long last line"),
        pytest.param("```py\n" + "x" * 80 + "\ny\n```", id="a long first line"),
        pytest.param("```py\n" + "\n" * 80 + "y\n```", id="a hundred blank lines"),
    ],
)
def test_b19_no_part_is_an_empty_fence(block: str) -> None:
    messages = split_code(block, 50)

    assert all(units(message) <= 50 for message in messages)
    assert all("".join(code_of([message], "```py")) for message in messages)


@pytest.mark.parametrize("block", ["```\n\n```", "```\n```", "``````", "> ```\n> \n> ```"])
def test_b19_an_empty_code_block_is_no_message(block: str) -> None:
    assert split_code(block, 50) == []


def test_b37_a_block_of_four_backticks_stays_one() -> None:
    lines = ["```py", "x = 1", "```", "text"] * 6

    messages = split_code("````md\n" + "\n".join(lines) + "\n````", 60)

    assert len(messages) > 1
    assert lines == code_of(messages, "````md", "````")


def test_a_quoted_code_block_stays_quoted() -> None:
    messages = split_code("> ```py\n" + "> x = 1\n" * 12 + "> ```", 60)

    assert len(messages) > 1
    assert code_of(messages, "> ```py", "> ```") == ["> x = 1"] * 12


def test_code_on_the_first_line_of_a_long_block_is_repeated_nowhere() -> None:
    lines = ["print(`a`, b)", *["x = 1"] * 12]

    messages = split_code("```" + "\n".join(lines) + "\n```", 50)

    assert len(messages) > 1
    assert lines == code_of(messages, "```")


def test_a_code_block_with_only_a_first_line_shows_that() -> None:
    assert split_code("```py\n\n```", 50) == ["```\npy\n```"]


def test_an_info_string_that_leaves_no_room_becomes_a_line_of_code() -> None:
    messages = split_code("```" + "i" * 60 + "\nx = 1\ny = 2\n```", 50)

    assert all(units(message) <= 50 for message in messages)
    assert "i" * 60 + "x = 1y = 2" == "".join(code_of(messages, "```"))


# --- tables -------------------------------------------------------------------------


def test_a_table_is_cut_between_rows_and_repeats_its_head() -> None:
    rows = [f"| {number} | {number * 2} |" for number in range(20)]

    messages = split_table("| a | b |\n|---|---|\n" + "\n".join(rows) + "\n", 60)

    assert len(messages) > 1
    assert all(units(message) <= 60 and message.startswith("| a | b |\n|---|---|\n") for message in messages)
    assert rows == [row for message in messages for row in message.split("\n")[2:]]


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert split("| a |\n|---|\n| 1 |\n", Kind.TABLE, 1, 50) == ["| a |\n|---|\n| 1 |"]


@pytest.mark.parametrize("row", ["| " + "x" * 200 + " |", "| " + "word " * 40 + "|"])
def test_b07_a_row_longer_than_a_message_is_cut(row: str) -> None:
    messages = split_table("| a |\n|---|\n" + row + "\n", 50)

    assert all(0 < units(message) <= 50 for message in messages)


def test_a_head_longer_than_a_message_is_not_repeated() -> None:
    messages = split_table("| " + "x" * 60 + " |\n|---|\n| 1 |\n| 2 |\n", 50)

    assert all(0 < units(message) <= 50 for message in messages)
    assert "| 2 |" in messages[-1]
