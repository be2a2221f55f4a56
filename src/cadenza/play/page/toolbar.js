/**
 * What can be done with a message. There is one toolbar in a channel: it goes to the message that is pointed at or
 * has the focus.
 */

import { el, icon } from "cadenza/dom.js";
import { t } from "cadenza/words.js";

const EMOJI = ["👍", "❤️", "😂", "😮", "🎉", "👀"];
const PATHS = {
  reply: "M10 7L4 12l6 5v-3.5c5 0 8 1.5 10 4.5 0-6-4-9.500-10-9.500z",
  react: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9 9.500v.5m6-.5v.5M8 14c1 1.600 2.400 2.500 4 2.500s3-.9 4-2.500",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  delete: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5m4-5v5",
  menus: "M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM14 14h5v5h-5z",
};

/** The toolbar of a channel; `actions` are those of `ChannelView`. */
export class Toolbar {
  #actions;
  #me;
  #message = null;

  constructor({ actions, me }) {
    this.#actions = actions;
    this.#me = me;
    this.node = el("div", { class: "toolbar", role: "toolbar" });
    // What is pressed here is no click on the message.
    this.node.addEventListener("click", (event) => event.stopPropagation());
    this.node.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Go to a message; `article` is its element. */
  goTo(message, article) {
    if (this.#message === message && this.node.parentNode === article) return;
    this.#message = message;
    this.node.setAttribute("aria-label", t("view.actions"));
    this.node.replaceChildren(...this.#buttons());
    article.append(this.node);
  }

  /** Be nowhere. */
  leave() {
    this.#message = null;
    this.node.remove();
  }

  /** Put the focus on the first button. */
  enter() {
    this.node.querySelector("button")?.focus();
  }

  #buttons() {
    const isMine = this.#message.author.id === this.#me && this.#me !== null;
    const { reply, react, edit, remove, menu, menus } = this.#actions;
    return [
      react && this.#list("react", EMOJI, (emoji) => t("view.react_with", { emoji }), (emoji) => react(this.#message, emoji, false)),
      reply && this.#button("reply", () => reply(this.#message)),
      edit && isMine && this.#button("edit", () => edit(this.#message)),
      remove && isMine && this.#button("delete", () => remove(this.#message)),
      menu && menus?.length > 0 && this.#list("menus", menus, (name) => name, (name) => menu(this.#message, name)),
    ].filter(Boolean);
  }

  #button(name, run) {
    const label = t(`view.${name}`);
    return el("button", { type: "button", class: "quiet square", title: label, aria: { label }, on: { click: run } }, icon(PATHS[name]));
  }

  /** A button that opens a row of further ones. */
  #list(name, values, label, run) {
    const items = values.map((value) => el("button", {
      type: "button",
      class: "quiet",
      aria: { label: label(value) },
      text: value,
      on: { click: () => { close(); run(value); } },
    }));
    const box = el("div", { class: `toolbar-list toolbar-${name}`, hidden: true }, items);
    const opener = this.#button(name, () => (box.hidden ? open() : close()));
    opener.setAttribute("aria-expanded", "false");
    const set = (isOpen) => {
      box.hidden = !isOpen;
      opener.setAttribute("aria-expanded", String(isOpen));
    };
    const open = () => { this.#closeAll(); set(true); items[0].focus(); };
    const close = () => { set(false); opener.focus(); };
    return el("div", { class: "toolbar-part" }, opener, box);
  }

  #closeAll() {
    for (const box of this.node.querySelectorAll(".toolbar-list")) box.hidden = true;
    for (const opener of this.node.querySelectorAll("[aria-expanded]")) opener.setAttribute("aria-expanded", "false");
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.#back(event);
    if (!step) {
      if (event.key !== "Escape" && event.key !== "Tab") event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.node.querySelectorAll("button")].filter((button) => button.offsetParent !== null);
    const next = buttons.indexOf(document.activeElement) + step;
    buttons[(next + buttons.length) % buttons.length]?.focus();
  }

  #back(event) {
    event.stopPropagation();
    const opened = this.node.querySelector('[aria-expanded="true"]');
    this.#closeAll();
    (opened ?? this.node.closest(".message"))?.focus();
  }
}
