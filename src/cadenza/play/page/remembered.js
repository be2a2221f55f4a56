// What the page remembers of whoever sits there: in this browser only, and only if it lets us.

const PREFIX = "cadenza.";

/**
 * What was kept under *name*, or *otherwise*. A browser may refuse to keep anything; then nothing was kept.
 * @param {string} name
 * @param {string|null} otherwise
 */
export function remembered(name, otherwise = null) {
  try {
    return localStorage.getItem(PREFIX + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * Keep *value* under *name*, if the browser lets us.
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It lasts as long as the page, then.
  }
}
