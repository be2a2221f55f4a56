/** What the model is to say in the lab: a text that is typed or pasted, an example, or a file. Nothing is looked at here. */

import { el } from "cadenza/dom.js";
import { EXAMPLES } from "cadenza/examples.js";
import { sizeOf } from "cadenza/sizes.js";
import { inLanguage, language, t } from "cadenza/words.js";
import { freshId } from "cadenza/wording.js";

const KEPT_AS = "cadenza.lab.text";
const KEPT_CHARACTERS = 200_000;
const LARGEST_FILE = 8_000_000;
const PREVIEW = 1500;
const LARGE_PASTE = 20_000;

/** The text or the file; `onProblem(sentence)` hears what cannot be read, with an empty sentence when that is over. */
export class Source {
  #onProblem;
  #text;
  #file = null;
  #replaced = null;
  #parts;

  constructor({ words, onProblem }) {
    this.#onProblem = onProblem;
    const id = freshId("source");
    // Checking the spelling of a megabyte would take longer than everything else.
    this.#text = el("textarea", { id, class: "source-text", rows: 10, spellcheck: false, autocomplete: "off", value: kept() });
    words.put(this.#text, "placeholder", "lab.paste-here");
    this.#text.addEventListener("change", () => this.keep());
    this.#text.addEventListener("paste", (event) => this.#paste(event));
    window.addEventListener("pagehide", () => this.keep());
    this.#parts = { file: el("div", { class: "source-file", hidden: true }), back: this.#backButton(words) };
    const label = el("label", { class: "source-name", htmlFor: id }, words.text("lab.what-it-says"));
    const bar = el("div", { class: "source-bar" }, this.#examples(words), this.#chooser(words), this.#parts.back);
    this.node = el("div", { class: "source" }, el("div", { class: "source-head" }, label, bar), this.#text, this.#parts.file);
    this.#takeDrops();
    words.follow(() => this.#showFile());
  }

  /** What was given: its text, and the name of its file if it is one. */
  get given() {
    return this.#file ? { text: this.#file.text, name: this.#file.name } : { text: this.#text.value };
  }

  /** Put the cursor where something is to be written. */
  focus() {
    this.#text.focus();
  }

  /** Remember the text for as long as this window is open, if the browser lets us. */
  keep() {
    try {
      sessionStorage.setItem(KEPT_AS, this.#text.value.slice(0, KEPT_CHARACTERS));
    } catch {
      // Then it lasts as long as the page.
    }
  }

  /** Take a file instead of the text, which waits behind it. */
  async take(file) {
    if (file.size > LARGEST_FILE) {
      this.#onProblem(t("lab.file-too-large", { name: file.name, size: sizeOf(file.size), most: sizeOf(LARGEST_FILE) }));
      return;
    }
    try {
      this.#file = { name: file.name, size: file.size, text: await file.text() };
    } catch {
      this.#onProblem(t("lab.file-unreadable", { name: file.name }));
      return;
    }
    this.#onProblem("");
    this.#showFile();
  }

  /** Put a large text in as a whole: browsers put it in line by line, which takes minutes for a megabyte. */
  #paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length < LARGE_PASTE) return;
    event.preventDefault();
    this.#text.setRangeText(text, this.#text.selectionStart, this.#text.selectionEnd, "end");
    this.keep();
  }

  #examples(words) {
    const menu = el("select", { class: "examples" });
    words.put(menu, "aria-label", "lab.examples");
    words.follow(() => {
      const choices = EXAMPLES.map((example, index) => el("option", { value: index, text: inLanguage(example.title) }));
      menu.replaceChildren(el("option", { value: "", text: t("lab.examples") }), ...choices);
    });
    menu.addEventListener("change", () => {
      if (menu.value !== "") this.#put(EXAMPLES[Number(menu.value)].text[language()]);
      menu.value = "";
    });
    return menu;
  }

  #put(text) {
    const before = this.#text.value;
    const isOwn = before.trim() !== "" && !EXAMPLES.some((example) => Object.values(example.text).includes(before));
    if (isOwn) this.#replaced = before;
    this.#parts.back.hidden = this.#replaced === null;
    this.#file = null;
    this.#text.value = text;
    this.#onProblem("");
    this.#showFile();
    this.keep();
  }

  #backButton(words) {
    const button = el("button", { type: "button", class: "quiet", hidden: true }, words.text("lab.bring-back"));
    button.addEventListener("click", () => {
      this.#text.value = this.#replaced ?? this.#text.value;
      this.#replaced = null;
      button.hidden = true;
      this.keep();
    });
    return button;
  }

  #chooser(words) {
    const input = el("input", { type: "file", class: "visually-hidden", tabIndex: -1 });
    input.setAttribute("aria-hidden", "true");
    input.addEventListener("change", () => {
      if (input.files[0]) this.take(input.files[0]);
      input.value = "";
    });
    const button = el("button", { type: "button", on: { click: () => input.click() } }, words.text("lab.choose-file"));
    return el("span", {}, button, input);
  }

  #takeDrops() {
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    this.node.addEventListener("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      this.node.classList.add("is-target");
    });
    this.node.addEventListener("dragleave", () => this.node.classList.remove("is-target"));
    this.node.addEventListener("drop", (event) => {
      this.node.classList.remove("is-target");
      if (!isFile(event)) return;
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]);
    });
  }

  #showFile() {
    this.#text.hidden = this.#file !== null;
    this.#parts.file.hidden = this.#file === null;
    if (this.#file === null) return;
    const { name, size, text } = this.#file;
    const remove = el(
      "button",
      { type: "button", class: "quiet", text: t("lab.remove-file"), on: { click: () => this.#leaveFile() } },
    );
    const head = el(
      "div",
      { class: "source-file-head" },
      el("b", { text: name }),
      el("span", { class: "dim", text: sizeOf(size) }),
      remove,
    );
    this.#parts.file.replaceChildren(head, el("pre", { text: text.slice(0, PREVIEW) + (text.length > PREVIEW ? "\n…" : "") }));
  }

  #leaveFile() {
    this.#file = null;
    this.#showFile();
    this.focus();
  }
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? "";
  } catch {
    return "";
  }
}
