"""Interactions: a person uses a command or presses a button, and a bot answers.

The bot must answer within 3 seconds and may follow up for 15 minutes. Follow-ups are calls of a webhook that has the id
of the application and the token of the interaction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, assert_never

from ..errors import Sentence
from . import attachments, channels, messages, webhooks
from .access import permissions_of, require, visible, visible_guild
from .api_errors import as_number, as_object, as_objects, bad_length, invalid, not_one_of, refuse
from .inputs import as_modal, as_options, check_choice, filled_in, find_command, flat
from .objects import MessageFlag, MessageKind, copied, copies
from .permissions import ALL, Permission
from .pings import FOR_MESSAGES, as_allowed, pinged_by
from .state import ChannelState, InteractionState, State
from .validation import FILE_SIZE, Draft, as_draft, parts_of
from .wire import File, Json

ANSWER_SECONDS = 3.0
FOLLOW_UP_SECONDS = 900.0
_COMMANDS = 100
_CHOICES = 25
_COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")
_USER_OPTION, _CHANNEL_OPTION, _ROLE_OPTION, _MENTIONABLE_OPTION = 6, 7, 8, 9
_FILE_OPTION = 11
_MENUS: Mapping[int, int] = {5: _USER_OPTION, 6: _ROLE_OPTION, 7: _MENTIONABLE_OPTION, 8: _CHANNEL_OPTION}
"""Menus of users, roles or channels, and the type of option with the same values."""
_BUTTON = 2
_USER_COMMAND, _MESSAGE_COMMAND = 2, 3
_ORIGINAL = "@original"


class InteractionKind(IntEnum):
    """What the person did."""

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


def put_commands(state: State, who: str, guild: str | None, commands: list[Json]) -> list[Json]:
    """Replace the commands of a bot, global or in one guild."""
    if guild is not None:
        visible_guild(state, who, guild)
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
        id_ = state.new_id()
        stored.append({**defaults, **command, **place, "id": id_, "application_id": who, "version": id_})
    state.commands[who, guild] = stored
    return copies(stored)


def get_commands(state: State, who: str, guild: str | None) -> list[Json]:
    """The commands of a bot, global or in one guild."""
    return copies(state.commands.get((who, guild), []))


def set_locale(state: State, who: str, locale: str) -> None:
    """Set the language of the Discord client of *who*; interactions tell it to bots."""
    state.locales[who] = locale


def use_command(state: State, who: str, channel: str, name: str, options: Mapping[str, Any]) -> str:
    """Use a command as *who*; returns the id of the interaction."""
    place = visible(state, who, channel)
    require(state, who, place, Permission.USE_APPLICATION_COMMANDS)
    command, words = _find_command(state, place, name)
    data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
    if "guild_id" in command:
        data["guild_id"] = command["guild_id"]
    if command["type"] in (_USER_COMMAND, _MESSAGE_COMMAND):
        target = str(options["target"])
        kind = _USER_OPTION if command["type"] == _USER_COMMAND else 0
        data |= {"target_id": target, "resolved": _resolved(state, who, place, [(kind, target)])}
    else:
        given_files = [(option, file) for option, file in options.items() if isinstance(file, File)]
        files = {option: attachments.store(state, place, file, {}) for option, file in given_files}
        ids = {option: file["id"] for option, file in files.items()}
        given = as_options(command.get("options"), words, {**options, **ids})
        named = [(one["type"], str(one["value"])) for one in flat(given) if one["type"] != _FILE_OPTION]
        resolved = _resolved(state, who, place, named)
        if files:
            resolved["attachments"] = {file["id"]: file for file in files.values()}
        data |= {"options": given, "resolved": resolved}
    return _start(state, who, place, command["application_id"], kind=InteractionKind.COMMAND, data=data, name=name)


def complete(
    state: State, who: str, channel: str, name: str, option: str, *, text: str, others: Mapping[str, Any]
) -> str:
    """Type an option of a command as *who*, for autocomplete; returns the id of the interaction."""
    place = visible(state, who, channel)
    command, words = _find_command(state, place, name)
    given = as_options(command.get("options"), words, {**others, option: text}, is_complete=False)
    for one in flat(given):
        if one["name"] == option:
            one["focused"] = True
    data = {"id": command["id"], "name": command["name"], "type": command["type"], "options": given}
    return _start(state, who, place, command["application_id"], kind=InteractionKind.AUTOCOMPLETE, data=data, name=name)


def suggestions(state: State, interaction: str) -> list[Json]:
    """The choices that a bot suggests for an option: names and values."""
    return copies(find(state, interaction).choices)


def is_answered(state: State, interaction: str) -> bool:
    """Whether a bot has answered an interaction."""
    return find(state, interaction).is_answered


def modal(state: State, interaction: str) -> Json | None:
    """The form that a bot shows in answer to an interaction, if any."""
    return copied(find(state, interaction).modal)


def submit(state: State, interaction: str, texts: Mapping[str, str]) -> str:
    """Fill in and send the shown form; returns the id of the new interaction."""
    pending = find(state, interaction)
    if pending.modal is None:
        message = Sentence("the bot has shown no form in answer to interaction {interaction}", interaction=interaction)
        raise LookupError(message)
    data = {"custom_id": pending.modal["custom_id"], "components": filled_in(pending.modal, texts), "resolved": {}}
    place = state.channel(pending.channel)
    pressed = None if pending.pressed is None else place.message(pending.pressed)
    return _start(state, pending.user, place, pending.bot, kind=InteractionKind.MODAL, data=data, pressed=pressed)


def find(state: State, id_: str) -> InteractionState:
    """The interaction with this id."""
    for pending in state.interactions.values():
        if pending.id == id_:
            return pending
    message = Sentence("there is no interaction {id}", id=id_)
    raise LookupError(message)


def _find_command(state: State, channel: ChannelState, name: str) -> tuple[Json, Sequence[str]]:
    present = channel.people if channel.guild is None else state.guild(channel.guild).members
    for (bot, guild), commands in state.commands.items():
        if bot in present and guild in (None, channel.guild):
            found = find_command(commands, name)
            if found is not None:
                return found
    message = Sentence("no bot there has a command /{name}; give it one with put_commands", name=name)
    raise LookupError(message)


def _resolved(state: State, who: str, channel: ChannelState, named: Sequence[tuple[int, str]]) -> Json:
    """The objects with the *named* option types and ids; the type of a message is 0."""
    resolved: Json = {}
    for kind, id_ in named:
        if kind in (_USER_OPTION, _MENTIONABLE_OPTION) and id_ in state.users:
            resolved.setdefault("users", {})[id_] = copied(state.users[id_])
            members = {} if channel.guild is None else state.guild(channel.guild).members
            if id_ in members:
                theirs = str(int(permissions_of(state, id_, channel)))
                resolved.setdefault("members", {})[id_] = {**copied(members[id_]), "permissions": theirs}
        elif kind in (_ROLE_OPTION, _MENTIONABLE_OPTION):
            resolved.setdefault("roles", {})[id_] = copied(state.guild(str(channel.guild)).roles[id_])
        elif kind == _CHANNEL_OPTION:
            theirs = str(int(permissions_of(state, who, state.channel(id_))))
            resolved.setdefault("channels", {})[id_] = {**copied(state.channel(id_).json), "permissions": theirs}
        elif not kind:
            resolved.setdefault("messages", {})[id_] = messages.shown(state, channel.message(id_))
    return resolved


def press(
    state: State, who: str, channel: str, message: str, custom_id: str, *, values: Sequence[str] | None = None
) -> str:
    """Press a button, or choose *values* from a menu, as *who*; returns the id of the interaction."""
    place = visible(state, who, channel)
    found = place.message(message)
    pressed = next((part for part in parts_of(found["components"]) if part.get("custom_id") == custom_id), None)
    if pressed is None or pressed.get("disabled"):
        problem = Sentence(
            "there is nothing to press under message {message} with the id {custom_id}",
            message=message,
            custom_id=custom_id,
        )
        raise LookupError(problem)
    bot = found.get("application_id") or found["author"]["id"]
    data: Json = {"custom_id": custom_id, "component_type": pressed["type"], "id": 1}
    if (values is None) is not (pressed["type"] == _BUTTON):
        problem = Sentence(
            "what has the id {custom_id} is a button"
            if values is not None
            else "what has the id {custom_id} is a menu",
            custom_id=custom_id,
        )
        raise LookupError(problem)
    if values is not None:
        check_choice(pressed, values)
        data["values"] = list(values)
        if (kind := _MENUS.get(pressed["type"])) is not None:  # menus of texts have nothing to resolve
            data["resolved"] = _resolved(state, who, place, [(kind, value) for value in values])
    return _start(state, who, place, bot, kind=InteractionKind.COMPONENT, data=data, pressed=found)


def _start(
    state: State,
    who: str,
    channel: ChannelState,
    bot: str,
    *,
    kind: InteractionKind,
    data: Json,
    name: str = "",
    pressed: Json | None = None,
) -> str:
    id_ = state.new_id()
    token = hashlib.sha256(f"interaction {id_}".encode()).hexdigest()
    pending = InteractionState(id_, token, bot, who, channel.id, int(kind), state.now(), name)
    state.interactions[token] = pending
    event: Json = {
        "id": id_, "application_id": bot, "type": int(kind), "token": token, "version": 1, "data": data,
        "channel_id": channel.id, "channel": channels.as_seen(state, channel, bot), "locale": state.locales.get(who, "en-US"),
        "app_permissions": str(int(permissions_of(state, bot, channel))), "entitlements": [],
        "attachment_size_limit": FILE_SIZE, "context": 1 if channel.guild is None else 0,
    }  # fmt: skip
    if pressed is not None:
        pending.pressed = pressed["id"]
        event["message"] = messages.shown(state, pressed, bot)
    if channel.guild is None:
        event |= {"user": state.users[who], "authorizing_integration_owners": {"1": who}}
    else:
        member = {**state.member(channel.guild, who), "permissions": str(int(permissions_of(state, who, channel)))}
        event |= {
            "guild_id": channel.guild, "guild_locale": "en-US", "member": member,
            "guild": {"id": channel.guild, "locale": "en-US", "features": []},
            "authorizing_integration_owners": {"0": channel.guild},
        }  # fmt: skip
    state.tell("INTERACTION_CREATE", event, channel.guild, frozenset({bot}))
    return id_


def respond(state: State, interaction_id: str, token: str, payload: Json, files: Sequence[File] = ()) -> Json:
    """Answer an interaction; that is possible once."""
    pending = state.interactions.get(token)
    if pending is None or pending.id != interaction_id:
        raise refuse(10062)
    if pending.is_answered:
        raise refuse(40060)
    if state.now() - pending.made_at > ANSWER_SECONDS:
        raise refuse(10062)
    answer = _as_answer(payload.get("type"), pending)
    message = _carry_out(state, pending, answer, as_object(payload.get("data"), at="data"), files)
    pending.is_answered = True
    pending.original = message["id"] if message else pending.pressed
    return _as_callback(pending, answer, message)


def _carry_out(
    state: State, pending: InteractionState, answer: CallbackType, data: Json, files: Sequence[File]
) -> Json | None:
    """Carry out an answer; returns the message that it creates or edits."""
    place = state.channel(pending.channel)
    match answer:
        case CallbackType.MESSAGE:
            return _post_answer(state, pending, as_draft(data, files), data)
        case CallbackType.DEFERRED_MESSAGE:
            draft = Draft("", [], [], (), [], None, 0, is_spoken=False)
            return _post_answer(state, pending, draft, data, flags=MessageFlag.LOADING)
        case CallbackType.UPDATE:
            return messages.change(state, place, place.message(str(pending.pressed)), data, files, theirs=ALL)
        case CallbackType.AUTOCOMPLETE:
            choices = as_objects(data.get("choices"), at="data.choices")
            if len(choices) > _CHOICES:
                raise bad_length(at="data.choices", least=0, most=_CHOICES)
            pending.choices = copies(choices)
            return None
        case CallbackType.MODAL:
            pending.modal = copied(as_modal(data))
            return None
        case CallbackType.DEFERRED_UPDATE:
            return None
    assert_never(answer)


def _post_answer(state: State, pending: InteractionState, draft: Draft, data: Json, *, flags: int = 0) -> Json:
    """Post a message in answer to an interaction."""
    place = state.channel(pending.channel)
    allowed = as_allowed(data.get("allowed_mentions"), FOR_MESSAGES)
    theirs = permissions_of(state, pending.bot, place)
    pinged = messages.effective_mentions(state, pinged_by(draft.content, allowed), place, theirs)
    flags |= draft.flags | as_number(data.get("flags"), at="flags") & MessageFlag.EPHEMERAL
    user = state.users[pending.user]
    fields: Json = {
        "flags": flags, "webhook_id": pending.bot, "application_id": pending.bot,
        "interaction_metadata": {
            "id": pending.id, "type": pending.kind, "user": user, "authorizing_integration_owners": {},
        },
    }  # fmt: skip
    if pending.kind == InteractionKind.COMMAND and not pending.is_answered:
        fields["type"] = int(MessageKind.CHAT_INPUT_COMMAND)
        fields["interaction"] = {"id": pending.id, "type": pending.kind, "name": pending.name, "user": user}
    elif answered := place.messages.get(pending.original or pending.pressed or ""):
        fields |= messages.as_reply(answered, place)
    return messages.post(state, place, state.users[pending.bot], draft, pinged, fields=fields)


def _following(state: State, token: str) -> InteractionState:
    """The answered interaction that a follow-up belongs to."""
    pending = state.interactions.get(token)
    if pending is None or state.now() - pending.made_at > FOLLOW_UP_SECONDS:
        raise refuse(50027)
    if not pending.is_answered:
        raise refuse(10015)
    return pending


def execute_webhook(
    state: State, id_: str, token: str, payload: Json, files: Sequence[File] = (), *, thread: str | None = None
) -> Json:
    """Send through a webhook, or follow up an interaction; the first follow-up replaces a deferred answer."""
    if id_ not in state.bots:
        return webhooks.execute(state, id_, token, payload, files, thread=thread)
    pending = _following(state, token)
    original = state.channel(pending.channel).messages.get(pending.original or "")
    if original is not None and original["flags"] & MessageFlag.LOADING:
        return edit_webhook_message(state, id_, token, _ORIGINAL, payload=payload, files=files)
    return messages.shown(state, _post_answer(state, pending, as_draft({**payload, "nonce": None}, files), payload))


def _addressed(state: State, id_: str, token: str, message: str, thread: str | None) -> tuple[ChannelState, Json]:
    """A message of a webhook or of an interaction, whose first is ``@original``, and its channel."""
    if id_ not in state.bots:
        return webhooks.sent_message(state, id_, token, message, thread)
    pending = _following(state, token)
    place = state.channel(pending.channel)
    found = place.message((pending.original or "") if message == _ORIGINAL else message)
    if message != _ORIGINAL and found.get("webhook_id") != id_:
        raise refuse(10008)
    return place, found


def get_webhook_message(state: State, id_: str, token: str, message: str, *, thread: str | None = None) -> Json:
    """A message of a webhook or of an interaction."""
    return messages.shown(state, _addressed(state, id_, token, message, thread)[1])


def edit_webhook_message(
    state: State,
    id_: str,
    token: str,
    message: str,
    *,
    payload: Json,
    files: Sequence[File] = (),
    thread: str | None = None,
) -> Json:
    """Edit a message of a webhook or of an interaction; that ends a deferred answer."""
    place, found = _addressed(state, id_, token, message, thread)
    if id_ in state.bots:
        return messages.change(state, place, found, payload, files, theirs=permissions_of(state, id_, place))
    messages.require_unarchived(place)
    return messages.change(state, place, found, payload, files, theirs=ALL)


def delete_webhook_message(state: State, id_: str, token: str, message: str, *, thread: str | None = None) -> None:
    """Delete a message of a webhook or of an interaction."""
    place, found = _addressed(state, id_, token, message, thread)
    messages.remove(state, place, found["id"])


def _check_command(command: Json, number: int) -> None:
    name, kind = str(command.get("name") or ""), command.get("type", 1)
    is_named = _COMMAND_NAME.fullmatch(name) and name == name.lower() if kind == 1 else 1 <= len(name) <= 32
    if not is_named:
        raise invalid(at=f"{number}.name", code="APPLICATION_COMMAND_INVALID_NAME", problem="Command name is invalid")
    if kind == 1 and not 1 <= len(command.get("description") or "") <= 100:
        raise bad_length(at=f"{number}.description", least=1, most=100)


def _as_answer(value: Any, pending: InteractionState) -> CallbackType:
    """The type of answer; the types allowed depend on the interaction."""
    answers = {CallbackType.MESSAGE, CallbackType.DEFERRED_MESSAGE, CallbackType.MODAL}
    if pending.kind == InteractionKind.AUTOCOMPLETE:
        answers = {CallbackType.AUTOCOMPLETE}
    if pending.kind == InteractionKind.MODAL:
        answers.discard(CallbackType.MODAL)
    if pending.pressed is not None:
        answers |= {CallbackType.UPDATE, CallbackType.DEFERRED_UPDATE}
    if value in tuple(answers):
        return CallbackType(value)
    raise not_one_of(at="type", choices=str({int(answer) for answer in sorted(answers)}))


def _as_callback(pending: InteractionState, answer: CallbackType, message: Json | None) -> Json:
    interaction: Json = {"id": pending.id, "type": pending.kind}
    resource: Json = {"type": int(answer)}
    if message is not None:
        interaction |= {
            "response_message_id": message["id"],
            "response_message_loading": bool(message["flags"] & MessageFlag.LOADING),
            "response_message_ephemeral": bool(message["flags"] & MessageFlag.EPHEMERAL),
        }
        resource["message"] = copied(message)
    return {"interaction": interaction, "resource": resource}
