"""Windows that one test after another uses keep nothing of the test before, and whatever goes wrong in them is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browsing import Open

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ODD = """<!doctype html><title>Odd</title><script>
console.error("an odd word");
Promise.reject(new Error("an odd promise"));
new Image().src = "https://elsewhere.example/x.png";
throw new Error("an odd end");
</script>"""


async def test_whatever_goes_wrong_is_noticed_and_the_next_has_another_window(window: Open, tmp_path: Path) -> None:
    path = tmp_path / "odd.html"
    path.write_text(_ODD, "utf-8")
    page = await window(path.as_uri())
    noticed = await window.leave()

    assert {"error: an odd word", "error: an odd promise", "asked elsewhere.example", "error: an odd end"} <= {*noticed}
    assert await window() is not page
