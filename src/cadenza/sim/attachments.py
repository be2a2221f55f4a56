"""Files that are sent with messages."""

from __future__ import annotations

from collections.abc import Sequence

from .access import Access
from .state import ChannelState
from .wire import File, Json


class Attachments(Access):
    """The files of this world."""

    def _attach(self, channel: ChannelState, files: Sequence[File], described: Sequence[Json]) -> list[Json]:
        """Store *files*; what is *described* of them carries their numbers."""
        details = {str(entry.get("id")): entry for entry in described}
        return [self._stored(channel, file, details.get(str(number), {})) for number, file in enumerate(files)]

    def _stored(self, channel: ChannelState, file: File, described: Json) -> Json:
        id_ = self._snowflakes.next()
        self._files[id_] = file.data
        name = described.get("filename") or file.name
        url = f"{self.cdn}/attachments/{channel.id}/{id_}/{name}"
        attachment: Json = {
            "id": id_, "filename": name, "size": len(file.data), "content_type": file.kind, "url": url,
            "proxy_url": url,
        }  # fmt: skip
        if described.get("description"):
            attachment["description"] = described["description"]
        return attachment

    @staticmethod
    def _kept(message: Json, payload: Json) -> list[Json]:
        """The files of *message* that stay when it is edited so: all, unless the form lists those that do."""
        if payload.get("attachments") is None:
            return [] if "attachments" in payload else list(message["attachments"])
        listed = {str(entry.get("id")) for entry in payload["attachments"]}
        return [attachment for attachment in message["attachments"] if attachment["id"] in listed]
