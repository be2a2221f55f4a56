"""NovelAI: one vendor, two interfaces, and a prompt that is a text in both.

``glm-4-6`` and its kin are asked at ``/oa/v1/completions``, with a prompt in GLM's own template; thoughts and calls come
back in the text and are read out of it. Kayra, Erato and Clio are asked at ``/ai/generate-stream``, with a transcript;
they know no tools, and what others found with theirs is told in words.

What is known, and how. The parameters of completions, and that ``stop`` is a list of texts, are in NovelAI's own
documentation; addresses, events and the names in ``parameters`` are what several public clients use, among them
SillyTavern and Agnai; the template is the one that is published with GLM-4.6. Nothing of it was tried with an account.

Native stop sequences are lists of tokens, and we have no tokeniser, so stop strings are looked for in what comes back.
The other interface takes some of ours; since nobody says how many, eight are sent and all are looked for.

There is no list of its own of what a model is told. What is an instruction is decided once, in stage 1, for everybody.
That these models have little room is seen to by leaving out the oldest exchanges. A prompt that is still too long is
refused by name, and the failure says so.

GLM is never asked to think: with so short an answer there is no room for it. ``/nothink`` is added where that is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...stages.s1_budget import output_tokens
from ...stages.s1_context import fit
from ...stages.s1_fit import speaker_stop
from ...stages.s3_chunks import NO_PROMPT
from ...stages.stage import Pipe, Stage
from ...types import Abilities, Chunk, HttpRequest, PrefillMode, Prompt, RawEvent
from ..guards import guarded
from ..guards.glm import GlmGuard
from ..guards.stop_strings import StopGuard
from .dialect import Dialect
from .novelai_events import CompletionDecoder, TokenDecoder
from .novelai_prompts import ROLES, SCENE_BREAK, glm_prompt, transcript
from .request_bodies import within, written

_NATIVE = re.compile(r"kayra|erato|clio", re.IGNORECASE)
"""Models that only the native interface has; it has none of the newer ones."""

_GLM_CONTEXT, _GLM_TOKEN, _GLM_SHARE, _GLM_LEAST, _GLM_ANSWER = 12288, 2.5, 0.95, 50, 1024
"""Tokens of prompt and answer, characters of a token, the part of what is left that is asked for, the least, the usual."""
_NATIVE_CONTEXT, _NATIVE_TOKEN, _NATIVE_ANSWER, _NATIVE_LONGEST = 8192, 3.5, 150, 2048
"""Likewise; a subscription may have more or less room, which is said in ``abilities``. More than the last is refused."""

_GLM_STOPS = (*ROLES[:3], "</think>")
_STOPS = 8

_GLM_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty")
_NATIVE_SAMPLING: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repetition_penalty",
    "frequency_penalty": "repetition_penalty_frequency",
    "presence_penalty": "repetition_penalty_presence",
}
"""Our name of a sampling parameter → the interface's."""


class NovelAICodec(Dialect):
    """The dialect of NovelAI."""

    @property
    def _is_native(self) -> bool:
        return _NATIVE.search(self.endpoint.model) is not None

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write *prompt* down."""
        prompt = fit(prompt, self._abilities())
        return self._native(prompt) if self._is_native else self._glm(prompt)

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:
        """A fresh reader of events into chunks; which tools there are says what is a call."""
        vendor, able = self.endpoint.vendor, self._abilities()
        label = "" if able.speaker_stop else speaker_stop(prompt.speaker)
        stops = [text for text in prompt.stop if text != label]
        if self._is_native:
            reader = Pipe(TokenDecoder(vendor), StopGuard((*stops, f"\n{SCENE_BREAK}")))
        else:
            known = prompt if able.tools else replace(prompt, tools=())
            reader = Pipe(CompletionDecoder(vendor), StopGuard((*stops, *ROLES)), GlmGuard(known, vendor))
        return guarded(reader, self.endpoint.quirks, prompt)

    def _abilities(self) -> Abilities:
        """What is known of these models, whatever else was said; how much room there is may be known better."""
        able, is_native = self.endpoint.abilities, self._is_native
        return replace(
            able,
            tools=able.tools and not is_native,
            images=False,
            videos=False,
            system=True,
            prefill=PrefillMode.TURN,
            prefill_with_tools=True,
            stops=_STOPS - len(_GLM_STOPS),
            context_tokens=able.context_tokens or (_NATIVE_CONTEXT if is_native else _GLM_CONTEXT),
            token_length=min(able.token_length, _NATIVE_TOKEN if is_native else _GLM_TOKEN),
        )

    # --- GLM -------------------------------------------------------------------------

    def _glm(self, prompt: Prompt) -> HttpRequest:
        text, able = glm_prompt(prompt), self._abilities()
        longest = output_tokens(
            prompt.max_tokens or _GLM_ANSWER,
            len(text),
            context_tokens=able.context_tokens,
            token_length=able.token_length,
            share=_GLM_SHARE,
            least=_GLM_LEAST,
            otherwise=_GLM_LEAST,
        )
        body: dict[str, object] = {"model": self.endpoint.model, "prompt": text, "stream": True, "max_tokens": longest}
        body |= _sampling(prompt, {name: name for name in _GLM_SAMPLING})
        body["stop"] = list(dict.fromkeys((*_GLM_STOPS, *prompt.stop)))
        return self._request("/oa/v1/completions", written(body, self.endpoint.extra))

    # --- the storytellers -------------------------------------------------------------

    def _native(self, prompt: Prompt) -> HttpRequest:
        text, able = transcript(prompt), self._abilities()
        wanted = min(prompt.max_tokens or _NATIVE_ANSWER, _NATIVE_LONGEST)
        longest = output_tokens(
            wanted,
            len(text),
            context_tokens=able.context_tokens,
            token_length=able.token_length,
            share=1.0,
            least=1,
            otherwise=wanted,  # it is too long in any case, and the refusal says so better than a shorter answer
        )
        parameters: dict[str, object] = {
            "use_string": True,
            "min_length": 1,
            "max_length": longest,
            "generate_until_sentence": True,
            "return_full_text": False,
            "prefix": "vanilla",
            **_sampling(prompt, _NATIVE_SAMPLING),
        }
        body = {"model": self.endpoint.model, "input": text, "parameters": parameters}
        return self._request("/ai/generate-stream", written(body, within(body, self.endpoint.extra)))

    def _request(self, call: str, body: bytes) -> HttpRequest:
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if self.endpoint.key:
            headers["authorization"] = f"Bearer {self.endpoint.key}"
        base, mark, query = self.endpoint.url.partition("?")
        base = base.rstrip("/").removesuffix("/oa/v1").removesuffix("/ai")  # which people copy along with it
        return HttpRequest(f"{base}{call}{mark}{query}", body, {**headers, **self.endpoint.headers})


def _sampling(prompt: Prompt, names: Mapping[str, str]) -> dict[str, object]:
    """What was set of what the interface has."""
    values = ((name, prompt.sampling.get(ours)) for ours, name in names.items())
    return {name: int(value) if name == "top_k" else value for name, value in values if value is not None}
