"""``words.js`` and the files of words: the same in both languages."""

from __future__ import annotations

import pytest

from cadenza.play import page
from tests.browsing import Open
from tests.play.page.serving import html_of, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = [name for name in page.names() if name.startswith("words_")]
COMPARE = """
async (files) => {
  const words = await import("cadenza/words.js");
  for (const file of files) await import("cadenza/" + file);
  const holes = (text) => [...JSON.stringify(text).matchAll(/\\{(\\w+)\\}/g)].map((found) => found[1]);
  const said = (code) => {
    words.setLanguage(code);
    return Object.fromEntries(words.keys(code).map((key) => [key, [...new Set(holes(words.t(key, { count: 2 })))].sort()]));
  };
  return [said("en"), said("ja")];
}
"""


async def test_both_languages_have_the_same_words_with_the_same_places_in_them(window: Open) -> None:
    async with serving(window.addresses, html_of("/page/words.js")) as url:
        tab = await window(url)
        english, japanese = await tab.evaluate(COMPARE, FILES)

    assert english
    assert english == japanese


async def test_a_page_speaks_the_language_of_its_reader_remembers_another_and_tells_who_listens(window: Open) -> None:
    script = """
    async () => {
      const words = await import("cadenza/words.js");
      const heard = [];
      words.register({ en: { tea: { one: "{count} cup", other: "{count} cups" } }, ja: { tea: { other: "{count} 杯" } } });
      const said = () => words.t("tea", { count: 1 }) + " " + words.t("tea", { count: 2 });
      const first = [words.language(), said()];
      const stop = words.onLanguage((code) => heard.push(code));
      words.setLanguage("en");
      words.setLanguage("fr");
      const second = [words.language(), said(), words.t("no.such"), words.inLanguage({ ja: "水" }), document.documentElement.lang];
      stop();
      words.setLanguage("ja");
      words.setLanguage("en");
      return { first, second, heard };
    }
    """
    async with serving(window.addresses, html_of("/page/words.js")) as url:
        tab = await window(url, locale="ja-JP")
        found = await tab.evaluate(script)
        await tab.reload()
        after = await tab.evaluate('async () => (await import("cadenza/words.js")).language()')

    assert found == {
        "first": ["ja", "1 杯 2 杯"],
        "second": ["en", "1 cup 2 cups", "no.such", "水", "en"],
        "heard": ["en"],
    }
    assert after == "en"
