"""``dom.js``: elements are made of texts, and nothing makes HTML of one."""

from __future__ import annotations

import pytest

from tests.browsing import Open
from tests.play.page.serving import html_of, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_elements_have_what_they_were_given_and_texts_stay_texts(window: Open) -> None:
    script = """
    async () => {
      const { clear, el, svg } = await import("cadenza/dom.js");
      let clicks = 0;
      const node = el("button", {
        class: "a b", title: "<b>", hidden: false, disabled: undefined, data: { id: 7 }, aria: { label: "x", busy: null },
        on: { click: () => { clicks += 1; } }, style: { color: "red", "--hue": "3" }, type: "button", form: "f",
      }, "<i>", 0, null, false, [el("b", { text: "</b>" }), ["deep"]]);
      node.click();
      const shape = svg("path", { d: "M0 0", "stroke-width": 2 });
      const found = [
        node.className, node.title, node.dataset.id, node.getAttribute("aria-label"), node.hasAttribute("aria-busy"), clicks,
        node.style.color, node.style.getPropertyValue("--hue"), node.getAttribute("form"), node.textContent, node.children.length,
        shape.getAttribute("stroke-width"), shape instanceof SVGElement,
      ];
      return [...found, clear(node).childNodes.length];
    }
    """
    async with serving(window.addresses, html_of("/page/dom.js")) as url:
        tab = await window(url)
        found = await tab.evaluate(script)

    assert found == ["a b", "<b>", "7", "x", False, 1, "red", "3", "f", "<i>0</b>deep", 1, "2", True, 0]


async def test_what_could_run_a_text_is_refused_and_only_addresses_of_our_own_are_asked(window: Open) -> None:
    script = """
    async () => {
      const { el, ownAddress, svg } = await import("cadenza/dom.js");
      const refused = ["onclick", "innerHTML", "outerHTML", "srcdoc", "ONLOAD"].filter((name) => {
        try { el("iframe", { [name]: "x" }); return false; } catch { }
        try { svg("g", { [name]: "x" }); return false; } catch { return true; }
      });
      const asked = ["/avatars/a", "data:image/png;base64,AA", "blob:x", "//evil.example/a", "/\\\\evil.example", "https://x.example/", "a.png", null, 7];
      const served = asked.map((address) => ownAddress(address) !== null);
      document.documentElement.dataset.alone = "";
      return { refused, served, alone: asked.map((address) => ownAddress(address) !== null) };
    }
    """
    async with serving(window.addresses, html_of("/page/dom.js")) as url:
        tab = await window(url)
        found = await tab.evaluate(script)

    assert found["refused"] == ["onclick", "innerHTML", "outerHTML", "srcdoc", "ONLOAD"]
    assert found["served"] == [True, True, *[False] * 7]
    assert found["alone"] == [False, True, *[False] * 7]
