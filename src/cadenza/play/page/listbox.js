/** Lists to choose from while the focus is elsewhere. */

/**
 * Mark the item at *index* of *list* as the one that is meant, bring it into sight, and say so to those that may have the focus.
 * @param {HTMLElement} list
 * @param {number} index of no item: none is meant
 * @param {HTMLElement[]} focusable
 */
export function activate(list, index, ...focusable) {
  [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === index)));
  const item = list.children[index];
  for (const node of focusable) {
    if (item) node.setAttribute("aria-activedescendant", item.id);
    else node.removeAttribute("aria-activedescendant");
  }
  item?.scrollIntoView({ block: "nearest" });
}
