/** Names for the ids in a text, and the pings of messages. */

import { momentOf, momentText } from "cadenza/timestamps.js";

// Code in backticks is skipped as a whole: it has no mentions.
const CODE = "(?<!`)(?<ticks>`+)(?!`)[^]*?(?<!`)\\k<ticks>(?!`)";
const TAGS = [
  "(?<sign>@[!&]?|#)(?<id>\\d{1,20})",
  "id:(?<place>customize|browse|guide)",
  "a?:(?<emoji>\\w{1,64}):\\d{1,20}",
  "/(?<command>[^\\n<>:]{1,100}):\\d{1,20}",
  "t:(?<seconds>-?\\d{1,13})(?::(?<style>[tTdDfFRsS]))?",
];
const TAG = new RegExp(`${CODE}|<(?:${TAGS.join("|")})>`, "gu");
const SORTS = { "@": "user", "@!": "user", "@&": "role", "#": "channel" };
const EVERYBODY = ["everyone", "here"];

const isText = (value) => typeof value === "string" && value !== "";

/** All mentions in *nodes*, in their order, however deep they stand. */
function mentionsIn(nodes) {
  const found = [];
  const left = [nodes];
  while (left.length) {
    const node = left.pop();
    if (Array.isArray(node)) for (let place = node.length - 1; place >= 0; place -= 1) left.push(node[place]);
    else if (node?.is === "mention") found.push(node);
    else if (typeof node === "object" && node !== null) left.push(node.of ?? node.items);
  }
  return found;
}

/** The names in a film, record by record. */
export class Names {
  #names = new Map(); // `sort/id` → name
  #mentions = new Map(); // message → its mentions: [{name, isPinged}]
  /** Counts the names that are new or others. */
  version = 0;

  /** @param {{kind: string}} record */
  add({ kind, person, channel, message }) {
    if (kind === "person") this.#learn("user", person);
    else if (kind === "channel") this.#learn("channel", channel);
    else if ((kind === "message" || kind === "changed") && isText(message?.id)) this.#note(message);
  }

  #learn(sort, thing, { isSure = true } = {}) {
    const key = `${sort}/${thing?.id}`;
    if (!isText(thing?.name) || this.#names.get(key) === thing.name || (!isSure && this.#names.has(key))) return;
    this.#names.set(key, thing.name);
    this.version += 1;
  }

  #note({ id, author, markup, pings }) {
    const pinged = Array.isArray(pings) ? pings : [];
    const found = new Map();
    const note = (name, isPinged) => found.set(name, isPinged || found.get(name) === true); // two may have one name
    if (author?.is_webhook !== true) this.#learn("user", author, { isSure: false });
    for (const node of mentionsIn(markup)) {
      if (EVERYBODY.includes(node.sort)) note(`@${node.sort}`, pinged.includes("everyone"));
      else this.#learn(node.sort, node, { isSure: false });
      if (node.sort === "user" || node.sort === "role") note(`@${this.#name(node.sort, node.id) ?? node.id}`, pinged.includes(node.id));
    }
    if (found.size || this.#mentions.has(id)) this.#mentions.set(id, [...found].map(([name, isPinged]) => ({ name, isPinged })));
  }

  #name(sort, id) {
    return this.#names.get(`${sort}/${id}`);
  }

  /** *words* as people read them: with names instead of ids. @param {string} words */
  readable(words) {
    return this.#replaced(words, (sign, name) => `${sign.slice(0, 1)}${name}`);
  }

  /** *words* with names inside the tags, which stay visible. @param {string} words */
  inTags(words) {
    return this.#replaced(words, (sign, name) => `<${sign}${name}>`);
  }

  /** *made* gets the sign and the name of a tag, and returns its replacement. A timestamp has no sign. */
  #replaced(words, made) {
    if (!words.includes("<")) return words;
    return words.replace(TAG, (whole, ...found) => {
      const { sign, id, place, emoji, command, seconds, style } = found.at(-1);
      if (emoji) return made(":", `${emoji}:`);
      if (command) return made("/", command);
      if (place) return made("#", place);
      const date = seconds ? momentOf(seconds) : null;
      if (date) return made("", momentText(date, style));
      const name = id ? this.#name(SORTS[sign], id) : undefined;
      return name === undefined ? whole : made(sign, name);
    });
  }

  /**
   * The people named in the message with this *id*.
   * @returns {{pings: string[], shows: string[]}} who is pinged, and who is only named
   */
  mentionsOf(id) {
    const all = this.#mentions.get(id) ?? [];
    const names = (isPinged) => all.filter((one) => one.isPinged === isPinged).map(({ name }) => name);
    return { pings: names(true), shows: names(false) };
  }
}
