"""``cadenza record``: asks a model, shows what it says, and saves what really came as a file that can be played again."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from shlex import quote
from typing import BinaryIO, TextIO

from ..errors import CadenzaError, InputError, ProviderError
from ..models.connect import connect
from ..models.dialects.dialect import Dialect
from ..models.model import Model, closing, stream
from ..models.recordings import recorder
from ..settings import Settings
from ..stages.s1_context import assemble
from ..types import Chunk, Failed, Line, Persona, Prompt, Scene, TextDelta

_INTERRUPTED = 130
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Everything that steers a terminal, but the line end and the tab; and halves of characters, which no output can take."""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What is to be asked, and where the answer goes."""

    model: str
    prompt: str
    output: Path
    system: str = ""
    url: str | None = None
    settings: Settings = field(default_factory=Settings)
    with_prompt: bool = False
    force: bool = False


def run(order: RecordOptions) -> int:
    """Ask, show and save; give back the exit status. What came before a Ctrl-C, or before nobody reads on, is kept."""
    model = connect(order.model, url=order.url, settings=order.settings)
    file, tape = _opened(order), StringIO()
    failure: CadenzaError | None = None
    status = 0
    try:
        failure = asyncio.run(_record(model, order, tape))
        status = 1 if failure else 0
    except KeyboardInterrupt:
        status = _INTERRUPTED
    finally:
        size = _save(tape.getvalue(), file, order)
    sys.stdout.write("\n")
    sys.stdout.flush()
    if failure:
        _remark(str(failure))
    _remark(f"wrote {size} bytes to {order.output}; play it with: cadenza replay {quote(str(order.output))}")
    return status


def _opened(order: RecordOptions) -> BinaryIO:
    """The file for the recording, which is opened first: nobody should be asked for nothing."""
    try:
        return order.output.open("wb" if order.force else "xb")
    except FileExistsError:
        why = "is a folder; name a file in it" if order.output.is_dir() else "is there already; --force writes over it"
        msg = f"{str(order.output)!r} {why}"
        raise InputError(msg) from None
    except (OSError, ValueError) as error:
        raise _unwritable(order, error) from None


def _save(recording: str, file: BinaryIO, order: RecordOptions) -> int:
    """Write *recording* to *file*, and close it; how many bytes that were."""
    data = recording.encode("utf-8", "backslashreplace")
    try:
        with file:
            file.write(data)
    except OSError as error:  # a full disk says so when it is written to, or not before the file is closed
        raise _unwritable(order, error) from None
    return len(data)


def _unwritable(order: RecordOptions, error: Exception) -> InputError:
    return InputError(f"cannot write {str(order.output)!r}: {getattr(error, 'strerror', None) or error}")


async def _record(model: Model, order: RecordOptions, tape: TextIO) -> CadenzaError | None:
    """Ask *model* with everything that comes written to *tape*; what failed, if anything did."""
    vendor, name = _who(model)
    recorded = recorder(
        model.transport,
        tape,
        vendor=vendor,
        model=name,
        with_prompt=order.with_prompt,
        added=order.settings.http.headers or {},
    )
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


def _prompt(order: RecordOptions) -> Prompt:
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
