/**
 * Discord's Markdown as it is shown, from the nodes of docs/films.md. Every word becomes a text node.
 */

import { el } from "cadenza/dom.js";
import { momentOf, momentText } from "cadenza/timestamps.js";
import { t } from "cadenza/words.js";
import "cadenza/words_view.js";

const DEEPEST = 60; // nodes in nodes; what is deeper is shown as plain text
const MARKS = { bold: "strong", italic: "em", underline: "u", strike: "s" };
const SIGNS = { user: "@", role: "@", channel: "#", command: "/", everyone: "@", here: "@" };
const MOST_LARGE = 27; // so many emoji alone in a message are large, as Discord does it

/** What is made of each sort of node. */
const MAKERS = {
  spoiler: spoiler,
  code: (node) => el("code", { class: "code", text: words(node.text) }),
  block: codeBlock,
  heading: heading,
  subtext: (node, depth) => el("small", { class: "subtext" }, inner(node.of, depth)),
  quote: (node, depth) => el("blockquote", { class: "quote" }, inner(node.of, depth)),
  list: list,
  link: link,
  mention: mention,
  emoji: emoji,
  time: time,
};

/**
 * Nodes as they are shown.
 * @param {unknown} nodes a list of them, as in docs/films.md; what is not known is passed over
 * @returns {DocumentFragment}
 */
export function markup(nodes) {
  return inner(nodes, 0);
}

/**
 * The text of nodes, without any marks.
 * @param {unknown} nodes
 * @returns {string}
 */
function plain(nodes, depth = 0) {
  if (!Array.isArray(nodes) || depth > 10 * DEEPEST) return "";
  return nodes.map((node) => plainNode(node, depth + 1)).join("");
}

/**
 * Whether nodes are a few emoji and nothing else: such a message is shown large.
 * @param {unknown} nodes
 * @returns {boolean}
 */
export function isOnlyEmoji(nodes) {
  if (!Array.isArray(nodes) || nodes.length === 0) return false;
  const counts = nodes.map((node) => (typeof node === "string" ? emojiIn(node) : node?.is === "emoji" ? 1 : -1));
  const sum = counts.reduce((total, count) => total + count, 0);
  return counts.every((count) => count >= 0) && sum > 0 && sum <= MOST_LARGE;
}

/**
 * An address if it is one of the web, else `null`.
 * @param {unknown} address
 * @returns {string|null}
 */
export function webAddress(address) {
  if (typeof address !== "string" || !URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "http:" || protocol === "https:" ? href : null;
}

/**
 * An emoji as it is named in words: itself, or `:name:` if it is one of a server.
 * @param {unknown} node a text, or an emoji node
 * @returns {string}
 */
export function emojiName(node) {
  if (typeof node === "string") return node;
  const name = words(node?.name);
  return node?.id ? `:${name}:` : name;
}

function inner(nodes, depth) {
  const fragment = document.createDocumentFragment();
  if (!Array.isArray(nodes)) return fragment;
  for (const node of nodes) {
    if (typeof node === "string") fragment.append(node);
    else if (typeof node === "object" && node !== null) fragment.append(made(node, depth + 1));
  }
  return fragment;
}

function made(node, depth) {
  if (depth > DEEPEST) return plainNode(node, depth);
  if (Object.hasOwn(MARKS, node.is)) return el(MARKS[node.is], null, inner(node.of, depth));
  return Object.hasOwn(MAKERS, node.is) ? MAKERS[node.is](node, depth) : inner(node.of, depth);
}

/** What is hidden is a button until it is shown; then it is plain text again, that can be selected. */
function spoiler(node, depth) {
  const hidden = el("span", { class: "spoiler-text", inert: true, aria: { hidden: "true" } }, inner(node.of, depth));
  const box = el("span", { class: "spoiler", role: "button", tabIndex: 0, aria: { label: t("view.spoiler") } }, hidden);
  const reveal = (event) => {
    if (!box.hasAttribute("role")) return;
    event.preventDefault();
    event.stopPropagation();
    box.classList.add("is-shown");
    for (const name of ["role", "tabindex", "aria-label"]) box.removeAttribute(name);
    hidden.removeAttribute("aria-hidden");
    hidden.inert = false;
  };
  box.addEventListener("click", reveal);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") reveal(event);
  });
  return box;
}

function codeBlock(node) {
  const text = words(node.text);
  const label = el("span", { class: "block-language", text: words(node.language) || t("view.code") });
  const code = el("pre", { tabIndex: 0, role: "group", aria: { label: label.textContent } }, el("code", { text }));
  return el("figure", { class: "block" }, el("figcaption", null, label, copyButton(text)), code);
}

/** Where nothing can be copied, in a frame or without the leave of the browser, there is no button. */
function copyButton(text) {
  if (!navigator.clipboard || window.self !== window.top) return null;
  const button = el("button", { type: "button", class: "quiet copy", text: t("view.copy") });
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t("view.copied");
      setTimeout(() => { button.textContent = t("view.copy"); }, 2000);
    } catch {
      button.hidden = true; // the browser does not allow it
    }
  });
  return button;
}

/** Headings of a message are none of the page's: those begin below them. */
function heading(node, depth) {
  const level = [1, 2, 3].includes(node.level) ? node.level : 3;
  const props = { class: `heading heading-${level}`, role: "heading", aria: { level: level + 3 } };
  return el("div", props, inner(node.of, depth));
}

function list(node, depth) {
  const isNumbered = Number.isInteger(node.start);
  const items = Array.isArray(node.items) ? node.items : [];
  const made = isNumbered ? el("ol", { class: "list", start: node.start }) : el("ul", { class: "list" });
  // The widest number decides how far the lines stand in.
  if (isNumbered) made.style.setProperty("--digits", String(node.start + items.length).length);
  made.append(...items.map((item) => el("li", null, inner(Array.isArray(item) ? item : [item], depth))));
  return made;
}

function link(node, depth) {
  const href = webAddress(node.url);
  if (href === null) return inner(node.of, depth);
  return el("a", { href, title: words(node.title) || href, rel: "noopener noreferrer", target: "_blank" }, inner(node.of, depth));
}

function mention(node) {
  const sort = Object.hasOwn(SIGNS, node.sort) ? node.sort : "user";
  return el("span", { class: "mention", data: { sort }, text: mentionText(node) });
}

function mentionText(node) {
  const sign = Object.hasOwn(SIGNS, node.sort) ? SIGNS[node.sort] : "@";
  const isAll = node.sort === "everyone" || node.sort === "here";
  return sign + (words(node.name) || (isAll ? t(`view.${node.sort}`) : words(node.id)));
}

function emoji(node) {
  const name = emojiName(node);
  if (!node.id) return el("span", { class: "emoji", text: name });
  return el("span", { class: "emoji custom", title: name, text: name });
}

function time(node) {
  const date = momentOf(node.seconds);
  if (date === null) return plainNode(node, 0);
  return el("time", { class: "moment", dateTime: date.toISOString(), title: momentText(date, "F"), text: momentText(date, node.style) });
}

function plainNode(node, depth) {
  if (typeof node === "string") return node;
  switch (node?.is) {
    case "code":
    case "block":
      return words(node.text);
    case "list":
      return (Array.isArray(node.items) ? node.items : []).map((item) => `• ${plain(item, depth)}`).join("\n");
    case "mention":
      return mentionText(node);
    case "emoji":
      return emojiName(node);
    case "time":
      return `<t:${words(String(node.seconds))}>`;
    default:
      return plain(node?.of, depth);
  }
}

/** How many emoji a text is; -1 if it is anything else. */
function emojiIn(text) {
  const rest = text.replace(/[\s\u200d\ufe0f\u20e3\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]/gu, "");
  const single = rest.match(/\p{Regional_Indicator}{2}|\p{Extended_Pictographic}/gu) ?? [];
  return single.join("") === rest ? single.length : -1;
}

function words(value) {
  return typeof value === "string" ? value : "";
}
