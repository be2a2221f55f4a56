"""What the models of the story say: by whom they are and what was said last. Numbers are seconds of silence."""

import json
from collections.abc import Iterator

from cadenza.types import Prompt, Role, ToolCall

TABLE = "| day | sky |\n|---|---|\n| Friday | cloudy |\n| Saturday | clear |\n"


def answer(prompt: Prompt) -> Iterator[str | float | ToolCall]:
    """One answer; who speaks is in the prompt."""
    last = prompt.turns[-1]
    asked = last.text.lower().rpartition("\n")[2]
    if last.role is Role.TOOL:
        yield f"The station says: {last.text}."
    elif "go on" in asked or "where it ended" in str(prompt.turns[-2:]).lower():
        yield "… and that is how the evening ended."
    elif "weather" in asked:
        yield "One moment, I ask the station.\n"
        yield ToolCall("1", "weather", json.dumps({"place": "Whitby"}))
    elif "shorter" in asked:
        yield "Bring a blanket."
    elif "what do we need" in asked:
        for thing in ("a blanket", "a flask", "a torch", "a map", "patience", "gloves", "a friend", "a song"):
            yield f"You need {thing}.\n"
            yield (
                60.0 if thing == "a torch" else 0.05
            )  # a line is said when the next begins; then there is time to interrupt
    elif "story" in asked:
        for number in range(1, 40):
            yield f"Chapter {number}.\n"
            yield 60.0 if number == 4 else 0.05  # likewise
    elif "when" in asked and prompt.speaker == "Kira":
        yield f"<think>They want a table.</think>It depends:\n{TABLE}"
    elif prompt.speaker == "Miko":
        yield "Miko (mad): Nobody asked me!\n"
        yield "Saturday. Obviously."
    elif "miko" in asked:
        yield "Let me see what Miko thinks."
    else:
        yield "Good evening!\nShall we go up the hill?"
