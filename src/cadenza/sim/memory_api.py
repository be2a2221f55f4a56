"""Discord's API for the target, in memory, without a socket or a library."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from math import inf
from typing import Any, Final, TypeAlias

from ..errors import Sentence
from ..targets.discord.api import ApiError, Bucket, Outgoing, Place, PlaceKind, Seen, Sent, Webhook, WebhookIdentity
from ..targets.target import DiscordView
from .client_limits import INSTANT, BucketMeter
from .faults import LostResponse
from .payloads import as_files, as_message, as_picture, as_webhook_message
from .rest import Rest
from .wire import File, Json, Refusal, Response, RestRequest
from .world import Bot

_TRIES = 5
"""Attempts before a 429 is final."""
_MESSAGES = "/channels/{}/messages"
_MESSAGE = "/channels/{}/messages/{}"
_SPOKEN = "/webhooks/{}/{}"
_SPOKEN_MESSAGE = "/webhooks/{}/{}/messages/{}"
_KINDS: Final = {
    1: PlaceKind.DIRECT,
    3: PlaceKind.DIRECT,
    10: PlaceKind.THREAD,
    11: PlaceKind.THREAD,
    12: PlaceKind.THREAD,
    15: PlaceKind.FORUM,
    16: PlaceKind.FORUM,
}
"""Discord's channel types that are not plain channels."""
_Key: TypeAlias = tuple[str, str, str]


class WorldApi:
    """The ``DiscordApi`` of one bot in a simulated Discord.

    It behaves like discord.py: channels known from the gateway need no request, an empty bucket is waited for before the
    next request, and a 429 is waited out, up to five attempts. Nothing else is retried; a 429 with a code of its own, such
    as slow mode, is left to the caller.
    """

    def __init__(self, rest: Rest, bot: Bot) -> None:
        self._rest = rest
        self._bot = bot
        self._meters: dict[_Key, BucketMeter] = {}
        self._limited: dict[str, int] = {}  # how often each message was refused before it arrived
        self._all_wait_until = 0.0

    @property
    def user(self) -> str:
        """The id of the bot."""
        return self._bot.id

    # --- channels --------------------------------------------------------------------------------------

    def known(self, channel: str, /) -> Place | None:
        """*channel* as known from the gateway."""
        try:
            return _as_place(self._rest.world.get_channel(self._bot.id, channel))
        except Refusal:
            return None

    async def find(self, channel: str, /) -> Place:
        """*channel*, requested if it is not known."""
        return self.known(channel) or _as_place(await self._ask("GET", "/channels/{}", channel))

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """The bucket of messages of *channel* or *webhook*, from the headers seen so far."""
        key = ("POST", _SPOKEN, webhook.id) if webhook else ("POST", _MESSAGES, channel)
        meter = self._meters.get(key)
        return meter.bucket(self._now()) if meter else None

    async def typing(self, channel: str, /) -> None:
        """Show the typing indicator."""
        await self._ask("POST", "/channels/{}/typing", channel)

    # --- messages --------------------------------------------------------------------------------------

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as the bot."""
        body = as_message(channel, message)
        return self._as_sent(await self._ask("POST", _MESSAGES, channel, body=body, files=as_files(message)))

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        query = {"wait": "1", "with_components": "1" if message.buttons or message.view else "0"} | _in(thread)
        body = as_webhook_message(identity, message)
        said = await self._ask(
            "POST", _SPOKEN, webhook.id, webhook.token, body=body, query=query, files=as_files(message)
        )
        return self._as_sent(said)

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*, oldest first; only those after *after*.

        This reads from the end, since Discord's own ``after`` returns the messages that follow it directly.
        """
        newest = await self._ask("GET", _MESSAGES, channel, query={"limit": str(limit)})
        return [_as_seen(message) for message in reversed(newest) if int(message["id"]) > int(after or 0)]

    async def delete(self, channel: str, message: str, /) -> None:
        """Delete a message."""
        await self._ask("DELETE", _MESSAGE, channel, message)

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Delete many messages at once."""
        await self._ask("POST", "/channels/{}/messages/bulk-delete", channel, body={"messages": list(messages)})

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Delete a message of *webhook*."""
        await self._ask("DELETE", _SPOKEN_MESSAGE, webhook.id, webhook.token, message, query=_in(thread))

    async def add_view(self, channel: str, message: str, view: DiscordView, /) -> None:
        """Show *view* under a message; presses arrive at the bot's client, as interactions."""
        await self._ask("PATCH", _MESSAGE, channel, message, body={"components": view.to_components()})

    async def add_view_as(
        self, webhook: Webhook, message: str, view: DiscordView, /, *, thread: str | None = None
    ) -> None:
        """Show *view* under a message of *webhook*."""
        body, query = {"components": view.to_components()}, {"with_components": "1"} | _in(thread)
        await self._ask("PATCH", _SPOKEN_MESSAGE, webhook.id, webhook.token, message, body=body, query=query)

    # --- webhooks --------------------------------------------------------------------------------------

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that have a token."""
        found = await self._ask("GET", "/channels/{}/webhooks", channel)
        return [self._as_webhook(webhook) for webhook in found if webhook.get("token")]

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token."""
        return self._as_webhook({"token": token} | await self._ask("GET", _SPOKEN, id_, token))

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Create a webhook."""
        return self._as_webhook(await self._ask("POST", "/channels/{}/webhooks", channel, body={"name": name}))

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Set or clear the avatar of *webhook*; give up after *patience* seconds."""
        body = {"avatar": as_picture(image)}
        try:
            async with asyncio.timeout(patience):
                await self._ask("PATCH", _SPOKEN, webhook.id, webhook.token, body=body, patience=patience)
        except TimeoutError:
            msg = Sentence(
                "Discord did not take a picture for a webhook within {patience} seconds.", patience=f"{patience:g}"
            )
            raise ApiError(msg, is_ambiguous=True) from None

    # --- asking ----------------------------------------------------------------------------------------

    async def _ask(
        self,
        method: str,
        path: str,
        /,
        *ids: str,
        body: Json | None = None,
        query: Mapping[str, str] | None = None,
        files: tuple[File, ...] = (),
        patience: float = inf,
    ) -> Any:
        """Make a call, again after rate limits; return the body, or raise ``ApiError``."""
        token = "" if path in (_SPOKEN, _SPOKEN_MESSAGE) else self._bot.token  # a webhook's token is in the path
        request = RestRequest(method, path.format(*ids), query or {}, body, files, token)
        meter = self._meters.setdefault((method, path, ids[0]), BucketMeter())
        async with meter.lock:
            return await self._insist(request, meter, patience, f"{method} {path}")

    async def _insist(self, request: RestRequest, meter: BucketMeter, patience: float, what: str) -> Any:
        tries = 0
        while True:
            tries += 1
            await self._hold_back(meter, patience, what)
            try:
                response = await self._rest.handle(request)
            except LostResponse:
                msg = Sentence("The connection broke before Discord answered {what}.", what=what)
                raise ApiError(msg, is_ambiguous=True) from None
            meter.read(response.headers, self._now())
            if response.status < 300:
                if tries > 1 and isinstance(response.body, dict):
                    self._limited[str(response.body.get("id"))] = tries - 1
                return response.body
            error = _as_error(response, what)
            if tries == _TRIES or not _is_passing(error):
                raise error
            await self._wait_out(error, patience, is_global=bool(response.body.get("global")))

    async def _hold_back(self, meter: BucketMeter, patience: float, what: str) -> None:
        """Wait until the bucket and the global limit allow another request."""
        while (wait := max(meter.wait(self._now()), self._all_wait_until - self._now())) > INSTANT:
            if wait > patience:
                msg = Sentence(
                    "Discord takes {what} again in {wait} seconds, which is too long to wait.",
                    what=what,
                    wait=f"{wait:.1f}",
                )
                raise ApiError(msg, retry_after=wait)
            await asyncio.sleep(wait)

    async def _wait_out(self, error: ApiError, patience: float, *, is_global: bool) -> None:
        seconds = error.retry_after or 0.0
        if seconds > patience:
            raise error
        if is_global:
            self._all_wait_until = self._now() + seconds
        await asyncio.sleep(seconds)

    def _now(self) -> float:
        return self._rest.world.now()

    # --- reading answers -------------------------------------------------------------------------------

    def _as_sent(self, message: Json) -> Sent:
        channel = str(message["channel_id"])
        place = self.known(channel)
        guild = place.guild if place and place.guild else "@me"
        url = f"https://discord.com/channels/{guild}/{channel}/{message['id']}"
        limited = self._limited.pop(str(message["id"]), 0)
        return Sent(str(message["id"]), channel, message.get("webhook_id"), url, limited)

    def _as_webhook(self, webhook: Json) -> Webhook:
        return Webhook(
            id=str(webhook["id"]),
            token=webhook["token"],
            channel=str(webhook["channel_id"]),
            name=webhook.get("name") or "",
            is_ours=webhook.get("application_id") == self._bot.application,
            has_avatar=webhook.get("avatar") is not None,
        )


def _is_passing(error: ApiError) -> bool:
    """Whether it is a plain rate limit, so that waiting helps."""
    return error.status == 429 and error.retry_after is not None and error.code is None and not error.is_ban


def _in(thread: str | None) -> dict[str, str]:
    return {} if thread is None else {"thread_id": thread}


def _as_place(channel: Json) -> Place:
    kind = _KINDS.get(channel["type"], PlaceKind.CHANNEL)
    return Place(
        channel=str(channel["id"]),
        kind=kind,
        guild=channel.get("guild_id"),
        parent=channel.get("parent_id") if kind is PlaceKind.THREAD else None,
        last_message=channel.get("last_message_id"),
    )


def _as_seen(message: Json) -> Seen:
    nonce = message.get("nonce")
    return Seen(
        message=str(message["id"]),
        content=message["content"],
        author=str(message["author"]["id"]),
        webhook=message.get("webhook_id"),
        nonce=None if nonce is None else str(nonce),
        name=message["author"]["username"],
        files=tuple(file["filename"] for file in message.get("attachments", ())),
    )


def _as_error(response: Response, what: str) -> ApiError:
    """The error of a refused request."""
    is_limit = response.status == 429
    if not isinstance(response.body, dict):
        msg = Sentence("Discord answered {what} with {status} and a page.", what=what, status=response.status)
        told = response.headers.get("Retry-After")
        return ApiError(
            msg,
            status=response.status,
            retry_after=None if told is None else float(told),
            is_ban=is_limit,
            is_ambiguous=response.status >= 500,
        )
    body: Json = response.body
    code = body.get("code")
    return ApiError(
        Sentence(
            "Discord refused {what} with {status} ({code}): {value}",
            what=what,
            status=response.status,
            code=code or "no code",
            value=body.get("message", ""),
        ),
        status=response.status,
        code=code or None,
        fields=tuple(name for name in body.get("errors", ()) if name != "_errors"),
        retry_after=body.get("retry_after"),
        is_ambiguous=response.status >= 500,
        is_ban=is_limit and "Via" not in response.headers,
    )
