/**
 * A channel as people see it. Only what changed is touched, so that a long channel costs no more than a short one.
 */

import { dayOf } from "cadenza/dates.js";
import { clear, el } from "cadenza/dom.js";
import { dots, messageNode } from "cadenza/message.js";
import { Toolbar } from "cadenza/toolbar.js";
import { onLanguage, t } from "cadenza/words.js";
import "cadenza/words_view.js";

const GROUPED_MS = 7 * 60 * 1000;
const NEAR_BOTTOM = 32; // pixels
const MOST_SPARE = 3000; // messages that are kept for going forward again
const MOST_READ_OUT = 3; // more messages at once are a film that was opened, not a conversation

/** A channel, in `root`. */
export class ChannelView {
  #rows = new Map(); // id → {message, isHead, day, node, article}
  #spare = new Map(); // those that are not shown at this time
  #order = []; // ids as they stand
  #shown = { channel: null, messages: null, typing: "", time: 0 };
  #state = null;
  #selected = null;
  #marked = new Set();
  #focusable = null;
  #isAtBottom = true;
  #unread = 0;
  #options;
  #toolbar;

  /**
   * @param {HTMLElement} root
   * @param {{label?: string, me?: string|null, onSelect?: (id: string|null) => void, actions?: object|null}} [options]
   * `actions` (`null` where a film is only looked at) are `reply(message)`, `react(message, emoji, isMine)`,
   * `edit(message)`, `remove(message)`, `press(message, component)`, `choose(message, component, values)`,
   * `menu(message, name)` and `menus`, the names for it
   */
  constructor(root, { label = "", me = null, onSelect = () => {}, actions = null } = {}) {
    this.#options = { label, me, onSelect, actions };
    this.#toolbar = actions && new Toolbar({ actions, me });
    this.root = root;
    this.list = el("ol", { class: "messages" });
    this.empty = el("p", { class: "nothing dim" });
    this.log = el("div", { class: "log", role: "log", aria: { live: "off", relevant: "additions" } }, this.empty, this.list);
    this.pill = el("button", { type: "button", class: "primary unread", hidden: true });
    this.typing = el("div", { class: "typing" });
    root.classList.add("channel");
    root.append(el("div", { class: "log-frame" }, this.log, this.pill), this.typing);
    this.#listen();
    this.#say();
  }

  /** Show a channel as it is in a state of a `Reel`. */
  show(state, channelId) {
    const messages = state.messages.get(channelId) ?? [];
    this.#state = state;
    if (channelId !== this.#shown.channel) this.#begin(channelId);
    if (messages !== this.#shown.messages) this.#update(messages, state.time);
    this.#showTyping(state.typing.get(channelId) ?? []);
    this.#shown.time = state.time;
  }

  /** Select a message, or none with `null`, without an event. */
  select(id) {
    if (id === this.#selected) return;
    this.#paintSelected(false);
    this.#selected = id;
    this.#paintSelected(true);
    if (id !== null && this.#rows.has(id)) this.#reveal(id);
  }

  /** Lift some messages out, instead of those that were. */
  mark(ids) {
    for (const id of this.#marked) this.#rows.get(id)?.article.classList.remove("is-marked");
    this.#marked = new Set(ids);
    for (const id of this.#marked) this.#rows.get(id)?.article.classList.add("is-marked");
  }

  /** Go to the newest message. */
  toNewest() {
    this.#isAtBottom = true;
    this.#follow();
    this.#setUnread(0);
  }

  /** Go to a message and put the focus on it. */
  goTo(id) {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#reveal(id);
    this.#focus(id);
    row.article.classList.remove("is-flashed");
    requestAnimationFrame(() => row.article.classList.add("is-flashed"));
  }

  /** Let go of everything. */
  close() {
    this.#unlisten();
    this.resizing.disconnect();
    clear(this.root);
  }

  #unlisten = () => {};

  #listen() {
    this.#unlisten = onLanguage(() => this.#inOtherWords());
    this.log.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.pill.addEventListener("click", () => this.toNewest());
    this.list.addEventListener("click", (event) => this.#clicked(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("focusin", (event) => this.#pointed(event.target, true));
    this.list.addEventListener("pointerover", (event) => this.#pointed(event.target, false));
    this.list.addEventListener("pointerleave", () => this.#unpointed());
    // A picture that comes, or a keyboard that goes up, must not push the newest message out of sight.
    this.resizing = new ResizeObserver(() => this.#isAtBottom && this.#follow());
    this.resizing.observe(this.log);
    this.resizing.observe(this.list);
  }

  #say() {
    const { label } = this.#options;
    this.log.setAttribute("aria-label", label ? t("view.messages", { channel: label }) : t("view.messages_here"));
    this.empty.textContent = t("view.empty");
  }

  /** Redraw everything: every message has words and dates. */
  #inOtherWords() {
    this.#say();
    const { channel } = this.#shown;
    if (this.#state === null) return;
    this.#begin(channel);
    this.show(this.#state, channel);
  }

  #begin(channel) {
    this.#toolbar?.leave();
    this.#rows.clear();
    this.#spare.clear();
    this.#order = [];
    clear(this.list);
    this.#shown = { channel, messages: null, typing: null, time: 0 };
    this.#focusable = null;
    this.#isAtBottom = true;
    this.#setUnread(0);
  }

  #update(messages, time) {
    const isFirst = this.#shown.messages === null;
    const isBack = time < this.#shown.time;
    const known = new Set(this.#order);
    const added = messages.filter((message) => !known.has(message.id));
    const isQuiet = isFirst || isBack || added.length > MOST_READ_OUT;
    this.log.setAttribute("aria-live", isQuiet ? "off" : "polite");
    this.#takeOut(messages);
    this.#putIn(messages);
    this.#shown.messages = messages;
    this.empty.hidden = messages.length > 0;
    this.#keepFocusable();
    if (this.#isAtBottom) this.#follow();
    else this.#setUnread(isBack ? 0 : this.#unread + added.length);
  }

  #takeOut(messages) {
    const kept = new Set(messages.map((message) => message.id));
    for (const [id, row] of this.#rows) {
      if (kept.has(id)) continue;
      if (row.article.contains(this.#toolbar?.node)) this.#toolbar.leave();
      row.node.remove();
      this.#rows.delete(id);
      this.#spare.set(id, row);
    }
    if (this.#spare.size > MOST_SPARE) this.#spare.clear();
  }

  #putIn(messages) {
    let before = null;
    let place = this.list.firstChild;
    for (const message of messages) {
      const row = this.#row(message, before);
      if (row.node === place) place = place.nextSibling;
      else this.list.insertBefore(row.node, place);
      before = message;
    }
    this.#order = messages.map((message) => message.id);
  }

  /** The row of a message: the one that is there, unless something about it is another. */
  #row(message, before) {
    const old = this.#rows.get(message.id) ?? this.#takeSpare(message);
    if (old?.message === message && old.before === before) return old;
    const isHead = startsGroup(message, before);
    const day = before === null || isOtherDay(message, before) ? dayOf(message.time) : "";
    if (old?.message === message && old.isHead === isHead && old.day === day) {
      old.before = before;
      return old;
    }
    return this.#make(message, { before, isHead, day }, old);
  }

  /** A row that was shown before and is wanted again; what was chosen meanwhile is not known to it. */
  #takeSpare(message) {
    const row = this.#spare.get(message.id);
    if (row?.message !== message) return undefined;
    this.#spare.delete(message.id);
    this.#rows.set(message.id, row);
    this.#paint(message.id, row.article);
    return row;
  }

  #make(message, { before, isHead, day }, old) {
    const article = messageNode(message, {
      isHead,
      me: this.#options.me,
      actions: this.#options.actions,
      onJump: (id) => this.goTo(id),
      choicesOf: (sort) => this.#choicesOf(sort),
    });
    const divider = day && el("div", { class: "day", role: "separator" }, el("span", { text: day }));
    const row = { message, before, isHead, day, article, node: old?.node ?? el("li", { class: "row" }) };
    const hadFocus = old?.article.contains(document.activeElement) === true;
    const hadToolbar = old?.article.contains(this.#toolbar?.node) === true;
    if (old) keepRevealed(old.article, article);
    row.node.replaceChildren(...(divider ? [divider, article] : [article]));
    this.#rows.set(message.id, row);
    this.#paint(message.id, article);
    if (hadToolbar) this.#toolbar.goTo(message, article);
    if (hadFocus) article.focus({ preventScroll: true });
    return row;
  }

  /** The options of a menu of people or channels. */
  #choicesOf(sort) {
    const { people, channels } = this.#state;
    const found = new Map([["users", people], ["mentionables", people], ["channels", channels]]).get(sort);
    return [...(found?.values() ?? [])].map(({ id, name }) => ({ value: id, label: name }));
  }

  #paint(id, article) {
    article.classList.toggle("is-marked", this.#marked.has(id));
    article.classList.toggle("is-selected", id === this.#selected);
    if (id === this.#selected) article.setAttribute("aria-current", "true");
    else article.removeAttribute("aria-current");
    article.tabIndex = id === this.#focusable ? 0 : -1;
  }

  #paintSelected(isSelected) {
    const article = this.#rows.get(this.#selected)?.article;
    article?.classList.toggle("is-selected", isSelected);
    if (isSelected) article?.setAttribute("aria-current", "true");
    else article?.removeAttribute("aria-current");
  }

  /** One message is reached by Tab: the one last visited, else the newest. */
  #keepFocusable() {
    const isThere = this.#focusable !== null && this.#rows.has(this.#focusable);
    const isVisited = isThere && (this.#focusable === this.#selected || this.list.contains(document.activeElement));
    if (!isVisited) this.#setFocusable(this.#order.at(-1) ?? null);
  }

  #setFocusable(id) {
    if (id === this.#focusable) return;
    const [old, article] = [this.#rows.get(this.#focusable)?.article, this.#rows.get(id)?.article];
    if (old) old.tabIndex = -1;
    if (article) article.tabIndex = 0;
    this.#focusable = id;
  }

  #focus(id) {
    this.#setFocusable(id);
    this.#rows.get(id)?.article.focus({ preventScroll: true });
  }

  #reveal(id) {
    this.#rows.get(id)?.article.scrollIntoView({ block: "nearest" });
  }

  #choose(id) {
    this.select(id);
    this.#options.onSelect(id);
  }

  #clicked(event) {
    const article = event.target.closest(".message");
    const isOther = event.target.closest("a, button, select, input, [role=button]") !== null;
    // A text selection is for copying, not a click.
    if (article === null || isOther || String(window.getSelection()) !== "") return;
    const { id } = article.dataset;
    this.#setFocusable(id);
    this.#choose(id === this.#selected ? null : id);
  }

  #key(event) {
    const article = event.target.closest(".message");
    if (article === null || event.target !== article || event.altKey || event.ctrlKey || event.metaKey) return;
    this.#offer(article); // the mouse may have called it away
    const { id } = article.dataset;
    const at = this.#order.indexOf(id);
    const goal = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.#order.length - 1 }[event.key];
    if (goal !== undefined) this.#step(this.#order[Math.max(0, Math.min(goal, this.#order.length - 1))]);
    else if (event.key === "Enter") this.#choose(id);
    else if (event.key === "Escape" && this.#selected !== null) this.#choose(null);
    else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) this.#toolbar?.enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(id) {
    this.#focus(id);
    this.#reveal(id);
    this.#choose(id);
  }

  #pointed(target, isFocus) {
    const article = target.closest(".message");
    if (article === null || (isFocus && target !== article)) return;
    if (isFocus) this.#setFocusable(article.dataset.id);
    if (this.#toolbar?.node.contains(document.activeElement) !== true) this.#offer(article);
  }

  /** Say what can be done with a message. */
  #offer(article) {
    const message = this.#rows.get(article.dataset.id)?.message;
    if (message && message.system === null && !message.is_private) this.#toolbar?.goTo(message, article);
    else this.#toolbar?.leave();
  }

  #unpointed() {
    if (!this.#toolbar || this.#toolbar.node.contains(document.activeElement)) return;
    const focused = document.activeElement?.closest?.(".message");
    if (focused && this.list.contains(focused)) this.#pointed(focused, true);
    else this.#toolbar.leave();
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.log;
    this.#isAtBottom = scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM;
    if (this.#isAtBottom) this.#setUnread(0);
  }

  #follow() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #setUnread(count) {
    this.#unread = count;
    this.pill.hidden = count === 0;
    this.pill.textContent = count === 0 ? "" : `${t("view.new", { count })} ↓`;
    this.pill.title = t("view.newest");
  }

  #showTyping(people) {
    const names = people.map((person) => person.name);
    const line = typingLine(names);
    if (line === this.#shown.typing) return;
    this.#shown.typing = line;
    clear(this.typing);
    if (line) this.typing.append(dots(), el("span", { text: line }));
  }
}

/** Revealed spoilers stay revealed when the message changes, if it has as many. */
function keepRevealed(old, fresh) {
  for (const [covered, all] of [[".spoiler[role]", ".spoiler"], [".is-covered", ".picture"]]) {
    const [before, after] = [old.querySelectorAll(all), fresh.querySelectorAll(all)];
    if (before.length !== after.length) continue;
    after.forEach((node, index) => node.matches(covered) && !before[index].matches(covered) && node.click());
  }
}

/** Whether a message begins a group, and shows its author. */
function startsGroup(message, before) {
  if (before === null || before.system !== null || message.system !== null) return true;
  if (message.reply !== null || message.command !== null || isOtherDay(message, before)) return true;
  if (message.is_private !== before.is_private) return true;
  const [a, b] = [message.author, before.author];
  const isSame = a.id === b.id && a.name === b.name && a.avatar === b.avatar;
  return !isSame || Date.parse(message.time) - Date.parse(before.time) > GROUPED_MS;
}

function isOtherDay(message, before) {
  return new Date(message.time).toDateString() !== new Date(before.time).toDateString();
}

function typingLine(names) {
  const [a, b, c] = names;
  switch (names.length) {
    case 0: return "";
    case 1: return t("view.typing_one", { a });
    case 2: return t("view.typing_two", { a, b });
    case 3: return t("view.typing_three", { a, b, c });
    default: return t("view.typing_many");
  }
}
