// Overlays: toasts, modals of the bot, the list of keys, and the quick switcher.

import { clear, el, icon } from "cadenza/dom.js";
import { CROSS } from "cadenza/icons.js";
import { activate } from "cadenza/listbox.js";
import { t } from "cadenza/words.js";

const SHOWN = 9000; // ms
const MOST = 3;

/** Sentences at the edge of the page that go away by themselves. */
export class Toasts {
  #root;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = el("div", { class: "toasts" });
    root.append(this.#root);
  }

  /** Something went wrong. @param {string} sentence */
  error(sentence) {
    this.#show(sentence, "alert");
  }

  /** Something is to be known. @param {string} sentence */
  note(sentence) {
    this.#show(sentence, "status");
  }

  #show(sentence, role) {
    while (this.#root.children.length >= MOST) this.#root.firstElementChild.remove();
    const toast = el("div", { class: "toast", role, data: { role } });
    const close = el("button", { type: "button", class: "quiet square", aria: { label: t("live.close") } }, icon(CROSS));
    close.addEventListener("click", () => toast.remove());
    this.#root.append(toast);
    // A live region tells what is put into it, so the words come after it.
    toast.append(el("p", { text: sentence }), close);
    fade(toast);
  }
}

/** Remove *toast* after a while, but not while it is hovered or focused. */
function fade(toast) {
  setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) fade(toast);
    else toast.remove();
  }, SHOWN);
}

/** Show *dialog* until it is closed; then restore the focus and remove it. */
function open(dialog) {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  // A press beside the dialog leaves it.
  dialog.addEventListener("mousedown", (event) => {
    if (event.target === dialog && isBeside(dialog, event)) dialog.close();
  });
  dialog.showModal();
  return dialog;
}

function isBeside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

function titled(title, ...children) {
  const close = el("button", { type: "button", class: "quiet square", aria: { label: t("live.close") } }, icon(CROSS));
  const heading = el("h2", { text: title, id: "dialog-title" });
  const head = el("div", { class: "dialog-head" }, heading, close);
  const dialog = el("dialog", { class: "live-dialog", aria: { labelledby: "dialog-title" } }, head, ...children);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}

/**
 * Show a form of the bot. It closes when *submit* has gone well; else its sentence is shown, and nothing is lost.
 * @param {{title: string, fields: object[]}} form
 * @param {(values: object) => Promise} submit
 */
export function openForm(form, submit) {
  const fields = (form.fields ?? []).map(fieldOf);
  const trouble = el("p", { class: "dialog-trouble", role: "alert" });
  const send = el("button", { class: "primary", text: t("live.form.send") });
  const body = el("form", { class: "dialog-form" }, ...fields.map(({ node }) => node), trouble, send);
  const dialog = titled(form.title || t("live.form"), body);
  body.addEventListener("submit", async (event) => {
    event.preventDefault();
    trouble.textContent = "";
    send.disabled = true;
    try {
      await submit(Object.fromEntries(fields.map(({ id, input }) => [id, input.value])));
      dialog.close();
    } catch (error) {
      trouble.textContent = error.message;
    } finally {
      send.disabled = false;
    }
  });
  open(dialog);
  fields[0]?.input.focus();
}

function fieldOf(field, index) {
  const name = `form-field-${index}`;
  const input = el(field.is_long ? "textarea" : "input", {
    id: name,
    value: field.value ?? "",
    placeholder: field.hint ?? "",
    required: Boolean(field.is_required),
  });
  if (field.least) input.minLength = field.least;
  if (field.most) input.maxLength = field.most;
  if (field.is_long) input.rows = 5;
  const words = field.is_required ? [field.label, " ", el("span", { class: "dim", text: `(${t("live.required")})` })] : [field.label];
  return { id: field.id, input, node: el("div", { class: "dialog-field" }, el("label", { htmlFor: name }, ...words), input) };
}

/**
 * Show which key does what.
 * @param {{keys: string[], about: string}[]} rows
 */
export function openKeys(rows) {
  const drawn = rows.map(({ keys, about }) => {
    const caps = keys.flatMap((key, index) => (index ? [" ", el("kbd", { text: key })] : [el("kbd", { text: key })]));
    return el("div", { class: "key-row" }, el("dt", {}, ...caps), el("dd", { text: about }));
  });
  open(titled(t("live.keys"), el("dl", { class: "keys" }, ...drawn)));
}

/**
 * Ask whether to do something that cannot be undone.
 * @param {string} question
 * @param {string} yes
 * @param {() => void} act
 */
export function confirmed(question, yes, act) {
  const go = el("button", { type: "button", class: "primary", text: yes });
  const dialog = titled(t("live.sure"), el("p", { text: question }), el("div", { class: "dialog-foot" }, go));
  go.addEventListener("click", () => {
    dialog.close();
    act();
  });
  open(dialog);
}

/**
 * Go to a channel or a view by a part of its name.
 * @param {{label: string, about: string, go: () => void}[]} places
 */
export function openJump(places) {
  new Jump(places).show();
}

class Jump {
  #navigation;
  #shown = [];
  #active = 0;
  #input;
  #list;
  #dialog;

  constructor(places) {
    this.#navigation = places;
    this.#list = el("ul", { id: "jump-list", class: "jump-list", role: "listbox", aria: { label: t("live.jump") } });
    this.#input = el("input", {
      role: "combobox",
      autocomplete: "off",
      placeholder: t("live.jump.hint"),
      aria: { label: t("live.jump.hint"), controls: "jump-list", expanded: "true", autocomplete: "list" },
    });
    this.#dialog = titled(t("live.jump"), this.#input, this.#list);
    this.#input.addEventListener("input", () => this.#filter());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => this.#choose([...this.#list.children].indexOf(event.target.closest("li"))));
  }

  show() {
    this.#filter();
    open(this.#dialog);
    this.#input.focus();
  }

  #filter() {
    const typed = this.#input.value.trim().toLowerCase();
    this.#shown = this.#navigation.filter(({ label }) => label.toLowerCase().includes(typed));
    clear(this.#list).append(
      ...this.#shown.map(({ label, about }, index) => {
        const words = [el("span", { text: label }), el("span", { class: "dim", text: about })];
        return el("li", { id: `jump-${index}`, role: "option" }, ...words);
      }),
    );
    this.#activate(0);
  }

  #key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const count = this.#shown.length;
    if (event.key === "ArrowDown" && count) this.#activate((this.#active + 1) % count);
    else if (event.key === "ArrowUp" && count) this.#activate((this.#active + count - 1) % count);
    else if (event.key === "Enter") this.#choose(this.#active);
    else return;
    event.preventDefault();
  }

  #activate(index) {
    this.#active = index;
    activate(this.#list, index, this.#input);
  }

  #choose(index) {
    const place = this.#shown[index];
    if (!place) return;
    // The focus goes where one jumps to, not back to where one was.
    this.#dialog.addEventListener("close", () => place.go(), { once: true });
    this.#dialog.close();
  }
}
