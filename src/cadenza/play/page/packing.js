/** Packed films: base64 of the gzip of their JSON. See docs/films.md. */

import { t } from "cadenza/words.js";
import "cadenza/words_view.js";

const MOST = 2 ** 28; // bytes when unpacked: more is damaged, or meant to fill the memory

/**
 * The film that *packed* holds; rejects with a sentence if it cannot be read.
 * @param {string} packed
 * @returns {Promise<object>}
 */
export async function unpacked(packed) {
  try {
    const film = JSON.parse(await inflated(Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))));
    if (typeof film === "object" && film !== null) return film;
    throw new TypeError("no film");
  } catch {
    throw new Error(t("film.unreadable"));
  }
}

async function inflated(data) {
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > MOST) {
      await reader.cancel();
      throw new RangeError("too much");
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}
