"""What functions take."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Optional

import pytest

from cadenza.errors import SettingsError, ToolError
from cadenza.tools.signatures import signature_of
from cadenza.tools.tool import ToolContext

if TYPE_CHECKING:
    from decimal import Decimal


class Size(Enum):
    SMALL = "small"


def roll(sides: int, times: int = 1, size: Size = Size.SMALL, note: str = "", of: list[int] | None = None) -> Decimal:
    """Roll dice.

    Args:
        sides: How many sides it has.
        times: How often.
        note: What for.
    """
    raise NotImplementedError


def nothing() -> str:
    return "nothing"


def whispered(a: int, b: int = 2, /, c: int = 3, *, d: int) -> tuple[int, ...]:
    return a, b, c, d


def told(context: ToolContext, word: str, also: Annotated[ToolContext, "the same"], other: Optional[ToolContext] = None) -> object:  # noqa: UP045  # people still write it  # fmt: skip
    return context, word, also, other


def guessed(count=3, ratio=0.5, on=True, name="x"):  # type: ignore[no-untyped-def]  # noqa: ANN001,ANN201,FBT002  # what is tested
    return count, ratio, on, name


class Shop:
    def sell(self, item: str) -> str:
        """Sell something.

        item: What is sold.
        """
        return f"{self.name} sells {item}"

    name = "the shop"

    @classmethod
    def open(cls, hour: int) -> str:
        return f"{cls.name} opens at {hour}"

    @staticmethod
    def close(hour: int) -> int:
        return hour

    def __call__(self, item: str) -> str:
        """Look for something."""
        return f"{self.name} has {item}"


def wrapped(function: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(function)
    def wrapper(*args: Any, **keywords: Any) -> object:
        return function(*args, **keywords)

    return wrapper


def test_what_a_model_is_told_of_a_function() -> None:
    signature = signature_of(roll, "roll", {})

    assert "Roll dice." == signature.about
    assert {
        "type": "object",
        "properties": {
            "sides": {"type": "integer", "description": "How many sides it has."},
            "times": {"type": "integer", "description": "How often. Default: 1."},
            "size": {"type": "string", "enum": ["small"], "description": "Default: small."},
            "note": {"type": "string", "description": "What for."},
            "of": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["sides"],
        "additionalProperties": False,
    } == signature.schema


def test_a_default_is_told_as_a_model_would_write_it() -> None:
    fields = signature_of(guessed, "guessed", {}).schema["properties"]

    assert ["Default: 3.", "Default: 0.5.", "Default: true.", "Default: x."] == [
        one["description"] for one in fields.values()
    ]


def test_a_function_that_takes_nothing() -> None:
    signature = signature_of(nothing, "nothing", {})

    assert {"type": "object", "properties": {}, "required": [], "additionalProperties": False} == signature.schema
    assert {} == signature.read({})


def test_what_is_not_given_is_what_the_function_would_take() -> None:
    assert {"sides": 6, "times": 1, "size": Size.SMALL, "note": "", "of": None} == signature_of(roll, "roll", {}).read(
        {"sides": "6", "times": None}
    )


@pytest.mark.parametrize(
    ("function", "arguments", "result"),
    [
        pytest.param(whispered, {"a": 1, "d": 4}, (1, 2, 3, 4), id="parameters without a name"),
        pytest.param(Shop().sell, {"item": "tea"}, "the shop sells tea", id="method"),
        pytest.param(Shop.open, {"hour": 9}, "the shop opens at 9", id="class method"),
        pytest.param(Shop.close, {"hour": 9}, 9, id="static method"),
        pytest.param(Shop(), {"item": "tea"}, "the shop has tea", id="an object that can be called"),
        pytest.param(functools.partial(whispered, 0, d=9), {"b": 1}, (0, 1, 3, 9), id="partial"),
        pytest.param(functools.partial(Shop(), item="tea"), {}, "the shop has tea", id="partial of an object"),
        pytest.param(wrapped(whispered), {"a": 1, "d": 4}, (1, 2, 3, 4), id="wrapped"),
        pytest.param(guessed, {"count": "4", "on": "false"}, (4, 0.5, False, "x"), id="types from defaults"),
    ],
)
def test_what_can_be_called_is_called(function: Callable[..., object], arguments: dict[str, object], result: object) -> None:  # fmt: skip
    signature = signature_of(function, "it", {})

    assert result == signature.bind(function, signature.read(arguments), ToolContext())()


def test_what_a_partial_function_has_been_given_is_not_told_to_the_model() -> None:
    signature = signature_of(functools.partial(whispered, d=9), "it", {})

    assert ["a", "b", "c"] == list(signature.schema["properties"])
    with pytest.raises(ToolError, match="'d' is not known"):
        signature.read({"a": 1, "d": 1})


def test_the_words_of_methods_and_objects_are_found() -> None:
    assert "Sell something." == signature_of(Shop().sell, "sell", {}).about
    assert "What is sold." == signature_of(Shop().sell, "sell", {}).schema["properties"]["item"]["description"]
    assert "Look for something." == signature_of(Shop(), "shop", {}).about
    assert "Roll dice." == signature_of(functools.partial(roll, 6), "roll", {}).about
    assert "" == signature_of(functools.partial(nothing), "nothing", {}).about


def test_the_context_is_handed_in_and_not_told_to_the_model() -> None:
    signature, context = signature_of(told, "told", {}), ToolContext(key="k")

    assert ["word"] == list(signature.schema["properties"])
    assert (context, "hi", context, context) == signature.bind(told, signature.read({"word": "hi"}), context)()


def test_types_that_are_local_to_a_function_are_found_while_it_runs() -> None:
    @dataclass
    class Local:
        x: int

    def place(local: Local) -> int:
        return local.x

    signature = signature_of(place, "place", {})

    assert 3 == signature.bind(place, signature.read({"local": {"x": 3}}), ToolContext())()


def test_types_can_be_handed_in() -> None:
    signature = signature_of(lambda sides, times: sides * times, "roll", {"sides": int, "times": float})

    assert {"sides": 6, "times": 1.5} == signature.read({"sides": "6", "times": 1.5})


def test_all_that_is_wrong_is_told_at_once_but_not_without_end() -> None:
    signature = signature_of(roll, "roll", {})

    with pytest.raises(ToolError) as caught:
        signature.read({"times": [], "size": 1, "note": [], "of": {}, **dict.fromkeys("abcdefgh", 1)})

    assert str(caught.value).endswith("The tool was not run; send the call again.")
    assert 5 == str(caught.value).count("The argument ")


def test_a_method_is_inspected_once_for_all_objects() -> None:
    signature = signature_of(Shop().sell, "sell", {})

    assert signature is signature_of(Shop().sell, "sell", {})
    assert signature is not signature_of(Shop().sell, "sell", {"item": int})


def test_null_is_a_value_only_where_the_type_allows_it() -> None:
    def find(limit: int | None = 10, page: int = 1) -> None: ...

    assert {"limit": None, "page": 1} == signature_of(find, "find", {}).read({"limit": None, "page": None})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(
        ToolError, match=r"^The argument 'sides' is missing\. The tool was not run; send the call again\.$"
    ):
        signature_of(roll, "roll", {}).read({})


def lost() -> Callable[..., object]:
    class Local:
        pass

    def place(where: Local) -> None: ...

    return place


def misspelt(a: typing.TypVar) -> None: ...  # type: ignore[name-defined]


def silent() -> None: ...


silent.__signature__ = 5  # type: ignore[attr-defined]  # as an extension may have it


@pytest.mark.parametrize(
    ("function", "said"),
    [
        pytest.param(lambda a: a, "the parameter 'a' of the tool 'it' has no type; annotate it", id="no type"),
        pytest.param(lambda a=None: a, "the parameter 'a' of the tool 'it' has no type; annotate it", id="no type but None"),
        pytest.param(lambda *a: a, "the tool 'it' takes *a", id="*args"),
        pytest.param(lambda **a: a, "the tool 'it' takes **a", id="**kwargs"),
        pytest.param(Shop.sell, "use the method of an object: tool(thing.it)", id="a method without its object"),
        pytest.param(lost(), "a type of the tool 'it' is not known where it is defined (Local)", id="a type that is gone"),
        pytest.param(misspelt, "a type of the tool 'it' is not known where it is defined (TypVar)", id="a type that is not there"),
        pytest.param(silent, "has no signature that can be read", id="it does not say"),
        pytest.param(len, "the parameter 'obj' of the tool 'it' has no type", id="built in, with a signature"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_in_one_sentence(function: Callable[..., object], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        signature_of(function, "it", {})

    assert said in str(caught.value)


def test_a_type_that_a_model_cannot_be_told_of_is_named_with_its_parameter() -> None:
    def send(data: bytes) -> None: ...

    with pytest.raises(SettingsError, match="the parameter 'data' of the tool 'send' has a type without a JSON schema"):
        signature_of(send, "send", {})


def test_a_name_that_an_interface_would_refuse_is_refused() -> None:
    def send(größe: int) -> None: ...  # noqa: PLC2401  # which is the point

    with pytest.raises(SettingsError, match="the parameter 'größe' of the tool 'send' cannot be named 'größe'"):
        signature_of(send, "send", {})


def test_a_type_for_a_parameter_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingsError, match="the tool 'nothing' has no parameter 'a' to give a type; it has: none"):
        signature_of(nothing, "nothing", {"a": int})
