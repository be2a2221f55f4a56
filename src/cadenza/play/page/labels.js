// Labels of lasting elements, which follow the language.

import { onLanguage, t } from "cadenza/words.js";

/**
 * Put the words of *key* on *node*, now and in every language that is chosen later.
 * @param {HTMLElement} node
 * @param {string} key
 * @param {string} where "text", or the attribute that gets the words
 * @returns {HTMLElement} the node
 */
export function label(node, key, where = "text") {
  const put = () => {
    if (where === "text") node.textContent = t(key);
    else node.setAttribute(where, t(key));
  };
  put();
  onLanguage(put);
  return node;
}
