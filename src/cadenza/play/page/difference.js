/** Where two texts differ, shown also for screen readers. */
import { el } from "cadenza/dom.js";
import { say } from "cadenza/words_inside.js";

const MOST = 250_000; // cells of the table in which two middles are compared
const AROUND = 48; // units shown before and after a change

/**
 * The way from *before* to *after*: `[sort, text]` each, `sort` is `same`, `gone` or `new`.
 * @returns {[string, string][]}
 */
export function difference(before, after) {
  const [one, other] = [pieces(before), pieces(after)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const middles = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return joined([
    ...one.slice(0, start).map((piece) => ["same", piece]),
    ...compared(...middles),
    ...one.slice(one.length - end).map((piece) => ["same", piece]),
  ]);
}

/** Words, runs of white space, and every other character for itself: a change within a word is read more easily whole. */
function pieces(text) {
  return text.match(/[\p{L}\p{N}\p{M}_]+|[ \t]+|\n|\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|\ufe0f)*|[^]/gu) ?? [];
}

function compared(one, other) {
  if (one.length * other.length > MOST) return [["gone", one.join("")], ["new", other.join("")]];
  const width = other.length + 1;
  const table = new Uint32Array((one.length + 1) * width); // the longest row that both still have in common
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const place = row * width + column;
      table[place] = one[row] === other[column] ? table[place + width + 1] + 1 : Math.max(table[place + width], table[place + 1]);
    }
  }
  return walked(one, other, table, width);
}

function walked(one, other, table, width) {
  const parts = [];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const place = row * width + column;
    if (row < one.length && column < other.length && one[row] === other[column]) {
      parts.push(["same", one[row]]);
      [row, column] = [row + 1, column + 1];
    } else if (column >= other.length || (row < one.length && table[place + width] >= table[place + 1])) {
      parts.push(["gone", one[row]]);
      row += 1;
    } else {
      parts.push(["new", other[column]]);
      column += 1;
    }
  }
  return parts;
}

/** Neighbours of one sort together, and what is gone before what is new. */
function joined(parts) {
  const runs = [];
  let [gone, added] = ["", ""];
  const settle = () => {
    if (gone) runs.push(["gone", gone]);
    if (added) runs.push(["new", added]);
    [gone, added] = ["", ""];
  };
  for (const [sort, piece] of parts) {
    if (sort === "gone") gone += piece;
    else if (sort === "new") added += piece;
    else {
      settle();
      if (runs.at(-1)?.[0] === "same") runs.at(-1)[1] += piece;
      else runs.push(["same", piece]);
    }
  }
  settle();
  return runs;
}

/**
 * A difference to look at and to listen to.
 * @param {string} before
 * @param {string} after
 * @returns {HTMLElement}
 */
export function differenceView(before, after) {
  const runs = difference(before, after);
  return el("pre", { class: "diff" }, runs.map(([sort, text], place) => shown(sort, text, place === 0, place === runs.length - 1)));
}

function shown(sort, text, isFirst, isLast) {
  if (sort === "same") return shortened(text, isFirst, isLast);
  const word = el("span", { class: "visually-hidden", text: ` ${say(sort === "gone" ? "diff.removed" : "diff.added")} ` });
  return el(sort === "gone" ? "del" : "ins", null, word, seen(text));
}

/** A line end that goes or comes would not be seen. */
function seen(text) {
  return text.replaceAll("\n", "↵\n");
}

function shortened(text, isFirst, isLast) {
  if (isFirst && isLast) return text;
  if (isFirst) return text.length > AROUND ? `…${text.slice(-AROUND)}` : text;
  if (isLast) return text.length > AROUND ? `${text.slice(0, AROUND)}…` : text;
  return text.length > 2 * AROUND ? `${text.slice(0, AROUND)} … ${text.slice(-AROUND)}` : text;
}
