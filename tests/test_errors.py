from __future__ import annotations

import ast
import copy
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import cadenza
from cadenza import errors
from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ErrorKind, InputError, ProviderError, Sentence
from cadenza.languages import catalogue, rendered

ERRORS = [name for name in errors.__all__ if issubclass(getattr(errors, name), Exception)]


@pytest.mark.parametrize("name", ERRORS)
def test_whatever_is_raised_on_purpose_has_one_root(name: str) -> None:
    assert issubclass(getattr(errors, name), CadenzaError)


@pytest.mark.parametrize("name", ERRORS)
def test_the_drawn_tree_shows_every_error(name: str) -> None:
    assert name in (errors.__doc__ or "")


def test_every_error_of_the_module_is_public() -> None:
    own = {name: value for name, value in vars(errors).items() if isinstance(value, type)}
    defined = {name for name, value in own.items() if value.__module__ == errors.__name__}

    assert set(errors.__all__) == defined


def test_a_bug_of_ours_is_not_an_error_of_this_tree() -> None:
    assert not issubclass(ValueError, CadenzaError)
    assert (Exception,) == CadenzaError.__bases__


@pytest.mark.parametrize("retryable", [True, False])
def test_a_provider_error_says_whether_to_try_again(retryable: bool) -> None:  # noqa: FBT001  # a table of two
    error = ProviderError("the model is overloaded", retryable=retryable)

    assert ("the model is overloaded", retryable) == (str(error), error.retryable)


def test_a_provider_error_is_not_worth_another_try_unless_it_says_so() -> None:
    assert not ProviderError("refused").retryable


def test_a_delivery_error_carries_the_code_of_the_platform() -> None:
    assert DeliveryError("no").code is None
    assert DeliveryError("no access", code=50001).code == 50001


def test_a_delivery_error_means_the_message_was_refused_unless_it_says_more() -> None:
    gone = DeliveryError("gone", code=10003, kind=DeliveryKind.CHANNEL_GONE)

    assert DeliveryError("no", code=10003).kind is DeliveryKind.REFUSED
    assert gone.kind is DeliveryKind.CHANNEL_GONE


# --- sentences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "english"),
    [
        (
            Sentence("there is no message {number}; it has {count}", number=3, count=2),
            "there is no message 3; it has 2",
        ),
        (Sentence("nothing is missing"), "nothing is missing"),
        (Sentence("{one} and {two}", one="{two}", two="{one}"), "{two} and {one}"),
        (Sentence("{one} and {gone}", one=1), "1 and {gone}"),
        (Sentence("of others: {x}"), "of others: {x}"),
        (Sentence("it must be {wanted}", wanted=Sentence("at least {low}", low=0.5)), "it must be at least 0.5"),
        (Sentence("there are {names}", names=[Sentence("a {n}", n=1), "b"]), "there are a 1, b"),
        (Sentence("line 3: {error}", error=InputError(Sentence("no {what}", what="tea"))), "line 3: no tea"),
        (Sentence("", a=1), ""),
    ],
)
def test_a_sentence_is_its_english_and_survives_a_copy(sentence: Sentence, english: str) -> None:
    assert english == sentence == str(sentence)
    assert type(str(sentence)) is str
    assert sentence is Sentence(sentence)
    for other in (copy.copy(sentence), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):  # noqa: S301  # our own bytes
        assert (sentence, sentence.template, sentence.values) == (other, other.template, other.values)


def test_an_error_carries_its_sentence_and_survives_a_copy() -> None:
    error = ProviderError(Sentence("{vendor} is down", vendor="tea"), kind=ErrorKind.OVERLOADED)

    for one in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301  # our own bytes
        assert ("tea is down", ErrorKind.OVERLOADED) == (str(one), one.kind)
        assert ("{vendor} is down", {"vendor": "tea"}) == (one.sentence.template, one.sentence.values)
    assert "plain {text}" == CadenzaError("plain {text}").sentence
    assert "" == CadenzaError().sentence


def test_a_sentence_is_rendered_with_all_that_is_in_it() -> None:
    inner = Sentence("unknown setting {name}; {hint}", name="'a'", hint=Sentence("did you mean {close}?", close="'b'"))
    outer = Sentence("line {number} cannot be replayed: {error}", number=3, error=InputError(inner))

    assert "3 行目を再生できません：'a' という設定はありません。'b' のことでしょうか。" == rendered(outer, "ja")
    assert str(outer) == rendered(outer, "en") == rendered(outer, "xx") == rendered(outer, "")
    assert "モデル、2" == rendered(Sentence("{both}", both=[Sentence("the model"), 2]), "ja")
    assert "それはここではできません。" == rendered("that cannot be done here", "ja")
    assert "that cannot be done here" == rendered(Sentence("{text}", text="that cannot be done here"), "ja")
    assert "{vendor}" not in catalogue("ja")


MAKING = {*ERRORS, "ConfigError", "StartError", "StoreError", "PortalError", "Notice", "Sentence"}
SOURCE = Path(cadenza.__file__).parent


def _formatted(tree: ast.AST) -> Iterator[int]:
    """The lines where an error, a notice or a sentence is made of text with the values in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _made(node, dict(_texts(node)))
    yield from _made(tree, {})


def _texts(scope: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_formatted(value):
                yield name, value.lineno
            case _:
                pass


def _made(scope: ast.AST, texts: Mapping[str, int]) -> Iterator[int]:
    for node in ast.walk(scope):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=text), *_]) if name in MAKING and text in texts:
                yield texts[text]
            case ast.Call(func=ast.Name(id=name), args=[text, *_]) if name in MAKING and _is_formatted(text):
                yield text.lineno
            case _:
                pass


def _is_formatted(node: ast.AST) -> bool:
    match node:
        case ast.IfExp(body=body, orelse=other):
            return _is_formatted(body) or _is_formatted(other)
        case ast.JoinedStr():
            return True
        case ast.Call(func=ast.Attribute(attr="format", value=ast.Constant() | ast.Name() | ast.BoolOp())):
            return True
        case _:
            return False


def test_no_error_is_made_of_text_with_its_values_in_it() -> None:
    """A translation is found by the template: write ``Sentence("… {name} …", name=name)``."""
    found = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        for line in _formatted(ast.parse(path.read_text(encoding="utf-8")))
    }

    assert set() == found


@pytest.mark.parametrize(
    "code",
    [
        'raise InputError(f"a {b}")',
        'def f():\n    msg = f"a {b}" if b else "c"\n    raise SettingsError(msg) from None',
        'Notice("a {}".format(b), Urgency.INFO)',
        "ProviderError((template or other).format(b=b), kind=kind)",
    ],
)
def test_text_with_values_in_it_is_found_wherever_it_stands(code: str) -> None:
    assert list(_formatted(ast.parse(code)))
    assert [] == list(_formatted(ast.parse('msg = Sentence("a {b}", b=f"{b:g}")\nraise InputError(msg)')))
