/** What a film comes to in numbers: how many messages there were, how long people waited, and what never arrived. */

/** Fates of text that was never meant to be read, or that a rule took out and told so. */
const MEANT = new Set(["thought", "details", "dropped"]);

/**
 * The figures of a film; times in seconds, `null` where there is nothing to measure.
 *
 * - `messages`: messages of the bot that stand at the end
 * - `first`: until there was something to read
 * - `longest`: the longest time without anything new to read
 * - `behind`: from the model's last word until all of it could be read
 * - `limited`: how often Discord said that it was too much
 * - `lost`: characters of the model that never arrived, white space not counted
 */
export function figuresOf(film) {
  const seen = watched(film.records ?? []);
  const moments = seen.moments;
  return {
    messages: seen.messages.size,
    texts: [...seen.messages.values()].map(({ content }) => content),
    first: moments.length ? moments[0] - seen.begins : null,
    longest: longestGap(seen.begins, moments),
    behind: moments.length && seen.lastToken !== null ? Math.max(0, moments.at(-1) - seen.lastToken) : null,
    limited: seen.limited,
    lost: lostIn(seen),
  };
}

function watched(records) {
  const seen = { begins: 0, messages: new Map(), moments: [], lastToken: null, limited: 0, turns: new Map(), isTraced: false };
  for (const record of records) if (Object.hasOwn(NOTES, record.kind)) NOTES[record.kind](seen, record);
  return seen;
}

/** What is noted of each kind of record. */
const NOTES = {
  message(seen, { at, message }) {
    if (isByBot(message)) {
      seen.messages.set(message.id, message);
      seen.moments.push(at);
    } else if (seen.moments.length === 0) seen.begins = at;
  },
  changed(seen, { at, message }) {
    const before = seen.messages.get(message?.id);
    if (before === undefined) return;
    if (before.content !== message.content) seen.moments.push(at);
    seen.messages.set(message.id, message);
  },
  deleted(seen, { id }) {
    seen.messages.delete(id);
  },
  tokens(seen, { at, turn, sort, text, times }) {
    if (sort !== "text") return;
    turnOf(seen, turn).pieces.push(text);
    seen.lastToken = at + (times?.at(-1) ?? 0);
  },
  story(seen, { turn, story }) {
    turnOf(seen, turn).isAccounted = true;
    turnOf(seen, turn).arrived.push(...(story?.raw ?? []));
  },
  fate(seen, { turn, raw, fate }) {
    turnOf(seen, turn).isAccounted = true;
    if (MEANT.has(fate)) turnOf(seen, turn).arrived.push(...(raw ?? []));
  },
  fact(seen) {
    seen.isTraced = true;
  },
  call(seen, { status }) {
    if (status === 429) seen.limited += 1;
  },
};

function isByBot(message) {
  return Boolean(message?.author?.is_bot || message?.author?.is_webhook) && !message.is_private;
}

function turnOf(seen, turn) {
  if (!seen.turns.has(turn)) seen.turns.set(turn, { pieces: [], arrived: [], isAccounted: false });
  return seen.turns.get(turn);
}

function longestGap(begins, moments) {
  if (moments.length === 0) return null;
  return moments.reduce((longest, moment, index) => Math.max(longest, moment - (index ? moments[index - 1] : begins)), 0);
}

function lostIn(seen) {
  const turns = [...seen.turns.values()];
  if (turns.some(({ isAccounted }) => isAccounted)) return turns.reduce((sum, turn) => sum + outside(turn), 0);
  // A film with facts but without stories cannot be judged by its characters: it may show a table as a picture.
  if (seen.isTraced || turns.length === 0) return null;
  // A bot that keeps no account of what it does: of what it was told, we look for what is nowhere to be read.
  const told = turns.map(({ pieces }) => pieces.join("")).join("");
  return missing(told, [...seen.messages.values()].map(({ content }) => content).join(""));
}

/** How many characters of a reply lie outside of all that is known to have arrived. */
function outside({ pieces, arrived }) {
  const text = pieces.join("");
  let [end, count] = [0, 0];
  for (const [from, to] of arrived.toSorted(([one], [other]) => one - other)) {
    if (from > end) count += solid(text.slice(end, from));
    end = Math.max(end, to);
  }
  return count + solid(text.slice(end));
}

function solid(text) {
  return text.replace(/\s+/g, "").length;
}

/** How many letters and digits of *told* are more than those of *shown*, wherever they stand. */
function missing(told, shown) {
  const counts = new Int32Array(65_536);
  const letters = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "");
  for (const [text, step] of [[letters(told), 1], [letters(shown), -1]]) {
    for (let index = 0; index < text.length; index += 1) counts[text.charCodeAt(index)] += step;
  }
  return counts.reduce((sum, count) => sum + Math.max(count, 0), 0);
}
