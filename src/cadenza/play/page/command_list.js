// The list above the composer while a command is typed: what could come next, and what the command wants.

import { clear, el } from "cadenza/dom.js";
import { nextOf, offersOf, othersOf, readLine } from "cadenza/commands.js";
import { label } from "cadenza/labels.js";
import { activate } from "cadenza/listbox.js";
import { t } from "cadenza/words.js";

const SOON = 150; // ms after the last key before the bot is asked for suggestions
const MOST = 50; // offers in the list at a time
const LIST = "command-list";
const HINT = "command-hint";

/** The list of commands, options and values, for a field that it does not own. */
export class CommandList {
  #field;
  #asked;
  #list;
  #hint;
  #count;
  #commands = [];
  #line = null;
  #stage = "";
  #offers = [];
  #active = -1;
  #isClosed = false; // by Escape, until something else is typed
  #asking = null;
  #question = 0;

  /**
   * @param {HTMLElement} root
   * @param {HTMLTextAreaElement} field
   * @param {object} asked
   * @param {() => {people: object[], channels: object[]}} asked.known
   * @param {(command: string, option: string, text: string, others: object) => Promise<object[]>} asked.suggest
   */
  constructor(root, field, asked) {
    this.#field = field;
    this.#asked = asked;
    // A long list scrolls, so it can be gone to; a browser may let one go there anyway.
    this.#list = el("ul", { class: "command-list", id: LIST, role: "listbox", tabIndex: 0, hidden: true });
    label(this.#list, "live.commands", "aria-label");
    this.#hint = el("p", { class: "command-hint", id: HINT, hidden: true });
    this.#count = el("p", { class: "visually-hidden", role: "status" });
    root.append(this.#list, this.#hint, this.#count);
    // A press must not take the focus away from the field.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    this.#list.addEventListener("focus", () => this.#activate(Math.max(this.#active, 0)));
    this.#list.addEventListener("keydown", (event) => this.#keyThere(event));
  }

  /** @param {object[]} commands */
  set commands(commands) {
    this.#commands = commands;
    this.update();
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  /** What the field holds, if it is a command. */
  get line() {
    return this.#line;
  }

  /** Something was typed. */
  update() {
    const text = this.#field.value;
    this.#isClosed = false;
    this.#question += 1;
    clearTimeout(this.#asking);
    this.#line = readLine(text, this.#commands);
    if (!this.#line) return this.#show([]);
    // In the middle of a line nothing is offered: it would be put at the end.
    if (this.#field.selectionEnd < text.trimEnd().length) return this.#show([]);
    const next = nextOf(this.#line, text, this.#commands, this.#known());
    this.#stage = next.stage;
    if (next.offers === null) this.#ask(next, text);
    else this.#show(next.offers, next.typed);
    return undefined;
  }

  /**
   * A key that may be for the list.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it was
   */
  key(event) {
    if (event.key === "Tab" && !event.shiftKey && !this.isOpen) return this.#nextRequired();
    if (!this.isOpen) return false;
    switch (event.key) {
      case "ArrowDown":
        return this.#move(1);
      case "ArrowUp":
        return this.#move(-1);
      case "Tab":
        return !event.shiftKey && this.#choose(Math.max(this.#active, 0));
      case "Enter":
        return !event.shiftKey && !this.#isWhole() && this.#choose(this.#active);
      case "Escape":
        this.#isClosed = true;
        this.#show([]);
        return true;
      default:
        return false;
    }
  }

  #known() {
    return { ...this.#asked.known(), yes: t("live.yes"), no: t("live.no") };
  }

  /** Whether Enter sends: the command is complete, and the chosen option is already in the field. */
  #isWhole() {
    if (!this.#line.command || this.#line.missing.length) return false;
    const offer = this.#offers[this.#active];
    return !offer || offer.text.trim() === this.#field.value.trim();
  }

  #ask({ option, typed }, text) {
    const question = this.#question;
    const line = this.#line;
    this.#show([]);
    this.#asking = setTimeout(async () => {
      const values = await this.#asked.suggest(line.command.name, option.name, typed, othersOf(line)).catch(() => []);
      if (question === this.#question && !this.#isClosed) this.#show(offersOf(line, text, values), typed);
    }, SOON);
  }

  #nextRequired() {
    const next = this.#line?.missing.find((option) => !this.#line.given.some((one) => one.option === option));
    if (!next || !this.#line.given.length) return false;
    this.#put(`${this.#field.value.trimEnd()} ${next.name}:`);
    return true;
  }

  #choose(index) {
    const offer = this.#offers[index];
    if (!offer) return false;
    this.#put(offer.text);
    return true;
  }

  #put(text) {
    this.#field.value = text;
    this.#field.setSelectionRange(text.length, text.length);
    this.#field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #move(by) {
    const count = this.#offers.length;
    this.#activate(this.#active < 0 && by < 0 ? count - 1 : (this.#active + by + count) % count);
    return true;
  }

  #clicked(event) {
    const index = [...this.#list.children].indexOf(event.target.closest("li"));
    if (this.#choose(index)) this.#field.focus();
  }

  /** In the list itself the keys do what they do in the field; what is chosen, or left, leads back to that. */
  #keyThere(event) {
    const isOurs = event.key === "Enter" ? this.#choose(this.#active) : this.key(event);
    if (!isOurs) return;
    event.preventDefault();
    if (!event.key.startsWith("Arrow")) this.#field.focus();
  }

  #show(offers, typed = "") {
    this.#offers = offers.slice(0, MOST);
    clear(this.#list);
    this.#list.append(...this.#offers.map((offer, index) => drawn(offer, index)));
    this.#list.hidden = this.#offers.length === 0;
    this.#combine();
    // Where nothing has to follow, Enter sends: so nothing is chosen beforehand.
    const mustFollow = this.#stage !== "option" || typed !== "" || (this.#line?.missing.length ?? 0) > 0;
    this.#activate(this.isOpen && mustFollow ? 0 : -1);
    this.#explain();
    this.#count.textContent = this.isOpen ? t("live.offers", { count: this.#offers.length }) : "";
  }

  /** The field has a list only while it holds a command. A multi-line field must not be a combobox. */
  #combine() {
    const field = this.#field;
    const attributes = { "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": LIST };
    for (const [name, value] of Object.entries(attributes)) {
      if (this.#line) field.setAttribute(name, value);
      else field.removeAttribute(name);
    }
  }

  #activate(index) {
    this.#active = index;
    activate(this.#list, index, this.#field, this.#list);
  }

  /** What the command wants, in a line: what is given, what is being given, what is still needed. */
  #explain() {
    const line = this.#line;
    const command = line?.command;
    clear(this.#hint);
    this.#hint.hidden = !command;
    if (!command) return;
    const current = line.given.at(-1)?.option;
    const options = command.options.map((option) => optionDrawn(option, line, current));
    const about = current && this.#stage === "value" ? current.about : command.about;
    this.#hint.append(el("b", { text: `/${command.name}` }), " ", ...options, el("span", { class: "command-about", text: about }));
  }
}

function drawn(offer, index) {
  const needed = offer.isRequired ? [el("span", { class: "command-needed", text: t("live.required") })] : [];
  return el(
    "li",
    { id: `${LIST}-${index}`, role: "option", aria: { selected: "false" } },
    el("span", { class: "command-name", text: offer.label }),
    el("span", { class: "command-about", text: offer.about }),
    ...needed,
  );
}

function optionDrawn(option, line, current) {
  const isGiven = line.given.some((one) => one.option === option && one.value.trim());
  const isMissing = line.missing.includes(option);
  const state = option === current ? "current" : isGiven ? "given" : isMissing ? "missing" : "free";
  const words = isMissing ? `${option.name} (${t("live.required")})` : option.name;
  return el("span", { class: "command-option", data: { state }, text: words });
}
