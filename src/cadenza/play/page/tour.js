/** The tour: five stories, each with what the usual bot makes of a stream beside what Cadenza makes of it. */

import { el } from "cadenza/dom.js";
import { FilmView } from "cadenza/film_view.js";
import { unpacked } from "cadenza/packing.js";
import { inLanguage, t } from "cadenza/words.js";
import { freshId, Wording } from "cadenza/wording.js";
import "cadenza/words_lab.js";

/** The tour. `onTry(story)` is called when the user wants to try it. */
export class Tour {
  #root;
  #api;
  #stories;
  #onTry;
  #words = new Wording();
  #seen = new Set();
  #loaded = new Map();
  #at = null;
  #view = null;
  #stage = el("div", { class: "tour-stage" });

  constructor(root, { api, stories, onTry = null }) {
    this.#root = root;
    this.#api = api;
    this.#stories = stories;
    this.#onTry = onTry;
    root.classList.add("tour");
    this.#words.follow(() => this.#build());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Open a story by its id; one that is not known changes nothing. */
  open(id) {
    const index = this.#stories.findIndex((story) => story.id === id);
    return index < 0 ? Promise.resolve() : this.#play(index);
  }

  /** Go back to all stories. */
  leave() {
    const left = this.#at;
    this.#drop();
    this.#at = null;
    this.#build();
    if (left !== null) this.#root.querySelectorAll(".story-card")[left]?.focus();
  }

  #build() {
    if (this.#at === null) this.#root.replaceChildren(this.#cards());
    else this.#root.replaceChildren(this.#head(this.#stories[this.#at]), this.#stage);
  }

  #cards() {
    const title = freshId("tour");
    const intro = el(
      "header",
      { class: "lab-intro" },
      el("h2", { id: title, text: t("tour.title") }),
      el("p", { class: "dim", text: t("tour.intro") }),
    );
    const progress = el(
      "p",
      { class: "tour-progress dim", text: t("tour.progress", { seen: this.#seen.size, all: this.#stories.length }) },
    );
    const list = el(
      "ol",
      { class: "story-cards", aria: { labelledby: title } },
      ...this.#stories.map((story, index) => this.#card(story, index)),
    );
    return el("div", {}, intro, progress, list);
  }

  #card(story, index) {
    const isSeen = this.#seen.has(story.id);
    const foot = el(
      "span",
      { class: "story-foot dim" },
      el("span", { text: lengthOf(story.seconds) }),
      isSeen ? el("span", { class: "story-seen", text: t("tour.seen") }) : null,
    );
    const card = el(
      "button",
      { type: "button", class: isSeen ? "story-card is-seen" : "story-card", on: { click: () => this.#play(index) } },
      el("span", { class: "story-number", text: index + 1, aria: { hidden: "true" } }),
      el("b", { text: inLanguage(story.title) }),
      el("span", { class: "story-about", text: inLanguage(story.about) }),
      foot,
    );
    return el("li", {}, card);
  }

  #head(story) {
    const index = this.#at;
    const title = el("h2", { text: inLanguage(story.title), tabIndex: -1 });
    const count = el("span", { class: "dim", text: t("tour.story-of", { number: index + 1, all: this.#stories.length }) });
    const nav = el(
      "div",
      { class: "tour-nav" },
      this.#step("tour.previous", "p", index - 1),
      this.#step("tour.next", "n", index + 1),
      this.#onTry ? el("button", { type: "button", class: "primary try", text: t("tour.try"), on: { click: () => this.#onTry(story) } }) : null,
    );
    const back = el(
      "button",
      { type: "button", class: "quiet tour-back", text: t("tour.all"), on: { click: () => this.leave() } },
    );
    return el(
      "header",
      { class: "tour-head" },
      el("div", { class: "tour-where" }, back, count),
      title,
      el("p", { class: "story-about", text: inLanguage(story.about) }),
      nav,
    );
  }

  #step(key, shortcut, index) {
    const isThere = index >= 0 && index < this.#stories.length;
    const button = el("button", { type: "button", text: t(key), disabled: !isThere, on: { click: () => this.#play(index) } });
    button.append(el("kbd", { text: shortcut, aria: { hidden: "true" } }));
    button.setAttribute("aria-keyshortcuts", shortcut);
    return button;
  }

  async #play(index) {
    const story = this.#stories[index];
    if (story === undefined) return;
    this.#drop();
    this.#at = index;
    this.#seen.add(story.id);
    this.#stage.replaceChildren(el("p", { class: "dim tour-loading", role: "status", text: t("tour.loading") }));
    this.#build();
    this.#root.querySelector("h2")?.focus({ preventScroll: true });
    this.#root.scrollIntoView({ block: "start" });
    await this.#load(story, index);
  }

  async #load(story, index) {
    try {
      const told = this.#loaded.get(story.id) ?? (await this.#fetched(story.id));
      this.#loaded.set(story.id, told);
      if (this.#at === index && this.#view === null) this.#show(told);
    } catch (error) {
      if (this.#at === index) this.#fail(error.message, index);
    }
  }

  async #fetched(id) {
    const told = await this.#api.get(`/api/stories/${encodeURIComponent(id)}`);
    return { ...told, films: await Promise.all(told.films.map(unpacked)) };
  }

  #show({ films, labels, captions }) {
    const place = el("div", { class: "tour-film" });
    this.#stage.replaceChildren(place);
    this.#view = new FilmView(place, { films, labels, captions, next: this.#next() });
  }

  /** The offer at the end of a story: the next one, or to talk. */
  #next() {
    const [index, story] = [this.#at + 1, this.#stories[this.#at]];
    if (index < this.#stories.length) return { words: () => t("tour.next-story"), act: () => this.#play(index) };
    return this.#onTry && { words: () => t("tour.try"), act: () => this.#onTry(story) };
  }

  #fail(sentence, index) {
    const again = el("button", { type: "button", text: t("tour.again"), on: { click: () => this.#play(index) } });
    this.#stage.replaceChildren(el("p", { class: "refusal", role: "alert", text: sentence }), again);
  }

  #drop() {
    this.#view?.close();
    this.#view = null;
    this.#stage.replaceChildren();
  }

  #key(event) {
    if (this.#at === null || this.#root.getClientRects().length === 0 || isTaken(event)) return;
    const step = { n: 1, p: -1 }[event.key];
    // All other keys are the player's, wherever in the tour the focus is.
    if (step === undefined) this.#view?.key(event);
    else {
      event.preventDefault();
      this.#play(this.#at + step);
    }
  }
}

/** Whether a key is not for the tour: it is typed, part of a shortcut, or already handled. */
function isTaken(event) {
  const isShortcut = event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented;
  return isShortcut || Boolean(event.target.closest?.("input, textarea, select, dialog, [contenteditable]"));
}

function lengthOf(seconds) {
  return seconds < 45 ? t("tour.seconds", { count: Math.round(seconds) }) : t(
    "tour.minutes",
    { count: Math.round(seconds / 60) },
  );
}
