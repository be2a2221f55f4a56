/** The lab: any text or recorded stream, delivered by Cadenza or by the usual bot, once or twice side by side. */

import { comparison } from "cadenza/comparison.js";
import { el } from "cadenza/dom.js";
import { numberField, radioField } from "cadenza/fields.js";
import { Reel } from "cadenza/film.js";
import { FilmView } from "cadenza/film_view.js";
import { Side } from "cadenza/lab_side.js";
import { Source } from "cadenza/lab_source.js";
import { unpacked } from "cadenza/packing.js";
import { t } from "cadenza/words.js";
import { freshId, Wording } from "cadenza/wording.js";
import "cadenza/words_lab.js";

const RATE = { name: "rate", kind: "int", value: 50, default: 50, low: 1, high: 2000 };
const KINDS_OF_SOURCE = ["text", "recording", "stream", "replay", "script", "trace", "film"];
const A_SECOND = 1000;
const A_MINUTE = 60_000;

/**
 * The lab. `api` has `get(path, {signal})` and `post(path, body, {signal})`, which give JSON or reject with a sentence, and
 * `download(path, body, {signal})`, which gives a blob.
 */
export class Lab {
  #root;
  #api;
  #words = new Wording();
  #source;
  #rate = RATE.value;
  #rateRefusal = "";
  #asked;
  #sides;
  #isCompared = false;
  #parts;
  #abort = null;
  #result = null;

  constructor(root, { api, settings }) {
    this.#root = root;
    this.#api = api;
    this.#source = new Source({ words: this.#words, onProblem: (sentence) => this.#problem(sentence) });
    const onCopy = (toml) => this.#copy(toml);
    this.#sides = [
      new Side({ name: "A", settings, isUsual: false, onCopy }),
      new Side({ name: "B", settings, isUsual: true, onCopy }),
    ];
    this.#build();
    this.#compare(false);
    this.#words.follow(() => this.#tellResult());
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  #build() {
    this.#parts = {
      problem: el("p", { class: "refusal lab-problem", role: "alert", hidden: true }),
      sides: el("div", { class: "sides" }, ...this.#sides.map(({ node }) => node)),
      run: this.#runButton(),
      progress: this.#progress(),
      copied: el("div", { class: "lab-copied", hidden: true }),
      status: el("p", { class: "lab-status", role: "status" }),
      result: el("div", { class: "lab-result", hidden: true, tabIndex: -1 }),
    };
    const { problem, sides, run, progress, copied, status, result } = this.#parts;
    const intro = el(
      "header",
      { class: "lab-intro" },
      el("h2", {}, this.#words.text("lab.title")),
      el("p", { class: "dim" }, this.#words.text("lab.intro")),
    );
    const options = el("div", { class: "lab-options" }, this.#rateField(), this.#askedField(), this.#sidesField());
    const bar = el("div", { class: "lab-run" }, run, progress);
    this.#root.classList.add("lab");
    this.#root.replaceChildren(intro, this.#source.node, problem, options, sides, copied, bar, status, result);
  }

  #rateField() {
    const id = freshId("rate");
    const refusal = el("p", { class: "refusal", role: "alert", hidden: true });
    const tell = (sentence) => {
      this.#rateRefusal = sentence;
      refusal.textContent = sentence;
      refusal.hidden = sentence === "";
    };
    const commit = (rate) => {
      tell("");
      this.#rate = rate;
    };
    const field = numberField({ setting: RATE, commit, refuse: tell, labelledBy: `${id}-name` });
    field.input.id = id;
    return el(
      "div",
      { class: "lab-option" },
      el("label", { id: `${id}-name`, htmlFor: id }, this.#words.text("lab.rate")),
      field.node,
      refusal,
    );
  }

  #askedField() {
    const id = freshId("asked");
    this.#asked = this.#words.put(
      el("input", { type: "text", id, class: "wide", autocomplete: "off" }),
      "placeholder",
      "lab.asked-hint",
    );
    return el("div", { class: "lab-option" }, el("label", { htmlFor: id }, this.#words.text("lab.asked")), this.#asked);
  }

  #sidesField() {
    const id = freshId("sides");
    const place = el("div");
    this.#words.follow(() => {
      const word = (isCompared) => t(isCompared ? "lab.two-sides" : "lab.one-side");
      const commit = (isCompared) => this.#compare(isCompared);
      place.replaceChildren(
        radioField({ value: this.#isCompared, options: [false, true], word, commit, labelledBy: id, look: "segments" }).node,
      );
    });
    return el("div", { class: "lab-option" }, el("span", { id, class: "lab-option-name" }, this.#words.text("lab.sides")), place);
  }

  #compare(isCompared) {
    this.#isCompared = isCompared;
    this.#sides[1].node.hidden = !isCompared;
    this.#parts.sides.classList.toggle("is-compared", isCompared);
  }

  #runButton() {
    const button = el(
      "button",
      { type: "button", class: "primary run", on: { click: () => this.run() } },
      this.#words.text("lab.run"),
    );
    button.append(el("kbd", { text: "Ctrl+Enter", aria: { hidden: "true" } }));
    button.setAttribute("aria-keyshortcuts", "Control+Enter");
    return button;
  }

  #progress() {
    const bar = this.#words.put(el("progress"), "aria-label", "lab.running");
    const cancel = el(
      "button",
      { type: "button", class: "cancel", on: { click: () => this.#abort?.abort() } },
      this.#words.text("lab.cancel"),
    );
    return el("div", { class: "lab-progress", hidden: true }, bar, el("span", { class: "elapsed dim" }), cancel);
  }

  #key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    // A field commits on change; the shortcut commits it too.
    document.activeElement?.dispatchEvent(new Event("change", { bubbles: true }));
    this.run();
  }

  /** Deliver what was given; what is in the way of that is said. */
  async run() {
    if (this.#abort !== null) return;
    const given = this.#source.given;
    // With other settings, the same answer stays chosen.
    const last = this.#result?.given;
    const answer = last && last.text === given.text && last.file === given.file ? this.#result.answer : 1;
    this.#source.keep();
    if (given.text.trim() === "" && !given.file) {
      this.#problem(t("lab.nothing-given"));
      this.#source.focus();
      return;
    }
    if (this.#rateRefusal !== "") return;
    this.#problem("");
    await this.#rehearse(given, answer);
  }

  /** Deliver another answer of the last input; a running request is cancelled. */
  async #choose(answer) {
    if (this.#rateRefusal !== "") {
      this.#stayAtAnswer();
      return;
    }
    this.#abort?.abort();
    this.#problem("");
    await this.#rehearse(this.#result.given, answer, { isChosen: true });
  }

  async #rehearse(given, answer, { isChosen = false } = {}) {
    const sides = this.#sides.slice(0, this.#isCompared ? 2 : 1).map((side) => side.wanted);
    const asked = this.#asked.value.trim();
    const body = { ...given, rate: this.#rate, ...(asked ? { asked } : {}), ...(answer > 1 ? { answer } : {}), sides };
    const abort = new AbortController();
    const ended = this.#begin(abort);
    try {
      const made = await this.#api.post("/api/rehearse", body, { signal: abort.signal });
      const reels = [];
      for (const film of made.films) reels.push(await Reel.inSlices(await unpacked(film), abort.signal));
      this.#show({ ...made, given, reels, labels: sides.map(({ label }) => label) }, isChosen);
    } catch (error) {
      if (this.#abort !== abort) return; // another answer was chosen meanwhile
      this.#refused(abort.signal.aborted ? t("lab.cancelled") : error.message);
      if (isChosen) this.#stayAtAnswer();
    } finally {
      ended();
    }
  }

  /** Show that something is going on; gives what ends that. */
  #begin(abort) {
    this.#abort = abort;
    const { run, progress, status } = this.#parts;
    const began = performance.now();
    const tick = () => {
      progress.querySelector(".elapsed").textContent = t(
        "lab.in-seconds",
        { seconds: Math.floor((performance.now() - began) / A_SECOND) },
      );
    };
    tick();
    const ticking = setInterval(tick, A_SECOND);
    run.disabled = true;
    progress.hidden = false;
    status.textContent = t("lab.running");
    return () => {
      clearInterval(ticking);
      if (this.#abort !== abort) return;
      this.#abort = null;
      run.disabled = false;
      progress.hidden = true;
      status.textContent = "";
    };
  }

  #refused(sentence) {
    const name = /(?:setting|設定) '(\w+)'/.exec(sentence)?.[1];
    const isAtControl = name !== undefined && this.#sides.map((side) => side.refuse(name, sentence)).includes(true);
    this.#problem(isAtControl ? t("lab.setting-refused", { sentence }) : sentence);
  }

  #problem(sentence) {
    this.#parts.problem.textContent = sentence;
    this.#parts.problem.hidden = sentence === "";
  }

  #show(made, isChosen) {
    this.#result?.view.close();
    const place = el("div", { class: "lab-film" });
    const parts = { head: el("div", { class: "lab-result-head" }), place, figures: el("div") };
    this.#parts.result.replaceChildren(parts.head, place, parts.figures);
    this.#parts.result.hidden = false;
    const view = new FilmView(place, { films: made.reels, labels: made.labels, captions: [] });
    this.#result = { ...made, view, parts };
    this.#tellResult();
    if (isChosen) {
      this.#stayAtAnswer();
      return;
    }
    this.#parts.result.focus({ preventScroll: true });
    this.#parts.result.scrollIntoView({ block: "start" });
  }

  #tellResult() {
    if (this.#result === null) return;
    const { what, told, reels, labels, parts } = this.#result;
    const isKnown = KINDS_OF_SOURCE.includes(what);
    const kind = isKnown ? t(`lab.what-${what}`) : what;
    const share = el("button", { type: "button", class: "share", text: t("lab.share"), on: { click: () => this.#share(share) } });
    const taken = el(
      "p",
      { class: "taken-for" },
      el("span", { class: "lab-badge", text: kind }),
      isKnown ? el("span", { class: "dim", text: t(`lab.taken-${what}`) }) : null,
      told ? this.#detail(told) : null,
    );
    parts.head.replaceChildren(...[el("h3", { text: t("lab.result") }), taken, share, this.#answers()].filter(Boolean));
    parts.figures.replaceChildren(comparison(reels, labels));
  }

  /** Which answer it is, if what was given holds several; another can be chosen. */
  #answers() {
    const { answer, answers = [] } = this.#result;
    if (answers.length < 2) return null;
    const id = freshId("answer");
    const options = answers.map((begins, index) => {
      const text = t("lab.answer-number", { number: index + 1, begins: begins || t("lab.answer-silent") });
      return el("option", { value: index + 1, text, selected: index + 1 === answer });
    });
    const menu = el("select", { id, class: "answers", on: { change: () => this.#choose(Number(menu.value)) } }, ...options);
    const count = el("span", { class: "dim", text: t("lab.answers", { count: answers.length }) });
    return el("p", { class: "lab-answers" }, el("label", { htmlFor: id, text: t("lab.answer") }), menu, count);
  }

  /** Show which answer is chosen, and keep the focus on the list. */
  #stayAtAnswer() {
    this.#tellResult();
    this.#result.parts.head.querySelector(".answers")?.focus();
  }

  /** What the server says of it, which it does in English. */
  #detail(told) {
    const words = el("span", { class: "dim", text: told, lang: "en" });
    return el("details", { class: "taken-detail" }, el("summary", { text: t("lab.taken-detail") }), words);
  }

  async #share(button) {
    const { films, labels } = this.#result;
    button.disabled = true;
    try {
      save(await this.#api.download("/api/share", { films, labels, title: t("lab.share-title") }), "cadenza.html");
      this.#parts.status.textContent = t("lab.shared");
    } catch (error) {
      this.#problem(error.message);
    } finally {
      button.disabled = false;
    }
  }

  async #copy(toml) {
    const { copied, status } = this.#parts;
    const text = toml || t("lab.toml-empty");
    const area = el("textarea", { readOnly: true, rows: Math.min(text.split("\n").length, 12), value: text, spellcheck: false });
    area.setAttribute("aria-label", t("lab.toml"));
    const close = el(
      "button",
      { type: "button", class: "quiet", text: t("lab.close"), on: { click: () => (copied.hidden = true) } },
    );
    const said = el("span", { class: "dim" });
    copied.replaceChildren(el("div", { class: "lab-copied-head" }, el("b", { text: t("lab.toml") }), said, close), area);
    copied.hidden = false;
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = t("lab.copied");
    } catch {
      // A browser may forbid it: then it can be copied by hand.
      said.textContent = t("lab.copy-by-hand");
      area.select();
    }
    status.textContent = said.textContent;
  }
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  // The browser reads it after this, and does not say when it is done.
  setTimeout(() => URL.revokeObjectURL(address), A_MINUTE);
}
