// The elements of the composer, and how they look; what they do is in composer.js.

import { clear, el, icon } from "cadenza/dom.js";
import { CROSS, PLUS, SEND, STOP } from "cadenza/icons.js";
import { label } from "cadenza/labels.js";
import { onLanguage, t } from "cadenza/words.js";

const TALLEST = 0.4; // of the window

/** Everything that is seen of the composer. */
export class ComposerParts {
  #bar;
  #about;
  #count;
  #place = "";
  #people = [];

  /** @param {HTMLElement} root */
  constructor(root) {
    this.help = el("div", { class: "composer-help" });
    this.files = label(el("ul", { class: "attachments", hidden: true }), "live.files", "aria-label");
    this.field = el("textarea", { class: "composer-field", id: "composer", rows: 1, autocomplete: "off" });
    this.field.setAttribute("enterkeyhint", "send");
    this.field.setAttribute("aria-describedby", "composer-about command-hint");
    this.picker = el("input", { type: "file", multiple: true, hidden: true });
    this.attach = buttonOf("composer-attach quiet square", PLUS, "live.attach");
    this.cancel = buttonOf("quiet square", CROSS, "live.cancel");
    this.stop = buttonOf("composer-stop danger", STOP, "live.stop.about");
    this.stop.append(label(el("span", {}), "live.stop"));
    this.stop.hidden = true;
    this.send = buttonOf("composer-send primary square", SEND, "live.send");
    this.send.type = "submit";
    this.who = label(el("select", { class: "composer-who" }), "live.who", "aria-label");
    this.#about = el("span", { id: "composer-about" });
    this.#bar = el("div", { class: "composer-bar", hidden: true }, this.#about, this.cancel);
    this.#count = el("output", { class: "composer-count", hidden: true, htmlFor: "composer" });
    this.form = this.#form();
    root.append(this.help, this.#bar, this.files, this.form);
    onLanguage(() => this.#name());
  }

  #form() {
    const row = el("div", { class: "composer-row" }, this.attach, this.picker, this.field, this.#count);
    return el("form", { class: "composer-form", noValidate: true }, this.who, row, this.stop, this.send);
  }

  /** Where one writes. @param {string} name */
  setPlace(name) {
    this.#place = name;
    this.#name();
  }

  #name() {
    const words = t("live.write", { place: this.#place });
    this.field.placeholder = words;
    this.field.setAttribute("aria-label", words);
    this.#fillWho();
  }

  /** @param {object[]} people */
  setPeople(people) {
    this.#people = people;
    this.#fillWho();
  }

  #fillWho() {
    const chosen = this.who.value;
    const options = this.#people.map(({ id, name, is_me: isMe }) => {
      return el("option", { value: id, text: isMe ? t("live.you") : name });
    });
    clear(this.who).append(...options);
    const first = this.#people.find(({ is_me: isMe }) => isMe)?.id ?? "";
    this.who.value = this.#people.some(({ id }) => id === chosen) ? chosen : first;
    this.who.hidden = this.#people.length < 2;
  }

  /** What is being done to which message; empty is nothing. @param {string} words */
  setBar(words) {
    this.#bar.hidden = !words;
    if (this.#about.textContent !== words) this.#about.textContent = words;
  }

  /** How many characters are left; empty is many. @param {string} words @param {boolean} isTooLong */
  setCount(words, isTooLong) {
    this.#count.hidden = !words;
    this.#count.value = words;
    this.#count.classList.toggle("too-long", isTooLong);
    if (isTooLong) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }

  /** As tall as its text, up to a part of the window. */
  grow() {
    this.field.style.height = "";
    if (!this.field.value) return; // a hint that is too long makes no room for itself
    const most = window.innerHeight * TALLEST;
    this.field.style.height = `${Math.min(this.field.scrollHeight, most)}px`;
  }
}

function buttonOf(look, path, words) {
  const button = el("button", { type: "button", class: look }, icon(path));
  label(button, words, "title");
  return label(button, words, "aria-label");
}
