/**
 * Dates and times as the page writes them, in the reader's language.
 */

import { locale } from "cadenza/words.js";

const formats = new Map(); // making one is slow, and every message wants two

/**
 * A time as a text; empty if it is none.
 * @param {string|number|Date} time
 * @param {{dateStyle?: string, timeStyle?: string}} style as `Intl.DateTimeFormat` has them
 * @returns {string}
 */
export function written(time, style) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : formatOf(locale(), style).format(date);
}

/** The time of day. */
export function clock(time) {
  return written(time, { timeStyle: "short" });
}

/** The day. */
export function dayOf(time) {
  return written(time, { dateStyle: "long" });
}

function formatOf(code, style) {
  const key = `${code} ${style.dateStyle} ${style.timeStyle}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(code, style));
  return formats.get(key);
}
