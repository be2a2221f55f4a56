/**
 * One film, or two of the same stream side by side with one clock, and the inside of one of them.
 */

import { ChannelView } from "cadenza/channel.js";
import { clear, el, icon } from "cadenza/dom.js";
import { Reel } from "cadenza/film.js";
import { InsideView } from "cadenza/inside.js";
import { Player } from "cadenza/player.js";
import { inLanguage, onLanguage, t } from "cadenza/words.js";
import "cadenza/words_view.js";

const SHARE = "M12 15V4m0 0L8 8m4-4l4 4M5 13v6h14v-6";
const EPSILON = 1e-6;
const INSIDE_EVERY = 80; // milliseconds: how often the inside is updated while playing

/** Films with their player, in `root`. */
export class FilmView {
  #sides;
  #captions;
  #chosen = 0;
  #caption = null;
  #insideAt = 0;
  #options;
  #unlisten;
  #onKey = (event) => this.key(event);

  /**
   * @param {HTMLElement} root
   * @param {{films: Array<object|Reel>, labels?: Array<string|object>, captions?: object[], onShare?: () => void,
   *   isPlaying?: boolean, next?: {words: () => string, act: () => void}}} options `labels` and `captions` are texts or `{en, ja}`; a caption has `at` besides.
   * `isPlaying` is whether it begins to play at once; else it does unless people want little motion, and then it
   * stands at its end. `next` is offered there.
   */
  constructor(root, { films, labels = [], captions = [], onShare, next = null, isPlaying = !wantsLittleMotion() }) {
    this.#options = { labels, onShare, next };
    this.#captions = captions.filter((caption) => Number.isFinite(caption?.at)).sort((one, other) => one.at - other.at);
    this.root = root;
    root.classList.add("film");
    this.#sides = films.slice(0, 2).map((film, index) => this.#side(film, index));
    root.dataset.sides = String(this.#sides.length);
    // A usual bot has no trace: show the inside of the film that has one.
    this.#chosen = Math.max(0, this.#sides.findIndex(({ reel }) => reel.records.some(({ kind }) => kind === "fact")));
    this.#build();
    this.#unlisten = onLanguage(() => this.#say());
    root.addEventListener("keydown", this.#onKey);
    this.#start(isPlaying);
  }

  /** Handle a key for the player, wherever the focus is. */
  key(event) {
    return this.player.key(event);
  }

  /** Stop, and let go of everything. */
  close() {
    this.#unlisten();
    this.player.close();
    this.inside.close();
    for (const side of this.#sides) side.view.close();
    clear(this.root);
    this.root.classList.remove("film");
    this.root.removeEventListener("keydown", this.#onKey);
  }

  #side(film, index) {
    const reel = film instanceof Reel ? film : new Reel(film);
    const heading = el("h2", { class: "side-name" });
    const button = el("button", { type: "button", class: "quiet side-inside", on: { click: () => this.#choose(index) } });
    const head = el("div", { class: "side-head" }, heading, button);
    const place = el("div", { class: "side-channel" });
    const node = el("section", { class: "side" }, head, place);
    const label = inLanguage(this.#options.labels[index]) || t("film.channel");
    const view = new ChannelView(place, { label, me: ownId(reel), onSelect: (id) => this.#selected(index, id) });
    return { reel, channel: reel.firstChannel, heading, button, head, node, view };
  }

  #build() {
    this.caption = el("p", { class: "caption", role: "status" });
    this.share = el("button", { type: "button", class: "quiet film-share", hidden: !this.#options.onShare });
    this.share.addEventListener("click", () => this.#options.onShare?.());
    this.next = el("button", { type: "button", class: "primary film-next", hidden: true });
    this.next.addEventListener("click", () => this.#options.next.act());
    const bar = el("div", { class: "film-player" });
    const inside = el("section", { class: "film-inside" });
    this.root.append(
      el("div", { class: "film-sides" }, this.#sides.map((side) => side.node)),
      el("div", { class: "film-bar" }, this.caption, el("div", { class: "film-controls" }, bar, this.next, this.share)),
      inside,
    );
    this.player = new Player(bar, { onTime: (time) => this.#show(time) });
    this.inside = new InsideView(inside, {
      onSelect: (selection) => this.#told(selection),
      onSeek: (time) => this.player.seek(time),
    });
    this.#say();
  }

  #say() {
    const isOne = this.#sides.length === 1;
    this.#sides.forEach((side, index) => {
      const label = inLanguage(this.#options.labels[index]);
      side.heading.textContent = label || (isOne ? "" : t("film.side", { number: index + 1 }));
      side.head.hidden = isOne && !label;
      side.button.hidden = isOne;
      side.button.textContent = t("film.look_inside");
      side.node.setAttribute("aria-label", side.heading.textContent || t("film.channel"));
    });
    this.next.textContent = this.#options.next?.words() ?? "";
    this.share.replaceChildren(icon(SHARE), el("span", { text: t("film.share") }));
    this.share.setAttribute("aria-label", t("film.share"));
    this.share.title = t("film.share");
    this.caption.setAttribute("aria-label", t("film.captions"));
    this.player.root.setAttribute("aria-description", t("film.keys"));
    this.#caption = null;
    this.#showCaption(this.player.time);
    this.#paintChosen();
  }

  #start(isPlaying) {
    const moments = this.#sides.flatMap(({ reel }) => reel.moments);
    this.player.seconds = Math.max(0, ...this.#sides.map(({ reel }) => reel.seconds));
    this.player.events = moments.map(({ at }) => at);
    this.player.seek(isPlaying ? 0 : this.player.seconds);
    if (isPlaying) this.player.play();
  }

  #show(time) {
    for (const { reel, channel, view } of this.#sides) view.show(this.#stateAt(reel, time), channel);
    const now = performance.now();
    if (!this.player.isPlaying || now - this.#insideAt >= INSIDE_EVERY) {
      this.#insideAt = now;
      this.#showInside(time);
    }
    this.#showCaption(time);
    this.next.hidden = !this.#options.next || !this.#isOver(time);
  }

  #isOver(time) {
    return time + EPSILON >= this.player.seconds;
  }

  /** The state at *time*. At the end of a film the typing indicators are removed. */
  #stateAt(reel, time) {
    const state = reel.stateAt(time + EPSILON);
    return this.#isOver(time) ? { ...state, typing: new Map() } : state;
  }

  #showInside(time) {
    const side = this.#sides[this.#chosen];
    if (side) this.inside.show(side.reel, { channel: side.channel, time: time + EPSILON });
  }

  #showCaption(time) {
    const due = this.#captions.findLast((caption) => caption.at <= time + EPSILON) ?? null;
    this.caption.hidden = this.#captions.length === 0;
    if (due === this.#caption) return;
    this.#caption = due;
    this.caption.textContent = due === null ? "" : inLanguage(due.text ?? due);
  }

  #choose(index) {
    if (index === this.#chosen) return;
    this.#sides[this.#chosen].view.select(null);
    this.#sides[this.#chosen].view.mark([]);
    this.#chosen = index;
    this.#paintChosen();
    this.inside.select(null);
    this.#showInside(this.player.time);
  }

  #paintChosen() {
    this.#sides.forEach((side, index) => {
      const isChosen = index === this.#chosen;
      side.button.setAttribute("aria-pressed", String(isChosen));
      side.node.classList.toggle("is-chosen", isChosen && this.#sides.length > 1);
    });
  }

  /** A message was chosen in a channel. */
  #selected(index, id) {
    this.#choose(index);
    this.inside.select(id === null ? null : { kind: "message", id });
  }

  /** Something was chosen in the inside. */
  #told(selection) {
    const { view } = this.#sides[this.#chosen];
    const isToken = selection?.kind === "token";
    const ids = isToken ? this.inside.messagesOf(selection) : selection ? [selection.id] : [];
    view.mark(isToken ? ids : []);
    view.select(ids[0] ?? null);
  }
}

function wantsLittleMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The viewer of the film, if it names one. */
function ownId(reel) {
  const person = reel.records.find((record) => record.kind === "person" && record.person?.is_me === true);
  return typeof person?.person.id === "string" ? person.person.id : null;
}
