from __future__ import annotations

from dataclasses import fields

from cadenza.bot.services.message import ChatMessage


def test_what_nothing_is_known_of_was_said_by_a_person_in_private_to_nobody() -> None:
    said = ChatMessage("1", "10", "7", "Mia", "Hello.")

    assert {""} == {said.server, said.parent, said.persona, said.answers}
    assert not any(getattr(said, spec.name) for spec in fields(ChatMessage) if spec.type == "bool")
