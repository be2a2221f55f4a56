"""``cadenza record``: ask a model, print its answer, and save the bytes as a recording."""

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

from ..errors import CadenzaError, InputError, ProviderError, Sentence
from ..models.connect import connect
from ..models.dialects.dialect import Dialect
from ..models.model import Model, closing, stream
from ..models.recordings import recorder
from ..settings import Settings
from ..stages.s1_context import assemble
from ..types import Chunk, Failed, Line, Persona, Prompt, Scene, TextDelta

_INTERRUPTED = 130
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters other than newline and tab, and lone surrogates, which no output can encode."""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What to ask, and where to save the answer."""

    model: str
    prompt: str
    output: Path
    system: str = ""
    url: str | None = None
    settings: Settings = field(default_factory=Settings)
    with_prompt: bool = False
    force: bool = False


def run(order: RecordOptions) -> int:
    """Ask, print and save; return the exit status. After Ctrl-C or a closed pipe, what arrived is saved."""
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
    """Open the file for the recording before the request, so that no answer is paid for in vain."""
    try:
        return order.output.open("wb" if order.force else "xb")
    except FileExistsError:
        why = "is a folder; name a file in it" if order.output.is_dir() else "already exists; --force overwrites it"
        msg = Sentence("{output} {why}", output=repr(str(order.output)), why=why)
        raise InputError(msg) from None
    except (OSError, ValueError) as error:
        raise _unwritable(order, error) from None


def _save(recording: str, file: BinaryIO, order: RecordOptions) -> int:
    """Write *recording* to *file* and close it; return the number of bytes."""
    data = recording.encode("utf-8", "backslashreplace")
    try:
        with file:
            file.write(data)
    except OSError as error:  # a full disk is reported when writing or closing
        raise _unwritable(order, error) from None
    return len(data)


def _unwritable(order: RecordOptions, error: Exception) -> InputError:
    return InputError(
        Sentence(
            "cannot write {output}: {error}",
            output=repr(str(order.output)),
            error=getattr(error, "strerror", None) or error,
        )
    )


async def _record(model: Model, order: RecordOptions, tape: TextIO) -> CadenzaError | None:
    """Ask *model* and write everything to *tape*; return the error, if there was one."""
    vendor, name = _vendor_and_model(model)
    recorded = recorder(
        model.transport,
        tape,
        vendor=vendor,
        model=name,
        with_prompt=order.with_prompt,
        added=order.settings.http.headers or {},
    )
    async with model, aclosing(closing(stream(replace(model, transport=recorded), _prompt(order)))) as chunks:
        async for chunk in _with_timeouts(chunks, order.settings):
            if isinstance(chunk, TextDelta):
                _show(chunk.text)
            elif isinstance(chunk, Failed):
                return chunk.error
    return None


def _vendor_and_model(model: Model) -> tuple[str, str]:
    """The vendor and model for the head of the recording. A local model has those of its server."""
    codec = model.codec
    return (codec.endpoint.vendor, codec.endpoint.model) if isinstance(codec, Dialect) else ("", "")


def _prompt(order: RecordOptions) -> Prompt:
    scene = Scene("record", Persona("", prompt=order.system), history=(Line("", order.prompt),))
    return assemble(scene, (), order.settings.context)


async def _with_timeouts(chunks: AsyncIterator[Chunk], settings: Settings) -> AsyncIterator[Chunk]:
    """*chunks* until a timeout."""
    seconds = settings.turn.first_timeout
    while True:
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(chunks, None)
        except TimeoutError:
            yield Failed(
                ProviderError(Sentence("the model said nothing for {seconds} seconds", seconds=f"{seconds:g}"))
            )
            return
        if chunk is None:
            return
        yield chunk
        seconds = settings.turn.idle_timeout


def _show(text: str) -> None:
    """Print *text* without control characters."""
    shown = _CONTROL.sub("\ufffd", text)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(shown.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def _remark(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"cadenza: {sentence}\n")
