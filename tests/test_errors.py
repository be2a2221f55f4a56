from __future__ import annotations

import pytest

from cadenza import errors
from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ProviderError

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
