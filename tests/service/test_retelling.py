from __future__ import annotations

import time
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.service.languages import VALUE, filled
from cadenza.service.retelling import book_of, retold

BOOK = "refusals"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("that cannot be done here", "それはここではできません。"),
        ("there is no interaction 7", "操作 7 はありません。"),
        ("/look needs one:…, two:…", "/look には one:…, two:… が必要です。"),
        ("the film cannot be read: it is of version 2, and only 1 is known",
         "フィルムを読めません：バージョンが 2 ですが、読めるのは 1 だけです。"),
        ("the film cannot be read: its tokens have lengths or times that are no numbers",
         "フィルムを読めません：トークンの長さか時刻が数値ではありません。"),
        ("line 3 cannot be replayed: unknown setting 'degre'; did you mean 'degree'?",
         "3 行目を再生できません：'degre' という設定はありません。'degree' のことでしょうか。"),
        ("there is nothing in the input; give what a model said, or a recorded stream",
         "入力 は空です。モデルの出力か、記録したストリームを渡してください。"),
        ("what has the id a is a menu is a button", "ID が a is a menu のものはボタンです。"),
        ("there is no interaction {id}\nat all", "操作 {id}\nat all はありません。"),
        ("Discord refuses that: whatever it says", "Discord に拒否されました：whatever it says"),
        ("nobody says this", "nobody says this"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_sentence_is_known_by_what_stands_around_its_values(text: str, told: str) -> None:
    assert told == retold(text, "ja", BOOK)
    assert text == retold(text, "en", BOOK)


SAMPLES = {"secs": "1.250", "num": "7", "json": r'"a \"b\" to c"', "rule": "own_name", "effect": "mended"}


@pytest.mark.parametrize("book", ["refusals", "stories"])
def test_every_sentence_is_known_again_and_not_taken_for_another(book: str) -> None:
    for template, translation in book_of("ja", book).items():
        names = VALUE.findall(template)
        values: dict[str, object] = {name: SAMPLES.get(name.partition("_")[0], f"<{name}>") for name in names}

        assert sorted(names) == sorted(VALUE.findall(translation))
        assert filled(translation, values) == retold(filled(template, values), "ja", book)


@pytest.mark.parametrize("book", ["refusals", "stories"])
def test_no_book_says_one_thing_in_two_ways(book: str) -> None:
    text = (files("cadenza.service.languages") / "ja" / "sentences" / f"{book}.po").read_text(encoding="utf-8")

    assert text.count('msgid "') == len(book_of("ja", book)) + 1


@given(st.sampled_from([text for text in book_of("ja", BOOK) if VALUE.search(text)]), st.text(max_size=20))
def test_whatever_a_value_is_it_stays_as_it_is(template: str, value: str) -> None:
    said = VALUE.sub(lambda _: value, template)

    told = retold(said, "ja", BOOK)

    assert value in told
    assert said == retold(said, "en", BOOK)


@pytest.mark.parametrize("piece", ["a: b ", ', which a" to "', ' as x: "', " with b (c), ", '\\"', "message 1: "])
def test_no_text_keeps_it_busy(piece: str) -> None:
    began = time.process_time()

    for start in ("message 1 as ", "try 1: ", "notice: ", "own_name: changed ", "line 3 cannot be replayed: ", ""):
        retold(start + piece * (19_000 // len(piece)), "ja", "stories")
        retold(start + piece * (19_000 // len(piece)), "ja", BOOK)

    assert time.process_time() - began < 2


def test_what_is_too_long_for_a_sentence_of_ours_is_not_looked_at() -> None:
    long = "there is no interaction " + "there is nothing to press under message " * 100_000
    began = time.process_time()

    assert long == retold(long, "ja", BOOK)
    assert time.process_time() - began < 1
