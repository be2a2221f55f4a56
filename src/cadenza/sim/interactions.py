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

from .api_errors import as_list, as_number, as_object, bad_length, invalid, not_one_of, refuse
from .inputs import as_modal, as_options, check_choice, filled_in, find_command, flat
from .messages import as_reply
from .objects import MessageFlag, MessageKind, copied
from .permissions import ALL, Permission
from .pings import FOR_MESSAGES, as_allowed, called_by
from .state import ChannelState, InteractionState
from .validation import FILE_SIZE, Draft, as_draft
from .webhooks import Webhooks
from .wire import File, Json

ANSWER_SECONDS = 3.0
FOLLOW_UP_SECONDS = 900.0
_COMMANDS = 100
_CHOICES = 25
_COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")
_USER_OPTION, _CHANNEL_OPTION, _ROLE_OPTION, _MENTIONABLE_OPTION = 6, 7, 8, 9
_FILE_OPTION = 11
_MENUS: Mapping[int, int] = {5: _USER_OPTION, 6: _ROLE_OPTION, 7: _MENTIONABLE_OPTION, 8: _CHANNEL_OPTION}
"""Menus of people, roles or channels, and the sort of option that they are like."""
_BUTTON = 2
_USER_COMMAND, _MESSAGE_COMMAND = 2, 3
_ORIGINAL = "@original"


class InteractionKind(IntEnum):
    """What was done."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackType(IntEnum):
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
        defaults: Json = {
            "type": 1, "description": "", "default_member_permissions": None, "dm_permission": True, "nsfw": False,
        }  # fmt: skip
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

    def set_locale(self, who: str, locale: str) -> None:
        """In which language *who* has their Discord; bots hear of it when they use a command."""
        self._locales[who] = locale

    def use_command(self, who: str, channel: str, name: str, options: Mapping[str, Any]) -> str:
        """Use a command as *who*; gives back the id of the interaction."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.USE_APPLICATION_COMMANDS)
        command, words = self._command(place, name)
        data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
        if "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        if command["type"] in (_USER_COMMAND, _MESSAGE_COMMAND):
            target = str(options["target"])
            kind = _USER_OPTION if command["type"] == _USER_COMMAND else 0
            data |= {"target_id": target, "resolved": self._resolved(who, place, [(kind, target)])}
        else:
            files = {name: self._stored(place, file, {}) for name, file in options.items() if isinstance(file, File)}
            ids = {name: file["id"] for name, file in files.items()}
            given = as_options(command.get("options"), words, {**options, **ids})
            named = [(one["type"], str(one["value"])) for one in flat(given) if one["type"] != _FILE_OPTION]
            resolved = self._resolved(who, place, named)
            if files:
                resolved["attachments"] = {file["id"]: file for file in files.values()}
            data |= {"options": given, "resolved": resolved}
        return self._interact(who, place, command["application_id"], InteractionKind.COMMAND, data, name=name)

    def complete(self, who: str, channel: str, name: str, option: str, *, text: str, others: Mapping[str, Any]) -> str:
        """Begin to write an option of a command as *who*; gives back the id of the interaction."""
        place = self._visible(who, channel)
        command, words = self._command(place, name)
        given = as_options(command.get("options"), words, {**others, option: text})
        for one in flat(given):
            if one["name"] == option:
                one["focused"] = True
        data = {"id": command["id"], "name": command["name"], "type": command["type"], "options": given}
        return self._interact(who, place, command["application_id"], InteractionKind.AUTOCOMPLETE, data, name=name)

    def suggestions(self, interaction: str) -> list[Json]:
        """What a bot suggests to who writes an option: names and values."""
        return self._copies(self._interaction(interaction).choices)

    def is_answered(self, interaction: str) -> bool:
        """Whether a bot has answered an interaction, with whatever it may be."""
        return self._interaction(interaction).is_answered

    def modal(self, interaction: str) -> Json | None:
        """The form that a bot shows in answer to an interaction, if it does."""
        found: Json | None = copied(self._interaction(interaction).modal)
        return found

    def submit(self, interaction: str, texts: Mapping[str, str]) -> str:
        """Fill in and send the form that was shown; gives back the id of the new interaction."""
        state = self._interaction(interaction)
        if state.modal is None:
            message = f"the bot has shown no form in answer to interaction {interaction}"
            raise LookupError(message)
        data = {"custom_id": state.modal["custom_id"], "components": filled_in(state.modal, texts), "resolved": {}}
        place = self._channel(state.channel)
        pressed = None if state.pressed is None else self._message(place, state.pressed)
        return self._interact(state.user, place, state.bot, InteractionKind.MODAL, data, pressed=pressed)

    def _interaction(self, id_: str) -> InteractionState:
        for state in self._interactions.values():
            if state.id == id_:
                return state
        message = f"there is no interaction {id_}"
        raise LookupError(message)

    def _command(self, channel: ChannelState, name: str) -> tuple[Json, Sequence[str]]:
        present = channel.people if channel.guild is None else self._guild(channel.guild).members
        for (bot, guild), commands in self._commands.items():
            if bot in present and guild in (None, channel.guild):
                found = find_command(commands, name)
                if found is not None:
                    return found
        message = f"no bot there has a command /{name}; give it one with put_commands"
        raise LookupError(message)

    def _resolved(self, who: str, channel: ChannelState, named: Sequence[tuple[int, str]]) -> Json:
        """Those things that are *named*, each with the sort of its option; a message has none."""
        resolved: Json = {}
        for kind, id_ in named:
            if kind in (_USER_OPTION, _MENTIONABLE_OPTION) and id_ in self._users:
                resolved.setdefault("users", {})[id_] = copied(self._users[id_])
                members = {} if channel.guild is None else self._guild(channel.guild).members
                if id_ in members:
                    theirs = str(int(self._permissions(id_, channel)))
                    resolved.setdefault("members", {})[id_] = {**copied(members[id_]), "permissions": theirs}
            elif kind in (_ROLE_OPTION, _MENTIONABLE_OPTION):
                resolved.setdefault("roles", {})[id_] = copied(self._guild(str(channel.guild)).roles[id_])
            elif kind == _CHANNEL_OPTION:
                theirs = str(int(self._permissions(who, self._channel(id_))))
                resolved.setdefault("channels", {})[id_] = {**copied(self._channel(id_).json), "permissions": theirs}
            elif not kind:
                resolved.setdefault("messages", {})[id_] = self._shown(self._message(channel, id_), "")
        return resolved

    def press(self, who: str, channel: str, message: str, custom_id: str, values: Sequence[str] | None = None) -> str:
        """Press a button, or choose *values* from a menu, as *who*; gives back the id of the interaction."""
        place = self._visible(who, channel)
        found = self._message(place, message)
        parts = [part for row in found["components"] for part in row["components"]]
        pressed = next((part for part in parts if part.get("custom_id") == custom_id), None)
        if pressed is None or pressed.get("disabled"):
            problem = f"there is nothing to press under message {message} with the id {custom_id}"
            raise LookupError(problem)
        bot = found.get("application_id") or found["author"]["id"]
        data: Json = {"custom_id": custom_id, "component_type": pressed["type"], "id": 1}
        if (values is None) is not (pressed["type"] == _BUTTON):
            problem = f"what has the id {custom_id} is {'a button' if values is not None else 'a menu'}"
            raise LookupError(problem)
        if values is not None:
            check_choice(pressed, values)
            data["values"] = list(values)
            if (kind := _MENUS.get(pressed["type"])) is not None:  # of a menu of texts nothing is looked up
                data["resolved"] = self._resolved(who, place, [(kind, value) for value in values])
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
            "channel_id": channel.id, "channel": self._channel_as_seen(channel, bot), "locale": self._locales.get(who, "en-US"),
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
        answer = _as_answer(payload.get("type"), state)
        message = self._carry_out(state, answer, as_object(payload.get("data"), at="data"), files)
        state.is_answered = True
        state.original = message["id"] if message else state.pressed
        return _as_callback(state, answer, message)

    def _carry_out(
        self, state: InteractionState, answer: CallbackType, data: Json, files: Sequence[File]
    ) -> Json | None:
        """Do what an answer says; gives back the message that it makes or changes."""
        place = self._channel(state.channel)
        match answer:
            case CallbackType.MESSAGE:
                return self._say(state, as_draft(data, files), data)
            case CallbackType.DEFERRED_MESSAGE:
                draft = Draft("", [], [], (), [], None, 0, is_spoken=False)
                return self._say(state, draft, data, flags=MessageFlag.LOADING)
            case CallbackType.UPDATE:
                return self._change(place, self._message(place, str(state.pressed)), data, files, theirs=ALL)
            case CallbackType.AUTOCOMPLETE:
                state.choices = _as_choices(data.get("choices"))
                return None
            case CallbackType.MODAL:
                state.modal = copied(as_modal(data))
                return None
            case CallbackType.DEFERRED_UPDATE:
                return None
        assert_never(answer)

    def _say(self, state: InteractionState, draft: Draft, data: Json, *, flags: int = 0) -> Json:
        """A message in answer to an interaction."""
        place = self._channel(state.channel)
        allowed = as_allowed(data.get("allowed_mentions"), FOR_MESSAGES)
        called = self._permitted(called_by(draft.content, allowed), place, self._permissions(state.bot, place))
        flags |= draft.flags | as_number(data.get("flags"), at="flags") & MessageFlag.EPHEMERAL
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


def _as_answer(value: object, state: InteractionState) -> CallbackType:
    """How a bot answers; not every sort of interaction can be answered in every way."""
    answers = {CallbackType.MESSAGE, CallbackType.DEFERRED_MESSAGE, CallbackType.MODAL}
    if state.kind == InteractionKind.AUTOCOMPLETE:
        answers = {CallbackType.AUTOCOMPLETE}
    if state.kind == InteractionKind.MODAL:
        answers.discard(CallbackType.MODAL)
    if state.pressed is not None:
        answers |= {CallbackType.UPDATE, CallbackType.DEFERRED_UPDATE}
    for answer in answers:
        if answer == value:
            return answer
    raise not_one_of(at="type", choices=str({int(answer) for answer in sorted(answers)}))


def _as_choices(value: object) -> list[Json]:
    choices = [
        as_object(one, at=f"data.choices.{place}") for place, one in enumerate(as_list(value, at="data.choices"))
    ]
    if len(choices) > _CHOICES:
        raise bad_length(at="data.choices", least=0, most=_CHOICES)
    return [copied(choice) for choice in choices]


def _as_callback(state: InteractionState, answer: CallbackType, message: Json | None) -> Json:
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
