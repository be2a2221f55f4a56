"""The counters: names, and bounded labels."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from cadenza.bot.services.counters import COUNTING, Bounded, Counters


@given(st.lists(st.text(max_size=3)), st.integers(1, 5))
def test_a_label_has_only_so_many_values(values: list[str], most: int) -> None:
    label = Bounded(most)

    shown = {label.bounded(value) for value in values}

    assert len(shown - {"other"}) <= most
    assert [label.bounded(value) for value in values] == [label.bounded(value) for value in values]


def test_everything_is_named_for_us_and_says_what_runs() -> None:
    assert COUNTING
    text = Counters(lambda: 7.0).rendered().decode()

    names = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    assert all(name.startswith("cadenza_") for name in names)
    assert "cadenza_uptime_seconds 0.0" in text
    assert re.search(r'cadenza_build_info\{python="3\.\d+\.\d+",version="[^"]+"\} 1\.0', text)


def test_two_bots_count_for_themselves() -> None:
    first, second = Counters(lambda: 0.0), Counters(lambda: 0.0)

    first.sends.labels("bot").inc()

    assert 'cadenza_sends_total{way="bot"} 1.0' in first.rendered().decode()
    assert "way=" not in second.rendered().decode()
