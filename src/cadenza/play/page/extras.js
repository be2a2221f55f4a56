/**
 * What a message brings along: pictures, files and embeds.
 */

import { clock, dayOf } from "cadenza/dates.js";
import { el, icon, ownAddress } from "cadenza/dom.js";
import { markup, webAddress } from "cadenza/markup.js";
import { t } from "cadenza/words.js";

const WIDEST = 400;
const HIGHEST = 300;
const PICTURES = /^image\/(png|jpe?g|gif|webp|avif|svg\+xml|bmp)\b/i;
const SHEET = "M14 3H6v18h12V7zM14 3v4h4";
const ARROW = "M12 4v11m0 0l-4-4m4 4l4-4M5 20h14";

/** The pictures and files of a message; `null` if there are none. */
export function attachments(message) {
  if (message.files.length === 0) return null;
  return el("div", { class: "files" }, message.files.map(attachment));
}

/** The embeds of a message; `null` if there are none. */
export function embeds(message) {
  return message.embeds.length === 0 ? null : el("div", { class: "embeds" }, message.embeds.map(embed));
}

function attachment(file) {
  const address = ownAddress(file.url);
  const isPicture = PICTURES.test(String(file.type ?? "")) && address !== null;
  return isPicture ? picture(file, address) : card(file, address);
}

/** A picture has its place before it is there, so that nothing moves when it comes. */
function picture(file, address) {
  const name = String(file.name ?? "");
  const about = String(file.about ?? "") || t("view.picture", { name });
  const image = el("img", { alt: about, src: address, loading: "lazy", decoding: "async" });
  sized(image, file.width, file.height);
  const button = el("button", { type: "button", class: "picture", title: about, aria: { label: t("view.picture_open", { name: about }) } }, image);
  button.classList.toggle("is-covered", file.is_spoiler === true);
  if (file.is_spoiler === true) button.append(el("span", { class: "cover", text: t("view.spoiler_file") }));
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    if (button.classList.contains("is-covered")) uncover(button);
    else openPicture(name, about, address);
  });
  return button;
}

function uncover(button) {
  button.classList.remove("is-covered");
  button.querySelector(".cover")?.remove();
}

function sized(image, width, height) {
  if (!(width > 0 && height > 0)) return;
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  image.style.width = `${Math.max(16, Math.round(width * scale))}px`;
  image.style.aspectRatio = `${width} / ${height}`;
}

function openPicture(name, about, address) {
  const close = el("button", { type: "button", class: "primary", text: t("view.close") });
  const save = el("a", { class: "button", href: address, download: name || "picture", text: t("view.download", { name }) });
  const dialog = el(
    "dialog",
    { class: "picture-dialog", aria: { label: about } },
    el("img", { alt: about, src: address }),
    el("div", { class: "picture-buttons" }, save, close),
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function card(file, address) {
  const name = String(file.name ?? "");
  const inside = [
    icon(SHEET),
    el("span", { class: "file-name", text: name }),
    el("span", { class: "dim", text: size(file.size) }),
  ];
  if (address === null) return el("div", { class: "file" }, inside);
  const props = { class: "file", href: address, download: name || "file", aria: { label: t("view.download", { name }) } };
  return el("a", props, inside, icon(ARROW));
}

function size(bytes) {
  if (!Number.isFinite(bytes) || bytes < 0) return "";
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB"];
  const step = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 1 ? 0 : 1)} ${units[step - 1]}`;
}

function embed(about) {
  const box = el(
    "div",
    { class: "embed" },
    thumbnail(about.thumbnail),
    text("embed-author", about.author),
    title(about),
    about.text.length > 0 && el("div", { class: "embed-text" }, markup(about.text)),
    about.fields.length > 0 && el("dl", { class: "embed-fields" }, about.fields.map(field)),
    image("embed-image", about.image),
    text("embed-footer", footer(about)),
  );
  if (/^#[0-9a-f]{6}$/i.test(String(about.colour))) box.style.setProperty("--side", about.colour);
  return box;
}

function title(about) {
  if (about.title.length === 0) return null;
  const href = webAddress(about.url);
  const inside = markup(about.title);
  const shown = href === null ? inside : el("a", { href, rel: "noopener noreferrer", target: "_blank" }, inside);
  return el("div", { class: "embed-title" }, shown);
}

function footer(about) {
  const said = typeof about.footer === "string" ? about.footer : "";
  const when = typeof about.time === "string" ? `${dayOf(about.time)} ${clock(about.time)}`.trim() : "";
  return [said, when].filter(Boolean).join(" • ");
}

function text(name, value) {
  return typeof value === "string" && value ? el("div", { class: name, text: value }) : null;
}

function field(about) {
  const box = el("div", null, el("dt", { text: about.name }), el("dd", null, markup(about.value)));
  box.classList.toggle("is-inline", about.is_inline === true);
  return box;
}

function thumbnail(value) {
  return image("embed-thumbnail", value);
}

/** A picture on another host is not fetched; it is shown as a link. */
function image(name, value) {
  const about = typeof value === "object" && value !== null ? value : { url: value };
  const address = ownAddress(about.url);
  if (address !== null) {
    const shown = el("img", { class: name, alt: "", src: address, loading: "lazy" });
    if (name === "embed-image") sized(shown, about.width, about.height);
    return shown;
  }
  const href = webAddress(about.url);
  if (href === null) return null;
  const label = t("view.picture_elsewhere", { host: new URL(href).host });
  return el("a", { class: "elsewhere", href, rel: "noopener noreferrer", target: "_blank", text: label });
}
