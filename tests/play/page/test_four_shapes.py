"""One answer in each shape, as a channel shows it: the pictures of ``docs/shapes.md``.

``REWRITE_DOCS=1`` with this file takes them again.
"""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator

from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.settings import Settings
from tests.browsing import Open, Snap
from tests.play.page.showing import films

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZE = (340, 4000)
"""As narrow as a phone, so that four pictures stand side by side, and high enough for all messages."""
ASKED = "How do I back up our Postgres?"
ANSWER = """\
## Nightly backups

One dump every night is enough for a small site. It blocks nothing, so people can go on writing while it runs.

You need three things:

1. A user that may read everything
   - give it `pg_read_all_data`
   - put its password in `~/.pgpass`
2. A disk on another machine
3. A timer

This script keeps the last seven days:

```sh
#!/bin/sh
set -eu
day=$(date +%u)
file=/backup/site-$day.dump

pg_dump -Fc -f $file site
rsync $file vault:/dumps/
echo "saved $file"
```

What to expect:

| database | dump | restore |
|---|--:|--:|
| 1 GB | 20 s | 1 min |
| 20 GB | 6 min | 25 min |

> Restore a dump once a month, on an empty server.
> A backup that was never restored is only a hope.

Start it at a quiet hour. Shall I write the timer for systemd, too?
"""
SETTINGS = {"tables": "text"}
"""A picture of the table would be a message of its own in every shape."""
MARKED = """
messages => messages.forEach((message, number) => {
  message.parentElement.querySelector(".day")?.remove();
  if (number === 0) return;
  message.classList.add("is-selected");
  message.style.marginTop = "12px";
})
"""
"""Discord shows nothing between two messages of one author; a background and a gap show which are one."""


@pytest.mark.parametrize(("shape", "count"), [("reply", 1), ("blocks", 4), ("lines", 9), ("sentences", 11)])
async def test_an_answer_is_messages_in_each_shape(shape: str, count: int, window: Open, snap: Snap) -> None:
    wanted = Rehearsal(beats_of(ANSWER), Settings.of(shape=shape, **SETTINGS), asked=ASKED, limits=None)
    film = await asyncio.to_thread(rehearse, wanted)

    async with films(window, {"films": [film.as_json()]}, size=SIZE, colours="dark") as tab:
        messages: Locator = tab.locator(".messages .message")
        await messages.evaluate_all(MARKED)
        await snap(tab.locator(".messages"), docs=f"shape-{shape}")
        assert await messages.count() == 1 + count
