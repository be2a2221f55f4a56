"""Interactions: somebody uses a command or presses a button, and a bot answers.

The first answer has three seconds, what follows a quarter of an hour. What follows comes as calls of a webhook that has
the id of the application and the token of the interaction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, assert_never

from .laws import FILE_SIZE, Draft, as_draft
from .mentions import FOR_MESSAGES, as_allowed, called_by
from .messages import as_reply
from .permissions import ALL, Permission
from .refusals import bad_length, invalid, not_one_of, refuse
from .shapes import MessageFlag, MessageKind, copied
from .state import ChannelState, InteractionState
from .webhooks import Webhooks
from .wire import File, Json

ANSWER_SECONDS = 3.0
FOLLOW_UP_SECONDS = 900.0
_COMMANDS = 100
_COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")
_OPTION_KINDS: Mapping[type, int] = {bool: 5, int: 4, float: 10}
_TEXT_OPTION = 3
_USER_OPTION = 6
_ORIGINAL = "@original"


class InteractionKind(IntEnum):
    """What was done."""

    COMMAND = 2
    COMPONENT = 3


class Answer(IntEnum):
    """How a bot answers."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    AUTOCOMPLETE = 8
    MODAL = 9


class Interactions(Webhooks):
    """The commands and buttons of this world."""

    def put_commands(self, who: str, guild: str | None, commands: list[Json]) -> list[Json]:
        """Replace the commands of a bot, everywhere or in one guild."""
        if guild is not None:
            self._visible_guild(who, guild)
        if len(commands) > _COMMANDS:
            raise bad_length(at="commands", least=0, most=_COMMANDS)
        for number, command in enumerate(commands):
            _check_command(command, number)
        defaults: Json = {"type": 1, "default_member_permissions": None, "dm_permission": True, "nsfw": False}
        place = {} if guild is None else {"guild_id": guild}
        stored = []
        for command in commands:
            id_ = self._snowflakes.next()
            stored.append({**defaults, **command, **place, "id": id_, "application_id": who, "version": id_})
        self._commands[who, guild] = stored
        return self._copies(stored)

    def get_commands(self, who: str, guild: str | None) -> list[Json]:
        """The commands of a bot, everywhere or in one guild."""
        return self._copies(self._commands.get((who, guild), []))

    def use_command(self, who: str, channel: str, name: str, options: Mapping[str, Any]) -> str:
        """Use a command as *who*; gives back the id of the interaction."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.USE_APPLICATION_COMMANDS)
        command = self._command(place, name)
        known = {option["name"]: option["type"] for option in command.get("options") or []}
        given = []
        for option, value in options.items():
            kind = known.get(option) or _OPTION_KINDS.get(type(value), _TEXT_OPTION)
            given.append({"name": option, "type": kind, "value": value})
        data = {
            "id": command["id"], "name": name, "type": command["type"], "options": given,
            "resolved": self._resolved(place, [str(one["value"]) for one in given if one["type"] == _USER_OPTION]),
        }  # fmt: skip
        return self._interact(who, place, command["application_id"], InteractionKind.COMMAND, data, name=name)

    def _command(self, channel: ChannelState, name: str) -> Json:
        present = channel.people if channel.guild is None else self._guild(channel.guild).members
        for (bot, guild), commands in self._commands.items():
            if bot in present and guild in (None, channel.guild):
                for command in commands:
                    if command["name"] == name:
                        return command
        message = f"no bot there has a command /{name}; give it one with put_commands"
        raise LookupError(message)

    def _resolved(self, channel: ChannelState, users: list[str]) -> Json:
        if not users:
            return {}
        resolved: Json = {"users": {user: copied(self._users[user]) for user in users}}
        if channel.guild is not None:
            members = self._guild(channel.guild).members
            resolved["members"] = {
                user: {**copied(members[user]), "permissions": str(int(self._permissions(user, channel)))}
                for user in users
                if user in members
            }
        return resolved

    def press(self, who: str, channel: str, message: str, custom_id: str) -> str:
        """Press a button as *who*; gives back the id of the interaction."""
        place = self._visible(who, channel)
        found = self._message(place, message)
        parts = [part for row in found["components"] for part in row["components"]]
        pressed = next((part for part in parts if part.get("custom_id") == custom_id), None)
        if pressed is None or pressed.get("disabled"):
            problem = f"there is nothing to press under message {message} with the id {custom_id}"
            raise LookupError(problem)
        bot = found.get("application_id") or found["author"]["id"]
        data = {"custom_id": custom_id, "component_type": pressed["type"], "id": 1}
        return self._interact(who, place, bot, InteractionKind.COMPONENT, data, pressed=found)

    def _interact(
        self,
        who: str,
        channel: ChannelState,
        bot: str,
        kind: InteractionKind,
        data: Json,
        *,
        name: str = "",
        pressed: Json | None = None,
    ) -> str:
        id_ = self._snowflakes.next()
        token = hashlib.sha256(f"interaction {id_}".encode()).hexdigest()
        message = None if pressed is None else pressed["id"]
        self._interactions[token] = InteractionState(
            id_, token, bot, who, channel.id, int(kind), self.now(), name, message
        )
        event: Json = {
            "id": id_, "application_id": bot, "type": int(kind), "token": token, "version": 1, "data": data,
            "channel_id": channel.id, "channel": self._channel_as_seen(channel, bot), "locale": "en-US",
            "app_permissions": str(int(self._permissions(bot, channel))), "entitlements": [],
            "attachment_size_limit": FILE_SIZE, "context": 1 if channel.guild is None else 0,
        }  # fmt: skip
        if pressed is not None:
            event["message"] = self._shown(pressed, bot)
        event |= self._invoker(who, channel)
        self._tell("INTERACTION_CREATE", event, channel.guild, frozenset({bot}))
        return id_

    def _invoker(self, who: str, channel: ChannelState) -> Json:
        if channel.guild is None:
            return {"user": self._users[who], "authorizing_integration_owners": {"1": who}}
        member = {**self._member(channel.guild, who), "permissions": str(int(self._permissions(who, channel)))}
        return {
            "guild_id": channel.guild, "guild_locale": "en-US", "member": member,
            "guild": {"id": channel.guild, "locale": "en-US", "features": []},
            "authorizing_integration_owners": {"0": channel.guild},
        }  # fmt: skip

    def respond(self, interaction_id: str, token: str, payload: Json, files: Sequence[File] = ()) -> Json:
        """Answer an interaction, once."""
        state = self._interactions.get(token)
        if state is None or state.id != interaction_id:
            raise refuse(10062)
        if state.is_answered:
            raise refuse(40060)
        if self.now() - state.made_at > ANSWER_SECONDS:
            raise refuse(10062)
        answer = _as_answer(payload.get("type"), is_pressed=state.pressed is not None)
        message = self._carry_out(state, answer, payload.get("data") or {}, files)
        state.is_answered = True
        state.original = message["id"] if message else state.pressed
        return _as_callback(state, answer, message)

    def _carry_out(self, state: InteractionState, answer: Answer, data: Json, files: Sequence[File]) -> Json | None:
        """Do what an answer says; gives back the message that it makes or changes."""
        place = self._channel(state.channel)
        match answer:
            case Answer.MESSAGE:
                return self._say(state, as_draft(data, files), data)
            case Answer.DEFERRED_MESSAGE:
                draft = Draft("", [], [], (), [], None, 0, is_spoken=False)
                return self._say(state, draft, data, flags=MessageFlag.LOADING)
            case Answer.UPDATE:
                return self._change(place, self._message(place, str(state.pressed)), data, files, theirs=ALL)
            case Answer.DEFERRED_UPDATE | Answer.AUTOCOMPLETE | Answer.MODAL:
                return None
        assert_never(answer)

    def _say(self, state: InteractionState, draft: Draft, data: Json, *, flags: int = 0) -> Json:
        """A message in answer to an interaction."""
        place = self._channel(state.channel)
        allowed = as_allowed(data.get("allowed_mentions"), FOR_MESSAGES)
        called = self._permitted(called_by(draft.content, allowed), place, self._permissions(state.bot, place))
        flags |= draft.flags | int(data.get("flags") or 0) & MessageFlag.EPHEMERAL
        user = self._users[state.user]
        fields: Json = {
            "flags": flags, "webhook_id": state.bot, "application_id": state.bot,
            "interaction_metadata": {
                "id": state.id, "type": state.kind, "user": user, "authorizing_integration_owners": {},
            },
        }  # fmt: skip
        if state.kind == InteractionKind.COMMAND and not state.is_answered:
            fields["type"] = int(MessageKind.CHAT_INPUT_COMMAND)
            fields["interaction"] = {"id": state.id, "type": state.kind, "name": state.name, "user": user}
        elif answered := place.messages.get(state.original or state.pressed or ""):
            fields |= as_reply(answered, place)
        return self._post(place, self._users[state.bot], draft, called, fields)

    def _following(self, token: str) -> InteractionState:
        """The interaction that something follows."""
        state = self._interactions.get(token)
        if state is None or self.now() - state.made_at > FOLLOW_UP_SECONDS:
            raise refuse(50027)
        if not state.is_answered:
            raise refuse(10015)
        return state

    def execute_webhook(
        self, id_: str, token: str, payload: Json, files: Sequence[File] = (), *, thread: str | None = None
    ) -> Json:
        """Speak through a webhook, or follow up an interaction; what first follows a deferred answer takes its place."""
        if id_ not in self._bots:
            return super().execute_webhook(id_, token, payload, files, thread=thread)
        state = self._following(token)
        original = self._channel(state.channel).messages.get(state.original or "")
        if original is not None and original["flags"] & MessageFlag.LOADING:
            return self.edit_webhook_message(id_, token, _ORIGINAL, payload=payload, files=files)
        return self._shown(self._say(state, as_draft({**payload, "nonce": None}, files), payload), "")

    def _answer_message(self, id_: str, token: str, message: str) -> tuple[ChannelState, Json]:
        state = self._following(token)
        place = self._channel(state.channel)
        found = self._message(place, (state.original or "") if message == _ORIGINAL else message)
        if message != _ORIGINAL and found.get("webhook_id") != id_:
            raise refuse(10008)
        return place, found

    def get_webhook_message(self, id_: str, token: str, message: str, *, thread: str | None = None) -> Json:
        """A message of a webhook or of an interaction, whose first is ``@original``."""
        if id_ not in self._bots:
            return super().get_webhook_message(id_, token, message, thread=thread)
        return self._shown(self._answer_message(id_, token, message)[1], "")

    def edit_webhook_message(
        self,
        id_: str,
        token: str,
        message: str,
        *,
        thread: str | None = None,
        payload: Json,
        files: Sequence[File] = (),
    ) -> Json:
        """Change a message of a webhook or of an interaction; that ends a deferred answer."""
        if id_ not in self._bots:
            return super().edit_webhook_message(id_, token, message, thread=thread, payload=payload, files=files)
        place, found = self._answer_message(id_, token, message)
        return self._change(place, found, payload, files, theirs=self._permissions(id_, place))

    def delete_webhook_message(self, id_: str, token: str, message: str, *, thread: str | None = None) -> None:
        """Take a message of a webhook or of an interaction back."""
        if id_ not in self._bots:
            super().delete_webhook_message(id_, token, message, thread=thread)
            return
        place, found = self._answer_message(id_, token, message)
        self._remove(place, found["id"])


def _check_command(command: Json, number: int) -> None:
    name, kind = str(command.get("name") or ""), command.get("type", 1)
    is_named = _COMMAND_NAME.fullmatch(name) and name == name.lower() if kind == 1 else 1 <= len(name) <= 32
    if not is_named:
        raise invalid(at=f"{number}.name", code="APPLICATION_COMMAND_INVALID_NAME", problem="Command name is invalid")
    if kind == 1 and not 1 <= len(command.get("description") or "") <= 100:
        raise bad_length(at=f"{number}.description", least=1, most=100)


def _as_answer(value: object, *, is_pressed: bool) -> Answer:
    try:
        answer = Answer(value)  # type: ignore[arg-type]  # whatever it is, it is one or it is not
    except ValueError:
        raise not_one_of(at="type", choices="{4, 5, 6, 7, 8, 9}") from None
    if answer in (Answer.UPDATE, Answer.DEFERRED_UPDATE) and not is_pressed:
        raise not_one_of(at="type", choices="{4, 5, 8, 9}")
    return answer


def _as_callback(state: InteractionState, answer: Answer, message: Json | None) -> Json:
    interaction: Json = {"id": state.id, "type": state.kind}
    resource: Json = {"type": int(answer)}
    if message is not None:
        interaction |= {
            "response_message_id": message["id"],
            "response_message_loading": bool(message["flags"] & MessageFlag.LOADING),
            "response_message_ephemeral": bool(message["flags"] & MessageFlag.EPHEMERAL),
        }
        resource["message"] = copied(message)
    return {"interaction": interaction, "resource": resource}
