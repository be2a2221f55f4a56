/**
 * The inside of all replies of a film, and where in them each token went: a pure model without any page.
 */

import { Names } from "cadenza/names.js";
import { Turn } from "cadenza/turn.js";

/** All replies of a film. */
export class Turns {
  _turns = new Map();
  _order = [];
  _messages = new Map();
  /** The names of all channels. */
  names = new Names();
  /** Counts what was added. */
  version = 0;

  /** @param {{at: number, kind: string}} record */
  add(record) {
    if (typeof record !== "object" || record === null || !Number.isFinite(record.at)) return;
    this.version += 1;
    this.names.add(record);
    if (record.kind === "call") return void this._call(record);
    if (typeof record.turn !== "string" || !["tokens", "fact", "story", "fate"].includes(record.kind)) return;
    const turn = this._turn(record);
    const count = turn.messages.length;
    turn.add(record);
    if (turn.messages.length > count) this._messages.set(turn.messages[count].id, turn);
  }

  _turn(record) {
    let turn = this._turns.get(record.turn);
    if (!turn) {
      turn = new Turn(record.turn, record.at, this.names);
      this._turns.set(turn.id, turn);
      this._order.push(turn);
    }
    return turn;
  }

  /** A call names no reply: it belongs to those that are under way in its channel; if it names none, to all of them. */
  _call(record) {
    const channel = typeof record.channel === "string" ? record.channel : "";
    for (const turn of this._order) {
      const isRunning = turn.ends === null || turn.ends >= record.at;
      if (isRunning && (!channel || !turn.channel || turn.channel === channel)) turn.add(record);
    }
  }

  /** The replies in *channel*, in order; those without a known channel are in each. */
  of(channel) {
    return this._order.filter((turn) => !turn.channel || turn.channel === channel);
  }

  get(id) {
    return this._turns.get(id) ?? null;
  }

  /** `{turn, message}` of the message with this *id*; null if no reply sent it. */
  byMessage(id) {
    const turn = this._messages.get(id);
    return turn ? { turn, message: turn.message(id) } : null;
  }

  /** The reply that answers the message with this *id*; null if there is none. */
  answering(id) {
    return this._order.find((turn) => turn.replyTo === id) ?? null;
  }

  /**
   * What became of a token by *time*: `{sort, message?, fate?, post?}` of each part of it, with `start` and `end`.
   */
  byToken(turnId, index, time = Infinity) {
    const turn = this.get(turnId);
    return turn && index >= 0 && index < turn.tokens.count ? partsOf(turn, index, time) : [];
  }
}

/**
 * A token in parts, each with one fate: `sort` is `sent`, `fate`, `planned`, `cut`, `thought` or `waiting`.
 * @param {Turn} turn
 * @param {number} index
 * @param {number} time
 */
export function partsOf(turn, index, time) {
  const { tokens } = turn;
  const start = tokens.starts[index];
  const end = tokens.end(index);
  if (tokens.thoughts[index]) return [{ start, end, sort: "thought", fate: "thought" }];
  return within(turn.marks, start, end, time, way, (from, to) => undecided(turn, from, to, time));
}

function way(mark) {
  return mark.fate === undefined ? { sort: "sent", message: mark.message } : { sort: "fate", fate: mark.fate };
}

/** Unsent text: planned, cut off by the buffer, or still in it. */
function undecided(turn, start, end, time) {
  return within(turn.plans, start, end, time, (plan) => planned(turn, plan, time),
    (from, to) => within(turn.cuts, from, to, time, () => ({ sort: "cut" }), (first, last) => [{ start: first, end: last, sort: "waiting" }]));
}

/** The text from *start* to *end* in parts: what *ranges* know of by *time*, and what *rest* makes of the others. */
function within(ranges, start, end, time, found, rest) {
  const parts = [];
  let place = start;
  for (const range of ranges.within(start, end).filter(({ at }) => at <= time)) {
    const [from, to] = [Math.max(place, range.start), Math.min(end, range.end)];
    if (from > place) parts.push(...rest(place, from));
    if (to > from) parts.push({ start: from, end: to, ...found(range) });
    place = Math.max(place, to);
  }
  if (place < end) parts.push(...rest(place, end));
  return parts;
}

function planned(turn, { post }, time) {
  const message = turn.messageOf(post);
  return message && message.at <= time ? { sort: "sent", message: message.id } : { sort: "planned", post }; // a film without stories
}

/**
 * All replies that *records* tell of.
 * @returns {Turn[]}
 */
export function turnsOf(records) {
  const turns = new Turns();
  for (const record of records) turns.add(record);
  return turns._order;
}
