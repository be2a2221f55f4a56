/** The inside of a reply: a timeline, the model's own text, and the story of whatever is selected. */
import { el } from "cadenza/dom.js";
import { Overview } from "cadenza/overview.js";
import { messageStory, tokenStory } from "cadenza/story.js";
import { Strip } from "cadenza/strip.js";
import { Timeline } from "cadenza/timeline.js";
import { Turns } from "cadenza/turns.js";
import { onLanguage } from "cadenza/words.js";
import { say } from "cadenza/words_inside.js";

const SLICE = 40; // milliseconds that reading a film may take at a time
const LOOKED = 64; // records that are read before looking at the clock

/**
 * Shows what happens inside the replies of a channel. A selection is `{kind: "message", id}`,
 * `{kind: "token", turn, index}` or null.
 */
export class InsideView {
  #reel = null;
  #read = 0; // records of the reel that are in the turns
  #more = 0; // what will read the others
  #drops = 0; // how often the reel had dropped some of them
  #turns = new Turns();
  #channel = null;
  #time = 0;
  #selection = null;
  #chosen = {}; // the selected parts of the turn
  #wanted = null; // the turn that the user chose
  #told = "";
  #forget;

  /**
   * @param {HTMLElement} root
   * @param {{onSelect?: (selection: object|null) => void, onSeek?: (time: number) => void}} [handlers]
   */
  constructor(root, { onSelect = () => {}, onSeek = () => {} } = {}) {
    this.onSelect = onSelect;
    this.onSeek = onSeek;
    this.root = root;
    root.classList.add("inside");
    this.#build();
    this.#forget = onLanguage(() => this.#relabel());
    this.#relabel();
  }

  /** Stop watching the language, the theme and its own size. */
  close() {
    this.#forget();
    clearTimeout(this.#more);
    this.timeline.close();
  }

  #build() {
    const acts = {
      pick: (selection) => this.#pick(selection), seek: (time) => this.onSeek(time), choose: (turn) => this.#choose(turn),
      reveal: (index) => this.strip.reveal(index),
    };
    this.acts = acts;
    this.empty = el("p", { class: "inside-empty dim" });
    this.back = el("button", { class: "small quiet back", type: "button", hidden: true, on: { click: () => this.#pick(null) } });
    const lanes = el("section", { class: "timeline" });
    const words = el("section", { class: "strip-section" });
    this.story = el("div", { class: "story-place" });
    const overview = el("div", { class: "overview" });
    this.timeline = new Timeline(lanes, { onSeek: acts.seek, onPick: acts.pick });
    this.strip = new Strip(words, { onPick: acts.pick });
    this.overview = new Overview(overview, acts);
    this.overviewPlace = overview;
    this.words = words;
    this.about = el("div", { class: "about" }, this.back, this.story);
    this.body = el("div", { class: "inside-body", hidden: true }, lanes, words, this.about, overview);
    this.root.append(this.empty, this.body);
  }

  #relabel() {
    this.root.setAttribute("aria-label", say("inside.label"));
    this.empty.textContent = say("inside.none");
    this.back.textContent = `‹ ${say("inside.back")}`;
    this.#told = "";
    for (const part of [this.timeline, this.strip, this.overview]) part.relabel();
    this.#update();
  }

  /**
   * Show the inside of *channel* at *time*; quick enough to be called ten times a second.
   * @param {{records: object[], drops?: number}} reel
   * @param {{channel: string, time: number}} where
   */
  show(reel, { channel, time }) {
    const { drops = 0 } = reel;
    if (reel !== this.#reel || drops !== this.#drops) [this.#reel, this.#drops, this.#read, this.#turns] = [reel, drops, 0, new Turns()];
    this.#readOn();
    if (channel !== this.#channel) this.#wanted = null;
    this.#channel = channel;
    this.#time = time;
    this.#update();
  }

  /** Read new records; a long film in slices. */
  #readOn() {
    const { records } = this.#reel;
    const until = performance.now() + SLICE;
    clearTimeout(this.#more);
    while (this.#read < records.length) {
      this.#turns.add(records[this.#read]);
      this.#read += 1;
      if (this.#read % LOOKED === 0 && performance.now() > until) break;
    }
    if (this.#read === records.length) return;
    this.#more = setTimeout(() => {
      this.#readOn();
      this.#update();
    }, 0);
  }

  /** Select something, without telling anybody; null selects nothing. */
  select(selection) {
    const hasFocus = this.root.contains(document.activeElement);
    this.#selection = selection ?? null;
    this.#told = "";
    this.#update();
    this.#revealSelection();
    if (hasFocus) this.#keepFocus();
  }

  /** If the pressed element is gone, focus the heading of its replacement. */
  #keepFocus() {
    const now = document.activeElement;
    if (this.root.contains(now) && now.getClientRects().length > 0) return;
    const head = this.#selection === null ? this.overview.title : this.story.querySelector("h3, p");
    if (!head) return;
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  }

  /** The messages that a selected token went to. @param {{turn: string, index: number}} token @returns {string[]} */
  messagesOf({ turn, index }) {
    const ids = this.#turns.byToken(turn, index).map(({ message }) => message);
    return [...new Set(ids.filter(Boolean))];
  }

  #pick(selection) {
    this.select(selection);
    this.onSelect(selection);
  }

  #choose(turn) {
    this.#wanted = turn;
    this.#pick(null);
  }

  /** The turn that is shown: that of the selection, the wanted one, or the latest that has begun. */
  #turn() {
    const selection = this.#selection;
    const found = selection?.kind === "token" ? this.#turns.get(selection.turn)
      : selection?.kind === "message" ? this.#turns.byMessage(selection.id)?.turn ?? this.#turns.answering(selection.id) : null;
    if (found) return found;
    const turns = this.#turns.of(this.#channel);
    return turns.find((turn) => turn.id === this.#wanted) ?? turns.findLast((turn) => turn.begins <= this.#time) ?? null;
  }

  #update() {
    const turn = this.#turn();
    this.empty.hidden = turn !== null || this.#selection !== null;
    this.body.hidden = !this.empty.hidden;
    this.body.classList.toggle("no-turn", turn === null);
    if (turn) this.#showTurn(turn);
    this.#tell(turn);
  }

  #showTurn(turn) {
    const chosen = { message: this.#selection?.kind === "message" ? this.#selection.id : null, token: this.#selection?.kind === "token" ? this.#selection.index : null };
    if (chosen.message !== this.#chosen.message || chosen.token !== this.#chosen.token) this.#chosen = chosen; // the same object while it is the same
    this.timeline.show(turn, this.#time, this.#chosen);
    this.strip.show(turn, this.#time, this.#chosen);
  }

  /** Show the selection, or the whole reply; a story is redrawn only when it has grown. */
  #tell(turn) {
    const isOverview = this.#selection === null;
    this.about.hidden = isOverview;
    this.back.hidden = isOverview;
    this.story.hidden = isOverview;
    this.overviewPlace.hidden = !isOverview;
    if (isOverview) {
      if (turn) this.overview.show(turn, this.#time, this.#turns.of(this.#channel), this.#wanted);
      return;
    }
    const told = this.#state(turn);
    if (told === this.#told) return;
    this.#told = told;
    const step = this.story.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
    this.story.replaceChildren(this.#story(turn));
    if (step) this.story.querySelector(`[data-step="${step === "next" ? "next" : "previous"}"]`)?.focus();
  }

  /** What the story depends on. */
  #state(turn) {
    const { kind, id, index } = this.#selection;
    if (kind === "token" && turn) {
      return JSON.stringify([turn.id, index, turn.ends !== null && this.#time >= turn.ends, turn.tokens.count > index + 1, this.#turns.byToken(turn.id, index, this.#time)]);
    }
    const message = turn?.message(id);
    return JSON.stringify([id, turn?.id, Boolean(message?.story), turn?.messages.length, (message?.at ?? 0) > this.#time, message?.deletedAt, this.#turns.names.version, this.#turns.names.mentionsOf(id)]);
  }

  #story(turn) {
    const { kind, id, index } = this.#selection;
    if (kind === "token" && turn && index < turn.tokens.count) return tokenStory(turn, index, this.#time, this.acts);
    const message = kind === "message" ? turn?.message(id) : null;
    return message ? messageStory(turn, message, this.#time, this.acts) : this.#foreign(turn);
  }

  /** A message that no reply sent. */
  #foreign(turn) {
    const isAnswered = turn !== null && turn.replyTo === this.#selection.id;
    return el("article", { class: "story" }, el("p", { text: say("story.not_ours") }),
      isAnswered ? el("p", null, say("story.answered", { name: turn.persona || "?" }), " ", el("button", {
        class: "small", type: "button", text: say("story.look"), on: { click: () => this.#choose(turn.id) },
      })) : null);
  }

  #revealSelection() {
    const turn = this.#turn();
    if (!this.#selection) return;
    this.#placeStory();
    if (!turn) return;
    const { kind, id, index } = this.#selection;
    const start = kind === "message" ? turn.message(id)?.story?.raw?.[0]?.[0] : undefined;
    this.strip.reveal(kind === "token" ? index : start === undefined ? -1 : turn.tokens.at(start));
  }

  /** A message's story comes before the text it was cut from; a token's comes after it, so that the text does not move. */
  #placeStory() {
    const isMessage = this.#selection.kind === "message";
    const before = isMessage ? this.words : this.overviewPlace;
    if (this.about.nextElementSibling !== before) before.before(this.about);
    if (isMessage) scrollTo(this.about);
  }
}

/** Scroll what *node* is in, if its beginning is not well in sight; nothing else on the page moves. */
function scrollTo(node) {
  let place = node.parentElement;
  while (place && !(place.scrollHeight > place.clientHeight && /auto|scroll/.test(getComputedStyle(place).overflowY))) {
    place = place.parentElement;
  }
  if (!place) return;
  const top = node.getBoundingClientRect().top - place.getBoundingClientRect().top;
  if (top < 0 || top > place.clientHeight * 0.6) place.scrollTop += top - 8;
}
