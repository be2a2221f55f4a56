/**
 * Films are written shortly: what a record says again is left out of it. Here it comes back; see docs/films.md.
 */

const TEXTS = [["message", "content"], ["about", "text"], ["story", "text"]];
const LONGEST = 1_000_000; // tokens of one record: more than that is a mistake, or is meant to make trouble
const MICRO = 1e6;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";

/** Makes packed records whole, one after the other. */
export class Unpacking {
  #last = new Map(); // of each sort, as it was written but for what was left out of it
  #texts = []; // what each record says

  /** The whole of *record*; what cannot be understood stays as it is. */
  whole(record) {
    let whole = record;
    if (isObject(record)) {
      const isAnew = Object.hasOwn(record, "anew");
      whole = isAnew ? record.anew : this.#merged(record);
      if (isAnew && isObject(whole)) this.#last.set(sortOf(whole), whole);
    }
    this.#texts.push(isObject(whole) ? textOf(whole) : null);
    return whole;
  }

  #merged(record) {
    const sort = sortOf(record);
    const last = this.#last.get(sort) ?? {};
    const short = { ...last, ...record };
    for (const [name, before] of Object.entries(last)) {
      if (Object.hasOwn(record, name) && isObject(record[name]) && isObject(before)) short[name] = { ...before, ...record[name] };
    }
    this.#last.set(sort, short);
    return this.#restored(short);
  }

  #restored(short) {
    const whole = "kind" in short ? { ...short } : { ...short, kind: "step" };
    for (const [part, field] of TEXTS) if (isObject(short[part])) whole[part] = this.#inner({ ...short[part] }, field);
    if (whole.kind === "tokens") restoreTokens(whole);
    return whole;
  }

  #inner(inner, field) {
    if (Number.isInteger(inner[field]) && isText(this.#texts[inner[field]])) inner[field] = this.#texts[inner[field]];
    if (inner.markup === null) inner.markup = [inner[field]];
    if (isText(inner.url) && isText(inner.message) && inner.url.endsWith("/")) inner.url += inner.message;
    return inner;
  }
}

function sortOf(record) {
  return JSON.stringify([record.kind ?? "step", record.step ?? null]);
}

function textOf(record) {
  for (const [part, field] of TEXTS) if (isObject(record[part]) && isText(record[part][field])) return record[part][field];
  return null;
}

function restoreTokens(whole) {
  const { text, lengths, times } = whole;
  if (isText(text) && Number.isInteger(lengths) && lengths > 0 && text.length / lengths <= LONGEST) whole.lengths = evenLengths(text.length, lengths);
  if (Array.isArray(whole.lengths) && Number.isFinite(times)) whole.times = whole.lengths.map((_, place) => Math.round(place * times * MICRO) / MICRO);
}

function evenLengths(size, length) {
  return Array.from({ length: Math.ceil(size / length) }, (_, place) => Math.min(length, size - place * length));
}
