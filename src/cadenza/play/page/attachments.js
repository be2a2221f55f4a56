// Files that wait to be sent with the next message.

import { clear, el, icon } from "cadenza/dom.js";
import { CROSS } from "cadenza/icons.js";
import { sizeOf } from "cadenza/sizes.js";
import { t } from "cadenza/words.js";

const MOST_BYTES = 8 * 1024 * 1024; // in all
const MOST_FILES = 10; // as Discord has it

/** The row of files above the composer. */
export class Attachments {
  #root;
  #files = [];
  #asked;

  /**
   * @param {HTMLElement} root
   * @param {object} asked
   * @param {() => void} asked.onChange
   * @param {(sentence: string) => void} asked.refuse
   */
  constructor(root, asked) {
    this.#root = root;
    this.#asked = asked;
    this.#draw();
  }

  get isEmpty() {
    return this.#files.length === 0;
  }

  /** Take *files* along, as long as there is room. @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      const size = this.#files.reduce((sum, one) => sum + one.size, file.size);
      if (size > MOST_BYTES) this.#asked.refuse(t("live.files.large", { name: file.name }));
      else if (this.#files.length >= MOST_FILES) this.#asked.refuse(t("live.files.many", { most: MOST_FILES }));
      else this.#files.push(file);
    }
    this.#draw();
  }

  /** Hand over what is there; nothing is left. @returns {File[]} */
  take() {
    const taken = this.#files;
    this.#files = [];
    this.#draw();
    return taken;
  }

  #draw() {
    clear(this.#root).append(...this.#files.map((file) => this.#drawn(file)));
    this.#root.hidden = this.isEmpty;
    this.#asked.onChange();
  }

  #drawn(file) {
    const remove = () => {
      this.#files = this.#files.filter((one) => one !== file);
      this.#draw();
    };
    const aria = { label: t("live.files.remove", { name: file.name }) };
    return el(
      "li",
      { class: "attachment" },
      el("span", { class: "attachment-name", text: file.name, title: file.name }),
      el("span", { class: "dim", text: sizeOf(file.size) }),
      el("button", { type: "button", class: "quiet square", aria, on: { click: remove } }, icon(CROSS)),
    );
  }
}

/**
 * *files* as the server takes them.
 * @param {File[]} files
 * @returns {Promise<{name: string, data: string}[]>}
 */
export function encoded(files) {
  return Promise.all(files.map(async (file) => ({ name: file.name, data: await base64(file) })));
}

/** The content of *file*. @param {File} file @returns {Promise<string>} */
export function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(new Error(t("live.files.unread", { name: file.name }))));
    reader.readAsDataURL(file);
  });
}

/**
 * Take files that are dropped on *node*.
 * @param {HTMLElement} node
 * @param {(files: FileList) => void} onFiles
 */
export function listenToDrops(node, onFiles) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  node.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    node.classList.add("is-dropping");
  });
  node.addEventListener("dragleave", () => node.classList.remove("is-dropping"));
  node.addEventListener("drop", (event) => {
    node.classList.remove("is-dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    onFiles(event.dataTransfer.files);
  });
}
