"""The files of messages."""

from __future__ import annotations

from collections.abc import Sequence

from .state import ChannelState, State
from .wire import File, Json


def attach(state: State, channel: ChannelState, files: Sequence[File], described: Sequence[Json]) -> list[Json]:
    """Store *files*; the entries of *described* carry their numbers as ids."""
    details = {str(entry.get("id")): entry for entry in described}
    return [store(state, channel, file, details.get(str(number), {})) for number, file in enumerate(files)]


def store(state: State, channel: ChannelState, file: File, described: Json) -> Json:
    """Store one file; returns its attachment."""
    id_ = state.new_id()
    state.files[id_] = file.data
    name = described.get("filename") or file.name
    url = f"{state.cdn}/attachments/{channel.id}/{id_}/{name}"
    attachment: Json = {
        "id": id_, "filename": name, "size": len(file.data), "content_type": file.kind, "url": url,
        "proxy_url": url,
    }  # fmt: skip
    if described.get("description"):
        attachment["description"] = described["description"]
    return attachment


def kept_attachments(message: Json, payload: Json) -> list[Json]:
    """The attachments of *message* that an edit keeps: all, unless the form lists some."""
    if payload.get("attachments") is None:
        return [] if "attachments" in payload else list(message["attachments"])
    listed = {str(entry.get("id")) for entry in payload["attachments"]}
    return [attachment for attachment in message["attachments"] if attachment["id"] in listed]
