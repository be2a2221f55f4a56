from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from cadenza.text.stop_phrases import _COURTESIES, _PHRASES, _REQUESTS, is_stop

NAMES = ("Ren", "Ren Amamiya", "れん")

STOPS = [
    # one word, however it is written
    "stop", "STOP", "Stop.", "stop!!!", "...stop...", "ｓｔｏｐ", "ＳＴＯＰ！！", "stoooop", "st\u200bop", "*stop*", "/stop",
    "wait", "enough", "chill", "halt", "pause", "quit", "nevermind", "nvm",
    # the phrases
    "okay stop", "okay enough", "that's enough", "that’s enough", "thats enough", "that´s enough", "that's good",
    "that's fine", "alright stop", "please stop", "never mind", "cut it out", "tone it down", "knock it off",
    "shhh", "Hush!", "hold on a sec", "scratch that", "omg stop lol", "never mind then", "could you please stop talking?",
    # courtesies around
    "stop it please", "ok stop now!", "please just stop", "stop, thanks", "hey, stop!", "just wait", "chill bro",
    "that's enough for now, thank you", "stop it right now",
    # who is meant
    "@Ren stop", "Ren, stop!!", "stop Ren Amamiya", "<@1> stop", "<@!123456789012345678> stop", "stop <@&5>", "れん、やめて",
    # pictures
    "stop 🛑", "🛑", "⏹️", "stop 😭😭", "stop <:sad:123456789012345678>", "✋ wait", "👩‍👩‍👧 stop",
    # again and again
    "stop!!! stop!!!", "wait wait wait", "stop stop stop stop stop stop stop stop", "stop\nstop",
    # asked
    "can you stop?", "could you please stop?", "Ren, would you stop?", "stop?!",
    # Japanese, as it is listed, and around that
    "やめて", "ストップ", "ｽﾄｯﾌﾟ", "もういい", "十分", "もう十分", "いいよ", "もうやめて", "待って", "ちょっと待って", "やめてください",
    "ちょっと待ってください！", "ストーーップ！！", "やめてー", "もういいです", "もういいよ、ありがとう", "やめて やめて", "yamete kudasai", "chotto matte!",
    "やめてくれない？", "十分でした", "ごめん、やめて", "もう大丈夫です", "もういいから！", "静かにしてください",
    # other languages
    "停", "停止", "停下", "够了", "夠了！", "请停下", "停停停", "等一下", "别说了", "可以停了吗？",
    "别说话了", "等等等等", "그만 좀 해", "멈춰 주세요", "hör bitte auf!", "no más por favor", "arrête de parler stp", "заткнись",
    "그만", "그만해", "그만해 제발", "잠깐만요", "이제 그만해요", "그만ㅠㅠ",
    "stopp", "Hör auf!", "bitte hör auf", "es reicht jetzt", "warte mal", "Schluss jetzt!",
    "para ya por favor", "¡Basta!", "ya basta", "detente", "espera", "Arrête", "arrete stp", "ça suffit", "attends", "arrête, s'il te plaît",
    "chega", "já chega", "pare, por favor", "basta così", "smettila!", "aspetta", "хватит", "стоп", "подожди, пожалуйста", "хватит уже",
    "yeter artık", "hou op", "przestań", "dừng lại", "रुको", "หยุด", "توقف", "berhenti",
]  # fmt: skip

OTHERS = [
    # nothing, or nothing that stops
    "", " ", "!!!", "😭", "ok", "thanks", "please", "Ren", "<@1>", "ok now please", "はい", "もう", "good", "fine",
    # words of something else
    "wait, what time is it?", "wait for me", "waiting", "stop sign", "bus stop", "full stop", "pause the music",
    "chill music", "quit smoking tips", "halt and catch fire", "enough about me, how are you", "stop the car",
    "that's good news", "that's a good idea", "that's fine by me", "is that enough", "cut it out of paper", "unstoppable",
    "nonstop", "non-stop", "stop-motion", "what does stop mean", "how do I stop worrying", "stopping", "I quit",
    "tell me when to stop", "stop when you reach ten", "play stop in the name of love",
    # the contrary
    "don't stop", "dont stop", "don’t stop", "do not stop", "never stop", "not enough", "can't stop", "no pause",
    "やめないで", "止まらないで", "不要停", "别停", "no pares", "no basta", "nicht aufhören", "n'arrête pas", "не останавливайся", "멈추지 마",
    # asked, and not as a request
    "stop?", "wait?", "enough?", "十分？", "十分ですか", "够了吗", "いいよね", "その映画いいよ", "十分間",
    "lol", "omg", "ごめん", "no basta", "はい、すみません", "等等我", "停车场", "待っててね", "もういいかな", "para qué", "no importa", "es reicht nicht",
    "chega mais", "хватит ли денег", "stop using emojis", "stop. what is 2+2?", "that's good, continue", "forget that happened",
    # spelled
    "s t o p", "s.t.o.p", "st op", "stoop", "s-t-o-p",
    # too long
    "ok please just stop it right now thanks bot", "stop " * 100,
    # another's name
    "stop Bob", "Bob, stop", "<#5> stop", "https://stop.example",
]  # fmt: skip


def test_a_short_message_that_only_asks_to_stop_is_a_stop() -> None:
    assert [] == [text for text in STOPS if not is_stop(text, NAMES)]


def test_any_other_message_is_none() -> None:
    assert [] == [text for text in OTHERS if is_stop(text, NAMES)]


@pytest.mark.parametrize("name", ["Ren", "Zoë", "Mr. Stop Sign", "Dr 42", "千早 愛音", "O'Neil"])
def test_a_name_may_stand_around_a_stop_and_is_none_itself(name: str) -> None:
    assert is_stop(f"{name}, stop!", [name])
    assert is_stop(f"please stop @{name}", [name])
    assert is_stop(f"{name.upper()} stop {name}", [name])
    assert not is_stop(name, [name])
    assert not is_stop(f"{name}, stop!")


def test_a_persona_that_is_called_like_a_stop_is_called_and_not_stopped() -> None:
    assert not is_stop("Chill!", ["Chill"])
    assert is_stop("Chill, stop!", ["Chill"])
    assert is_stop("chill", ["Ren"])


@pytest.mark.parametrize("names", [(), ("",), ("!!", " ", "🌸")])
def test_names_without_a_letter_do_no_harm(names: tuple[str, ...]) -> None:
    assert is_stop("stop", names)
    assert not is_stop("hello", names)


LISTED = [phrase.strip() for listed in (_PHRASES, _REQUESTS) for phrase in listed.split(";")]


def test_every_listed_phrase_is_a_stop_by_itself_and_none_inside_a_sentence() -> None:
    assert LISTED
    assert [] == [phrase for phrase in LISTED if not is_stop(phrase)]
    assert [] == [phrase for phrase in LISTED if is_stop(f"{phrase} Bartholomew")]
    assert [] == [phrase for phrase in LISTED if is_stop(f"Bartholomew {phrase}")]


def test_a_courtesy_stops_nothing() -> None:
    courtesies = [courtesy.strip() for courtesy in _COURTESIES.split(";")]

    assert [] == [courtesy for courtesy in courtesies if is_stop(courtesy)]
    assert [] == [courtesy for courtesy in courtesies if not is_stop(f"{courtesy} stop")]


@given(st.text(max_size=500), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_has_an_answer(text: str, names: list[str]) -> None:
    assert is_stop(text, names) in (True, False)


@given(st.lists(st.sampled_from([*LISTED, "don't", "music", "Ren", "please", "?", "もう"]), max_size=6).map(" ".join))
def test_what_is_added_in_front_of_a_denial_does_not_make_it_a_stop(text: str) -> None:
    assert not is_stop(f"{text} music", NAMES)
    assert not is_stop(f"don't {text}", NAMES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("stop" * 200_000, id="one long word"),
        pytest.param("もう" * 200_000, id="courtesies that may be parts of phrases"),
        pytest.param("stop " * 79 + "x", id="as long as is looked at"),
        pytest.param("もういい" * 100, id="read in many ways"),
        pytest.param("\ufdfa" * 400, id="letters that stand for many"),
        pytest.param("<@" * 200, id="tags that are none"),
        pytest.param("a\u0301" * 200, id="accents"),
    ],
)
def test_hostile_messages_cost_nothing_much(text: str) -> None:
    begin = time.process_time()

    assert not is_stop(text, ["stop stop stop", "もう", "いい"])
    assert time.process_time() - begin < 1.0
