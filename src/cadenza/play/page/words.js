/**
 * The words of the page, in English and Japanese. Each part has a file of words that registers itself.
 */

import { remember, remembered } from "cadenza/preferences.js";

const LANGUAGES = ["en", "ja"];

const words = { en: new Map(), ja: new Map() };
const listeners = new Set();
let current = kept() ?? preferred();

/** The language the page speaks now: `en` or `ja`. */
export function language() {
  return current;
}

/**
 * How dates and numbers are written: as the browser's own language does it if that is the one of the page, so that
 * people in Britain and America each see the hours as they are used to.
 */
export function locale() {
  const own = (navigator.languages ?? [navigator.language]).find((tag) => String(tag).toLowerCase().startsWith(current));
  return own ?? current;
}

/**
 * Change the language; an unknown one changes nothing.
 * @param {string} code
 * @param {{isKept?: boolean}} [options] whether it is remembered for the next time
 */
export function setLanguage(code, { isKept = true } = {}) {
  if (!LANGUAGES.includes(code)) return;
  if (isKept) remember("language", code);
  document.documentElement.lang = code;
  if (code === current) return;
  current = code;
  for (const listener of [...listeners]) listener(code);
}

/**
 * Call a function whenever the language changes.
 * @param {(code: string) => void} listener
 * @returns {() => void} call it no longer
 */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Add words. A value is a text with `{names}` in it, or `{one, other}` if it depends on `count`.
 * @param {{en: object, ja: object}} added
 */
export function register(added) {
  for (const code of LANGUAGES) {
    for (const [key, value] of Object.entries(added[code] ?? {})) words[code].set(key, value);
  }
}

/**
 * The text for a key, in the language of the page. A key without words is returned as it is, so that it is noticed.
 * @param {string} key
 * @param {object} [values] the values for each `{name}`
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = words[current].get(key) ?? words.en.get(key) ?? key;
  const text = typeof found === "string" ? found : plural(values.count, found);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * The form of a word that goes with a number.
 * @param {number} count
 * @param {{one?: string, other: string}} forms
 */
function plural(count, forms) {
  return forms[new Intl.PluralRules(locale()).select(Number(count) || 0)] ?? forms.other;
}

/**
 * A text that was given in several languages, `{en, ja}`, in that of the page; a plain text is itself.
 * @param {unknown} text
 * @returns {string}
 */
export function inLanguage(text) {
  if (typeof text === "string") return text;
  const found = text?.[current] ?? text?.en ?? text?.ja;
  return typeof found === "string" ? found : "";
}

/** Every key that has words in a language; a test compares them. */
export function keys(code) {
  return [...words[code].keys()].sort();
}

function preferred() {
  const wanted = navigator.languages ?? [navigator.language];
  for (const tag of wanted) {
    const code = String(tag).slice(0, 2).toLowerCase();
    if (LANGUAGES.includes(code)) return code;
  }
  return "en";
}

function kept() {
  const code = remembered("language");
  return LANGUAGES.includes(code) ? code : null;
}
