"""What is to be answered, as the desk hands it back: the message, who is to answer, and what it goes back to."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from ..turns import IncomingMessage
from ..types import Receipt


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """The payload of whatever waits at the desk."""

    message: discord.Message
    """What is answered: of a character to another, what that one said last."""
    person: str
    """The id of the person whom it goes back to: who may stop it, and about whom things are remembered."""
    server: str = ""
    heard_at: float = 0.0
    """When it came, on the loop's clock."""
    root: str = ""
    """The id of what a person said, if this is an answer of characters to each other."""
    goes_on: bool = False
    """Whether the reply that *message* is the end of is to go on."""
    is_past: bool = False
    """Whether *message* was answered before: what was said since is none of it."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages in whose place the answer comes."""
    admitted: str = ""
    """The id of who was counted as being answered, and is not any more when it is over; empty if nobody was."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """The payload of a greeting that waits at the desk: nobody has said anything that it answers."""

    channel: discord.abc.MessageableChannel
    person: str
    """The id of whoever wants to be greeted."""
    person_name: str
    text: str
    """What the character says, as its card has it."""
    server: str = ""


def request_of(heard: IncomingMessage) -> ReplyRequest:
    """What the desk was given with *heard*."""
    if not isinstance(heard.payload, ReplyRequest):
        msg = "only requests wait at the desk of a bot"
        raise TypeError(msg)
    return heard.payload


def key_of(message: str, persona: str, *, is_first: bool) -> str:
    """Under which id a message waits for a character; the first of several has the message's own."""
    return message if is_first else f"{message}#{persona}"


def message_of(key: str) -> str:
    """The id of the message that waits under *key*."""
    return key.partition("#")[0]
