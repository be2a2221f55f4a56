// The live film: its clock, the running replies, and unread messages.

import { Reel } from "cadenza/film.js";

const MOST = 50_000; // records, as many as the server keeps

/** The film of this session, and what a page must know besides to show it as it happens. */
export class Live {
  #ahead = -Infinity; // how far the film's clock is ahead of the page's own, in seconds
  #turns = new Map(); // turn → channel, of replies that are not over
  #unread = new Map(); // channel → {count, pings}
  #me;
  #channels;
  #opened = Date.now();

  /** @param {{me: string, channels?: object[]}} options whose page it is, and the channels that are known beforehand */
  constructor({ me, channels = [] }) {
    this.#channels = new Map(channels.map((channel) => [channel.id, channel]));
    this.reel = new Reel({ isLive: true, most: MOST });
    this.#me = me;
  }

  /**
   * The film's clock as the server told it; it also runs when nothing happens.
   * @param {number} seconds
   */
  setClock(seconds) {
    if (Number.isFinite(seconds)) this.#ahead = Math.max(this.#ahead, seconds - pageClock());
  }

  /** The film's time now, in seconds. */
  get now() {
    return Number.isFinite(this.#ahead) ? pageClock() + this.#ahead : 0;
  }

  /**
   * Add a new record. *seen* is the channel that is shown, or null.
   * @param {object} record
   * @param {string|null} seen
   */
  take(record, seen) {
    this.setClock(record.at);
    this.reel.add(record);
    if (record.kind === "fact") this.#follow(record);
    if (record.kind === "message") this.#count(record.message, seen);
    if (record.kind === "channel" && record.channel?.id) this.#channels.set(record.channel.id, record.channel);
  }

  /** Every channel there is now. @returns {object[]} */
  get channels() {
    return [...this.#channels.values()];
  }

  /** Whether a reply is being made in *channel*. @param {string} channel */
  isBusy(channel) {
    return [...this.#turns.values()].includes(channel);
  }

  /** Whether anything moves without a record: a clock, a typing indicator that fades. */
  get isMoving() {
    return this.#turns.size > 0;
  }

  /** What is unread in *channel*. @param {string} channel @returns {{count: number, pings: number}} */
  unread(channel) {
    return this.#unread.get(channel) ?? { count: 0, pings: 0 };
  }

  /** How many messages are unread in all. */
  get unreadCount() {
    return [...this.#unread.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** *channel* is shown. @param {string} channel @returns {boolean} whether anything was unread */
  read(channel) {
    return this.#unread.delete(channel);
  }

  #follow({ fact, turn, about }) {
    if (fact === "reply_began" && about?.channel) this.#turns.set(turn, String(about.channel));
    if (fact === "reply_ended") this.#turns.delete(turn);
  }

  #count(message, seen) {
    if (!message || message.author?.id === this.#me || message.channel === seen) return;
    // What was said before the page was opened counts as read.
    if (!(Date.parse(message.time) >= this.#opened)) return;
    const { count, pings } = this.unread(message.channel);
    const isPinged = message.pings?.some((id) => id === this.#me || id === "everyone") ?? false;
    this.#unread.set(message.channel, { count: count + 1, pings: pings + (isPinged ? 1 : 0) });
  }
}

function pageClock() {
  return performance.now() / 1000;
}
