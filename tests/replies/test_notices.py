"""What people are told; the table is that of the specification's §8, ``B50`` a defect of its §12.

Most of it is about notices with details, which are for operators; friendly ones are at the end.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import (
    Aspect,
    CadenzaError,
    DeliveryError,
    DeliveryKind,
    ErrorKind,
    ProviderError,
    SettingsError,
    ToolError,
)
from cadenza.models.error_kind import failure
from cadenza.replies.notices import _CASES, TEXTS, error_of, failed, fell_back, still_working
from cadenza.text.units import units
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Failure,
    NeedsTools,
    Notice,
    Outcome,
    Stalled,
    Stopped,
    StopReason,
    Urgency,
)

INFO, WARNING, ERROR = Urgency.INFO, Urgency.WARNING, Urgency.ERROR
RATE_LIMITED = failure("slow down", vendor="openai", status=429, retry_after=12)
OVERLOADED = failure("busy", vendor="anthropic", status=503)
GPT, CLAUDE, ROUTED = "openai:gpt-5.1", "anthropic:claude-sonnet-4-5", "openrouter:meta/llama:free"
JOINER = "\u200d"


def told(outcome: Outcome, *, failures: Sequence[Failure] = (), has_fallback: bool = False, model: str = GPT) -> Notice:
    notice = failed(outcome, show_errors="details", failures=failures, has_fallback=has_fallback, model=model)
    assert notice is not None
    return notice


def tips(*names: str) -> tuple[str, ...]:
    return tuple(TEXTS[f"tip.{name}"] for name in names)


# --- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "case", "urgency", "expected"),
    [
        pytest.param(
            failure("No endpoints found matching your data policy", vendor="openrouter", status=404),
            "privacy", ERROR, ("router_privacy", "router_models"), id="privacy",
        ),
        pytest.param(
            failure("`temperature` and `top_p` cannot both be specified", vendor="anthropic", status=400),
            "parameters", ERROR, ("another",), id="two dials",
        ),
        pytest.param(
            failure("Model not found", vendor="openrouter", status=404),
            "model", ERROR, ("lists", "router_models", "fallback"), id="model",
        ),
        pytest.param(
            failure("requires more credits", vendor="openrouter", status=402),
            "credit", ERROR, ("price", "router_credit", "fallback"), id="credit",
        ),
        pytest.param(
            failure("maximum context length is 8192", vendor="openai", status=400),
            "context", ERROR, ("room", "fresh", "fallback"), id="context",
        ),
        pytest.param(
            failure("slow down", vendor="openrouter", status=429),
            "rate_limit", WARNING, ("keys", "fallback", "router_free"), id="rate limit",
        ),
        pytest.param(
            failure("x", vendor="google", kind=ErrorKind.CONTENT_BLOCKED, code="SAFETY"),
            "blocked", ERROR, ("history",), id="content filter",
        ),
        pytest.param(
            failure("x", vendor="openai", status=504), "timeout", WARNING, ("fresh", "fallback"), id="timeout"
        ),
        pytest.param(
            failure("x", vendor="openai", status=503), "overloaded", WARNING, ("fallback",), id="overloaded"
        ),
        pytest.param(
            failure("x", vendor="openai", status=401),
            "refused", ERROR, ("router_models", "fallback"), id="refused",
        ),
        pytest.param(
            failure("x", vendor="google", status=500), "passing", WARNING, ("fallback",), id="else, passing"
        ),
        pytest.param(
            failure("x", vendor="openai", code="ECONNREFUSED"), "broken", ERROR, ("fallback",), id="else, lasting"
        ),
    ],
)  # fmt: skip
def test_every_failure_of_a_provider_has_its_title_its_colour_and_its_tips(
    error: ProviderError, case: str, urgency: Urgency, expected: tuple[str, ...]
) -> None:
    notice = told(Broke(error), model=ROUTED)

    assert (TEXTS[f"{case}.title"], urgency, tips(*expected)) == (notice.title, notice.urgency, notice.tips)
    here = [name for name in expected if not name.startswith("router_") and name != "fallback"]
    assert tips(*here) == told(Broke(error), has_fallback=True).tips


@pytest.mark.parametrize(
    ("outcome", "case", "text"),
    [
        pytest.param(Stalled(has_begun=False), "silent", "`openai:gpt-5.1` did not begin to answer in time;", id="never began"),
        pytest.param(Stalled(has_begun=True), "stalled", "`openai:gpt-5.1` fell silent in the middle", id="fell silent"),
        pytest.param(Empty(), "empty", "`openai:gpt-5.1` returned an empty answer;", id="empty"),
        pytest.param(Empty("length"), "no_room", "`openai:gpt-5.1` used all its tokens", id="no room"),
        pytest.param(Empty("speaker_guard"), "not_itself", "`openai:gpt-5.1` wrote only another speaker's lines", id="guard"),
        pytest.param(Broke(ToolError("tools failed 5 times in a row")), "tools", "Tools failed too often", id="tools"),
        pytest.param(Stopped(StopReason.ROUND_LIMIT), "rounds", "`openai:gpt-5.1` used all its steps", id="rounds"),
        pytest.param(Stopped(StopReason.TIME_LIMIT), "time", "The reply took too long", id="time"),
        pytest.param(Stopped(StopReason.STALE), "stale", "The reply was stuck", id="stale"),
        pytest.param(Stopped(StopReason.SHUTDOWN), "shutdown", "The reply was cut off by a restart;", id="shutdown"),
        pytest.param(Broke(SettingsError("the proxy is none")), "ours", "The proxy is none.", id="a setting"),
        pytest.param(Broke(CadenzaError("a rule failed (KeyError)")), "ours", "A rule failed (KeyError).", id="a rule"),
    ],
)  # fmt: skip
def test_every_other_end_has_words_of_its_own(outcome: Outcome, case: str, text: str) -> None:
    notice = told(outcome)

    assert TEXTS[f"{case}.title"] == notice.title
    assert notice.text.startswith(text)


QUIET = [
    NeedsTools(()),
    Completed(),
    Completed("length"),
    Broke(DeliveryError("refused", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS)),
    *(
        Stopped(getattr(StopReason, name))
        for name in (
            "USER", "FOLLOW_UP", "TRIGGER_GONE", "CHANNEL_GONE", "MISSING_ACCESS", "SPEAKER_GUARD", "MESSAGE_LIMIT",
            "RULE",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("outcome", QUIET, ids=str)
def test_there_is_nothing_to_tell_of_what_was_wanted_or_cannot_be_told(outcome: Outcome) -> None:
    assert failed(outcome, failures=[Failure(GPT, Broke(RATE_LIMITED))], model=CLAUDE) is None


@pytest.mark.parametrize("when_full", ["file", "notice"])
def test_w7_that_there_is_more_is_told_and_how_to_get_it(when_full: str) -> None:
    notice = failed(Stopped(StopReason.MESSAGE_LIMIT), show_errors="details", when_full=when_full)

    assert notice is not None
    assert ("There is more", Urgency.INFO) == (notice.title, notice.urgency)
    assert "ask it to continue" in notice.text


@pytest.mark.parametrize("kind", ErrorKind)
def test_b50_no_failure_of_a_provider_is_silent(kind: ErrorKind) -> None:
    for aspect, status in product([None, *Aspect], [None, 400, 403, 500]):
        error = failure("oh", vendor="openai", kind=kind, aspect=aspect, status=status)

        assert str(error)[1:] in told(Broke(error)).text, (aspect, status)


@pytest.mark.parametrize("reason", StopReason)
def test_every_stop_is_told_or_is_not_on_purpose(reason: StopReason) -> None:
    assert (Stopped(reason) in QUIET) is (failed(Stopped(reason)) is None)


# --- the sentence --------------------------------------------------------------------------------


def test_the_error_s_own_sentence_is_told_with_what_the_provider_said() -> None:
    assert (
        "The rate limit of OpenAI is reached; try again in 12 seconds, or use another model. Details: `429: slow down`."
    ) == told(Broke(RATE_LIMITED)).text


@pytest.mark.parametrize(
    ("detail", "code", "said"),
    [
        pytest.param("no such thing", "400", " Details: `400: no such thing`.", id="with its code"),
        pytest.param("HTTP 400: no", "400", " Details: `HTTP 400: no`.", id="which may be in it"),
        pytest.param("no such thing", "unknown", " Details: `no such thing`.", id="or be none"),
        pytest.param("Bad Request", "400", "", id="that says nothing"),
        pytest.param("", "400", "", id="nothing"),
        pytest.param("did not accept", "400", "", id="what was said already"),
        pytest.param("\u200b", "", "", id="nothing to be seen"),
    ],
)
def test_what_the_provider_said_is_told_if_it_says_something(detail: str, code: str, said: str) -> None:
    error = ProviderError("OpenAI did not accept it; try again", kind=ErrorKind.API, code=code, detail=detail)

    assert f"OpenAI did not accept it; try again.{said}" == told(Broke(error)).text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the proxy is none", "The proxy is none."),
        ("llama.cpp is overloaded", "llama.cpp is overloaded."),
        ("xAI is overloaded", "xAI is overloaded."),
        ("vLLM is overloaded!", "vLLM is overloaded!"),
        ("no", "no."),
    ],
)
def test_a_sentence_begins_large_unless_it_is_a_name(words: str, expected: str) -> None:
    assert expected == told(Broke(CadenzaError(words))).text


def test_a_model_without_a_name_is_called_the_model() -> None:
    assert told(Stalled(has_begun=False), model="").text.startswith("The model did not begin")
    assert failed(Stalled(has_begun=False), show_errors="details") == told(Stalled(has_begun=False), model="")


# --- what was tried before ---------------------------------------------------------------------------


def test_a_rate_limit_after_another_key_was_tried_is_that_of_all_keys() -> None:
    notice = told(Broke(RATE_LIMITED), failures=[Failure(GPT, Broke(RATE_LIMITED))])

    assert (TEXTS["all_keys.title"], tips("fallback")) == (notice.title, notice.tips)
    assert "efore that" not in notice.text


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(Failure(CLAUDE, Broke(RATE_LIMITED)), id="another model's"),
        pytest.param(Failure(GPT, Broke(OVERLOADED)), id="the same key, later"),
        pytest.param(Failure(GPT, Empty()), id="nothing said"),
    ],
)
def test_otherwise_it_is_not(before: Failure) -> None:
    assert TEXTS["rate_limit.title"] == told(Broke(RATE_LIMITED), failures=[before]).title


def test_who_has_others_to_ask_is_not_told_to_get_some() -> None:
    fallback = TEXTS["tip.fallback"]

    assert fallback in told(Broke(OVERLOADED), failures=[Failure(GPT, Broke(OVERLOADED))]).tips
    assert fallback not in told(Broke(OVERLOADED), failures=[Failure(CLAUDE, Broke(OVERLOADED))]).tips
    assert fallback not in told(Broke(OVERLOADED), has_fallback=True).tips


def test_b50_what_was_wrong_with_the_models_before_is_told_too() -> None:
    """The last failure may pass by itself while the first is the one to be mended."""
    failures = [
        Failure(GPT, Broke(failure("Incorrect API key provided", vendor="openai", status=401))),
        Failure(ROUTED, Stalled(has_begun=False)),
        Failure(CLAUDE, Broke(OVERLOADED)),
    ]

    notice = told(Broke(OVERLOADED), failures=failures, has_fallback=True, model=CLAUDE)

    assert notice.text.endswith(
        " Before that: `openai:gpt-5.1` (OpenAI did not accept the key), "
        "`openrouter:meta/llama:free` (did not begin to answer)."
    )
    assert TEXTS["overloaded.title"] == notice.title


# --- another model answered ------------------------------------------------------------------------


def test_1_one_line_says_who_answered_and_why_the_first_did_not() -> None:
    assert (
        Notice(
            "`anthropic:claude-sonnet-4-5` answered instead of "
            "`openai:gpt-5.1` (the rate limit of OpenAI is reached).",
            INFO,
            "Another model answered",
        )
        == fell_back([Failure(GPT, Broke(RATE_LIMITED))], CLAUDE, show_errors="details")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Stalled(has_begun=False), "did not begin to answer"),
        (Stalled(has_begun=True), "fell silent in the middle"),
        (Empty(), "said nothing"),
        (Empty("speaker_guard"), "wrote only another speaker's lines"),
        (Empty("length"), "had no room for an answer"),
        (Broke(CadenzaError("a rule failed")), "a rule failed"),
        (Stopped(StopReason.SPEAKER_GUARD), "gave no answer"),
    ],
)
def test_why_a_model_did_not_answer(outcome: Outcome, why: str) -> None:
    assert f"instead of `{GPT}` ({why})." in fell_back([Failure(GPT, outcome)], CLAUDE, show_errors="details").text


def test_the_same_failure_with_every_key_is_told_once_and_that_of_who_answered_not_at_all() -> None:
    failures = [Failure(GPT, Broke(RATE_LIMITED))] * 3 + [Failure(CLAUDE, Broke(RATE_LIMITED))]

    assert fell_back(failures[:1], CLAUDE, show_errors="details") == fell_back(failures, CLAUDE, show_errors="details")


def test_a_model_that_answers_with_another_key_is_not_said_to_have_failed_for_nobody() -> None:
    assert f"instead of `{GPT}` (said nothing)." in fell_back([Failure(GPT, Empty())], GPT, show_errors="details").text


def test_many_failures_are_counted() -> None:
    text = fell_back([Failure(f"m{number}", Empty()) for number in range(9)], CLAUDE, show_errors="details").text

    assert text.endswith("`m2` (said nothing), 6 more.")


def test_a_failure_is_cut_and_its_whitespace_collapsed() -> None:
    text = fell_back([Failure(GPT, Broke(ProviderError("a \n\t b " + "x" * 2000)))], CLAUDE, show_errors="details").text

    assert f"(a b {'x' * 115}…)." == text.partition("`openai:gpt-5.1` ")[2]


def test_still_working_says_how_often() -> None:
    notice = still_working(20)

    assert (INFO, "Still working") == (notice.urgency, notice.title)
    assert "20 rounds of tools so far" in notice.text


# --- words of others ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("@everyone", f"@{JOINER}everyone", id="everyone"),
        pytest.param("<@1> <@&2> <#3>", f"<{JOINER}@{JOINER}1> <{JOINER}@{JOINER}&2> <{JOINER}#3>", id="mentions"),
        pytest.param("<:wave:1> <t:1:R>", f"<{JOINER}:wave:1> <{JOINER}t:1:R>", id="tags"),
        pytest.param("[free](https://evil.example)", f"[free]{JOINER}(https://evil.example)", id="a link"),
        pytest.param("# Big", f"{JOINER}# Big", id="a heading"),
        pytest.param("a\n# Big\n> said", "a # Big > said", id="a heading on a line of its own"),
        pytest.param("`code` ```", "'code' '''", id="code"),
        pytest.param("a\u202eb\u200bc\x07d", "abcd", id="what is not seen"),
        pytest.param("half \ud83d", "half \ufffd", id="half a character"),
        pytest.param("1 < 2", "1 < 2", id="harmless"),
        pytest.param("{model} %s", "{model} %s", id="what looks like a template"),
    ],
)
def test_nothing_that_others_say_does_anything(words: str, expected: str) -> None:
    detail = told(Broke(ProviderError("No", detail=words))).text
    why = fell_back([Failure(words, Broke(ProviderError(words)))], "m", show_errors="details").text

    assert f"No. Details: `{expected}`." == detail
    assert f"`m` answered instead of `{expected}` ({expected})." == why
    assert f"{expected}.".lower() == told(Broke(ProviderError(words))).text.lower()


KEY = "sk-proj-Zk3vQ9xT1bLm8Rw2Yc7Nf5Hd0Gs4Jp6"


@pytest.mark.parametrize(
    "words", [f"bad {KEY}", f"see https://me:{KEY}@a.example/x?key={KEY}", f"authorization: Bearer {KEY}"]
)
def test_no_key_and_no_address_with_one_is_told(words: str) -> None:
    error = Broke(ProviderError(words, detail=words, code=KEY))

    assert KEY not in f"{told(error, model=KEY)} {fell_back([Failure(KEY, error)], KEY, show_errors='details')}"


def test_a_key_is_taken_out_before_a_text_is_cut() -> None:
    text = told(Broke(ProviderError("No", detail="x " * 90 + KEY))).text

    assert KEY[:12] not in text
    assert "***" in text


@given(st.text(), st.text(), st.text(max_size=200), st.lists(st.tuples(st.text(), st.text()), max_size=8))
def test_whatever_others_say_a_notice_is_one_line_that_fits_and_calls_nobody(
    words: str, detail: str, model: str, before: list[tuple[str, str]]
) -> None:
    failures = [Failure(name, Broke(ProviderError(why))) for name, why in before]
    outcome = Broke(ProviderError(words * 40, detail=detail * 40, code=detail))
    for notice in (
        told(outcome, failures=failures, model=model),
        fell_back([*failures, Failure(words, outcome)], model, show_errors="details"),
    ):
        assert units(notice.text) <= 1000
        assert len(notice.text.splitlines()) == 1
        assert not re.search(rf"[@<](?![\s…{JOINER}]|$|[.)`])|\]\(|^[#>*+-]", notice.text)
        assert notice.text.count("`") % 2 == 0


@pytest.mark.parametrize("words", ["", " \n", "\u200b", "; try again"], ids=["empty", "blank", "unseen", "no reason"])
def test_an_error_that_says_nothing_is_told_all_the_same(words: str) -> None:
    assert (
        f"instead of `{GPT}` (gave no answer)."
        in fell_back([Failure(GPT, Broke(ProviderError(words)))], "m", show_errors="details").text
    )
    if ";" not in words:
        assert "The model could not answer." == told(Broke(ProviderError(words))).text


# --- the texts -----------------------------------------------------------------------------------


def test_every_case_has_a_title_and_every_tip_its_words() -> None:
    used = {f"{case}.title" for case in _CASES} | {f"tip.{tip}" for case in _CASES.values() for tip in case.tips}

    assert used <= TEXTS.keys()
    assert {name for name in TEXTS if name.endswith(".title") or name.startswith("tip.")} - used == {
        "fell_back.title", "still_working.title",
    }  # fmt: skip


def test_a_text_wants_nothing_that_it_is_not_given() -> None:
    given = {None, "model", "failures", "rounds", "why", "count", "detail", "title", "first", "then"}
    wanted = {name: {field for _, field, _, _ in string.Formatter().parse(text)} for name, text in TEXTS.items()}

    assert {} == {name: fields - given for name, fields in wanted.items() if fields - given}


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("tip.")])
def test_a_tip_is_a_sentence_or_leads_somewhere(name: str) -> None:
    assert TEXTS[name].endswith(".") or " https://" in TEXTS[name]


def test_a_notice_does_not_change_what_it_is_about() -> None:
    outcome = Broke(RATE_LIMITED)

    assert replace(told(outcome), tips=()) == replace(told(outcome, has_fallback=True), tips=())


# --- friendly notices ----------------------------------------------------------------------------------

_LEAKS = re.compile(
    r"\d|`|://|[a-z]_[a-z]|max_|key|account|credit|token|provider|OpenAI|fallback|setting", re.IGNORECASE
)


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        pytest.param(Broke(RATE_LIMITED), "Too much is going on at the moment; try again in a little while.", id="rate limit"),
        pytest.param(Broke(OVERLOADED), "Too much is going on at the moment; try again in a little while.", id="overloaded"),
        pytest.param(Broke(failure("no such key", vendor="openai", status=401)), "There can be no answer at the moment; please tell the operator of this bot.", id="a key"),
        pytest.param(Broke(CadenzaError("the stream raised KeyError")), "Something went wrong; please tell the operator of this bot.", id="the bot's own code"),
        pytest.param(Stopped(StopReason.TIME_LIMIT), "The reply took too long and was ended; ask for less at once, or try again.", id="time"),
    ],
)  # fmt: skip
def test_a_friendly_notice_is_one_sentence(outcome: Outcome, text: str) -> None:
    notice = failed(outcome, failures=[Failure(CLAUDE, Broke(OVERLOADED))], model=GPT)

    assert notice is not None
    assert (text, "", ()) == (notice.text, notice.title, notice.tips)


@pytest.mark.parametrize("case", _CASES)
def test_a_friendly_notice_holds_nothing_for_operators(case: str) -> None:
    text = TEXTS[f"plain.{_CASES[case].plain}" if _CASES[case].plain else f"{case}.text"]

    assert "{" not in text
    assert not _LEAKS.search(text)


@pytest.mark.parametrize("kind", ErrorKind)
def test_no_failure_of_a_provider_is_silent_or_tells_its_words(kind: ErrorKind) -> None:
    for aspect, status in product([None, *Aspect], [None, 400, 403, 500]):
        notice = failed(
            Broke(
                failure("org-4711 at https://bills.example", vendor="openai", kind=kind, aspect=aspect, status=status)
            )
        )

        assert notice is not None
        assert not _LEAKS.search(notice.text)


def test_another_model_answered_without_saying_why() -> None:
    assert Notice("Another model answered this time.") == fell_back([Failure(GPT, Broke(RATE_LIMITED))], CLAUDE)


@pytest.mark.parametrize("outcome", [Broke(RATE_LIMITED), Empty(), Stopped(StopReason.SHUTDOWN)], ids=str)
def test_nothing_is_told_where_errors_are_not_shown(outcome: Outcome) -> None:
    assert failed(outcome, show_errors="off") is None


@pytest.mark.parametrize(
    ("before", "word"),
    [
        pytest.param([], "answer;", id="once"),
        pytest.param([Failure(GPT, Empty())], "answer several times;", id="twice"),
        pytest.param([Failure(CLAUDE, Empty())], "answer;", id="another model before"),
        pytest.param([Failure(GPT, Broke(OVERLOADED))], "answer;", id="another failure before"),
    ],
)
def test_how_often_a_model_was_asked_is_said_only_if_it_was(before: list[Failure], word: str) -> None:
    assert f"returned an empty {word}" in told(Empty(), failures=before).text


# --- the error of a reply ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "outcome",
    [Completed(), NeedsTools(()), Stopped(StopReason.USER), Stopped(StopReason.SHUTDOWN), Stopped(StopReason.RULE)],
    ids=str,
)
def test_what_went_as_it_should_is_no_error(outcome: Outcome) -> None:
    assert error_of(outcome) is None


def test_the_error_of_a_reply_that_broke_is_its_own() -> None:
    refused = DeliveryError("refused", kind=DeliveryKind.MISSING_PERMISSIONS)

    assert error_of(Broke(RATE_LIMITED)) is RATE_LIMITED
    assert error_of(Broke(refused)) is refused


@pytest.mark.parametrize(
    ("outcome", "kind", "text"),
    [
        (Stalled(has_begun=True), ProviderError, "The model fell silent in the middle of its answer; try again in a little while."),
        (Empty(), ProviderError, "The model returned an empty answer; rephrase the message or use another model."),
        (Stopped(StopReason.TIME_LIMIT), CadenzaError, "The reply took too long and was ended; ask for less at once, or try again."),
    ],
)  # fmt: skip
def test_a_reply_without_an_answer_has_an_error_too(outcome: Outcome, kind: type[CadenzaError], text: str) -> None:
    error = error_of(outcome)

    assert (kind, text) == (type(error), str(error))
