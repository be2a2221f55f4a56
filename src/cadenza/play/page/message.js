/**
 * One message as an element: author, time, reply and content.
 */

import { attachments, embeds } from "cadenza/extras.js";
import { clock, written } from "cadenza/dates.js";
import { el, icon, ownAddress } from "cadenza/dom.js";
import { components, reactions } from "cadenza/components.js";
import { isOnlyEmoji, markup } from "cadenza/markup.js";
import { locale, t } from "cadenza/words.js";

const HUES = 12; // colours for people without an avatar
const SILENT = "M3 3l18 18M10 5.3A6 6 0 0 1 18 11v4l2 2H8M6 9v6l-2 2h4M10 20a2 2 0 0 0 4 0";

/**
 * A message as an element.
 * @param {object} message with nothing missing, see complete.js
 * @param {{isHead: boolean, me: string|null, actions: object|null, onJump: (id: string) => void,
 *   choicesOf: (sort: string) => object[]}} view `isHead` is whether it begins a group, and so shows its author;
 * `choicesOf` are the people or channels that a menu offers
 * @returns {HTMLElement}
 */
export function messageNode(message, view) {
  const isPinging = message.pings.includes("everyone") || (view.me !== null && message.pings.includes(view.me));
  const article = el("article", {
    class: "message",
    tabIndex: -1,
    data: { id: message.id },
    aria: { label: `${message.author.name}, ${clock(message.time)}` },
  });
  article.classList.toggle("is-head", view.isHead);
  article.classList.toggle("is-pinging", isPinging);
  article.classList.toggle("is-private", message.is_private === true);
  if (message.system !== null) article.append(...systemLine(message));
  else article.append(...[above(message, view), margin(message, view), body(message, view)].filter(Boolean));
  return article;
}

/**
 * An avatar: a picture, or the first letter of the name on a colour.
 * @param {{name: string, avatar: string|null}} person
 */
function avatar(person) {
  const address = ownAddress(person.avatar);
  if (address !== null) return el("img", { class: "avatar", alt: "", src: address, loading: "lazy", decoding: "async" });
  const [first = "?"] = new Intl.Segmenter(locale()).segment(String(person.name ?? "").trim() || "?");
  const initial = el("span", { class: "avatar initial", text: (first.segment ?? "?").toUpperCase(), aria: { hidden: "true" } });
  initial.style.setProperty("--hue", String(hue(String(person.name ?? ""))));
  return initial;
}

function hue(name) {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)) % 997;
  return (sum % HUES) * (360 / HUES);
}

function when(message) {
  const date = new Date(message.time);
  if (Number.isNaN(date.getTime())) return null;
  const title = written(date, { dateStyle: "full", timeStyle: "medium" });
  return el("time", { class: "when", dateTime: date.toISOString(), title, text: clock(message.time) });
}

/** The line above a message: what it answers, or the command that it answers. */
function above(message, view) {
  if (message.reply !== null) return replyLine(message.reply, view);
  return message.command === null ? null : commandLine(message.command);
}

function replyLine(reply, view) {
  const id = typeof reply.id === "string" ? reply.id : null;
  if (id === null) return el("div", { class: "above" }, el("em", { class: "dim", text: t("view.reply_gone") }));
  const name = String(reply.name ?? "");
  const text = String(reply.text ?? "").replace(/\s+/g, " ") || t("view.reply_nothing");
  const button = el(
    "button",
    { type: "button", class: "reply-line", aria: { label: t("view.reply_to", { name, text }) } },
    avatar({ name, avatar: reply.avatar }),
    el("strong", { text: name }),
    el("span", { class: "reply-text", text }),
  );
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    view.onJump(id);
  });
  return el("div", { class: "above" }, button);
}

function commandLine(command) {
  const who = typeof command.who === "object" && command.who !== null ? command.who : { name: String(command.who ?? "") };
  return el(
    "div",
    { class: "above" },
    avatar({ name: String(who.name ?? ""), avatar: who.avatar }),
    el("strong", { text: String(who.name ?? "") }),
    el("span", { text: t("view.used") }),
    el("span", { class: "mention", text: `/${String(command.name ?? "").replace(/^\//, "")}` }),
    el("span", { text: t("view.used_after") }),
  );
}

function margin(message, view) {
  return el("div", { class: "margin" }, view.isHead ? avatar(message.author) : when(message));
}

function body(message, view) {
  return el(
    "div",
    { class: "body" },
    view.isHead ? header(message) : el("span", { class: "visually-hidden", text: `${message.author.name}: ` }),
    content(message),
    attachments(message),
    embeds(message),
    components(message, view),
    reactions(message, view.actions),
    message.is_private === true && el("small", { class: "private", text: `👁 ${t("view.private")}` }),
  );
}

function header(message) {
  const { author } = message;
  const isApp = author.is_bot || author.is_webhook;
  return el(
    "header",
    { class: "said-by" },
    el("strong", { class: "author", text: author.name }),
    isApp && el("span", { class: "tag", title: t("view.app_title"), text: t("view.app") }),
    when(message),
    message.is_silent === true && el("span", { class: "silent", title: t("view.silent") }, icon(SILENT)),
  );
}

function content(message) {
  if (message.is_thinking === true) {
    const text = t("view.thinking", { name: message.author.name });
    return el("div", { class: "content thinking" }, dots(), text);
  }
  if (message.markup.length === 0 && !message.is_edited) return null;
  const shown = el("div", { class: "content", dir: "auto" }, markup(message.markup));
  if (isOnlyEmoji(message.markup)) shown.classList.add("is-large");
  if (message.is_edited === true) shown.append(" ", el("small", { class: "edited", text: t("view.edited") }));
  return shown;
}

/** Three moving dots, for thinking and typing. */
export function dots() {
  return el("span", { class: "dots", aria: { hidden: "true" } }, el("i"), el("i"), el("i"));
}

function systemLine(message) {
  const key = message.system === "thread" ? "view.thread" : "view.pinned";
  const isKnown = ["pinned", "thread"].includes(message.system);
  const text = isKnown ? t(key, { name: message.author.name, text: message.content }) : message.content;
  return [
    el("div", { class: "margin" }, el("span", { class: "system-sign", text: "→", aria: { hidden: "true" } })),
    el("div", { class: "body system" }, text, " ", when(message)),
  ];
}
