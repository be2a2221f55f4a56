/**
 * A film, folded into the state at any moment. See docs/films.md for the records.
 */

import { eachInSlices } from "cadenza/slices.js";
import { completeMessage, completePerson } from "cadenza/complete.js";

const TYPING_SECONDS = 10;
const LONGEST = 1e8; // seconds, about three years: a later time is a mistake or an attack
const SPACING = 128; // visible records between two snapshots, at first
const MOST_SNAPSHOTS = 64; // then every other one is forgotten and the spacing doubled
const LASTING = ["channel", "person"]; // without these nothing else can be shown

/** What each kind of record does to a draft of the state; other kinds are not visible in a channel. */
const FOLDS = {
  channel: foldChannel,
  person: foldPerson,
  message: foldMessage,
  changed: foldChanged,
  deleted: foldDeleted,
  typing: foldTyping,
  form: foldForm,
  note: foldNote,
};

/**
 * The records of a film, and the state at any time of it. What `stateAt` gives back is never changed afterwards:
 * an unchanged part is the same object, so that views can see what is new by identity.
 */
export class Reel {
  #visible = []; // {at, kind, ...}: checked, and never earlier than the one before
  #snapshots = [{ count: 0, state: emptyState() }];
  #spacing = SPACING;
  #ids = new Set(); // of the messages that were said: only one that is said again has to be looked for
  #cursor = new Draft(emptyState(), 0);
  #most;

  /**
   * @param {{records?: object[], seconds?: number, isLive?: boolean, most?: number}} [film] `most` is
   * how many records are kept; of what is older, whole replies are dropped
   */
  constructor({ records = [], seconds = 0, isLive = false, most = Infinity } = {}) {
    this.#most = most;
    /** Counts drops: a reader of `records` must start over when it changes. */
    this.drops = 0;
    /** All records, also those that are not visible in a channel. */
    this.records = [];
    /** How long it is; grows with its records. */
    this.seconds = Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), LONGEST) : 0;
    this.isLive = isLive;
    for (const record of Array.isArray(records) ? records : []) this.add(record);
  }

  /**
   * The reel of a long film, made in slices so that the page stays responsive.
   * @param {{records?: object[], seconds?: number}} film
   * @param {AbortSignal} [signal] rejects when it is aborted
   */
  static async inSlices({ records = [], seconds = 0 }, signal) {
    const reel = new Reel({ seconds });
    await eachInSlices(Array.isArray(records) ? records : [], (record) => reel.add(record), signal);
    return reel;
  }

  /** Add a record; an unreadable one is skipped. */
  add(record) {
    if (typeof record !== "object" || record === null || typeof record.kind !== "string") return;
    const at = Number.isFinite(record.at) ? Math.min(Math.max(0, record.at), LONGEST) : this.seconds;
    const kept = at === record.at ? record : { ...record, at };
    this.records.push(kept);
    this.#see(kept);
    if (this.records.length > this.#most) this.#drop();
  }

  #see(record) {
    const { at } = record;
    this.seconds = Math.max(this.seconds, Math.min(endOf(record, at), LONGEST));
    const seen = Object.hasOwn(FOLDS, record.kind) ? checked(record) : null;
    if (seen === null) return;
    const last = this.#visible.at(-1)?.at ?? 0;
    const isAgain = record.kind === "message" && this.#ids.has(seen.message.id);
    if (record.kind === "message") this.#ids.add(seen.message.id);
    this.#visible.push({ ...seen, isAgain, kind: record.kind, at: Math.max(at, last), record });
  }

  /** Make room for a fifth of all, as the server does: nothing of replies that go on, unless that alone is too much. */
  #drop() {
    const cut = this.records.length - Math.floor(this.#most * 0.8);
    const later = new Set(this.records.slice(cut).map(({ turn }) => turn).filter(Boolean));
    const lasting = this.records.slice(0, cut).filter(({ kind }) => LASTING.includes(kind));
    const old = this.records.slice(0, cut).filter(({ kind, turn }) => LASTING.includes(kind) || later.has(turn));
    this.records = [...(old.length > this.#most / 10 ? lasting : old), ...this.records.slice(cut)];
    const kept = new Set(this.records);
    this.#visible = this.#visible.filter(({ record }) => kept.has(record));
    this.#ids = new Set(this.#visible.filter(({ kind }) => kind === "message").map(({ message }) => message.id));
    this.#snapshots = [{ count: 0, state: emptyState() }];
    this.#cursor = new Draft(emptyState(), 0);
    this.drops += 1;
  }

  /** The channel in which something happens first; `null` if there is none. */
  get firstChannel() {
    const first = this.#visible.find((seen) => seen.kind === "message")
      ?? this.#visible.find((seen) => seen.kind === "channel");
    return first ? first.message?.channel ?? first.channel.id : null;
  }

  /** When something is seen to happen, and what: for stepping from one to the next. */
  get moments() {
    const kinds = ["message", "changed", "deleted"];
    return this.#visible.filter((seen) => kinds.includes(seen.kind)).map(({ at, kind }) => ({ at, kind }));
  }

  /**
   * What is seen at a time.
   * @param {number} time seconds since the film began
   * @returns {{time: number, channels: Map, people: Map, messages: Map, typing: Map, forms: object[], notes: object[]}}
   */
  stateAt(time) {
    const wanted = this.#countAt(time);
    if (this.#cursor.count > wanted) this.#cursor = this.#draftBefore(wanted);
    while (this.#cursor.count < wanted) {
      this.#cursor.fold(this.#visible[this.#cursor.count]);
      this.#maybeKeep();
    }
    return { ...this.#cursor.handOut(), time, typing: typingAt(this.#cursor.state.typing, time) };
  }

  #countAt(time) {
    let low = 0;
    let high = this.#visible.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#visible[middle].at <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #draftBefore(wanted) {
    const snapshot = this.#snapshots.findLast((kept) => kept.count <= wanted);
    return new Draft(snapshot.state, snapshot.count);
  }

  #maybeKeep() {
    const { count } = this.#cursor;
    if (count < this.#snapshots.at(-1).count + this.#spacing) return;
    this.#snapshots.push({ count, state: this.#cursor.handOut() });
    if (this.#snapshots.length <= MOST_SNAPSHOTS) return;
    this.#snapshots = this.#snapshots.filter((_, index) => index % 2 === 0);
    this.#spacing *= 2;
  }
}

/** A state that is being made: what was handed out is copied before it is changed, and only then. */
class Draft {
  #own = new Set(); // arrays that were not handed out yet

  constructor(state, count) {
    this.state = copied(state);
    this.count = count;
  }

  fold(record) {
    FOLDS[record.kind](this, record);
    this.count += 1;
  }

  /** The state as it is now; it stays so. */
  handOut() {
    const given = this.state;
    this.state = copied(given);
    this.#own.clear();
    return given;
  }

  /** The list of a channel, to be changed. */
  listOf(map, channel) {
    const list = map.get(channel) ?? [];
    if (this.#own.has(list)) return list;
    const mine = [...list];
    this.#own.add(mine);
    map.set(channel, mine);
    return mine;
  }
}

function emptyState() {
  return { channels: new Map(), people: new Map(), messages: new Map(), typing: new Map(), forms: [], notes: [] };
}

function copied(state) {
  return {
    ...state,
    channels: new Map(state.channels),
    people: new Map(state.people),
    messages: new Map(state.messages),
    typing: new Map(state.typing),
  };
}

/** When a record ends: tokens come for a while. */
function endOf(record, at) {
  const times = Array.isArray(record.times) ? record.times : [];
  const last = times.at(-1);
  return Number.isFinite(last) ? at + Math.max(0, last) : at;
}

/** The part of a record that is folded, complete; `null` if it is not valid. */
function checked(record) {
  switch (record.kind) {
    case "message":
    case "changed": {
      const message = completeMessage(record.message);
      return message && { message };
    }
    case "deleted":
      return isId(record.channel) && isId(record.id) ? { channel: record.channel, id: record.id } : null;
    case "channel":
      return isId(record.channel?.id) ? { channel: { name: "", sort: "text", topic: "", ...record.channel } } : null;
    case "person": {
      const person = completePerson(record.person);
      return person && { person };
    }
    case "typing": {
      const who = completePerson(record.who);
      return who && isId(record.channel) ? { channel: record.channel, who } : null;
    }
    case "form":
      return typeof record.form === "object" && record.form !== null
        ? { interaction: record.interaction, form: record.form }
        : null;
    default:
      return typeof record.text === "string" ? { text: record.text, urgency: String(record.urgency ?? "") } : null;
  }
}

function isId(value) {
  return typeof value === "string" && value !== "";
}

function foldChannel(draft, { channel }) {
  draft.state.channels.set(channel.id, { ...draft.state.channels.get(channel.id), ...channel });
}

function foldPerson(draft, { person }) {
  draft.state.people.set(person.id, person);
}

function foldMessage(draft, { message, isAgain }) {
  const list = draft.listOf(draft.state.messages, message.channel);
  const known = isAgain ? list.findLastIndex((other) => other.id === message.id) : -1;
  if (known >= 0) list[known] = message;
  else list.push(message);
  const isAuthor = (entry) => entry.id === message.author.id;
  if (!draft.state.typing.get(message.channel)?.some(isAuthor)) return;
  const typing = draft.listOf(draft.state.typing, message.channel);
  typing.splice(typing.findIndex(isAuthor), 1);
}

function foldChanged(draft, { message }) {
  const known = draft.state.messages.get(message.channel)?.findLastIndex((other) => other.id === message.id) ?? -1;
  if (known >= 0) draft.listOf(draft.state.messages, message.channel)[known] = message;
}

function foldDeleted(draft, { channel, id }) {
  const known = draft.state.messages.get(channel)?.findLastIndex((other) => other.id === id) ?? -1;
  if (known >= 0) draft.listOf(draft.state.messages, channel).splice(known, 1);
}

function foldTyping(draft, { channel, who, at }) {
  const typing = draft.listOf(draft.state.typing, channel);
  const known = typing.findIndex((entry) => entry.id === who.id);
  if (known >= 0) typing.splice(known, 1, { ...who, at });
  else typing.push({ ...who, at });
}

function foldForm(draft, { interaction, form, at }) {
  draft.state.forms = [...draft.state.forms, { interaction, form, at }];
}

function foldNote(draft, { text, urgency, at }) {
  draft.state.notes = [...draft.state.notes, { text, urgency, at }];
}

function typingAt(typing, time) {
  const now = new Map();
  for (const [channel, list] of typing) {
    const still = list.filter((entry) => time < entry.at + TYPING_SECONDS);
    if (still.length) now.set(channel, still);
  }
  return now;
}
