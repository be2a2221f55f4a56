"""What the tests of guards share: text put through one, in every slicing, and what must hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cadenza.models.guards.text_guard import TextGuard
from cadenza.types import Chunk, Finished, Prompt, TextDelta, ThoughtDelta, ToolCall, ToolSpec
from tests.helpers import same_every_way
from tests.models.recorded import joined

TEXT = {"type": "string"}
PROMPT = Prompt(
    "",
    (),
    tools=(
        ToolSpec("read_file", "", {"type": "object", "properties": {"path": TEXT}, "required": ["path"]}),
        ToolSpec(
            "web_search",
            "",
            {"type": "object", "properties": {"query": TEXT, "count": {"type": "integer"}}, "required": ["query"]},
        ),
        ToolSpec("now", "", {"type": "object", "properties": {}}),
    ),
)


def fed(guard: TextGuard, chunks: Iterable[Chunk]) -> list[Chunk]:
    """What *guard* makes of *chunks*, without pieces that are empty and with neighbours joined."""
    out = [chunk for given in chunks for chunk in guard.feed(given)]
    return joined(chunk for chunk in out if chunk not in (TextDelta(""), ThoughtDelta("")))


def heard(make: Callable[[], TextGuard], text: str, *before: Chunk) -> list[Chunk]:
    """What comes out for *text* behind *before*, however it is sliced, without the end."""

    def run(pieces: list[str]) -> list[Chunk]:
        chunks = [*before, *map(TextDelta, pieces), Finished()]
        *out, end = fed(make(), chunks)
        assert Finished() == end
        return out

    return same_every_way(text, run)


def words(chunks: Iterable[Chunk]) -> str:
    """All that was said or thought, in order."""
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta | ThoughtDelta))


def calls(chunks: Iterable[Chunk]) -> list[ToolCall]:
    """The calls among *chunks*."""
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]
