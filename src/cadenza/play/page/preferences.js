// Preferences of the user, kept in this browser if it allows that.

const PREFIX = "cadenza.";

/**
 * The value kept under *name*, or *otherwise*, also if the browser keeps nothing.
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
