"""The table of refusals: each answer of Discord has one row, and the row says what people are told."""

from __future__ import annotations

import pytest

from cadenza.errors import DeliveryKind
from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord.policies import OTHERWISE, TABLE, UNKNOWN, Policy, PolicyRow, Step, policy_for

CASES = [
    (ApiError("", status=404, code=10003), "channel_gone", Step.REFUSE),
    (ApiError("", status=403, code=50001), "missing_access", Step.REFUSE),
    (ApiError("", status=403, code=50013), "missing_permissions", Step.REFUSE),
    (ApiError("", status=404, code=10015), "webhook_gone", Step.RECOVER),
    (ApiError("", status=401, code=50027), "webhook_gone", Step.RECOVER),
    (ApiError("", status=400, code=30007), "max_webhooks", Step.AS_BOT),
    (ApiError("", status=400, code=30058), "max_webhooks", Step.AS_BOT),
    (ApiError("", status=404, code=10008), "reply_gone", Step.DROP_REPLY),
    (ApiError("", status=400, code=50035, fields=("message_reference",)), "reply_gone", Step.DROP_REPLY),
    (ApiError("", status=400, code=50035, fields=("message_reference.message_id",)), "reply_gone", Step.DROP_REPLY),
    (ApiError("", status=400, code=160002), "reply_forbidden", Step.DROP_REPLY),
    (ApiError("", status=400, code=50035, fields=("username",)), "bad_name", Step.RENAME),
    (ApiError("", status=400, code=50035, fields=("content",)), "too_long", Step.SHORTEN),
    (ApiError("", status=400, code=50035, fields=("embeds",)), "refused", Step.REFUSE),
    (ApiError("", status=400, code=50035), "refused", Step.REFUSE),
    (ApiError("", status=400, code=50006), "blank", Step.SKIP),
    (ApiError("", status=413, code=40005), "too_large", Step.DROP_FILE),
    (ApiError("", status=413), "too_large", Step.DROP_FILE),
    (ApiError("", status=429, code=20016, retry_after=5.0), "write_limit", Step.WAIT),
    (ApiError("", status=429, code=20028), "write_limit", Step.WAIT),
    (ApiError("", status=429, code=20029), "write_limit", Step.WAIT),
    (ApiError("", status=400, code=200000), "filtered", Step.SKIP),
    (ApiError("", status=400, code=240000), "filtered", Step.SKIP),
    (ApiError("", status=400, code=20009), "filtered", Step.SKIP),
    (ApiError("", status=403, code=160005), "thread_locked", Step.REFUSE),
    (ApiError("", status=400, code=50083), "thread_locked", Step.REFUSE),
    (ApiError("", status=403, code=40058), "needs_thread", Step.REFUSE),
    (ApiError("", status=400, code=220001), "needs_thread", Step.REFUSE),
    (ApiError("", status=403, code=50007), "direct_messages_closed", Step.REFUSE),
    (ApiError("", status=403, code=50278), "direct_messages_closed", Step.REFUSE),
    (ApiError("", status=503, code=130000), "overloaded", Step.RETRY),
    (ApiError("", status=500, code=0, is_ambiguous=True), "overloaded", Step.RETRY),
    (ApiError("", status=502), "overloaded", Step.RETRY),
    (ApiError("", is_ambiguous=True), "overloaded", Step.RETRY),
    (ApiError("", status=401, code=0), "unauthorised", Step.COOLDOWN),
    (ApiError("", status=401, code=40001), "unauthorised", Step.COOLDOWN),
    (ApiError("", status=403, code=40333), "banned", Step.COOLDOWN),
    (ApiError("", status=429, is_ban=True), "banned", Step.COOLDOWN),
    (ApiError("", status=429, retry_after=2.0), "rate_limited", Step.WAIT),
    (ApiError("", status=403, code=99999), "refused", Step.REFUSE),
    (ApiError(""), "refused", Step.REFUSE),
]


@pytest.mark.parametrize(
    ("error", "name", "step"), CASES, ids=[f"{error.status}-{error.code}-{name}" for error, name, _ in CASES]
)
def test_each_answer_has_its_row(error: ApiError, name: str, step: Step) -> None:
    policy = policy_for(error)
    assert (name, step) == (policy.name, policy.step)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.policy.name)
def test_no_row_stands_behind_one_that_takes_all_its_errors(row: PolicyRow) -> None:
    condition = row.condition
    errors = [ApiError("", code=code) for code in condition.codes]
    errors += [ApiError("", status=status) for status in condition.statuses]
    errors += [ApiError("", code=50035, fields=(condition.field,))] if condition.field else []
    errors += [ApiError("", is_ban=True)] if condition.is_ban else []
    errors += [ApiError("", is_ambiguous=True)] if condition.is_ambiguous else []
    assert errors
    assert {row.policy.name} == {policy_for(error).name for error in errors}


@pytest.mark.parametrize("policy", [*(row.policy for row in TABLE), OTHERWISE, UNKNOWN], ids=lambda policy: policy.name)
def test_what_people_are_told_is_one_sentence_without_a_code(policy: Policy) -> None:
    assert policy.told.endswith(".")
    assert "." not in policy.told[:-1]
    assert not any(character.isdigit() for character in policy.told)


def test_names_of_policies_are_all_different() -> None:
    names = [row.policy.name for row in TABLE]
    assert sorted(set(names)) == sorted(names)


def test_the_error_that_is_raised_has_the_code_and_none_of_discords_words() -> None:
    error = policy_for(ApiError("secret words", code=50013)).error(ApiError("secret words", code=50013))
    assert (50013, DeliveryKind.MISSING_PERMISSIONS) == (error.code, error.kind)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (10003, DeliveryKind.CHANNEL_GONE),
        (50001, DeliveryKind.MISSING_ACCESS),
        (50007, DeliveryKind.MISSING_ACCESS),
        (160005, DeliveryKind.MISSING_ACCESS),
        (50013, DeliveryKind.MISSING_PERMISSIONS),
        (200000, DeliveryKind.SKIPPED),
        (40058, DeliveryKind.REFUSED),
    ],
)
def test_each_error_says_what_it_means_for_the_channel(code: int, kind: DeliveryKind) -> None:
    error = ApiError("", code=code)
    assert kind is policy_for(error).error(error).kind


def test_only_what_lasts_blocks_a_channel() -> None:
    remembered = {row.policy.name for row in TABLE if row.policy.is_remembered}
    assert {"missing_permissions", "thread_locked", "direct_messages_closed"} == remembered


def test_what_was_never_asked_of_discord_is_told_in_its_own_words() -> None:
    policy = policy_for(ApiError("The client is closed; open it."))

    assert ("The client is closed; open it.", Step.REFUSE) == (policy.told, policy.step)
