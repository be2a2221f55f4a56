/** What a model said, and what its parts are: looked up quickly, however long it is. */

/**
 * The first place in *values*, which rise, whose value is above *wanted*.
 * @param {number[]} values
 * @param {number} wanted
 * @param {(value: any) => number} of
 */
export function placeAfter(values, wanted, of = (value) => value) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(values[middle]) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g; // one character of two units

/** What a model said in one reply, chunk by chunk, in columns: there may be hundreds of thousands. */
export class Tokens {
  texts = [];
  times = [];
  /** Where each begins in the model's text, in UTF-16 units; a thought takes no room there. */
  starts = [];
  /** The same in characters, as facts count. */
  points = [];
  thoughts = [];
  /** How long the model's text is. */
  size = 0;
  characters = 0;
  /** How many of them are thoughts. */
  hidden = 0;

  get count() {
    return this.texts.length;
  }

  add(words, time, isThought) {
    const last = this.times.length ? this.times[this.times.length - 1] : -Infinity;
    this.texts.push(words);
    this.times.push(Math.max(last, time));
    this.starts.push(this.size);
    this.points.push(this.characters);
    this.thoughts.push(isThought);
    if (isThought) {
      this.hidden += 1;
      return;
    }
    this.size += words.length;
    this.characters += words.length - (words.match(PAIR)?.length ?? 0);
  }

  end(index) {
    return this.starts[index] + (this.thoughts[index] ? 0 : this.texts[index].length);
  }

  /** How many had come at *time*. */
  heardAt(time) {
    return placeAfter(this.times, time);
  }

  /** Which token the unit at *offset* of the model's text belongs to; -1 if there is none. */
  at(offset) {
    if (offset < 0 || offset >= this.size) return -1;
    let index = placeAfter(this.starts, offset) - 1;
    while (index >= 0 && this.end(index) <= offset) index -= 1; // thoughts and empty ones begin there too
    return index;
  }

  /** Where the character at *place* of the model's text begins, in units. */
  unitAt(place) {
    const index = placeAfter(this.points, place) - 1;
    if (index < 0 || this.thoughts[index]) return index < 0 ? 0 : this.starts[index];
    const before = [...this.texts[index]].slice(0, place - this.points[index]);
    return this.starts[index] + before.join("").length;
  }

  /** The model's text from *start* to *end*. */
  slice(start, end) {
    const from = this.at(Math.max(0, start));
    if (from < 0 || end <= start) return "";
    const parts = [];
    for (let index = from; index < this.count && this.starts[index] < end; index += 1) {
      if (!this.thoughts[index]) parts.push(this.texts[index]);
    }
    const first = this.starts[from];
    return parts.join("").slice(start - first, end - first);
  }
}

/** Parts of the model's text with what they are, in their order; they do not overlap. */
export class Ranges {
  all = [];

  /** A later word about the same text counts. */
  add(range) {
    if (!(range.end > range.start)) return;
    let from = placeAfter(this.all, range.start, (other) => other.start);
    if (from > 0 && this.all[from - 1].end > range.start) from -= 1;
    let to = from;
    const [before, after] = [[], []];
    while (to < this.all.length && this.all[to].start < range.end) {
      const other = this.all[to];
      if (other.start < range.start) before.push({ ...other, end: range.start });
      if (other.end > range.end) after.push({ ...other, start: range.end });
      to += 1;
    }
    this.all.splice(from, to - from, ...before, range, ...after);
  }

  /** What holds the unit at *offset*; null if nothing does. */
  at(offset) {
    const range = this.all[placeAfter(this.all, offset, (other) => other.start) - 1];
    return range && offset < range.end ? range : null;
  }

  /** All that have something of the text from *start* to *end*. */
  within(start, end) {
    const first = Math.max(0, placeAfter(this.all, start, (other) => other.start) - 1);
    const found = [];
    for (let place = first; place < this.all.length && this.all[place].start < end; place += 1) {
      if (this.all[place].end > start) found.push(this.all[place]);
    }
    return found;
  }
}
