/** Sentences of an explanation: Python composes them, and here they are only looked up, filled in and joined. */
import { CATALOGUE } from "cadenza/catalogue.js";
import { language } from "cadenza/words.js";

const DEEPEST = 16; // sentences within each other
const INNER = "error."; // their values stand in a sentence that has a full stop of its own

/**
 * A sentence in the language of the page: `{key, values}`, in which a value is a text, a sentence or several of them.
 * @param {unknown} told
 * @returns {string} empty if it is no sentence
 */
export function sentence(told) {
  return rendered(told, CATALOGUE[language()] ?? CATALOGUE.en, DEEPEST);
}

/** Whether the catalogue has words for *value*, one of those that begin with *prefix*. */
export function isNamed(prefix, value) {
  return Object.hasOwn(CATALOGUE.en, `${prefix}.${value}`);
}

/** The words for *value*; what has no words is shown as it is. */
export function named(prefix, value) {
  return isNamed(prefix, value) ? sentence({ key: `${prefix}.${value}` }) : String(value ?? "").replaceAll("_", " ");
}

function rendered(told, texts, depth) {
  if (typeof told?.key !== "string" || !depth) return "";
  const values = told.values ?? {};
  const text = Object.hasOwn(texts, told.key) ? texts[told.key] : told.key;
  return text.replace(/\{(\w+)\}/g, (place, name) => {
    if (!Object.hasOwn(values, name)) return place;
    const value = filled(values[name], texts, depth - 1);
    return told.key.startsWith(INNER) ? value.replace(/\.$/, "").replace(/。$/, "") : value;
  });
}

function filled(value, texts, depth) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((one) => rendered(one, texts, depth)).join(texts["list.join"] ?? ", ");
  return rendered(value, texts, depth);
}
