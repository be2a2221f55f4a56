// Suggestions as buttons under a quiet channel, and the welcome for new users.

import { clear, el, icon } from "cadenza/dom.js";
import { CROSS, OTHER } from "cadenza/icons.js";
import { label } from "cadenza/labels.js";
import { remember, remembered } from "cadenza/preferences.js";
import { inLanguage, onLanguage } from "cadenza/words.js";

const AT_A_TIME = 4;

/** A few suggestions at a time; a press says one. */
export class Chips {
  #root;
  #list;
  #suggestions;
  #first = 0;
  #onSay;

  /**
   * @param {HTMLElement} root
   * @param {object[]} suggestions `{en, ja}` each
   * @param {(text: string) => void} onSay
   */
  constructor(root, suggestions, onSay) {
    this.#root = root;
    this.#suggestions = suggestions;
    this.#onSay = onSay;
    this.#list = label(el("ul", { class: "suggestions" }), "live.chips", "aria-label");
    const other = el("button", { type: "button", class: "quiet square" }, icon(OTHER));
    label(other, "live.chips.other", "aria-label");
    other.addEventListener("click", () => this.#turn());
    other.hidden = suggestions.length <= AT_A_TIME;
    root.append(this.#list, other);
    onLanguage(() => this.#draw());
    this.#draw();
  }

  /** @param {boolean} isShown */
  set isShown(isShown) {
    this.#root.hidden = !isShown || !this.#suggestions.length;
  }

  #turn() {
    this.#first = (this.#first + AT_A_TIME) % this.#suggestions.length;
    this.#draw();
  }

  #draw() {
    const count = Math.min(AT_A_TIME, this.#suggestions.length);
    const at = (index) => this.#suggestions[(this.#first + index) % this.#suggestions.length];
    const shown = Array.from({ length: count }, (_, index) => at(index));
    clear(this.#list).append(...shown.map((suggestion) => this.#chip(inLanguage(suggestion))));
  }

  #chip(text) {
    const say = () => {
      this.#turn();
      this.#onSay(text);
    };
    return el("li", {}, el("button", { type: "button", class: "suggestion", text, title: text, on: { click: say } }));
  }
}

/**
 * Greet a new user, without taking the focus.
 * @param {HTMLElement} root
 * @param {() => void} onTour
 * @param {() => void} onClose what had the focus is gone then
 */
export function welcome(root, onTour, onClose) {
  if (remembered("welcomed")) return;
  const leave = () => {
    remember("welcomed", "yes");
    root.hidden = true;
  };
  const tour = label(el("button", { type: "button", class: "primary" }), "live.welcome.tour");
  tour.addEventListener("click", () => {
    leave();
    onTour();
  });
  const close = el("button", { type: "button", class: "quiet square" }, icon(CROSS));
  close.addEventListener("click", () => {
    leave();
    onClose();
  });
  label(close, "live.welcome.close", "aria-label");
  const words = el("div", {}, label(el("h2", {}), "live.welcome"), label(el("p", {}), "live.welcome.about"));
  root.append(words, el("div", { class: "welcome-buttons" }, tour, close));
  root.hidden = false;
}
