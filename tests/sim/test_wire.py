from __future__ import annotations

from cadenza.sim.wire import File, GatewayEvent, Refusal, Response, RestRequest


def test_neither_tokens_nor_files_show_in_what_is_printed() -> None:
    request = RestRequest("POST", "/channels/1/messages", token="secret", files=(File("a.txt", b"secret"),))  # noqa: S106  # the point is that it does not show

    assert "secret" not in repr(request)


def test_what_is_not_said_is_empty() -> None:
    request, response, event = RestRequest("GET", "/users/@me"), Response(204), GatewayEvent("READY", {})

    assert ({}, None, ()) == (dict(request.query), request.body, request.files)
    assert (None, {}) == (response.body, dict(response.headers))
    assert (None, frozenset()) == (event.guild, event.bots)


def test_a_refusal_has_discords_words_for_its_text() -> None:
    refusal = Refusal(404, 10003, "Unknown Channel")

    assert ("Unknown Channel", 404, 10003, None) == (str(refusal), refusal.status, refusal.code, refusal.retry_after)
