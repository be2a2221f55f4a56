"""``cadenza record``: asks a model, shows what it says, and saves what really came as a file that can be played again."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from .connections import connect
from .errors import CadenzaError, InputError, ProviderError
from .models import Model, closing, stream
from .providers.dialect import Dialect
from .recordings import recorder
from .settings import Settings
from .stages.s1_context import assemble
from .types import Chunk, Failed, Line, Persona, Prompt, Scene, TextDelta

_INTERRUPTED = 130
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Everything that steers a terminal, but the line end and the tab; and halves of characters, which no output can take."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be asked, and where the answer goes."""

    model: str
    prompt: str
    output: Path
    system: str = ""
    url: str | None = None
    settings: Settings = field(default_factory=Settings)
    with_prompt: bool = False
    force: bool = False


def run(order: Order) -> int:
    """Ask, show and save; give back the exit status. What came before a Ctrl-C is kept."""
    model = connect(order.model, url=order.url, settings=order.settings)
    with _opened(order) as file:
        try:
            failure = asyncio.run(_record(model, order, file))
            status = 1 if failure else 0
        except KeyboardInterrupt:
            failure, status = None, _INTERRUPTED
        size = file.tell()
    sys.stdout.write("\n")
    sys.stdout.flush()
    if failure:
        _remark(str(failure))
    _remark(f"wrote {size} bytes to {order.output}; play it with: cadenza replay {order.output}")
    return status


def _opened(order: Order) -> TextIO:
    try:
        return order.output.open("w" if order.force else "x", encoding="utf-8", newline="\n")
    except FileExistsError:
        msg = f"there is a file {str(order.output)!r} already; --force writes over it"
        raise InputError(msg) from None
    except (OSError, ValueError) as error:
        msg = f"cannot write {str(order.output)!r}: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from None


async def _record(model: Model, order: Order, file: TextIO) -> CadenzaError | None:
    """Ask *model* with everything that comes written to *file*; what failed, if anything did."""
    vendor, name = _who(model)
    recorded = recorder(model.transport, file, vendor=vendor, model=name, with_prompt=order.with_prompt)
    async with model, aclosing(closing(stream(replace(model, transport=recorded), _prompt(order)))) as chunks:
        async for chunk in _patiently(chunks, order.settings):
            if isinstance(chunk, TextDelta):
                _show(chunk.text)
            elif isinstance(chunk, Failed):
                return chunk.error
    return None


def _who(model: Model) -> tuple[str, str]:
    """Who is asked, as a recording names them: a local model speaks the dialect of its server."""
    codec = model.codec
    return (codec.endpoint.vendor, codec.endpoint.model) if isinstance(codec, Dialect) else ("", "")


def _prompt(order: Order) -> Prompt:
    scene = Scene("record", Persona("", prompt=order.system), history=(Line("", order.prompt),))
    return assemble(scene, (), order.settings.context)


async def _patiently(chunks: AsyncIterator[Chunk], settings: Settings) -> AsyncIterator[Chunk]:
    """*chunks*, until one of them lets us wait for too long."""
    seconds = settings.turn.first_timeout
    while True:
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(chunks, None)
        except TimeoutError:
            yield Failed(ProviderError(f"the model said nothing for {seconds:g} seconds"))
            return
        if chunk is None:
            return
        yield chunk
        seconds = settings.turn.idle_timeout


def _show(text: str) -> None:
    """Show what the model says, but let it not steer the terminal."""
    shown = _CONTROL.sub("\ufffd", text)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(shown.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def _remark(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"cadenza: {sentence}\n")
