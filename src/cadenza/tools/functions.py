"""Tools from plain Python functions, with the decorator ``@tool``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, TypedDict, Unpack, overload

from ..errors import Sentence, SettingsError
from ..types import ToolSpec
from .signatures import Signature, gives_nothing, innermost, signature_of
from .threads import in_thread
from .tool import Tool, ToolContext

Function: TypeAlias = Callable[..., object]
Toolset: TypeAlias = Iterable[Tool | Function] | Mapping[str, Tool | Function]
"""The tools of a reply, as its caller may give them."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""A tool name that every provider accepts."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Options(TypedDict, total=False):
    """Options of ``tool``; those without a line here are described in ``Tool``."""

    name: str
    """The name for the model; by default that of the function."""
    description: str
    """By default the first paragraph of the docstring."""
    types: Mapping[str, object]
    """Types of parameters; they replace the annotations."""
    seconds: float | None
    needs_answer: bool
    settles: bool
    once: bool
    repeatable: bool
    needs_consent: bool


@overload
def tool(function: Function, /, **options: Unpack[Options]) -> Tool: ...


@overload
def tool(**options: Unpack[Options]) -> Callable[[Function], Tool]: ...


def tool(function: Function | None = None, /, **options: Unpack[Options]) -> Tool | Callable[[Function], Tool]:
    """Make a tool of *function*: ``@tool``, ``@tool(seconds=20)`` or ``tool(function, name="roll")``.

    Name, description and schema come from the signature and the docstring. The arguments are checked and converted
    before the function is called. A coroutine function is awaited; any other runs in its own thread.
    A parameter of type ``ToolContext`` receives the context of the call.
    """
    unknown = [name for name in options if name not in Options.__annotations__]
    if unknown:
        msg = Sentence(
            "a tool has no option {unknown}; it has: {annotations}",
            unknown=repr(unknown[0]),
            annotations=", ".join(Options.__annotations__),
        )
        raise SettingsError(msg)
    if function is None:
        return lambda function: _made(function, options)
    return _made(function, options)


def toolset(tools: Toolset | None) -> dict[str, Tool]:
    """*tools* by name. Functions become tools; the keys of a mapping are names."""
    if tools is None:
        return {}
    if isinstance(tools, str | bytes | Tool) or not isinstance(tools, Iterable):
        msg = Sentence(
            "tools must be a list of functions and tools, not {tools_type}; put a single one into a list",
            tools_type=type(tools).__name__,
        )
        raise SettingsError(msg)
    named: dict[str, Tool] = {}
    pairs = tools.items() if isinstance(tools, Mapping) else ((None, one) for one in tools)
    for key, one in pairs:
        made = _named(one, key)
        name = _checked_name(made.spec.name)
        if name in named:
            msg = Sentence(
                "there are two tools named {name}; give one of them another name: tool(function, name='...')",
                name=repr(name),
            )
            raise SettingsError(msg)
        named[name] = made
    return named


def _named(one: Tool | Function, key: str | None) -> Tool:
    if not isinstance(one, Tool):
        return _made(
            one, {} if key is None else {"name": key}
        )  # not by ``tool``, for which ``None`` is a missing function
    return one if key is None else replace(one, spec=replace(one.spec, name=key))


def _made(function: Function, options: Options) -> Tool:
    name = _checked_name(options.get("name") or _name_of(function))
    _check_kind(function, name)
    signature = signature_of(function, name, options.get("types", {}))
    is_async = inspect.iscoroutinefunction(innermost(function))
    made = Tool(
        ToolSpec(name, options.get("description", signature.about), signature.schema),
        _Runner(function, signature, name, is_async),
        needs_answer=not gives_nothing(function),
        check=signature.read,
    )
    manner = {key: value for key, value in options.items() if key not in ("name", "description", "types")}
    return replace(made, **manner)  # type: ignore[arg-type]  # they are those of ``Options``


@dataclass(frozen=True, slots=True)
class _Runner:
    """Runs a function as a tool."""

    function: Function
    signature: Signature
    name: str
    is_async: bool

    async def __call__(self, arguments: Mapping[str, object], context: ToolContext, /) -> object:
        call = self.signature.bind(self.function, self.signature.read(arguments), context)
        result = call() if self.is_async else await in_thread(call, name=f"cadenza tool {self.name}")
        return await result if inspect.isawaitable(result) else result


# --- checks ---------------------------------------------------------------------------


def _check_kind(function: Function, name: str) -> None:
    if inspect.isclass(function) or not callable(function):
        msg = Sentence("the tool {name} must be a function, not {function}", name=repr(name), function=repr(function))
        raise SettingsError(msg)
    inner = innermost(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        msg = Sentence("the tool {name} is a generator function; return a list instead", name=repr(name))
        raise SettingsError(msg)


def _name_of(function: Function) -> str:
    """The name of *function*; for a callable object that of its class, in snake case."""
    while isinstance(function, partial):
        function = function.func
    own = getattr(function, "__name__", None)
    return own if isinstance(own, str) else _HUMP.sub("_", type(function).__name__).lower()


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        msg = Sentence(
            "{name} cannot be the name of a tool: use 1 to 64 letters from a to z, digits, underscores and "
            "hyphens; choose another with tool(function, name='...')",
            name=repr(name),
        )
        raise SettingsError(msg)
    return name
