// Looking back: the player under the channel, and the way back to what happens now.

import { el, icon } from "cadenza/dom.js";
import { REWIND } from "cadenza/icons.js";
import { label } from "cadenza/labels.js";
import { Player } from "cadenza/player.js";
import { onLanguage, t } from "cadenza/words.js";

/** The bar "Rewind". Its time is null while the page is live. */
export class Rewind {
  #root;
  #notice;
  #button;
  #back;
  #words;
  #asked;
  #player = null;
  #time = null;
  #count = -1; // events that the player knows

  /**
   * @param {HTMLElement} root where the player is
   * @param {HTMLElement} notice where it is said that one looks back
   * @param {object} asked
   * @param {() => void} asked.onTime another time is to be shown
   * @param {() => {seconds: number, events: number[]}} asked.film how long the film is, and when things happened in it
   */
  constructor(root, notice, asked) {
    this.#root = root;
    this.#notice = notice;
    this.#asked = asked;
    root.hidden = true;
    const word = label(el("span", { class: "room-word" }), "live.rewind");
    const aria = { expanded: "false", controls: root.id };
    this.#button = el("button", { type: "button", class: "quiet", aria }, icon(REWIND), word);
    label(this.#button, "live.rewind", "aria-label");
    this.#button.addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    this.#words = el("span", {});
    this.#back = label(el("button", { type: "button", class: "primary" }), "live.back");
    this.#back.addEventListener("click", () => this.backToLive());
    onLanguage(() => this.#tell());
  }

  /** The button that opens and closes the bar. */
  get button() {
    return this.#button;
  }

  /** The time that one looks back to, in seconds, or null. */
  get time() {
    return this.#time;
  }

  get isOpen() {
    return !this.#root.hidden;
  }

  open() {
    this.#root.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#player ??= this.#made();
    this.update();
  }

  /** Close the bar, and go back to live. */
  close() {
    this.#root.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.backToLive();
  }

  /** Look at *time*. @param {number} time */
  seek(time) {
    this.open();
    this.#player.pause();
    this.#player.seek(time);
  }

  /** See what happens now. */
  backToLive() {
    if (this.#time !== null) this.#player.follow();
  }

  /** The film has grown, and so does the player; it goes along by itself unless one looks back. */
  update() {
    if (!this.isOpen) return;
    const { seconds, events } = this.#asked.film();
    if (events.length !== this.#count) this.#player.events = events;
    this.#count = events.length;
    this.#player.seconds = seconds;
  }

  #made() {
    return new Player(this.#root, { isLive: true, onTime: (time) => this.#went(time) });
  }

  #went(time) {
    // The player tells the time also while it is being made, when it can only be live.
    const isLive = this.#player?.isFollowing ?? true;
    const wasLive = this.#time === null;
    this.#time = isLive ? null : time;
    if (isLive !== wasLive) this.#tell();
    if (!isLive || !wasLive) this.#asked.onTime();
  }

  #tell() {
    const isBack = this.#time !== null;
    this.#words.textContent = isBack ? t("live.looking") : "";
    if (isBack && !this.#back.isConnected) this.#notice.append(this.#words, this.#back);
    if (isBack) return;
    const hadFocus = document.activeElement === this.#back;
    this.#words.remove();
    this.#back.remove();
    if (hadFocus) this.#button.focus();
  }
}
