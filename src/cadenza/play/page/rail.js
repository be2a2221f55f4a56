// The left rail: channels and direct messages with what is unread, the views, language, theme and help.

import { el, icon } from "cadenza/dom.js";
import { CHAT, HELP, LAB, TOUR } from "cadenza/icons.js";
import { label } from "cadenza/labels.js";
import { remember, remembered } from "cadenza/preferences.js";
import { language, onLanguage, setLanguage, t } from "cadenza/words.js";

const THEMES = ["auto", "light", "dark"];
const VIEWS = [["chat", CHAT], ["tour", TOUR], ["lab", LAB]];

/** What is in the rail. */
export class Rail {
  #asked;
  #channels;
  #direct;
  #views = new Map();
  #rows = new Map();
  #drawn = "";

  /**
   * @param {HTMLElement} root
   * @param {object} asked
   * @param {(channel: string) => void} asked.onChannel
   * @param {(view: string) => void} asked.onView
   * @param {() => void} asked.onHelp
   */
  constructor(root, asked) {
    this.#asked = asked;
    this.#channels = label(el("ul", { class: "rail-list" }), "live.channels", "aria-label");
    this.#direct = label(el("ul", { class: "rail-list" }), "live.direct", "aria-label");
    const lists = [heading("live.channels"), this.#channels, heading("live.direct"), this.#direct];
    const places = el("div", { class: "rail-places" }, lists);
    root.append(this.#brand(), this.#viewList(), places, this.#foot());
    onLanguage(() => {
      this.#drawn = "";
    });
  }

  #brand() {
    const picture = el("img", { src: "/page/icon.svg", alt: "", width: 34, height: 34 });
    const words = label(el("span", { class: "dim" }), "live.playground");
    return el("p", { class: "rail-brand" }, picture, el("span", { class: "rail-words" }, el("b", { text: "Cadenza" }), words));
  }

  #viewList() {
    const items = VIEWS.map(([name, path]) => {
      const words = label(el("span", {}), `live.view.${name}`);
      const button = el("button", { type: "button", class: "rail-item" }, icon(path), words);
      button.addEventListener("click", () => this.#asked.onView(name));
      this.#views.set(name, button);
      return el("li", {}, button);
    });
    return label(el("ul", { class: "rail-list rail-views" }, ...items), "live.views", "aria-label");
  }

  #foot() {
    const help = el("button", { type: "button", class: "rail-item" }, icon(HELP), label(el("span", {}), "live.keys"));
    help.addEventListener("click", () => this.#asked.onHelp());
    return el("div", { class: "rail-foot" }, help, languageChoice(), themeChoice());
  }

  /** Mark *view* as the one that is shown. @param {string} view */
  setView(view) {
    for (const [name, button] of this.#views) markCurrent(button, name === view);
  }

  /**
   * Show the channels; only if anything about them is new.
   * @param {object[]} channels
   * @param {string|null} shown the channel that is looked at
   * @param {(id: string) => {count: number, pings: number}} unread
   */
  setChannels(channels, shown, unread) {
    const rows = channels.map((channel) => ({ ...channel, ...unread(channel.id), isShown: channel.id === shown }));
    const drawn = JSON.stringify(rows);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    // A row stays as long as its channel does: what is replaced between press and release is never clicked.
    const known = new Map(rows.map((row) => [row.id, this.#rows.get(row.id) ?? this.#newRow(row.id)]));
    this.#rows = known;
    for (const row of rows) drawRow(known.get(row.id), row);
    const isDirect = ({ sort }) => sort === "direct";
    const itemOf = ({ id }) => known.get(id).item;
    arrange(this.#channels, rows.filter((row) => !isDirect(row)).map(itemOf));
    arrange(this.#direct, rows.filter(isDirect).map(itemOf));
  }

  /** Give the focus to the channel that is shown. */
  focus() {
    const [current] = this.#channels.parentElement.querySelectorAll("[aria-current]");
    (current ?? this.#views.get("chat")).focus();
  }

  #newRow(id) {
    const sign = el("span", { class: "rail-sign", aria: { hidden: "true" } });
    const name = el("span", { class: "rail-name" });
    const shown = el("span", { aria: { hidden: "true" } });
    const words = el("span", { class: "visually-hidden" });
    const badge = el("span", {}, shown, words);
    const button = el("button", { type: "button", class: "rail-item", data: { channel: id } }, sign, name);
    button.addEventListener("click", () => this.#asked.onChannel(id));
    return { item: el("li", {}, button), button, sign, name, badge, shown, words };
  }
}

function drawRow({ item, button, sign, name, badge, shown, words }, channel) {
  const { count, pings } = channel;
  item.className = channel.sort === "thread" ? "rail-thread" : "";
  sign.textContent = signOf(channel);
  name.textContent = channel.name;
  markCurrent(button, channel.isShown);
  button.classList.toggle("is-unread", count > 0);
  badge.className = pings ? "rail-badge is-pinging" : "rail-badge";
  shown.textContent = count > 99 ? "99+" : String(count);
  words.textContent = t("live.unread", { count });
  if (!count) badge.remove();
  else if (!badge.parentElement) button.append(badge);
}

/** Make *items* the children of *list*; those in place are not touched. */
function arrange(list, items) {
  const wanted = new Set(items);
  for (const item of [...list.children]) if (!wanted.has(item)) item.remove();
  items.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
}

/** The sign in front of a channel's name. @param {{sort: string}} channel */
export function signOf({ sort }) {
  return { direct: "@", thread: "↳" }[sort] ?? "#";
}

function heading(key) {
  return label(el("h2", { class: "rail-heading" }), key);
}

function markCurrent(node, isCurrent) {
  if (isCurrent) node.setAttribute("aria-current", "true");
  else node.removeAttribute("aria-current");
}

function languageChoice() {
  const select = el("select", {}, el("option", { value: "en", text: "English" }), el("option", { value: "ja", text: "日本語" }));
  select.value = language();
  select.addEventListener("change", () => setLanguage(select.value));
  onLanguage((code) => {
    select.value = code;
  });
  return el("label", { class: "rail-choice" }, label(el("span", {}), "live.language"), select);
}

function themeChoice() {
  const select = el("select", {}, ...THEMES.map((theme) => label(el("option", { value: theme }), `live.theme.${theme}`)));
  select.value = remembered("theme", "auto");
  select.addEventListener("change", () => {
    remember("theme", select.value);
    applyTheme();
  });
  return el("label", { class: "rail-choice" }, label(el("span", {}), "live.theme"), select);
}

/** Show the page in the theme that was chosen, else in that of the system. */
export function applyTheme() {
  const theme = remembered("theme", "auto");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
