from __future__ import annotations

import time
from importlib.resources import files

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.services.languages import VALUE, filled
from cadenza.bot.services.languages.catalogues import CONTEXT
from cadenza.bot.services.translated_sentences import book_of, retold

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
         "入力は空です。モデルの出力か、記録したストリームを渡してください。"),
        ("what has the id a is a menu is a button", "ID が a is a menu のものはボタンです。"),
        ("there is no interaction {id}\nat all", "操作 {id}\nat all はありません。"),
        ("Discord refuses that: whatever it says", "Discord に拒否されました：whatever it says"),
        ("nobody says this", "nobody says this"),
        ("Unknown User", "Unknown User"),
        ("the setting 'limit' must be a text, not {'a': ' must be a number, not 3'}",
         "設定 'limit' の値は文字列にしてください（{'a': ' must be a number, not 3'} ではなく）。"),
        ("there is no answer 2 in 'a in the input; it has 4'; it has 3",
         "'a in the input; it has 4' に 2 番目の返答はありません。返答の数は 3 です。"),
        ("Discord refuses that: that cannot be done here", "Discord に拒否されました：that cannot be done here"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_sentence_is_known_by_what_stands_around_its_values(text: str, told: str) -> None:
    assert told == retold(text, "ja", BOOK)
    assert text == retold(text, "en", BOOK)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("over: completed (stop), 2 messages", "終了：完了（stop）、メッセージ 2 件"),
        ("over: broke (mine passed over: stop), 1 message", "終了：エラーで途切れた（mine passed over: stop）、メッセージ 1 件"),
        ("over: stopped (user), 1 message", "終了：停止（誰かが止めた）、メッセージ 1 件"),
        ("over: stalled (in the middle), 1 message", "終了：モデルが途中で黙り込んだ、メッセージ 1 件"),
        ("over: empty (speaker_guard), 0 messages", "終了：モデルは他人としてしか話さなかった、メッセージ 0 件"),
        ("try 1: first (first)", "試行 1：first（最初）"),
        ("try 1: My model (7B) (first)", "試行 1：My model (7B)（最初）"),
        ("try 1: the model (first)", "試行 1：モデル（最初）"),
        ("a model passed over: not ready", "モデルを見送り：準備ができていない"),
        ("first passed over: cooldown for 2.000 s more", "first を見送り：キーが休止中（あと 2.000 秒）"),
        ("notice: the model", "お知らせ：the model"),
        ("sending 0.500 s", "送信 0.500 秒"),
        ("stop", "stop"),
    ],
)  # fmt: skip
def test_what_others_say_is_never_taken_for_words_of_ours(text: str, told: str) -> None:
    assert told == retold(text, "ja", "stories")


SAMPLES = {
    **dict.fromkeys(("num", "number", "count", "least", "most", "size"), "7"),
    "secs": "1.250",
    "json": r'"a \"b\" to c"',
    "rule": "own_name",
    "tool": "look",
    "effect": "mended",
    "quote": "'<it\\'s>'",
    **dict.fromkeys(("why", "reason", "cure", "start", "boundary", "keep"), "whatever it is"),
}


@pytest.mark.parametrize("book", ["refusals", "stories"])
def test_every_sentence_is_known_again_and_not_taken_for_another(book: str) -> None:
    for key, translation in book_of("ja", book).items():
        context, _, template = key.rpartition(CONTEXT)
        names = VALUE.findall(template)
        values: dict[str, object] = {name: SAMPLES.get(name.partition("_")[0], f"<{name}>") for name in names}

        assert sorted(names) == sorted(VALUE.findall(translation))
        if not context:
            assert filled(translation, values) == retold(filled(template, values), "ja", book)


@pytest.mark.parametrize("book", ["refusals", "stories"])
def test_every_context_is_a_value_of_some_sentence(book: str) -> None:
    known = book_of("ja", book)
    contexts = {key.partition(CONTEXT)[0] for key in known if CONTEXT in key}

    assert contexts
    assert contexts - {"list"} <= {name for key in known for name in VALUE.findall(key)}


@pytest.mark.parametrize("book", ["refusals", "stories"])
def test_no_book_says_one_thing_in_two_ways(book: str) -> None:
    text = (files("cadenza.bot.services.languages") / "ja" / "sentences" / f"{book}.po").read_text(encoding="utf-8")

    assert text.count('msgid "') == len(book_of("ja", book)) + 1


@given(
    st.sampled_from([text for text in book_of("ja", BOOK) if VALUE.search(text) and CONTEXT not in text]),
    st.text(max_size=20),
)
def test_whatever_a_value_is_it_stays_as_it_is(template: str, value: str) -> None:
    said = VALUE.sub(lambda _: value, template)

    told = retold(said, "ja", BOOK)

    assert value in told
    assert said == retold(said, "en", BOOK)


@pytest.mark.parametrize(
    "piece",
    [
        "a: b ",
        ', which a" to "',
        ' as x: "',
        " with b (c), ",
        " with (x)",
        '\\"',
        "message 1: ",
        " passed over: ",
        "rule ",
    ],
)
def test_no_text_keeps_it_busy(piece: str) -> None:
    began = time.process_time()

    for start in (
        "tool ",
        "message 1 as ",
        "try 1: ",
        "notice: ",
        "own_name: changed ",
        "line 3 cannot be replayed: ",
        "",
    ):
        retold(start + piece * (19_000 // len(piece)), "ja", "stories")
        retold(start + piece * (19_000 // len(piece)), "ja", BOOK)

    assert time.process_time() - began < 2


def test_what_is_too_long_for_a_sentence_of_ours_is_not_looked_at() -> None:
    long = "there is no interaction " + "there is nothing to press under message " * 100_000
    began = time.process_time()

    assert long == retold(long, "ja", BOOK)
    assert time.process_time() - began < 1
