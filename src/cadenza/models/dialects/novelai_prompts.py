"""A prompt as one text, for models that go on with a text: GLM's own way, and a transcript.

GLM was taught conversations in which tokens say whose turn it is; this is the template that comes with the model. What
people write is not allowed to hold such tokens: whoever could write ``<|system|>`` would speak as the system.

A storyteller knows no turns. It is given a transcript, ``Name: text``, with a line ``***`` between what is known, how
such talk goes, and what was said.

Both end with the name of the persona and a colon, and with the words that the answer begins with, on the same line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import groupby

from ...stages.s1_parts import is_notice
from ...types import Prompt, PromptTurn, Role, Tag, Thinking, ToolCall, ToolSpec
from .request_bodies import object_of

ROLES = ("<|user|>", "<|observation|>", "<|system|>", "<|assistant|>", "<|endoftext|>")
"""GLM's tokens that begin another turn, or end all of them."""
SCENE_BREAK = "***"
"""What stands between two scenes of a story."""

_TOKEN = re.compile(r"(?P<first><(?=\|/?\w+\|>|[se]op>)|\[(?=[gs]?MASK\]))")
_NO_THOUGHT = "<think></think>"
_NO_THINKING = "/nothink"
_TOOLS = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{}
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{{function-name}}
<arg_key>{{arg-key-1}}</arg_key>
<arg_value>{{arg-value-1}}</arg_value>
<arg_key>{{arg-key-2}}</arg_key>
<arg_value>{{arg-value-2}}</arg_value>
...
</tool_call>"""
"""How the model was taught that it has tools, word for word."""
_NOBODY = ("User", "Assistant")
"""Who speaks in a transcript if nobody has a name."""
_LABEL = re.compile(r"[^\s:：\[][^\n:：]{0,63}[:：](?=\s|\Z)")  # a full-width colon is one too


def glm_prompt(prompt: Prompt) -> str:
    """*prompt* as GLM's template writes it."""
    turns, beginning = _split(prompt)
    parts = ["[gMASK]<sop>"]
    if prompt.tools:
        parts.append("<|system|>\n" + _TOOLS.format("\n".join(map(_declared, prompt.tools))))
    if prompt.system:
        parts.append("<|system|>\n" + _harmless(prompt.system))
    for role, run in groupby(turns, key=lambda turn: turn.role):
        if role is Role.TOOL:
            parts.append("<|observation|>" + "".join(map(_result, run)))
        else:
            parts += (_turn(turn, prompt) for turn in run)
    parts.append(f"<|assistant|>\n{_NO_THOUGHT}\n" + _cue(prompt.speaker, _harmless(beginning)))
    return "".join(parts)


def transcript(prompt: Prompt) -> str:
    """*prompt* as a play."""
    turns, beginning = _split(prompt)
    sections = [prompt.system] if prompt.system else []
    for _, run in groupby(turns, key=_section):
        sections.append("\n".join(_lines(turn, prompt.speaker) for turn in run))
    speaker = prompt.speaker or _NOBODY[1]
    told = f"\n{SCENE_BREAK}\n".join(section for section in sections if section.strip())
    return "\n".join(part for part in (told, _cue(speaker, beginning)) if part)


# --- both ------------------------------------------------------------------------


def _split(prompt: Prompt) -> tuple[tuple[PromptTurn, ...], str]:
    """The turns that are over, and the beginning of the one that is not."""
    turns, words = prompt.turns, prompt.prefill
    if words and turns and turns[-1].role is Role.MODEL and turns[-1].parts == (words,):
        return turns[:-1], words
    return turns, ""


def _cue(speaker: str, beginning: str) -> str:
    """The last line: whose turn it is, and how they begin."""
    if not speaker:
        return beginning
    return _labelled(speaker, beginning) if beginning else f"{speaker}:"


def _labelled(speaker: str, text: str) -> str:
    """*text* with the name in front, if it does not begin with that already, or with a look: ``Ren (mad): ``."""
    if not speaker:
        return text
    own = re.match(rf"\W{{0,3}}{re.escape(speaker)}\W{{0,3}}(?:\([^()\n]{{1,64}}\)\W{{0,3}})?[:：]", text)
    return text if own else f"{speaker}: {text}"


# --- GLM -------------------------------------------------------------------------


def _turn(turn: PromptTurn, prompt: Prompt) -> str:
    if turn.role is Role.MODEL:
        return _answer(turn, prompt.speaker)
    text = _harmless(turn.text)
    if prompt.thinking is Thinking.NONE and not text.endswith(_NO_THINKING):
        text += _NO_THINKING
    return f"<|user|>\n{text}"


def _answer(turn: PromptTurn, speaker: str) -> str:
    """What the model said, and the calls it made behind that."""
    said = "".join(part for part in turn.parts if isinstance(part, str)) if turn.calls else turn.text
    text = _harmless(said).strip()
    lines = [_NO_THOUGHT, *([_labelled(speaker, text)] if text else ()), *map(_called, turn.calls)]
    return "<|assistant|>\n" + "\n".join(lines)


def _called(call: ToolCall) -> str:
    pairs = (
        f"<arg_key>{_harmless(key)}</arg_key>\n<arg_value>{_harmless(_value(value))}</arg_value>\n"
        for key, value in object_of(call.arguments).items()
    )
    return f"<tool_call>{call.name}\n{''.join(pairs)}</tool_call>"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _result(turn: PromptTurn) -> str:
    return f"\n<tool_response>\n{_harmless(turn.text)}\n</tool_response>"


def _declared(tool: ToolSpec) -> str:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return _harmless(json.dumps({"type": "function", "function": function}, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    """Schemas may be read-only mappings, or hold some, which ``json`` does not know."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def _harmless(text: str) -> str:
    """*text* with no token of the template in it: ``<|user|>`` → ``< |user|>``."""
    return _TOKEN.sub(r"\g<first> ", text)  # a space, since what is taken out could make a token of what is around it


# --- a transcript ------------------------------------------------------------------


def _section(turn: PromptTurn) -> str:
    match turn.tag:
        case Tag.HISTORY | Tag.NOTE:
            return "history"
        case Tag.SAMPLE:
            return "samples"
        case _:
            return "knowledge"


def _lines(turn: PromptTurn, speaker: str) -> str:
    text = turn.text.strip()
    if turn.role is Role.MODEL:
        return _labelled(speaker or _NOBODY[1], text)
    is_said = turn.tag in (Tag.HISTORY, Tag.SAMPLE) and not is_notice(turn)
    return f"{_NOBODY[0]}: {text}" if is_said and not _LABEL.match(text) else text
