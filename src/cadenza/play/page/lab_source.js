/** The input of the lab: a typed or pasted text, an example, or a file. */

import { base64 } from "cadenza/attachments.js";
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
const MOST_SHOWN = 200_000; // characters: a field with more of them makes the whole page slow

/** The text or the file; `onProblem(sentence)` gets errors, and an empty sentence when they are over. */
export class Source {
  #onProblem;
  #text;
  #rest = ""; // the rest of a text that is too long for the field
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
    this.#text.addEventListener("input", () => {
      if (this.#text.value === "") this.#leaveRest(); // clearing the field clears the rest too
    });
    window.addEventListener("pagehide", () => this.keep());
    this.#parts = {
      file: el("div", { class: "source-file", hidden: true }),
      rest: el("p", { class: "source-rest", role: "status", hidden: true }),
      back: this.#backButton(words),
    };
    const label = el("label", { class: "source-name", htmlFor: id }, words.text("lab.what-it-says"));
    const bar = el("div", { class: "source-bar" }, this.#examples(words), this.#chooser(words), this.#parts.back);
    const head = el("div", { class: "source-head" }, label, bar);
    this.node = el("div", { class: "source" }, head, this.#text, this.#parts.rest, this.#parts.file);
    this.#takeDrops();
    words.follow(() => this.#showFile());
  }

  /** What was given: a text, or a file with its name; a packed file is given as base64. */
  get given() {
    if (this.#file === null) return { text: this.#whole };
    const { name, packed, text } = this.#file;
    return { text, name, ...(packed === null ? {} : { file: packed }) };
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

  /** Take a file instead of the text; the text is kept. */
  async take(file) {
    if (file.size > LARGEST_FILE) {
      this.#onProblem(t("lab.file-too-large", { name: file.name, size: sizeOf(file.size), most: sizeOf(LARGEST_FILE) }));
      return;
    }
    try {
      const packed = (await isPacked(file)) ? await base64(file) : null;
      this.#file = { name: file.name, size: file.size, packed, text: packed === null ? await file.text() : "" };
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
    const { value, selectionStart, selectionEnd } = this.#text;
    this.#write(value.slice(0, selectionStart) + text + value.slice(selectionEnd) + this.#rest);
    const end = Math.min(selectionStart + text.length, this.#text.value.length);
    this.#text.setSelectionRange(end, end);
    this.keep();
  }

  /** All of the text, also what is not shown. */
  get #whole() {
    return this.#text.value + this.#rest;
  }

  /** Have *text* in the field, or as much of it as a field should hold, up to the end of a line if there is one. */
  #write(text) {
    const line = text.length > MOST_SHOWN ? text.lastIndexOf("\n", MOST_SHOWN) + 1 : text.length;
    const shown = line > MOST_SHOWN / 2 ? line : MOST_SHOWN;
    const isTorn = text.length > shown && isFirstHalf(text.charCodeAt(shown - 1));
    this.#text.value = text.slice(0, isTorn ? shown - 1 : shown);
    this.#rest = text.slice(isTorn ? shown - 1 : shown);
    this.#showRest();
  }

  #leaveRest() {
    this.#rest = "";
    this.#showRest();
  }

  #showRest() {
    const { rest } = this.#parts;
    rest.hidden = this.#rest === "" || this.#file !== null;
    if (rest.hidden) return;
    const remove = el(
      "button",
      { type: "button", class: "quiet", text: t("lab.remove-rest"), on: { click: () => this.#leaveRest() } },
    );
    rest.replaceChildren(el("span", { text: t("lab.rest", { size: sizeOf(new Blob([this.#rest]).size) }) }), remove);
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
    const before = this.#whole;
    const isOwn = before.trim() !== "" && !EXAMPLES.some((example) => Object.values(example.text).includes(before));
    if (isOwn) this.#replaced = before;
    this.#parts.back.hidden = this.#replaced === null;
    this.#file = null;
    this.#write(text);
    this.#onProblem("");
    this.#showFile();
    this.keep();
  }

  #backButton(words) {
    const button = el("button", { type: "button", class: "quiet", hidden: true }, words.text("lab.bring-back"));
    button.addEventListener("click", () => {
      if (this.#replaced !== null) this.#write(this.#replaced);
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
    this.#showRest();
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
    const preview = el("pre", { hidden: text === "", text: text.slice(0, PREVIEW) + (text.length > PREVIEW ? "\n…" : "") });
    this.#parts.file.replaceChildren(head, preview);
  }

  #leaveFile() {
    this.#file = null;
    this.#showFile();
    this.focus();
  }
}

/** Whether *file* begins as gzip does: packed films are that. */
async function isPacked(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Whether this is the first half of a character that is two units long. */
function isFirstHalf(unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? "";
  } catch {
    return "";
  }
}
