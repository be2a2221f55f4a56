/**
 * A page in one file: it holds its films and needs no server.
 */

import { el } from "cadenza/dom.js";
import { FilmView } from "cadenza/film_view.js";
import { unpacked } from "cadenza/packing.js";
import { inLanguage, language, onLanguage, setLanguage, t } from "cadenza/words.js";
import "cadenza/words_view.js";

/** What the page holds, with its films unpacked; `null` if that cannot be read. */
async function held() {
  try {
    const found = JSON.parse(document.getElementById("films").textContent);
    const films = await Promise.all(found.films.map(unpacked));
    return films.length > 0 ? { ...found, films } : null;
  } catch {
    return null;
  }
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function header(title) {
  const name = el("h1");
  const words = el("button", { type: "button", class: "quiet" });
  const theme = el("button", { type: "button", class: "quiet square", text: "◐" });
  words.addEventListener("click", () => setLanguage(language() === "ja" ? "en" : "ja", { isKept: false }));
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; });
  const say = () => {
    name.textContent = inLanguage(title) || t("export.title");
    words.textContent = t("export.language");
    theme.title = t("export.theme");
    theme.setAttribute("aria-label", t("export.theme"));
  };
  onLanguage(say);
  say();
  return el("header", { class: "alone-head" }, name, words, theme);
}

async function main() {
  setLanguage(document.documentElement.lang, { isKept: false });
  const found = await held();
  if (found === null) {
    document.body.append(el("p", { class: "alone-broken", role: "alert", text: t("export.broken") }));
    return;
  }
  const place = el("main", { class: "alone-film" });
  document.body.append(header(found.title), place);
  const { films, labels, captions } = found;
  const view = new FilmView(place, { films, labels: labels ?? [], captions: captions ?? [] });
  // The whole page is the player: keys work wherever the focus is.
  document.addEventListener("keydown", (event) => {
    if (!place.contains(event.target)) view.key(event);
  });
}

main();
