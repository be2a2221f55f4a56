"""Messages look as the answer does, say three readers of Markdown that others wrote; and they notice if they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from answers import FAMILIES, answers
from cadenza.replies.pipeline import text_row
from cadenza.rules import RULES
from cadenza.settings import Settings
from cadenza.types import Ending, Persona, Post, Scene
from constructs import constructs
from tests.judging import MISSING, Difference, Excuse, Judges, are_present, differences, excuses, line_of, readable

_KEPT = {"list_code", "long_fences"}
"""Rules for what Discord's client cannot show. All others change the text on purpose, and are off."""
_SHAPES = {"reply": 2000, "blocks": 2000, "lines": 2000, "sentences": 400}
"""How many answers are judged in each shape. In ``sentences`` full stops are left out, so comparing is slow."""


@pytest.fixture(scope="module")
def process() -> Iterator[Judges | None]:
    if not are_present():
        yield None
        return
    with Judges() as found:
        yield found


@pytest.fixture
def judges(process: Judges | None, not_tested: Callable[[str], None]) -> Judges:
    if process is None:
        not_tested(MISSING)
        pytest.skip(MISSING)
    return process


def _texts() -> list[str]:
    """Every construct, and of each family some: in an order in which a part of them is as mixed as all."""
    texts = constructs(1720) + [text for family in FAMILIES for text in answers(family, 40)]
    Random(0).shuffle(texts)
    return texts


def _messages(text: str, shape: str) -> list[str]:
    settings = Settings.of(shape=shape, typing=False, casual=False)
    rules = [rule for rule in RULES if rule.name in _KEPT]
    row = text_row(Scene("judged", Persona("")), settings, Random(0), rules=rules)
    return [post.text for post in (*row.feed(text), *row.flush(Ending.FINAL)) if isinstance(post, Post)]


def test_no_character_looks_different_and_every_excuse_is_needed(judges: Judges) -> None:
    texts, known = _texts(), excuses()
    counts, used = Counter[str](), Counter[str]()
    examples: list[str] = []
    for shape, number in _SHAPES.items():
        judged = [(text, _messages(text, shape)) for text in texts[:number]]
        judges.read(text for answer, messages in judged for text in (answer, readable(answer), *messages))
        for answer, messages in judged:
            for judge, different in judges.compare(answer, messages).items():
                left = []
                for one in different:
                    if excuse := next((one_ for one_ in known if one_.covers(judge, shape, answer, one)), None):
                        used[excuse.name] += one.count
                    else:
                        left.append(one)
                counts[f"{shape}, {judge}"] += sum(one.count for one in left)
                # What follows the first one often follows from it.
                examples += [f"{shape}, {judge}: {one} in {line_of(answer, one.place)[:70]!r}" for one in left[:1]]

    assert not examples, f"characters that look different: {dict(+counts)}\n" + "\n".join(examples[:40])
    assert [excuse.name for excuse in known] == [excuse.name for excuse in known if used[excuse.name]]


# --- the judges notice -----------------------------------------------------------------------

_ANSWER = "Do **this**:\n\n4. Run:\n   - `make`\n     - ||wait||\n5. See\n\n> A _quote_\n> goes on\n\n## End\n```py\nx = 1\n```"


@pytest.mark.parametrize(
    ("messages", "judge", "expected"),
    [
        pytest.param([_ANSWER], "odiffey", [], id="the answer itself"),
        pytest.param(_ANSWER.split("\n\n"), "odiffey", [], id="a block each"),
        pytest.param([_ANSWER.replace("5. See", "1. See")], "odiffey", [], id="a list that only counts on"),
        pytest.param(
            [*_ANSWER.split("\n5")[:1], "1" + _ANSWER.split("\n5")[1]],
            "odiffey",
            [("See", "list:5.", "list:1.")],
            id="a list that begins anew",
        ),
        pytest.param(
            [_ANSWER.replace("   - `make`\n  ", "- `make`\n")],
            "odiffey",
            [
                ("make", "code|list:4./-", "code|list:5."),
                ("wait", "spoiler|list:4./-/-", "spoiler|list:5./-"),
                ("See", "list:5.", "list:6."),
            ],
            id="a lost indent",
        ),
        pytest.param(
            [_ANSWER.replace("**this**", "this")], "odiffey", [("this", "bold", "")], id="a bold word that is not"
        ),
        pytest.param(
            [_ANSWER.replace("**this**:", "**this:")],
            "parser",
            [("", "", ""), ("this", "bold", "")],
            id="a mark that is seen",
        ),
        pytest.param([_ANSWER.replace("||", "")], "parser", [("wait", "spoiler", "")], id="a spoiler that is told"),
        pytest.param(
            [_ANSWER.replace("> goes on", "goes on")], "parser", [("goeson", "quote", "")], id="a quote that ends early"
        ),
        pytest.param([_ANSWER.replace("## End", "# End")], "parser", [("End", "h2", "h1")], id="another heading"),
        pytest.param([_ANSWER.replace("```py", "```js")], "fences", [("x=1", "code:py", "code:js")], id="other code"),
        pytest.param([_ANSWER.replace("x = 1", "")], "fences", [("x=1", "code:py", "")], id="lost code"),
        pytest.param([_ANSWER.replace("goes on", "goes")], "odiffey", [("on", "quote", "")], id="a lost word"),
    ],
)
def test_what_looks_different_is_noticed(
    judges: Judges, messages: list[str], judge: str, expected: list[tuple[str, str, str]]
) -> None:
    found = judges.compare(_ANSWER, messages)[judge]

    assert expected == [(one.text, one.was, one.became) for one in found]


def test_the_judges_read_a_long_fence_and_code_in_a_list_as_messages_show_it() -> None:
    answer = "- a\n\n  ~~~py\n  x\n\n    y\n  ~~~\n````md\n```sh\nls\n```\n````\n***\nb"

    assert "- a\n\n```py\nx\n\n  y\n```\n```md\n`\u200b``sh\nls\n`\u200b``\n```\n\nb" == readable(answer)


# --- excuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judge", "shape", "difference", "is_excused"),
    [
        pytest.param("parser", "lines", Difference("ab", "italic", "", 4), True, id="only italics"),
        pytest.param("parser", "lines", Difference("ab", "italic", "", 4, "a_b"), True, id="their mark is seen"),
        pytest.param("parser", "lines", Difference("ab", "italic", "", 0), False, id="elsewhere"),
        pytest.param("parser", "lines", Difference("ab", "bold|italic", "", 4), False, id="bold as well"),
        pytest.param("parser", "lines", Difference("ab", "italic", "", 4, "ac"), False, id="other words"),
        pytest.param("odiffey", "lines", Difference("ab", "italic", "", 4), False, id="another judge"),
        pytest.param("parser", "reply", Difference("ab", "italic", "", 4), False, id="another shape"),
    ],
)
def test_an_excuse_is_narrow(judge: str, shape: str, difference: Difference, *, is_excused: bool) -> None:
    excuse = Excuse("name", "reason", "four", ("parser",), ("lines", "blocks"), marks="_", style="italic")

    assert is_excused == excuse.covers(judge, shape, "abc four", difference)


def test_a_difference_tells_where_it_stands() -> None:
    answer = "one [two](https://example.com)\nthree \\(four\\)"

    (found,) = differences([("one two\nthree (", ""), ("four", ""), (")", "")], [("one two three (four", "")], answer)

    assert (")", ")", "three \\(four\\)") == (found.text, answer[found.place], line_of(answer, found.place))
