// The frame of the page: rail, stage and panel side by side; on a phone one of them at a time, with a bar below.

import { el, icon } from "cadenza/dom.js";
import { CHAT, INSIDE, MORE, PANEL, SETTINGS } from "cadenza/icons.js";
import { label } from "cadenza/labels.js";

const PHONE = matchMedia("(max-width: 819px)");
const TABS = ["inside", "settings", "discord"];
const BAR = [["chat", CHAT], ["inside", INSIDE], ["settings", SETTINGS], ["more", MORE]];

/** Where everything is. Its parts are elements that others fill. */
export class Shell {
  #root;
  #asked;
  #tabs = new Map();
  #bar = new Map();
  #toggle;
  #view = "chat";
  #tab = "inside";
  #screen = "stage";

  /**
   * @param {HTMLElement} root
   * @param {object} asked
   * @param {(view: string) => void} asked.onView a view is shown
   * @param {(tab: string) => void} asked.onTab a tab is shown
   * @param {(target: string) => void} asked.onSkip called to go to a part of the page
   */
  constructor(root, asked) {
    this.#root = root;
    this.#asked = asked;
    root.className = "live";
    this.parts = this.#made();
    root.append(this.#skips(), this.parts.rail, this.#stage(), this.#panel(), this.#phoneBar());
    PHONE.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  #made() {
    const part = (tag, look, props = {}) => el(tag, { class: look, ...props });
    return {
      rail: label(el("section", { class: "rail", id: "rail" }, pageTitle()), "live.rail", "aria-label"),
      title: part("h1", "room-title"),
      topic: part("p", "room-topic dim"),
      notice: part("div", "room-notice", { role: "status" }),
      welcome: part("div", "room-welcome", { hidden: true }),
      messages: part("div", "room-messages", { id: "messages" }),
      chips: part("div", "room-chips"),
      rewind: part("div", "room-rewind", { id: "rewind" }),
      composer: part("div", "room-composer"),
      tour: part("div", "view"),
      lab: part("div", "view"),
      inside: part("div", "tab-body"),
      settings: part("div", "tab-body"),
      discord: part("div", "tab-body"),
    };
  }

  #stage() {
    const { title, topic, notice, welcome, messages, chips, rewind, composer, tour, lab } = this.parts;
    const aria = { expanded: "true", controls: "panel" };
    this.#toggle = el("button", { type: "button", class: "quiet square room-toggle", aria }, icon(PANEL));
    label(this.#toggle, "live.panel", "aria-label");
    this.#toggle.addEventListener("click", () => this.#togglePanel());
    this.headButtons = el("div", { class: "room-buttons" }, this.#toggle);
    const head = el("header", { class: "room-head" }, el("div", { class: "room-names" }, title, topic), this.headButtons);
    this.room = el("section", { class: "room" }, head, notice, welcome, messages, chips, rewind, composer);
    label(this.room, "live.room", "aria-label");
    label(this.room, "live.drop", "data-drop");
    this.tour = label(el("section", { class: "pane", tabIndex: -1, hidden: true }, pageTitle(), tour), "live.view.tour", "aria-label");
    this.lab = label(el("section", { class: "pane", tabIndex: -1, hidden: true }, pageTitle(), lab), "live.view.lab", "aria-label");
    return el("main", { class: "stage", id: "stage" }, this.room, this.tour, this.lab);
  }

  #panel() {
    const list = label(el("div", { class: "tabs", role: "tablist" }), "live.panel", "aria-label");
    const bodies = TABS.map((name) => this.#tabMade(name, list));
    list.addEventListener("keydown", (event) => this.#tabKey(event));
    const title = label(el("h2", { class: "visually-hidden" }), "live.panel");
    const parts = [pageTitle(), title, list, ...bodies];
    this.panel = label(el("section", { class: "panel", id: "panel" }, ...parts), "live.panel", "aria-label");
    return this.panel;
  }

  #tabMade(name, list) {
    const aria = { controls: `body-${name}` };
    const tab = el("button", { type: "button", class: "tab", role: "tab", id: `tab-${name}`, aria });
    label(tab, `live.tab.${name}`);
    tab.addEventListener("click", () => this.showTab(name));
    list.append(tab);
    this.#tabs.set(name, tab);
    const body = this.parts[name];
    body.id = `body-${name}`;
    body.setAttribute("role", "tabpanel");
    body.setAttribute("aria-labelledby", tab.id);
    body.tabIndex = -1;
    return body;
  }

  #tabKey(event) {
    const at = TABS.indexOf(this.#tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (next === undefined || event.altKey || event.ctrlKey) return;
    event.preventDefault();
    this.showTab(TABS[(next + TABS.length) % TABS.length]);
    this.#tabs.get(this.#tab).focus();
  }

  #phoneBar() {
    const go = {
      chat: () => this.showView("chat"),
      inside: () => this.showTab("inside"),
      settings: () => this.showTab(this.#tab === "discord" ? "discord" : "settings"),
      more: () => this.showScreen("rail"),
    };
    const buttons = BAR.map(([name, path]) => {
      const words = label(el("span", {}), `live.bar.${name}`);
      const button = el("button", { type: "button", class: "bar-item", on: { click: go[name] } }, icon(path), words);
      this.#bar.set(name, button);
      return button;
    });
    return label(el("nav", { class: "bar" }, ...buttons), "live.bar", "aria-label");
  }

  #skips() {
    const link = (key, target) => {
      const skip = label(el("a", { class: "skip", href: `#${target}` }), key);
      skip.addEventListener("click", (event) => {
        event.preventDefault();
        this.#asked.onSkip(target);
      });
      return skip;
    };
    const skips = ["messages", "composer", "panel"].map((target) => link(`live.skip.${target}`, target));
    return el("div", { class: "skips" }, skips);
  }

  /** Whether one part is shown at a time. */
  get isPhone() {
    return PHONE.matches;
  }

  get view() {
    return this.#view;
  }

  get tab() {
    return this.#tab;
  }

  /** Whether what happens inside can be seen. */
  get isInsideSeen() {
    const isPanelSeen = this.isPhone ? this.#screen === "panel" : this.#view === "chat" && !this.panel.hidden;
    return isPanelSeen && this.#tab === "inside";
  }

  /** Whether the messages of the channel can be seen. */
  get isRoomSeen() {
    return this.#view === "chat" && (!this.isPhone || this.#screen === "stage");
  }

  /** Whether anything is unread in a channel that is not shown: a phone has no rail to say so. @param {boolean} hasUnread */
  set hasUnread(hasUnread) {
    this.#bar.get("more").classList.toggle("is-unread", hasUnread);
  }

  /** @param {"chat"|"tour"|"lab"} view */
  showView(view) {
    this.#view = view;
    this.#screen = "stage";
    this.#apply();
    this.#asked.onView(view);
  }

  /** @param {"inside"|"settings"|"discord"} tab */
  showTab(tab) {
    this.#tab = tab;
    this.#screen = "panel";
    // What is inside belongs to the chat; beside another view there is no room for it.
    if (!this.isPhone && this.#view !== "chat") this.showView("chat");
    this.panel.hidden = false;
    this.#apply();
    this.#asked.onTab(tab);
  }

  /** On a phone: which part is shown. @param {"rail"|"stage"|"panel"} screen */
  showScreen(screen) {
    this.#screen = screen;
    this.#apply();
  }

  /** Give the focus to the tab that is shown. */
  focusPanel() {
    this.showTab(this.#tab);
    this.#tabs.get(this.#tab).focus();
  }

  #togglePanel() {
    this.panel.hidden = !this.panel.hidden;
    this.#apply();
    this.#asked.onTab(this.#tab);
  }

  #apply() {
    const root = this.#root;
    root.dataset.view = this.#view;
    root.dataset.screen = this.#screen;
    root.classList.toggle("no-panel", this.panel.hidden);
    this.#toggle.setAttribute("aria-expanded", String(!this.panel.hidden));
    // On a phone what is shown is all there is to be seen, and not beside anything.
    const isAlone = (screen) => this.isPhone && this.#screen === screen;
    this.parts.rail.setAttribute("role", isAlone("rail") ? "main" : "navigation");
    this.panel.setAttribute("role", isAlone("panel") ? "main" : "complementary");
    this.room.hidden = this.#view !== "chat";
    this.tour.hidden = this.#view !== "tour";
    this.lab.hidden = this.#view !== "lab";
    for (const [name, tab] of this.#tabs) {
      const isShown = name === this.#tab;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      this.parts[name].hidden = !isShown;
    }
    for (const [name, button] of this.#bar) {
      if (name === this.#barItem()) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** The visible part of the bar. */
  #barItem() {
    if (this.#screen === "panel") return this.#tab === "inside" ? "inside" : "settings";
    return this.#screen === "stage" && this.#view === "chat" ? "chat" : "more";
  }
}

/** A heading for screen readers, for views without a channel name. */
function pageTitle() {
  return el("h1", { class: "visually-hidden page-title", text: "Cadenza" });
}
