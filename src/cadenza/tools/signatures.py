"""The parameters of a function as a model sees them: from the signature, the types and the docstring."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import FrameType, FunctionType, MethodType, SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from ..errors import Sentence, SettingsError, ToolError
from .arguments import can_be_null, check_names, convert
from .docstrings import read_docstring
from .schemas import Schema, UnfitType, object_of, schema_of, told
from .tool import ToolContext

_MOST_WRONG = 5
"""Wrong arguments that the model is told of at once."""
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a tool's function, and how to call it with the arguments of a model."""

    about: str
    """The first paragraph of the docstring."""
    schema: Schema
    """The arguments as the model sees them."""
    properties: Mapping[str, Schema]
    """The schema of each argument; unlike in ``schema``, an optional one may be null."""
    hints: Mapping[str, object]
    """The type of each argument."""
    defaults: Mapping[str, object]
    context: tuple[str, ...]
    """Parameters that receive the context of the call."""
    positional: tuple[str, ...]
    """Positional-only parameters, in order."""

    def read(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """All arguments, converted, with defaults filled in. Raises a ``ToolError`` that says what is wrong."""
        read, wrong = dict(self.defaults), []
        try:
            check_names(arguments, self.properties)
        except ToolError as error:
            wrong.append(error)
        for name, schema in self.properties.items():
            value = arguments.get(name)
            if value is None and name in self.defaults and not (name in arguments and can_be_null(schema)):
                continue
            try:
                if name not in arguments:
                    raise ToolError(Sentence("The argument '{name}' is missing.", name=name))  # noqa: TRY301  # one of several
                read[name] = convert(value, self.hints[name], schema, name)
            except ToolError as error:
                wrong.append(error)
        if wrong:
            again = "The tool was not run; send the call again."
            raise ToolError(" ".join([*map(str, wrong[:_MOST_WRONG]), again])) from wrong[0]
        return read

    def bind(
        self, function: Callable[..., object], arguments: Mapping[str, object], context: ToolContext
    ) -> Callable[[], object]:
        """The call of *function* with *arguments* from ``read``."""
        values = {**arguments, **dict.fromkeys(self.context, context)}
        first = [values.pop(name) for name in self.positional]
        return functools.partial(function, *first, **values)


def signature_of(function: Callable[..., object], name: str, types: Mapping[str, object]) -> Signature:
    """Inspect *function*, the tool *name*; *types* replace its annotations. Raises ``SettingsError``.

    A method is inspected once, whatever object it is bound to.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType) and not types:
        return _signature_of_method(function.__func__, name)
    return _inspected(function, name, types)


@functools.lru_cache(maxsize=256)
def _signature_of_method(function: FunctionType, name: str) -> Signature:
    return _inspected(MethodType(function, object()), name, {})


def _inspected(function: Callable[..., object], name: str, types: Mapping[str, object]) -> Signature:
    parameters = _parameters(function, name)
    hints = _hints(function, name, parameters, types)
    said = read_docstring(_docstring(function), parameters)
    context = tuple(key for key in parameters if _is_context(hints.get(key)))
    given = {key: parameter for key, parameter in parameters.items() if key not in context}
    for key, parameter in given.items():
        if key not in hints and parameter.default is not _EMPTY and parameter.default is not None:
            hints[key] = type(parameter.default)
    properties = {key: _property(name, one, hints, said.names.get(key, "")) for key, one in given.items()}
    defaults = {key: parameter.default for key, parameter in given.items() if parameter.default is not _EMPTY}
    return Signature(
        about=said.about,
        schema=told(object_of(properties, [key for key in given if key not in defaults])),
        properties=properties,
        hints=hints,
        defaults=defaults,
        context=context,
        positional=tuple(key for key, one in parameters.items() if one.kind is one.POSITIONAL_ONLY),
    )


def innermost(function: Callable[..., object]) -> Callable[..., object]:
    """The function with the annotations: of a partial the one it calls, of a callable object its ``__call__``."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def gives_nothing(function: Callable[..., object]) -> bool:
    """Whether *function* is annotated ``-> None``."""
    annotations = getattr(inspect.unwrap(innermost(function)), "__annotations__", {})
    return annotations.get("return", _EMPTY) in (None, "None", type(None))


def _docstring(function: Callable[..., object]) -> str:
    """The docstring of *function*, or that of the class of a callable object."""
    inner = innermost(function)
    is_object = inner is type(function).__call__
    return inner.__doc__ or (type(function).__doc__ if is_object else None) or ""


# --- parameters ---------------------------------------------------------------------------------


def _parameters(function: Callable[..., object], name: str) -> dict[str, inspect.Parameter]:
    """The parameters of *function*, without those that a partial sets by name."""
    try:
        parameters = dict(inspect.signature(function).parameters)
    except (TypeError, ValueError) as error:
        msg = Sentence(
            "the tool {name} has no signature that can be read; use a Python function with type annotations",
            name=repr(name),
        )
        raise SettingsError(msg) from error
    settled = function.keywords if isinstance(function, functools.partial) else {}
    for key, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            msg = Sentence(
                "the tool {name} takes {parameter}; each parameter of a tool needs its own name",
                name=repr(name),
                parameter=parameter,
            )
            raise SettingsError(msg)
        if key in ("self", "cls") and parameter.annotation is _EMPTY:
            msg = Sentence(
                "the tool {name} is an unbound method; use the method of an object: tool(thing.{function})",
                name=repr(name),
                function=name,
            )
            raise SettingsError(msg)
    return {key: parameter for key, parameter in parameters.items() if key not in settled}


def _property(name: str, parameter: inspect.Parameter, hints: Mapping[str, object], about: str) -> Schema:
    try:
        if parameter.name not in hints:
            raise UnfitType("has no type; annotate it")  # noqa: TRY301,TRY003,EM101  # it is one refusal among several
        schema = schema_of(hints[parameter.name])
        object_of({parameter.name: schema}, ())
    except UnfitType as error:
        msg = Sentence(
            "the parameter {parameter} of the tool {tool} {error}",
            parameter=repr(parameter.name),
            tool=repr(name),
            error=error,
        )
        raise SettingsError(msg) from error
    about = _with_default(str(schema.get("description", about)), parameter.default)
    return {**schema, "description": about} if about else schema


def _with_default(about: str, default: object) -> str:
    """*about* with the default in words: not every provider accepts ``default`` in a schema."""
    value = default.value if isinstance(default, Enum) else default
    if not isinstance(value, str | int | float) or value == "":
        return about
    told = str(value).lower() if isinstance(value, bool) else value
    return f"{about.rstrip('.')}. Default: {told}.".lstrip(". ")


# --- types --------------------------------------------------------------------------------------


def _hints(
    function: Callable[..., object],
    name: str,
    parameters: Mapping[str, object],
    types: Mapping[str, object],
) -> dict[str, Any]:
    """The type of each parameter that has one; ``None`` becomes ``NoneType``."""
    unknown = [key for key in types if key not in parameters]
    if unknown:
        msg = Sentence(
            "the tool {name} has no parameter {unknown} to give a type; it has: {parameters}",
            name=repr(name),
            unknown=repr(unknown[0]),
            parameters=", ".join(parameters) or "none",
        )
        raise SettingsError(msg)
    inner = inspect.unwrap(innermost(function))
    annotated = {
        key: hint
        for key, hint in getattr(inner, "__annotations__", {}).items()
        if key in parameters and key not in types
    }
    try:
        found = get_type_hints(SimpleNamespace(__annotations__=annotated), _surroundings(function), include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        msg = Sentence(
            "a type of the tool {name} is not known where it is defined ({error}); define it at the top of "
            "the module, or pass it as types={...}",
            name=repr(name),
            error=getattr(error, "name", None) or error,
        )
        raise SettingsError(msg) from error
    return found | {key: type(None) if hint is None else hint for key, hint in types.items()}


def _surroundings(function: Callable[..., object]) -> dict[str, Any]:
    """The names where *function* was defined: of its module, and of the enclosing function if that still runs."""
    inner = inspect.unwrap(innermost(function))
    code, names = getattr(inner, "__code__", None), getattr(inner, "__globals__", {})
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and code is not None:
        if any(constant is code for constant in frame.f_code.co_consts):
            return {**names, **frame.f_locals}
        frame = frame.f_back
    return dict(names)


def _is_context(hint: object) -> bool:
    """Whether a parameter of type *hint* receives the context."""
    if get_origin(hint) is Annotated:
        return _is_context(get_args(hint)[0])
    return hint is ToolContext or ToolContext in get_args(hint)
