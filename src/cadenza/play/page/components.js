/**
 * The buttons, menus and reactions of a message. In a film they do nothing.
 */

import { el } from "cadenza/dom.js";
import { emojiName, webAddress } from "cadenza/markup.js";
import { t } from "cadenza/words.js";

/** Discord's numbers and names of styles, and ours. */
const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", green: "success", red: "danger" };

/** The rows of buttons and menus of a message; `null` if there are none. */
export function components(message, view) {
  if (message.components.length === 0) return null;
  const row = (parts) => el("div", { class: "components" }, parts.map((part) => component(message, part, view)));
  return el("div", { class: "component-rows" }, message.components.map(row));
}

/** The reactions of a message; `null` if there are none. */
export function reactions(message, actions) {
  if (message.reactions.length === 0) return null;
  return el("div", { class: "reactions" }, message.reactions.map((reaction) => reactionButton(message, reaction, actions)));
}

/** How an emoji is named to Discord: itself, or `name:id` if it is one of a server. */
function emojiKey(emoji) {
  if (typeof emoji === "string") return emoji;
  return emoji?.id ? `${emoji.name}:${emoji.id}` : String(emoji?.name ?? "");
}

function component(message, part, view) {
  if (part.sort === "menu") return menu(message, part, view);
  const { actions } = view;
  const label = [part.emoji ? emojiName(part.emoji) : "", String(part.label ?? "")].filter(Boolean).join(" ");
  const href = part.sort === "link" ? webAddress(part.url) : null;
  if (href !== null) return el("a", { class: "button", href, rel: "noopener noreferrer", target: "_blank", text: `${label} ↗` });
  const style = Object.hasOwn(STYLES, part.style) ? STYLES[part.style] : String(part.style ?? "secondary");
  const isOff = part.is_disabled === true || actions === null || part.sort === "link";
  const button = el("button", { type: "button", class: "component", data: { style }, disabled: isOff, text: label });
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    actions?.press?.(message, part);
  });
  return button;
}

function menu(message, part, { actions, choicesOf }) {
  const placeholder = String(part.placeholder ?? "") || t("view.choose");
  const given = (Array.isArray(part.options) ? part.options : []).filter((option) => typeof option === "object" && option);
  const options = given.length > 0 ? given : choicesOf(part.of);
  const isMany = part.most > 1;
  const select = el(
    "select",
    { class: "component", multiple: isMany, disabled: part.is_disabled === true || actions === null, aria: { label: placeholder } },
    !isMany && el("option", { value: "", disabled: true, selected: true, text: placeholder }),
    options.map(choice),
  );
  select.addEventListener("click", (event) => event.stopPropagation());
  select.addEventListener("change", () => {
    actions?.choose?.(message, part, [...select.selectedOptions].map((option) => option.value).filter(Boolean));
  });
  return select;
}

function choice(option) {
  const value = String(option.value ?? option.label ?? "");
  const label = [option.emoji ? emojiName(option.emoji) : "", String(option.label ?? value)].filter(Boolean).join(" ");
  return el("option", { value, title: String(option.about ?? ""), selected: option.is_chosen === true, text: label });
}

function reactionButton(message, reaction, actions) {
  const emoji = emojiName(reaction.emoji);
  const count = Number.isFinite(reaction.count) ? reaction.count : 1;
  const isMine = reaction.is_mine === true;
  const props = {
    type: "button",
    class: "reaction",
    disabled: actions === null,
    aria: { label: t("view.reaction", { emoji, count }), pressed: String(isMine) },
  };
  const button = el("button", props, el("span", { text: emoji }), el("span", { text: String(count) }));
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    actions?.react?.(message, emojiKey(reaction.emoji), isMine);
  });
  return button;
}
