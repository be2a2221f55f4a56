/** How large a file is, in words. */

import { locale } from "cadenza/words.js";

/**
 * *bytes* in words, as short as it gets.
 * @param {number} bytes
 * @returns {string}
 */
export function sizeOf(bytes) {
  const [unit, amount] = bytes < 1_000_000 ? ["kilobyte", bytes / 1000] : ["megabyte", bytes / 1_000_000];
  const shown = new Intl.NumberFormat(locale(), { style: "unit", unit, maximumFractionDigits: 1 });
  return shown.format(Math.max(0.1, amount));
}
