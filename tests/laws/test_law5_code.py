"""Law 5: code is never touched, nor is an address: rules act on prose only."""

from __future__ import annotations

from hypothesis import given, strategies as st

from cadenza.types import Persona, Roster, Sprite
from tests.laws.material import messages

_REN = Persona("Ren", aliases=("R",), sprites=(Sprite("smug", "smug.png"),))
_ROSTER = Roster(mentions={"alice": "<@1>"}, emoji={"wave": "<:wave:1>"})
# Each of these a rule would change if it stood in prose.
_BAIT = [":wave:", "@alice", "Ren: hi", "Ren (smug): hi", "...", "x", "<think>", "</think>", "**", "(", '"', "| a |"]


def _sent(text: str, degree: int | None = 1) -> list[str]:
    return messages(text, degree=degree, persona=_REN, roster=_ROSTER)


@given(st.lists(st.sampled_from(_BAIT), min_size=1, max_size=8))
def test_a_code_block_arrives_as_it_is(bait: list[str]) -> None:
    block = "```text\n" + "\n".join(bait) + "\n```"

    assert block in _sent(f"Before :wave:\n{block}\nafter @alice")
    assert any(block in message for message in _sent(f"Before :wave:\n{block}\nafter @alice", None))


@given(st.lists(st.sampled_from(_BAIT), min_size=1, max_size=4))
def test_code_within_a_line_arrives_as_it_is(bait: list[str]) -> None:
    code = "`" + " ".join(bait) + "`"

    for degree in (0, 1, None):
        assert [f"say {code} to <@1>"] == _sent(f"say {code} to @alice", degree)


def test_an_address_arrives_as_it_is() -> None:
    assert ["see https://e.org/:wave:/@alice <@1>"] == _sent("see https://e.org/:wave:/@alice @alice")


def test_the_same_words_in_prose_are_changed() -> None:
    """The bait is real: without code around it the rules take it."""
    assert _sent(":wave: @alice") == ["<:wave:1>", "<@1>"]
