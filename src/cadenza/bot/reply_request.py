"""The payload of a queued message: what is answered, for whom, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from ..stages.s7_delivery import receipt_of
from ..turns import IncomingMessage
from ..types import Identity, Receipt
from .services.own_messages import OwnMessage


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """The payload of a queued message."""

    message: discord.Message
    """What is answered; in a cascade the last message of the other character."""
    person: str
    """The id of the person who asked: they may stop the reply, and memory is about them."""
    server: str = ""
    heard_at: float = 0.0
    """Arrival, on the loop's clock."""
    root: str = ""
    """In a cascade, the id of the person's message that started it."""
    goes_on: bool = False
    """Whether to continue the reply that ends with *message*."""
    is_past: bool = False
    """Whether *message* was answered before, so later messages are not read."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages that the reply replaces."""
    admitted: str = ""
    """The id of the person counted in the limits until the reply is over; empty if none."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """The payload of a queued greeting, which answers no message."""

    channel: discord.abc.MessageableChannel
    person: str
    """The id of the person who asked for it."""
    person_name: str
    text: str
    """The greeting, as in the character card."""
    server: str = ""


def request_of(heard: IncomingMessage) -> ReplyRequest:
    """The request in *heard*."""
    if not isinstance(heard.payload, ReplyRequest):
        msg = "the payload of a queued message is not a request"
        raise TypeError(msg)
    return heard.payload


def key_of(message: str, persona: str, *, is_first: bool) -> str:
    """The key of *message* in the queue: its id, and for further characters also the persona."""
    return message if is_first else f"{message}#{persona}"


def message_of(key: str) -> str:
    """The id of the message with *key*."""
    return key.partition("#")[0]


def receipt_for(own: OwnMessage) -> Receipt:
    """A receipt for a message of an earlier reply: its id, and whether a webhook sent it."""
    return receipt_of(own.id, Identity(own.persona) if own.is_webhook else None)
