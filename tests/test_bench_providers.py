"""The benchmark of clients: every one of them hears the same, and the page says what was found. No test measures time."""

from __future__ import annotations

import pytest

from clients import CLIENTS, run
from endpoint import EVENTS, tokens
from providers import GOALS, PACED_CLIENTS, PAGE, Cost, Found, goals, load, markdown, screen, serving
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


def test_every_interface_has_a_client_of_its_own_vendor_and_one_of_ours() -> None:
    for interface in EVENTS:
        names = [name for name, (spoken, _) in CLIENTS.items() if spoken == interface]

        assert any(name.startswith("cadenza") for name in names)
        assert not all(name.startswith("cadenza") for name in names)


def _found(ours: float, theirs: float) -> Found:
    costs = [Cost(client, "full speed", ours if "cadenza" in client else theirs) for client in CLIENTS]
    costs += [Cost(client, "paced", ours if "cadenza" in client else theirs) for client in PACED_CLIENTS]
    return Found("3.11", {"openai": "3"}, 1, tuple(costs), 1.0)


def test_a_goal_is_a_ratio_of_two_clients() -> None:
    met = [goal.value <= goal.limit for goal in goals(_found(1.0, 100.0))]
    missed = [goal.value <= goal.limit for goal in goals(_found(1.0, 1.0))]

    assert all(met)
    assert [False, False, False, False, True] == missed


def test_every_goal_is_shown() -> None:
    shown = "\n".join(screen(_found(1.0, 40.0)))

    assert all(f"{ours} / {theirs}, {way}" in shown for way, pairs in GOALS.items() for ours, theirs, _ in pairs)
    assert "1/40" in shown


def test_the_page_says_what_the_last_run_found() -> None:
    found = load((RESULTS / "providers.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")
