"""People, places and conversations for tests of the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cadenza.bot.config.config import MemoryConfig
from cadenza.bot.memory.location import Location
from cadenza.bot.memory.memory_service import Memory
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record
from cadenza.tools.functions import toolset
from cadenza.tools.tool import ToolContext
from cadenza.types import Completed, Line, Persona, Reply, Scene

MIA, TOM, ANA = "100000000000000001", "100000000000000002", "100000000000000003"
NAMES = {MIA: "Mia", TOM: "Tom", ANA: "Ana"}
HOME, AWAY = "200000000000000001", "200000000000000002"
GENERAL, GARDEN, ATTIC = "300000000000000001", "300000000000000002", "300000000000000003"
PLACE_NAMES = {GENERAL: "general", GARDEN: "garden", ATTIC: "attic"}

PUBLIC = Location(
    MIA, GENERAL, person_name="Mia", channel_name="general", server=HOME, server_name="Home", persona="ren", turn="t1"
)
DIRECT = Location(MIA, "400000000000000001", person_name="Mia", persona="ren", turn="t1")
SECRET_ROOM = replace(PUBLIC, channel=ATTIC, channel_name="attic", is_private=True)


def elsewhere(where: Location = PUBLIC, *, person: str = MIA, channel: str = GARDEN) -> Location:
    """The same place with another channel or person."""
    return replace(
        where, person=person, person_name=NAMES[person], channel=channel, channel_name=PLACE_NAMES.get(channel, "")
    )


def says(person: str, text: str) -> Line:
    """A line of a person."""
    return Line(NAMES[person], text, author=person)


def ren(text: str) -> Line:
    """A line of the character."""
    return Line("Ren", text, is_own=True)


def answer(text: str = "Of course.", *, details: Sequence[str] = ()) -> Reply:
    """A reply that was delivered."""
    return Reply(Completed(), transcript=text, details=tuple(details))


def everything_seen(channel: str, /) -> bool:
    """The person sees every channel."""
    return bool(channel)


@dataclass
class Mind:
    """A memory with a manual clock."""

    config: MemoryConfig = field(default_factory=MemoryConfig)
    seconds: float = 1_800_000_000.0

    def __post_init__(self) -> None:
        self.store = MemoryStore(clock=lambda: self.seconds)
        self.memory = Memory(self.store, lambda: self.config, clock=lambda: self.seconds)

    def pass_hours(self, hours: float) -> None:
        """Advance the clock."""
        self.seconds += 3600.0 * hours

    async def keep(self, where: Location = PUBLIC, *lines: Line, reply: Reply | None = None, **how: Any) -> None:
        """Store a turn; without lines, the person has said something."""
        said = lines or (says(where.person, f"I am {NAMES[where.person]} and I like apple pie"),)
        await self.memory.keep(where, said, reply or answer(), **how)

    async def recall(self, where: Location = PUBLIC, may_see: Any = everything_seen) -> str:
        """Everything that is recalled, as one text."""
        told = await self.memory.recall(where, may_see=may_see)
        return "\n".join(part for item in told for part in item.parts if isinstance(part, str))

    async def use(self, where: Location, name: str, *history: Line, **arguments: object) -> object:
        """Run a tool in a turn of its own."""
        tool = toolset(self.memory.tools(where))[name]
        context = ToolContext(scene=Scene(where.channel, Persona("Ren"), history=history))
        return await tool.run(arguments, context)

    async def entries(self) -> list[Record]:
        """The entries of short-term memory."""
        return await self.store.find(Namespace.SHORT_TERM)

    async def all_text(self) -> str:
        """Everything in the store, as one text."""
        return "\n".join([repr(record) for namespace in Namespace for record in await self.store.find(namespace)])
