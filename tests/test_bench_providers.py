"""The benchmark of clients: every one of them hears the same, and the page says what was found. No test measures time."""

from __future__ import annotations

import pytest

from clients import CLIENTS, run
from endpoint import tokens
from providers import PACED_CLIENTS, PAGE, Cost, Found, load, markdown, serving
from report import RESULTS

EVENTS_HEARD = 40


@pytest.fixture(scope="module")
def address() -> object:
    with serving() as found:
        yield found


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")  # google's client
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_hears_the_whole_answer(client: str, address: str) -> None:
    """The vendors' own clients read our server's streams: so it speaks as they do."""
    whole = "".join(tokens(EVENTS_HEARD))

    found = run(client, address, EVENTS_HEARD, 0)

    heard = len(whole.strip()) if client == "cadenza, to messages" else len(whole)
    assert found["characters"] in range(heard - whole.count("\n"), heard + 1)
    assert found["cpu"] > 0


def _found(ours: float, theirs: float) -> Found:
    costs = [Cost(client, "full speed", ours if "cadenza" in client else theirs) for client in CLIENTS]
    costs += [Cost(client, "paced", ours if "cadenza" in client else theirs) for client in PACED_CLIENTS]
    return Found("3.11", {"openai": "3"}, 1, tuple(costs), 1.0)


def test_the_page_says_what_the_last_run_found() -> None:
    found = load((RESULTS / "providers.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")
