"""Discord as the target sees it, over discord.py.

All requests go through discord.py's own objects, so its caches, rate limits and proxy apply. Three of its habits are
worked around: it returns a message late (see ``echoes``), it retries webhook messages and so may send them twice (see
``sessions``), and after an edit of a webhook it blocks the webhook for up to a minute.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Coroutine, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any, TypeVar, cast

import aiohttp
import discord
from discord import ui
from discord.http import Route

from ...concurrency.tasks import must_rise
from ...errors import Sentence
from ..discord.api import ApiError, Bucket, Outgoing, Place, Seen, Sent, Webhook, WebhookIdentity
from ..target import DiscordView
from .buckets import CHANNEL, WEBHOOK, WEBHOOK_SLOW, Headers, Tally, known_to_discord_py, tighter
from .early_receipts import EarlyReceipts
from .no_retry_session import NoRetrySession
from .payloads import arguments, place_of, seen_of, sent_of, webhook_of
from .translate_errors import as_api_error

T = TypeVar("T")

_UNKNOWN_CHANNEL = 10003
_UNKNOWN_WEBHOOK = 10015
_NOT_IN_A_DIRECT_MESSAGE = 50003
_NOT_IN_THIS_KIND_OF_CHANNEL = 50024
_RATE_LIMITED = 429
_IMAGES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}

_Speakable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel
_Clearable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread


class DiscordPyApi:
    """A ``DiscordApi`` over a client of discord.py, one per client; ``close`` waits for sends in flight."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._deliveries = EarlyReceipts(client)
        self._tally = Tally()
        self._headers = Headers()

    @property
    def user(self) -> str:
        """Our own id."""
        if self._client.user is None:
            msg = "the client is not logged in; send messages when it is ready"
            raise ApiError(msg)
        return str(self._client.user.id)

    def _check(self) -> None:
        """Raise an ``ApiError`` unless the client is running."""
        if self._client.is_closed():
            msg = "The discord.py client is closed; send messages while it runs."
            raise ApiError(msg)
        if self._client.user is None:
            msg = "The discord.py client is not logged in; send messages when it is ready."
            raise ApiError(msg)

    async def close(self) -> None:
        """Wait for sends that discord.py still holds. The API can be used again afterwards."""
        await self._deliveries.close()

    # --- channels ----------------------------------------------------------------------

    def known(self, channel: str, /) -> Place | None:
        """The cached place of *channel*."""
        return place_of(self._client.get_channel(_number(channel)))

    async def find(self, channel: str, /) -> Place:
        """The place of *channel*, cached or fetched."""
        place = place_of(await self._channel(channel))
        if place is None:
            msg = Sentence("the channel {channel} takes no messages.", channel=channel)
            raise ApiError(msg, code=_NOT_IN_THIS_KIND_OF_CHANNEL)
        return place

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """The rate limit bucket of *channel* or *webhook*: from Discord, or by our own count."""
        if webhook is None:
            return known_to_discord_py(self._client, channel) or self._tally.bucket(channel, CHANNEL)
        told = self._headers.bucket(webhook.id) or self._tally.bucket(webhook.id, WEBHOOK)
        return tighter(told, self._tally.bucket(webhook.id, WEBHOOK_SLOW))

    async def typing(self, channel: str, /) -> None:
        """Show the typing indicator.

        A cancellation does not cut the request off: discord.py would lose count of the bucket, and the next request would
        wait for half a minute.
        """
        await self._deliveries.outlived(_asked(_typed(self._messageable(channel))))

    # --- sending --------------------------------------------------------------------------

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as the bot."""
        self._check()
        nonce, user, place = message.nonce or token_hex(12), self.user, self._messageable(channel)
        told = arguments(message) | {"nonce": nonce}
        if message.reply_to is not None:
            told["reference"] = discord.MessageReference(
                message_id=int(message.reply_to), channel_id=int(channel), fail_if_not_exists=False
            )

        def is_ours(heard: discord.Message) -> bool:
            return str(heard.nonce) == nonce and str(heard.author.id) == user

        self._tally.note(channel)
        confirmed = await self._deliveries.run(place.send(**told), is_ours, has_view=message.view is not None)
        return sent_of(confirmed, self._guild(channel))

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        told: dict[str, Any] = {"username": identity.name}
        if identity.avatar_url is not None:
            told["avatar_url"] = identity.avatar_url
        if thread is not None:
            told["thread"] = discord.Object(int(thread))
        self._check()
        hook = self._hook(webhook.id, webhook.token)
        channel = thread or webhook.channel
        return await self._executed(hook, message, told, key=webhook.id, channel=channel, name=identity.name)

    async def follow_up(
        self, interaction: discord.Interaction[Any], message: Outgoing, /, *, channel: str, is_ephemeral: bool = False
    ) -> Sent:
        """Send *message* as a follow-up of *interaction*; follow-ups have neither replies nor nonces."""
        self._check()
        hook = self._follow_up(interaction)
        return await self._executed(
            hook, message, {"ephemeral": is_ephemeral}, key=str(interaction.id), channel=channel, name=None
        )

    async def delete_follow_up(self, interaction: discord.Interaction[Any], message: str, /) -> None:
        """Delete a follow-up of *interaction*."""
        await _asked(self._follow_up(interaction).delete_message(int(message)))

    def follow_up_bucket(self, interaction: discord.Interaction[Any], /) -> Bucket | None:
        """The rate limit bucket for follow-ups of *interaction*."""
        key = str(interaction.id)
        return self._headers.bucket(key) or self._tally.bucket(key, WEBHOOK)

    async def _executed(
        self,
        hook: discord.Webhook,
        message: Outgoing,
        told: Mapping[str, Any],
        *,
        key: str,
        channel: str,
        name: str | None,
    ) -> Sent:
        """Send *message* through *hook* with the arguments *told*; it appears in *channel*, under *name*."""

        def is_ours(heard: discord.Message) -> bool:
            return (
                heard.webhook_id == hook.id
                and str(heard.channel.id) == channel
                and heard.content.strip() == message.content.strip()
                and (name is None or heard.author.name == name)
                and len(heard.attachments) == len(message.files)
                and len(heard.embeds) >= len(message.embeds)
            )

        self._tally.note(key)
        # Discord names the message, and discord.py types it as never None.
        send: Coroutine[Any, Any, Any] = hook.send(**arguments(message), **told, wait=True)
        confirmed = await self._deliveries.run(send, is_ours, has_view=message.view is not None)
        return sent_of(confirmed, self._guild(channel))

    # --- reading and deleting -------------------------------------------------------------

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*, the oldest of them first."""
        self._check()
        behind = None if after is None else discord.Object(int(after))
        history = self._messageable(channel).history(limit=limit, after=behind, oldest_first=False)

        async def read() -> list[Seen]:
            return [seen_of(message) async for message in history]

        return (await _asked(read()))[::-1]

    async def delete(self, channel: str, message: str, /) -> None:
        """Delete a message."""
        partial = self._client.get_partial_messageable(_number(channel)).get_partial_message(int(message))
        await _asked(partial.delete())

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Delete 2 to 100 messages at once."""
        place = await self._channel(channel)
        if not isinstance(place, _Clearable):
            msg = "bulk deletion works in servers only; delete the messages one by one."
            raise ApiError(msg, code=_NOT_IN_A_DIRECT_MESSAGE)
        await _asked(place.delete_messages([discord.Object(int(message)) for message in messages]))

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Delete a message of *webhook*."""
        where = {} if thread is None else {"thread": discord.Object(int(thread))}
        await _asked(self._hook(webhook.id, webhook.token).delete_message(int(message), **where))

    async def add_view(self, channel: str, message: str, view: DiscordView, /) -> None:
        """Show *view* under a message; discord.py then calls its callbacks."""
        partial = self._client.get_partial_messageable(_number(channel)).get_partial_message(int(message))
        await _asked(partial.edit(view=cast(ui.View, view)))

    async def add_view_as(
        self, webhook: Webhook, message: str, view: DiscordView, /, *, thread: str | None = None
    ) -> None:
        """Show *view* under a message of *webhook*."""
        where: dict[str, Any] = {} if thread is None else {"thread": discord.Object(int(thread))}
        hook = self._hook(webhook.id, webhook.token)
        await _asked(hook.edit_message(int(message), view=cast(ui.View, view), **where))

    async def add_follow_up_view(
        self, interaction: discord.Interaction[Any], message: str, view: DiscordView, /
    ) -> None:
        """Show *view* under a follow-up of *interaction*."""
        await _asked(self._follow_up(interaction).edit_message(int(message), view=cast(ui.View, view)))

    # --- webhooks ---------------------------------------------------------------------------

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that can send messages."""
        found = await _asked((await self._speakable(channel)).webhooks())
        return [webhook for each in found if (webhook := webhook_of(each, self.user, channel=channel))]

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token; Discord does not name its owner here."""
        return self._usable(await _asked(self._hook(id_, token).fetch(prefer_auth=False)))

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Create a webhook."""
        made = self._usable(await _asked((await self._speakable(channel)).create_webhook(name=name)))
        return replace(made, channel=channel, is_ours=True)

    def _usable(self, webhook: discord.Webhook) -> Webhook:
        usable = webhook_of(webhook, self.user)
        if usable is None:
            msg = "this webhook has no token; create another one."
            raise ApiError(msg, status=404, code=_UNKNOWN_WEBHOOK)
        return usable

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Set the avatar of *webhook*; give up if it takes longer than *patience* seconds."""
        clock = asyncio.get_running_loop().time
        until = clock() + patience
        while True:
            try:
                async with asyncio.timeout_at(until):
                    return await self._store(webhook, image)
            except TimeoutError as error:
                raise as_api_error(error) from error
            except ApiError as error:
                wait = None if error.status != _RATE_LIMITED or error.is_ban else error.retry_after
                if wait is None or clock() + wait > until:
                    raise
                await asyncio.sleep(wait)

    async def _store(self, webhook: Webhook, image: bytes | None) -> None:
        """Send the request past discord.py, which would hold a lock that messages wait for."""
        route = Route(
            "PATCH", "/webhooks/{webhook_id}/{webhook_token}", webhook_id=int(webhook.id), webhook_token=webhook.token
        )
        hook = discord.Webhook.partial(int(webhook.id), webhook.token, client=self._client)

        async def ask() -> None:
            answer = hook.session.patch(
                route.url, json={"avatar": _data_uri(image)}, proxy=hook.proxy, proxy_auth=hook.proxy_auth
            )
            async with answer as response:
                if response.status >= 400:
                    raise discord.HTTPException(response, await _body(response))

        await _asked(ask())

    # --- discord.py's own things ----------------------------------------------------------------

    def _hook(self, id_: str, token: str) -> discord.Webhook:
        hook = discord.Webhook.partial(int(id_), token, client=self._client)
        return self._with_one_try(hook, key=id_)

    def _follow_up(self, interaction: discord.Interaction[Any]) -> discord.Webhook:
        hook = discord.Webhook.partial(interaction.application_id, interaction.token, client=self._client)
        hook.type = discord.WebhookType.application
        return self._with_one_try(hook, key=str(interaction.id))

    def _with_one_try(self, hook: discord.Webhook, *, key: str) -> discord.Webhook:
        """*hook* with the client's session and no retries."""
        session: Any = NoRetrySession(hook.session, lambda headers: self._headers.note(key, headers))
        hook.session = session
        return hook

    def _guild(self, channel: str) -> str | None:
        place = self.known(channel)
        return None if place is None else place.guild

    def _messageable(self, channel: str) -> discord.abc.Messageable:
        known = self._client.get_channel(_number(channel))
        if isinstance(known, discord.abc.Messageable):
            return known
        return self._client.get_partial_messageable(_number(channel))

    async def _channel(self, channel: str) -> object:
        self._check()
        number = _number(channel)
        return self._client.get_channel(number) or await _asked(self._client.fetch_channel(number))

    async def _speakable(self, channel: str) -> _Speakable:
        place = await self._channel(channel)
        if isinstance(place, _Speakable):
            return place
        msg = "a channel like this one has no webhooks."
        raise ApiError(msg, code=_NOT_IN_THIS_KIND_OF_CHANNEL)


async def _asked(question: Awaitable[T]) -> T:
    """Await *question*; every exception becomes an ``ApiError``."""
    try:
        return await question
    except BaseException as error:
        if must_rise(error):
            raise
        raise as_api_error(error) from error


async def _typed(place: discord.abc.Messageable) -> None:
    await place.typing()


async def _body(response: aiohttp.ClientResponse) -> Any:
    """The JSON of *response*, or its text."""
    try:
        return await response.json(content_type=None)
    except ValueError:
        return await response.text()


def _data_uri(image: bytes | None) -> str | None:
    if image is None:
        return None
    kind = next((kind for magic, kind in _IMAGES.items() if image.startswith(magic)), "png")
    return f"data:image/{kind};base64,{b64encode(image).decode()}"


def _number(channel: str) -> int:
    if not channel.isdecimal():
        msg = Sentence("there is no channel {channel}; Discord's channels are numbers.", channel=repr(channel))
        raise ApiError(msg, status=404, code=_UNKNOWN_CHANNEL)
    return int(channel)
