/** Moments as Discord shows them: in the reader's language and time zone. */

import { locale } from "cadenza/words.js";

/** How each style of a time is written; `R`, which is relative, is another matter. */
const TIMES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3600], ["minute", 60]];

/**
 * The moment that is so many *seconds* after the beginning of 1970; `null` if there is none.
 * @param {unknown} seconds
 */
export function momentOf(seconds) {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? null : date;
}

/**
 * *date* in one of Discord's styles; one that is not known is as none.
 * @param {Date} date
 * @param {unknown} style
 */
export function momentText(date, style) {
  if (style === "R") return relative(date);
  return new Intl.DateTimeFormat(locale(), Object.hasOwn(TIMES, style) ? TIMES[style] : TIMES.f).format(date);
}

function relative(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return format.format(Math.round(seconds / size), unit);
}
