/** Words that follow the language of the page: they are set again when it changes. */

import { onLanguage, t } from "cadenza/words.js";

/** The words of one view. */
export class Wording {
  #retellings = [];

  constructor() {
    onLanguage(() => this.#retellings.forEach((tell) => tell()));
  }

  /** Do something now, and again whenever the language is another one. */
  follow(tell) {
    this.#retellings.push(tell);
    tell();
  }

  /** A text that is always in the page's language. */
  text(key, values) {
    const node = document.createTextNode("");
    this.follow(() => {
      node.data = t(key, values);
    });
    return node;
  }

  /** Give *node* a word as a property, or as an attribute if it is called as one (`aria-label`); gives it back. */
  put(node, name, key) {
    this.follow(() => {
      if (name.includes("-")) node.setAttribute(name, t(key));
      else node[name] = t(key);
    });
    return node;
  }
}

let last = 0;

/** An id that no other element of the page has. */
export function freshId(what) {
  last += 1;
  return `${what}-${last}`;
}
